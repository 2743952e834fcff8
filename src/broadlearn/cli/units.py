"""Units of a study run with a bar, and what the commands that do so share."""

from __future__ import annotations

import os
import shlex
import sys
from concurrent.futures import Executor
from itertools import count
from pathlib import Path
from typing import Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from broadlearn.cli.console import SOME_FAILED, errors, is_terminal, say
from broadlearn.study import Outcome, ResultStore, Study


def run_units(
    study: Study,
    store: ResultStore,
    n_jobs: int,
    *,
    timeout: float | None = None,
    executor: Executor | None = None,
) -> None:
    """Run what is not done yet, and show how far it is."""
    done = {unit.key for unit in study.summary(store).units["done"]}
    left = [unit for unit in study.plan if unit.key not in done]
    say(
        f"{len(study.plan)} units, {len(done)} done before, {len(left)} to do on "
        f"{n_jobs} {'process' if n_jobs == 1 else 'processes'}; results in {store.path}",
        errors,
    )
    with progress() as bar:
        task = bar.add_task("starting", total=sum(study.cost(unit) for unit in left) or 1.0)
        ended = count(1)

        def show(outcome: Outcome) -> None:
            unit = outcome.unit
            text = f"{next(ended)}/{len(left)}  {unit.dataset}, {unit.model}, {unit.protocol}"
            bar.update(task, advance=study.cost(unit), description=text)
            if outcome.status != "done":
                say(why(outcome.status, unit, outcome.error), bar.console)
            elif not is_terminal():
                say(text, errors)

        study.run(store, n_jobs=n_jobs, timeout=timeout, executor=executor, report=show)


def kept_results(path: Path) -> ResultStore:
    """Open a file of results that must be there."""
    if not path.is_file():
        raise ValueError(f"There is no file of results at {path}; `study run` makes it.")
    return ResultStore(path)


def exit_if_lost(study: Study, store: ResultStore) -> None:
    """Exit with a code of failure if units are not done."""
    lost = len(study.plan) - study.summary(store).counts["done"]
    if lost:
        say(
            f"{lost} of {len(study.plan)} units are not done; see `broadlearn study status --store "
            f"{store.path}`.",
            errors,
        )
        raise typer.Exit(SOME_FAILED)


def n_processes(jobs: int) -> int:
    """Number of processes that an option asks for: all cores if it is below 1."""
    return os.cpu_count() or 1 if jobs < 1 else jobs


def why(status: str, unit: Any, error: object) -> str:
    """Why a unit is not done."""
    return f"{status}: {unit.dataset}, {unit.model}, {unit.protocol}, {unit.noise}: {error}"


def progress() -> Progress:
    """A bar with the time left, where a person is watching."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=errors,
        disable=not is_terminal(),
    )


def command_line() -> str:
    """What was typed."""
    return shlex.join(["broadlearn", *sys.argv[1:]])
