"""A study, its processes and its file attacked, against one that is left alone.

- Writers: one, two and four processes work on one file; again and again one of them is ended with
  SIGKILL at a random moment, and started anew. In the end the exported table must be byte for byte
  that of an undisturbed run. Writers are forked and run units themselves, so that many are killed
  in little time; a few whole commands, which have processes for units, are killed too.
- Bits: a bit of the file flips. Reading it must give the same table, or say that it is damaged; a
  run must mend it by doing damaged units again, or refuse the file.
- Deaths: processes that run units are ended with SIGKILL while the study goes on.
- Poison: models that end their process, take for ever or all memory are filed as failed, with the
  reason, and the others are done.

Run: python benchmarks/kill_and_resume.py [kills=100] [commands=6] [flips=600] [deaths=20]
"""

from __future__ import annotations

import os

# Before NumPy is imported: a process with threads cannot be forked.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier

from broadlearn.study import ModelSpec, Outcome, ResultStore, Study, UnitResult, make_study
from broadlearn.study.unit_server import attempt

SEEDS = 40
# A study of many units of some milliseconds each.
STUDY = make_study(["iris", "wine"], ["majority"], protocols=["nested"], seeds=SEEDS)
COMMAND = [sys.executable, "-m", "broadlearn.cli", "study", "run", "--quiet", "-p", "nested"]
COMMAND += ["-d", "iris,wine", "-m", "majority", "--seeds", str(SEEDS), "--store"]


class Poison(DummyClassifier):
    """Ends its process, or takes more than it may, when it is fitted."""

    def __init__(self, how: str = "") -> None:
        super().__init__()
        self.how = how

    def fit(self, X, y, sample_weight=None):  # type: ignore[no-untyped-def]
        if self.how == "exit":
            os._exit(3)
        elif self.how == "sleep":
            time.sleep(3600)
        elif self.how == "memory":
            self.held_ = np.ones(10**10)
        else:
            os.kill(os.getpid(), getattr(signal, self.how))
        return self


POISON = {
    "SIGKILL": "killed by signal 9 (SIGKILL)",
    "SIGSEGV": "killed by signal 11 (SIGSEGV)",
    "exit": "ended its process with exit code 3",
    "sleep": "took longer than 5 seconds",
    "memory": "took more than 1GB of memory",
}


class Here(Executor):
    """Runs units in this process."""

    def submit(self, run: Any, task: Any, limits: Any) -> Future[Outcome]:  # type: ignore[override]
        """Run one now."""
        future: Future[Outcome] = Future()
        future.set_result(attempt(*task))
        return future


def run_here(store: Path) -> None:
    with ResultStore(store) as results:
        STUDY.run(results, executor=Here())


def table(store: Path) -> bytes:
    with ResultStore(store, read_only=True) as results:
        results.export_csv(store.with_suffix(".csv"))
    return store.with_suffix(".csv").read_bytes()


def fork_writer(store: Path) -> int:
    if (pid := os.fork()) == 0:
        run_here(store)
        os._exit(0)
    return pid


def kill_writers(folder: Path, expected: bytes, n_writers: int, kills: int) -> int:
    """Kill one of some writers at a time; 1 if the table differs in the end."""
    draw = random.Random(n_writers)
    store = folder / f"killed-{n_writers}.db"
    killed = rounds = 0
    while killed < kills:
        # A study that is done before all are killed begins anew.
        rounds += 1
        for left in folder.glob(f"{store.name}*"):
            left.unlink()
        writers = [fork_writer(store) for _ in range(n_writers)]
        while killed < kills and len(writers) == n_writers:
            time.sleep(draw.uniform(0.0, 0.3))
            pid = writers.pop(draw.randrange(n_writers))
            os.kill(pid, signal.SIGKILL)
            if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL:
                killed += 1
                writers.append(fork_writer(store))
        codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in writers]
        run_here(store)
        if any(codes) or table(store) != expected:
            return 1
    print(f"{n_writers} writers: {killed} killed in {rounds} studies of {len(STUDY.plan)} units")
    return 0


def kill_commands(folder: Path, expected: bytes, kills: int) -> int:
    """Kill whole commands; 1 if the table differs in the end."""
    store = folder / "command.db"
    for i in range(kills):
        before = finished(store)
        process = subprocess.Popen([*COMMAND, str(store), "--jobs", str(1 + i % 2)])
        while process.poll() is None and finished(store) < before + 5:
            time.sleep(0.05)
        process.kill()
        process.wait()
    print(f"commands: {finished(store)} of {len(STUDY.plan)} units done after {kills} kills")
    subprocess.run([*COMMAND, str(store)], check=True)
    return int(table(store) != expected)


def finished(store: Path) -> int:
    if not store.exists() or not store.stat().st_size:
        return 0
    with ResultStore(store) as results:
        return results.summary(STUDY.plan).counts["done"]


def flip_bits(folder: Path, n_flips: int) -> tuple[int, int]:
    """Flips that gave another table without a word, and those that could be mended but were not."""
    study = make_study(["iris"], ["majority"], protocols=["nested"], seeds=20)
    original, path = folder / "sound" / "results.db", folder / "flipped" / "results.db"
    path.parent.mkdir()
    with ResultStore(original) as store:
        study.run(store, executor=Here())
        rows = {row["key"]: row for row in store.rows()}
    expected, content = table(original), original.read_bytes()
    unnoticed = unmended = same = refused = 0
    for bit in np.random.default_rng(0).choice(8 * len(content), n_flips, replace=False).tolist():
        shutil.rmtree(path.parent)
        path.parent.mkdir()
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        try:
            found = table(path) == expected
            unnoticed += not found
            same += found
        except ValueError as error:
            unnoticed += path.name not in str(error)
        try:
            with ResultStore(path) as store:
                study.register(store)
                for unit in study.summary(store).units["missing"]:
                    if store.claim(unit):
                        store.finish(unit, _result(rows[unit.key]))
            unmended += table(path) != expected
        except ValueError:
            refused += 1
    print(
        f"{n_flips} flips: {same} gave the same table, {n_flips - same} were noticed; a run mended"
    )
    print(f"{n_flips - refused} of the files and refused {refused} with their name")
    return unnoticed, unmended


def _result(row: dict[str, Any]) -> UnitResult:
    return UnitResult(row["fold_scores"], row["chosen"], row["seconds"], row["metrics"])


def children() -> list[int]:
    """Processes that this one has started and that are still there."""
    task = Path(f"/proc/{os.getpid()}/task")
    return [int(pid) for t in task.iterdir() for pid in (t / "children").read_text().split()]


def kill_workers(folder: Path, expected: bytes, deaths: int) -> tuple[int, int]:
    """Processes of units that were killed, and 1 if the table differs in the end."""
    draw = random.Random(0)
    killed: list[int] = []
    progress = threading.Semaphore(0)
    every = max(1, len(STUDY.plan) // (deaths + 1))

    def attack() -> None:
        while len(killed) < deaths:
            for _ in range(every):
                progress.acquire()
            # Those that are busy with the next unit, and at times one that has just ended it.
            time.sleep(draw.uniform(0.0, 0.03))
            if found := [pid for pid in children() if pid not in killed]:
                killed.append(draw.choice(found))
                os.kill(killed[-1], signal.SIGKILL)

    threading.Thread(target=attack, daemon=True).start()
    path = folder / "deaths.db"
    with ResultStore(path) as store:
        STUDY.run(store, n_jobs=2, report=lambda outcome: progress.release())
        attempts = int(store.to_frame()["attempts"].sum())
    print(f"deaths: {len(killed)} processes killed, {attempts} of them at work on a unit")
    return len(killed), int(table(path) != expected)


def poison(folder: Path) -> int:
    """Poison units that were filed as anything else than failed with their reason."""
    study = make_study(["iris"], ["majority"], protocols=["nested"], seeds=10)
    units = [replace(study.plan[0], model=how) for how in POISON]
    models = {**study.models, **{how: ModelSpec(how, Poison(how)) for how in POISON}}
    with ResultStore(folder / "poison.db") as store:
        # First in the plan, and all the same no reason for others to wait.
        mixed = Study(units + study.plan, study.data, models)
        mixed.run(store, n_jobs=2, timeout=5.0, memory="1GB")
        frame = store.to_frame().set_index("model")
    for how in POISON:
        print(f"poison {how}: {frame.loc[how, 'status']}, {frame.loc[how, 'error']}")
    wrong = sum(POISON[how] not in str(frame.loc[how, "error"]) for how in POISON)
    return wrong + int((frame.loc["majority", "status"] != "done").sum())


def main() -> None:
    given = {"kills": "100", "commands": "6", "flips": "600", "deaths": "20"}
    given |= dict(argument.split("=") for argument in sys.argv[1:])
    kills, commands, flips, deaths = (int(given[name]) for name in given)
    rows: list[tuple[str, int, int]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run_here(folder / "whole.db")
        expected = table(folder / "whole.db")
        for n_writers in (1, 2, 4):
            n = kills // 3 + (kills % 3 if n_writers == 1 else 0)
            wrong = kill_writers(folder, expected, n_writers, n)
            rows.append((f"SIGKILL of one of {n_writers} writers: another table", n, wrong))
        wrong = kill_commands(folder, expected, commands)
        rows.append(("SIGKILL of the command: another table", commands, wrong))
        unnoticed, unmended = flip_bits(folder, flips)
        rows.append(("a bit of the store flips: unnoticed", flips, unnoticed))
        rows.append(("a bit of the store flips: another table after a run", flips, unmended))
        killed, wrong = kill_workers(folder, expected, deaths)
        rows.append(("SIGKILL of the process of a unit: another table", killed, wrong))
        rows.append(("poison units: not failed with the reason", len(POISON), poison(folder)))
    print(f"\n{'test':<56} {'tried':>6} {'failed':>6}")
    for test, tried, failed in rows:
        print(f"{test:<56} {tried:>6} {failed:>6}")
    sys.exit(any(failed for _, _, failed in rows))


if __name__ == "__main__":
    main()
