"""Kill a study and its workers again and again, and compare the results with an undisturbed run.

- Parent: a `broadlearn study run` is ended with SIGKILL after a few more units, and started anew.
- Worker: a process that runs units is ended with SIGKILL while the study goes on.

No finished unit may be lost, no finished unit may be run again, and the exported table must have
the bytes of the undisturbed run in the end.

Run: python benchmarks/kill_and_resume.py [kills=30]
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil

from broadlearn.study import ResultStore, StoreError, make_study

SEEDS = 60
STUDY = make_study(
    ["iris", "wine"], ["majority", "ELM"], protocols=["nested"], grid="reduced", seeds=SEEDS
)
COMMAND = [sys.executable, "-m", "broadlearn.cli", "study", "run", "-p", "nested", "-j", "2"]
COMMAND += ["-d", "iris,wine", "-m", "majority,ELM", "--grid", "reduced", "--seeds", str(SEEDS)]


def finished(store: Path) -> dict[str, str]:
    """Keys of finished units, with the time at which they were filed."""
    try:
        with ResultStore(store, read_only=True) as results:
            frame = results.to_frame()
    except StoreError:
        # It is not made yet.
        return {}
    return dict(zip(frame["key"], frame["finished"], strict=True))


def start(store: Path) -> subprocess.Popen[bytes]:
    """Begin or go on with the study."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(
        [*COMMAND, "--store", str(store)], env=environment, stderr=subprocess.DEVNULL
    )


def find_workers(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """Processes that run units."""
    workers = []
    with suppress(psutil.Error):
        for child in psutil.Process(process.pid).children():
            with suppress(psutil.Error):
                if "popen_loky" in " ".join(child.cmdline()):
                    workers.append(child)
    return workers


def export(store: Path) -> bytes:
    """The table of a store."""
    with ResultStore(store, read_only=True) as results:
        results.export_csv(store.with_suffix(".csv"))
    return store.with_suffix(".csv").read_bytes()


def attack(store: Path, kills: int) -> tuple[int, int, int, int]:
    """Kill parent or worker in turn; kills of each, units lost and units that were run again."""
    draw = random.Random(0)
    n_parents = n_workers = lost = repeated = 0
    known: dict[str, str] = {}
    process = start(store)
    while n_parents + n_workers < kills:
        if process.poll() is not None:
            # Done before all kills.
            break
        wanted = len(known) + draw.randint(1, 4)
        while process.poll() is None and len(finished(store)) < wanted:
            time.sleep(0.05)
        workers = find_workers(process)
        if (n_parents + n_workers) % 2 and workers:
            with suppress(psutil.Error):
                draw.choice(workers).send_signal(signal.SIGKILL)
                n_workers += 1
        else:
            process.kill()
            process.wait()
            n_parents += 1
            process = start(store)
        now = finished(store)
        lost += sum(key not in now for key in known)
        repeated += sum(now.get(key, filed) != filed for key, filed in known.items())
        known = now
    process.wait()
    now = finished(store)
    lost += sum(key not in now for key in known)
    repeated += sum(now.get(key, filed) != filed for key, filed in known.items())
    return n_parents, n_workers, lost, repeated


def compare(kills: int) -> tuple[int, int, list[str]]:
    """Return the parents and workers that were killed, and what failed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with ResultStore(folder / "quiet.db") as results:
            STUDY.run(results, n_jobs=2)
        n_parents, n_workers, lost, repeated = attack(folder / "attacked.db", kills)
        same = export(folder / "quiet.db") == export(folder / "attacked.db")
    failures = [f"{lost} finished runs lost"] if lost else []
    failures += [f"{repeated} finished runs run again"] if repeated else []
    failures += [] if same else ["another table than that of the undisturbed study"]
    if n_parents + n_workers < kills:
        failures.append(f"ended after {n_parents + n_workers} of {kills} kills")
    return n_parents, n_workers, failures


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    n_parents, n_workers, failures = compare(kills)
    print(f"{len(STUDY.plan)} runs; killed {n_parents} parents and {n_workers} workers")
    print("\n".join(failures) or "no run lost, none run again, the same table")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
