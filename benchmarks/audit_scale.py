"""Time and memory of an audit as rows grow: 11 columns, three classes, 5 % of the labels changed.

Each size runs in a process of its own. Limits for 200,000 rows: 60 s of processor time and 1 GB.
The growth is that of the time from each size to the next, over the growth of the rows: 1 would be
linear.

Run: python benchmarks/audit_scale.py [rows ...]
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np
from _measure import verdict
from sklearn.datasets import make_classification
from sklearn.metrics import average_precision_score
from threadpoolctl import threadpool_limits

from broadlearn import audit

SIZES = (10_000, 50_000, 200_000, 1_000_000)


def run(n_rows: int) -> None:
    """Audit so many rows and print what it took."""
    X, y = make_classification(
        n_rows, 11, n_informative=7, n_classes=3, class_sep=1.3, flip_y=0, random_state=0
    )
    rng = np.random.default_rng(1)
    wrong = rng.random(n_rows) < 0.05
    labels = np.where(wrong, (y + rng.integers(1, 3, n_rows)) % 3, y)
    start = time.process_time()
    with threadpool_limits(1):
        found = audit(X, labels)
    seconds = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    precision = average_precision_score(wrong, found.evidence.suspicion)
    print(f"{n_rows} {seconds:.1f} {memory:.2f} {precision:.3f}")


def main(sizes: list[int]) -> None:
    import subprocess

    before = None
    for size in sizes:
        command = [sys.executable, __file__, "--one", str(size)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        rows, seconds, memory, precision = map(float, done.stdout.split())
        growth = (
            "" if before is None else f", growth {seconds / before[1] / (rows / before[0]):.2f}"
        )
        print(f"{size:>9,} rows: average precision {precision:.3f}{growth}", flush=True)
        if size == 200_000:
            verdict("200,000 rows: processor seconds", seconds, 60.0, at_least=False)
            verdict("200,000 rows: memory, GB", memory, 1.0, at_least=False)
        else:
            print(f"{'':>9}  {seconds:.0f} s, {memory:.2f} GB")
        before = (rows, seconds)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        run(int(sys.argv[2]))
    else:
        main([int(argument) for argument in sys.argv[1:]] or list(SIZES))
