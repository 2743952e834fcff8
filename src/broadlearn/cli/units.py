"""Units of a study run with a bar, and what the commands that do so share."""

from __future__ import annotations

import os
import shlex
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from broadlearn.cli.console import SOME_FAILED, bar, is_terminal, say, tell
from broadlearn.cli.groups import completes

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from broadlearn.study import Outcome, ResultStore, Study

# Those of `broadlearn.study`, written down so that help texts need no import of it.
DEFAULT_STORE = Path("study", "results.db")
LEADERBOARD_STORE = Path("leaderboard", "results.db")
MOST_JOBS = 10_000
METRICS = ("accuracy", "balanced_accuracy", "f1_macro", "roc_auc", "log_loss")
METRIC_NAMES = f"{', '.join(METRICS[:-1])} or {METRICS[-1]}"

MetricName = Annotated[
    str,
    typer.Option(
        help=f"What figures, ranks and tests are of: {METRIC_NAMES}.",
        autocompletion=completes(*METRICS),
    ),
]


def check_jobs(jobs: int) -> int:
    """Refuse numbers of processes that mean nothing."""
    if jobs == 0 or abs(jobs) > MOST_JOBS:
        raise typer.BadParameter(
            f"expected a number of processes, at most {MOST_JOBS}, or -1 for all cores, got {jobs}"
        )
    return jobs


Jobs = Annotated[
    int,
    typer.Option("--jobs", "-j", help="Processes; -1 for all cores.", callback=check_jobs),
]


def run_units(
    study: Study,
    store: ResultStore,
    n_jobs: int,
    *,
    timeout: float | None = None,
    memory: str | None = None,
    executor: Executor | None = None,
) -> None:
    """Run what is not done yet, and show how far it is."""
    for damaged in study.register(store):
        say(f"damaged on disk, to be done again: {damaged}", err=True)
    done = {unit.key for unit in study.summary(store).units["done"]}
    left = [unit for unit in study.plan if unit.key not in done]
    tell(
        f"{len(study.plan)} units, {len(done)} done before, {len(left)} to do on "
        f"{n_jobs} {'process' if n_jobs == 1 else 'processes'}; results in {store.path}"
    )
    with bar() as shown:
        task = shown.add_task("starting", total=sum(study.cost(unit) for unit in left) or 1.0)
        ended = count(1)

        def show(outcome: Outcome) -> None:
            unit = outcome.unit
            text = f"{next(ended)}/{len(left)}  {unit.dataset}, {unit.model}, {unit.protocol}"
            shown.update(task, advance=study.cost(unit), description=text)
            if outcome.status != "done":
                say(why(outcome.status, unit, outcome.error), err=True)
            elif not is_terminal():
                tell(text)

        study.run(
            store,
            n_jobs=n_jobs,
            timeout=timeout,
            memory=memory,
            executor=executor,
            report=show,
        )


def kept_results(path: Path) -> ResultStore:
    """Open a file of results that must be there, to read it."""
    from broadlearn.study import ResultStore

    if not path.is_file():
        raise ValueError(f"There is no file of results at {path}; `study run` makes it.")
    return ResultStore(path, read_only=True)


def exit_if_lost(study: Study, store: ResultStore) -> None:
    """Exit with a code of failure if units are not done."""
    lost = len(study.plan) - study.summary(store).counts["done"]
    if lost:
        say(
            f"{lost} of {len(study.plan)} units are not done; see `broadlearn study status --store "
            f"{store.path}`.",
            err=True,
        )
        raise typer.Exit(SOME_FAILED)


def n_processes(jobs: int) -> int:
    """Number of processes that an option asks for: all cores if it is below 1."""
    return os.cpu_count() or 1 if jobs < 1 else jobs


def why(status: str, unit: Any, error: object) -> str:
    """Why a unit is not done."""
    return f"{status}: {unit.dataset}, {unit.model}, {unit.protocol}, {unit.noise}: {error}"


def counted_units(study: Study, store: ResultStore) -> dict[str, int]:
    """How many units of a study have come to what, for machines."""
    return {"units": len(study.plan), **study.summary(store).counts}


def command_line() -> str:
    """What was typed."""
    return shlex.join(["broadlearn", *sys.argv[1:]])
