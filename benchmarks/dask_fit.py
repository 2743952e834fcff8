"""A fit on Dask: two workers against one, and against threads of joblib that make the same sums.

Run: python benchmarks/dask_fit.py [rows]     (1,000,000 rows of 50 float32 columns if not given)
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial, reduce
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
from _measure import best_time, verdict
from distributed import Client, LocalCluster
from joblib import Parallel, delayed
from scale import N_COLUMNS, make, model, read, write
from threadpoolctl import threadpool_limits

from broadlearn.out_of_core import fit
from broadlearn.out_of_core.dask_fit import BLOCK_ROWS
from broadlearn.out_of_core.passes import fit_in_passes
from broadlearn.out_of_core.rows import array_blocks, fold

N_ROWS, CHUNK_ROWS = 1_000_000, 50_000
# By default, workers return memory to the system after every product of matrices.
SPAWN = "distributed.nanny.pre-spawn-environ"
MALLOC = {"MALLOC_TRIM_THRESHOLD_": 1 << 27, "MALLOC_MMAP_THRESHOLD_": 1 << 26}


@contextmanager
def local_client(n_workers: int) -> Iterator[Client]:
    """Start worker processes of one thread each, without a dashboard."""
    with (
        dask.config.set({SPAWN: {**dask.config.get(SPAWN, {}), **MALLOC}}),
        LocalCluster(n_workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


class Threads:
    """The same partitions, blocks and statistics on two threads of joblib."""

    def __init__(self, folder: Path, n: int) -> None:
        self.folder, self.starts = folder, range(0, n, CHUNK_ROWS)
        self.n_blocks = len(self.starts)

    def head(self) -> tuple[Any, int]:
        return read(self.folder)[0][:0], 1

    def reduce(self, stage: str, part: Any, merge: Any) -> Any:
        def visit(start: int) -> Any:
            X, y = (values[start : start + CHUNK_ROWS] for values in read(self.folder))
            return fold(part, merge, array_blocks(X, y, None, BLOCK_ROWS), start)

        calls = (delayed(visit)(start) for start in self.starts)
        return reduce(merge, Parallel(2, prefer="threads", return_as="generator")(calls))


def collections(folder: Path, n: int) -> tuple[da.Array, da.Array]:
    """Arrays whose chunks are read by the workers."""

    @dask.delayed
    def load(name: str, start: int) -> np.ndarray:
        return np.load(folder / name, mmap_mode="r")[start : start + CHUNK_ROWS]

    X, y = [], []
    for start in range(0, n, CHUNK_ROWS):
        size = min(CHUNK_ROWS, n - start)
        X.append(da.from_delayed(load("X.npy", start), (size, N_COLUMNS), np.float32))
        y.append(da.from_delayed(load("y.npy", start), (size,), np.int8))
    return da.concatenate(X), da.concatenate(y)


def main(n: int) -> None:
    seconds, decisions, rows = {}, {}, make(1000)[0]
    with tempfile.TemporaryDirectory() as name, threadpool_limits(1):
        folder = Path(name)
        write(folder, n)
        X, y = collections(folder, n)
        for workers in (1, 2):
            with local_client(workers):
                # Workers import what they need.
                fit(model(10), X[: 2 * CHUNK_ROWS], y[: 2 * CHUNK_ROWS])
                fitted = model()
                seconds[workers] = best_time(partial(fit, fitted, X, y), 2)
                decisions[workers] = fitted.decision_function(rows)
        fitted = model()
        seconds["joblib"] = best_time(partial(fit_in_passes, fitted, Threads(folder, n)), 2)
        decisions["joblib"] = fitted.decision_function(rows)
    print(f"{n:,} x {N_COLUMNS} float32 rows, 1,000 nodes, one thread of linear algebra per worker")
    for name, time in seconds.items():
        print(f"  ... {name}: {time:.1f} s, {n / time:,.0f} rows per second")
    verdict("rate of 2 workers / 1 worker", seconds[1] / seconds[2], 1.5, at_least=True)
    verdict(
        "time of 2 workers / 2 threads of joblib",
        seconds[2] / seconds["joblib"],
        1.25,
        at_least=False,
    )
    same = float(np.abs(decisions[1] - decisions[2]).max())
    verdict("largest difference of 2 workers and 1", same, 0, at_least=False)
    worst = float(np.abs(decisions["joblib"] - decisions[2]).max())
    verdict("largest difference of Dask and joblib in 1e-6", 1e6 * worst, 1, at_least=False)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else N_ROWS)
