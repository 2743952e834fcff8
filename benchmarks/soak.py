"""Attack the promises of docs/reliability.md for up to half an hour.

- model files: changed at random (fuzz_models.py)
- tables: odd and damaged ones (fuzz_tables.py)
- changed columns: written otherwise than in training (fuzz_tables.py)
- kills: of a study, which is started again, and of its workers in turn (kill_and_resume.py)
- interrupts: Ctrl-C or SIGTERM at a random instant of a command that writes a file; the file is
  whole or not there, nothing is left beside it, and the command says so in one line
- fits: interrupted at 20 points, extreme numbers, outliers (tests marked soak)
- memory: 300 fits of three models grow the process by less than 30 MB

Prints what was tried and what failed of each kind, and ends with code 1 if anything failed.

Run: python benchmarks/soak.py [seed] [share of the work, such as 0.05]
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import psutil

ROOT = Path(__file__).resolve().parent.parent
MAX_GROWTH = 30 << 20
# What was tried, and a line for each failure.
Tally = tuple[int, list[str]]


def model_files(n: int, seed: int) -> Tally:
    from fuzz_models import attack

    return n, attack(n, seed)[1]


def tables(n: int, seed: int) -> Tally:
    from fuzz_tables import attack_tables

    return n, attack_tables(n, seed)[1]


def changed_columns(n: int, seed: int) -> Tally:
    from fuzz_tables import change_columns

    return change_columns(n, seed)


def kills(n: int, seed: int) -> Tally:
    from kill_and_resume import compare

    return n, compare(n)[2]


def interrupts(n: int, seed: int) -> Tally:
    rng = np.random.default_rng(seed)
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        X = pd.DataFrame(rng.normal(size=(150, 4)), columns=list("abcd"))
        X.assign(y=np.where(X["a"] > 0, "yes", "no")).to_csv(folder / "t.csv", index=False)
        commands = {
            "m.blm": ["fit", "t.csv", "-t", "y", "-m", "BLS", "-o", "m.blm"],
            "p.csv": ["predict", "fitted.blm", "t.csv", "-o", "p.csv"],
            "e.html": ["evaluate", "fitted.blm", "t.csv", "-t", "y", "-o", "e.html"],
            "a.html": ["audit", "t.csv", "-t", "y", "-o", "a.html"],
        }
        seconds, sizes = {}, {}
        _run(folder, ["fit", "t.csv", "-t", "y", "-m", "BLS", "-o", "fitted.blm"])
        for file, command in commands.items():
            start = time.perf_counter()
            _run(folder, command)
            seconds[file] = time.perf_counter() - start
            sizes[file] = (folder / file).stat().st_size
        files = {*(path.name for path in folder.iterdir())} - set(commands)
        for _ in range(n):
            file = str(rng.choice(list(commands)))
            for other in commands:
                (folder / other).unlink(missing_ok=True)
            number = signal.SIGTERM if rng.random() < 0.5 else signal.SIGINT
            delay = float(rng.uniform(0.0, 1.1 * seconds[file]))
            process = _start(folder, commands[file])
            time.sleep(delay)
            process.send_signal(number)
            _, said = process.communicate()
            fault = ""
            left = {path.name for path in folder.iterdir()} - files
            # Before Python has its handlers, the signal ends the process by itself.
            if process.returncode not in (0, 128 + number, -number):
                fault = f"exit code {process.returncode}: {said[-200:]!r}"
            elif process.returncode > 0 and said.strip().count("\n"):
                fault = f"more than one line: {said[-200:]!r}"
            elif left - {file}:
                fault = f"left {sorted(left)}"
            elif file in left and abs((folder / file).stat().st_size - sizes[file]) > 200:
                fault = f"{file} is not whole"
            if fault:
                failures.append(f"seed {seed}, {commands[file][0]} after {delay:.2f} s: {fault}")
    return n, failures


def _start(folder: Path, command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "broadlearn.cli", *command],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def _run(folder: Path, command: list[str]) -> None:
    process = _start(folder, command)
    _, said = process.communicate()
    if process.returncode:
        raise RuntimeError(said)


def fits(n: int, seed: int) -> Tally:
    environment = {
        **os.environ,
        "BROADLEARN_INTERRUPTIONS": str(n),
        "BROADLEARN_EXAMPLES": str(10 * n),
        "OPENBLAS_NUM_THREADS": "1",
    }
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-m", "soak", "tests/faults"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", run.stdout[-300:])}
    lost = [line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if run.returncode and not lost:
        lost = [run.stdout[-300:] + run.stderr[-300:]]
    return counts.get("passed", 0) + len(lost), lost


def memory(n: int, seed: int) -> Tally:
    from broadlearn import BLSClassifier, BroadEnsembleClassifier, IntuitionisticFuzzyBLSClassifier

    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 8))
    y = (X[:, 0] * X[:, 1] > 0.0).astype(int)
    models = [
        BLSClassifier(random_state=seed),
        IntuitionisticFuzzyBLSClassifier(random_state=seed),
        BroadEnsembleClassifier(),
    ]
    failures = []
    for model in models:
        grown, base = 0, 0
        for fit in range(n):
            model.fit(X, y).predict_proba(X)
            if fit == n // 5:
                base = psutil.Process().memory_info().rss
        grown = psutil.Process().memory_info().rss - base
        if grown > MAX_GROWTH:
            failures.append(f"seed {seed}, {type(model).__name__}: {grown >> 20} MB")
    return n * len(models), failures


# Attacks, and how much of each is half an hour together on two idle cores.
KINDS: dict[str, tuple[Callable[[int, int], Tally], int]] = {
    "model files": (model_files, 20_000),
    "tables": (tables, 3_000),
    "changed columns": (changed_columns, 2_000),
    "kills of studies and workers": (kills, 30),
    "interrupts": (interrupts, 60),
    "fits": (fits, 20),
    "memory over fits": (memory, 300),
}


def main(seed: int = 0, share: float = 1.0) -> int:
    rows, lost = [], []
    begin = time.perf_counter()
    for kind, (attack, most) in KINDS.items():
        start = time.perf_counter()
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            tried, failures = pool.submit(attack, max(2, round(share * most)), seed).result()
        minutes = (time.perf_counter() - start) / 60.0
        print(f"{kind}: {tried:,} tried, {len(failures)} failed, {minutes:.1f} min", flush=True)
        rows.append(f"| {kind} | {tried:,} | {len(failures)} | {minutes:.1f} |")
        lost += [f"{kind}, {failure}" for failure in failures]
    print("\n".join(["", "| kind | tried | failed | minutes |", "| --- | ---: | ---: | ---: |"]))
    print("\n".join([*rows, *lost[:50]]))
    print(f"seed {seed}, {(time.perf_counter() - begin) / 60.0:.1f} minutes")
    return int(bool(lost))


if __name__ == "__main__":
    given = sys.argv[1:3]
    sys.exit(main(*(convert(text) for convert, text in zip((int, float), given, strict=False))))
