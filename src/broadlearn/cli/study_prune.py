"""`broadlearn study prune`: remove units of former models and data from a file of results."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from broadlearn.cli.console import one_sentence, print_json, say
from broadlearn.cli.tables import AsJson
from broadlearn.cli.units import DEFAULT_STORE, kept_results


def prune(
    store: Annotated[Path, typer.Option(help="File of the results.")] = DEFAULT_STORE,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be removed.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove the units of former models and data from a file of results.

    A unit is a former one when a study has since had the same cell in its plan with an edited model
    or another version of its package, or the data set with other content. Without a terminal to
    ask on, `--yes` is needed. Exit code 0: removed, or nothing to remove; 1: not confirmed; 2: bad
    input.
    """
    with one_sentence("nothing was removed"):
        from broadlearn.study import ResultStore

        with kept_results(store) as results:
            found = results.prune(dry_run=True)
        counts = found.groupby(["model", "dataset", "former"]).size()
        if not as_json:
            for (model, dataset, former), n_units in counts.items():
                say(f"{_units(n_units)} of {model} on {dataset}: the {former} changed since")
        removed = 0
        if len(found) and not dry_run:
            if not yes:
                _confirm(len(found), store)
            with ResultStore(store) as results:
                removed = len(results.prune())
        if as_json:
            former = counts.reset_index(name="units").to_dict("records")
            print_json(store=str(store), former=former, removed=removed)
        elif removed:
            say(f"Removed {_units(removed)} from {store}.")
        elif len(found):
            say(f"{_units(len(found))} would be removed from {store}.")
        else:
            say(f"{store} has no units of former models or data.")


def _units(number: int) -> str:
    return "1 unit" if number == 1 else f"{number:,} units"


def _is_asked() -> bool:
    """Whether a person can answer."""
    return sys.stdin.isatty()


def _confirm(number: int, store: Path) -> None:
    if not _is_asked():
        raise ValueError(f"To remove {_units(number)} from {store}, give --yes (or --dry-run).")
    typer.confirm(f"Remove {_units(number)} from {store}?", abort=True, err=True)
