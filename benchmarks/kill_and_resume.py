"""A study that is killed at random moments, against one that is left alone.

Starts the same study again and again and ends it with SIGKILL, 20 times, at a random moment after
it has taken its first unit; then lets it finish. The exported table must be byte for byte that of
an undisturbed run, and no unit may be lost. A third study is run by two processes on one file at
the same time.

Run: python benchmarks/kill_and_resume.py [kills]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from _measure import verdict

from broadlearn.study import ResultStore

STUDY = [
    *("study", "run", "--dataset", "iris,wine,wdbc,titanic", "--grid", "reduced"),
    *("--model", "BLS,ELM,F-BLS,IF-BLS,IF-TSVM"),
]


def start(store: Path, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "broadlearn.cli", *STUDY, "--store", str(store), *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def export(store: Path) -> bytes:
    with ResultStore(store) as results:
        results.export_csv(store.with_suffix(".csv"))
    return store.with_suffix(".csv").read_bytes()


def finished(store: Path) -> int:
    if not store.exists():
        return 0
    with ResultStore(store) as results:
        return int((results.to_frame()["status"] == "done").sum())


def owners(store: Path) -> set[str]:
    if not store.exists():
        return set()
    with ResultStore(store) as results:
        return set(results.to_frame()["owner"])


def wait_for_work(process: subprocess.Popen[bytes], store: Path, before: set[str]) -> None:
    """Until a process has taken a unit, or has ended as there was none."""
    while process.poll() is None and owners(store) <= before:
        time.sleep(0.05)


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alone = time.perf_counter()
        start(folder / "whole.db").wait()
        alone = time.perf_counter() - alone
        expected = export(folder / "whole.db")
        n_units = finished(folder / "whole.db")
        at = []
        for i in range(kills):
            before = owners(folder / "killed.db")
            process = start(folder / "killed.db", "--jobs", str(1 + i % 2))
            wait_for_work(process, folder / "killed.db", before)
            # Long enough for some units, short enough that some are left for the last kill.
            time.sleep(rng.uniform(0.0, 1.0) * alone / kills)
            process.kill()
            process.wait()
            at.append(finished(folder / "killed.db"))
        print(f"units done of {n_units} after each kill: {at}")
        start(folder / "killed.db").wait()
        same = export(folder / "killed.db") == expected
        verdict(f"same table after {kills} kills (1 is yes)", same, 1, at_least=True)
        both = [start(folder / "shared.db") for _ in range(2)]
        for process in both:
            process.wait()
        with ResultStore(folder / "shared.db") as results:
            n_owners = results.to_frame()["owner"].nunique()
        same = export(folder / "shared.db") == expected
        verdict(f"same table from {n_owners} processes on one file", same, 1, at_least=True)


if __name__ == "__main__":
    main()
