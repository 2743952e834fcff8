"""Processor time of commands that have little to do: help texts, the version, ten predictions.

    python benchmarks/startup.py                    # the code beside this file
    python benchmarks/startup.py --before REVISION  # and that of a git revision, in a worktree
    python benchmarks/startup.py --runs 11

Prints the median of several runs, user and system time of the process and its children, and its
ratio to `import sklearn` in the same run. Wanted: a ratio of at most 0.3 for `--version` and each
`--help`; ten predictions, which need scikit-learn, have no limit.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from _measure import verdict

REPOSITORY = Path(__file__).resolve().parents[1]
LIMIT = 0.3
RUN = "import sys; sys.argv[0] = 'broadlearn'; from broadlearn.cli import main; main()"
LIST = """
import typer
from broadlearn.cli.app import app
def paths(group, *path):
    yield " ".join(path)
    for name, command in getattr(group, "commands", {}).items():
        yield from paths(command, *path, name)
print("\\n".join(paths(typer.main.get_command(app))))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", help="a git revision to compare with")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    now = REPOSITORY / "src"
    with tempfile.TemporaryDirectory() as made, worktree(options.before, Path(made)) as before:
        folder = Path(made)
        write_model(folder, now)
        helps = [f"{path} --help".strip() for path in python(now, LIST).stdout.split("\n")[:-1]]
        sources = [source for source in (before, now) if source is not None]
        print(f"{'processor time in s, median of ' + str(options.runs):<40}", end="")
        print("   before    after" if before else "    after")
        found = {}
        for text in ["--version", *dict.fromkeys(helps), "predict model.blm ten.csv"]:
            found[text] = [
                median_time(source, RUN, text.split(), options.runs, folder) for source in sources
            ]
            print(f"{'broadlearn ' + text:<40}" + "".join(f"{time:9.2f}" for time in found[text]))
        for code in ("import broadlearn", "from broadlearn import BLSClassifier", "import sklearn"):
            found[code] = [
                median_time(source, code, [], options.runs, folder) for source in sources
            ]
            print(f"{code:<40}" + "".join(f"{time:9.2f}" for time in found[code]))
    print()
    sklearn = found["import sklearn"][-1]
    for text in ["--version", *dict.fromkeys(helps)]:
        ratio = found[text][-1] / sklearn
        verdict(f"broadlearn {text} / import sklearn", ratio, LIMIT, at_least=False)
    ratio = found["predict model.blm ten.csv"][-1] / sklearn
    print(f"ten predictions take {ratio:.2f} times `import sklearn`")


def python(source: Path, code: str, *arguments: str, cwd: Path | None = None):
    """Run a program with the package of a folder."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(source)},
    )


def median_time(source: Path, code: str, arguments: list[str], runs: int, cwd: Path) -> float:
    """Median processor time of some runs, after one that fills the caches; nan if it fails."""
    times = []
    for _ in range(runs + 1):
        start = os.times()
        if python(source, code, *arguments, cwd=cwd).returncode:
            return float("nan")
        end = os.times()
        times.append(
            end.children_user + end.children_system - start.children_user - start.children_system
        )
    return statistics.median(times[1:])


def write_model(folder: Path, source: Path) -> None:
    """A model file, and ten rows to predict."""
    rng = np.random.default_rng(0)
    rows = np.c_[rng.normal(size=(200, 4)), rng.integers(2, size=200)]
    for name, count in (("train.csv", 200), ("ten.csv", 10)):
        header = "a,b,c,d,y"
        np.savetxt(folder / name, rows[:count], delimiter=",", header=header, comments="")
    fit = "fit train.csv --target y --model BLS --output model.blm"
    python(source, RUN, *fit.split(), cwd=folder)


@contextmanager
def worktree(revision: str | None, folder: Path) -> Iterator[Path | None]:
    """The sources of a git revision, for as long as the context lasts."""
    if revision is None:
        yield None
        return
    git, path = ["git", "-C", str(REPOSITORY)], folder / "before"
    subprocess.run([*git, "worktree", "add", "-q", "--detach", str(path), revision], check=True)
    try:
        yield path / "src"
    finally:
        subprocess.run([*git, "worktree", "remove", "--force", str(path)], check=True)


if __name__ == "__main__":
    main()
