"""What the commands on tables share: options, labelled tables, notes, facts and JSON."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray
from sklearn.exceptions import FitFailedWarning

from broadlearn._cli._console import (
    INTERRUPTED,
    console,
    errors,
    one_sentence,
    printable,
    split_list,
)
from broadlearn.tables import read_table

# Columns or classes that a sentence names.
MOST_NAMED = 8

Data = Annotated[Path, typer.Argument(help="The table: CSV, TSV, Parquet or ARFF.")]
Target = Annotated[str, typer.Option("--target", "-t", help="Column of the labels.")]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", help="Columns to leave out, such as dates; several with commas."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


class Labelled(NamedTuple):
    """Rows, their labels, and how many rows each label has."""

    X: pd.DataFrame
    y: NDArray[Any]
    classes: dict[str, int]


@contextmanager
def command() -> Iterator[Callable[[], list[str]]]:
    """Faults as one sentence, warnings as notes; gives what to call for the notes so far."""
    with one_sentence(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        for category in (UserWarning, FitFailedWarning):
            warnings.simplefilter("always", category)
        # `unseen_levels` says this with the names of the columns.
        warnings.filterwarnings("ignore", "Found unknown categories")

        def notes() -> list[str]:
            return list(dict.fromkeys(str(warning.message) for warning in caught))

        try:
            yield notes
        except KeyboardInterrupt:
            errors.print("Interrupted; nothing was written.")
            raise typer.Exit(INTERRUPTED) from None
        for note in notes():
            errors.print(f"Note: {printable(note)}", markup=False, highlight=False, soft_wrap=True)


def note(sentence: str) -> None:
    """Say something that is no fault."""
    warnings.warn(sentence, UserWarning, stacklevel=2)


def check_outputs(outputs: Sequence[Path | None], inputs: Sequence[Path]) -> None:
    """Raise before any work where a file could not be written, or would replace another."""
    taken = [path.resolve() for path in inputs]
    for path in filter(None, outputs):
        folder = path.parent
        if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
            raise ValueError(f"{path} must be a file, in a folder that exists and is writable.")
        if path.resolve() in taken:
            raise ValueError(f"{path} is already in use by this command; write to another file.")
        taken.append(path.resolve())


def read_labelled(data: Path, target: str, drop: list[str] | None) -> Labelled:
    """Read a table of two or more classes."""
    table = read_table(data, target, drop=split_list(drop))
    y = np.asarray(table.y)
    labels, counts = np.unique(y, return_counts=True)
    what = f"The target column {target!r} of {data} must hold at least two classes"
    if labels.size < 2:
        raise ValueError(f"{what}; every label is {str(labels[0])!r}.")
    if labels.size == y.size:
        raise ValueError(f"{what}; no label is there twice.")
    return Labelled(table.X, y, dict(zip(map(str, labels), counts.tolist(), strict=True)))


def print_facts(facts: Mapping[str, Any]) -> None:
    """Print one line a fact."""
    for key, value in facts.items():
        line = printable(f"{key:>20}: {value}")
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def print_json(**facts: Any) -> None:
    """Print facts for machines."""
    typer.echo(json.dumps(facts, indent=2, default=str))


def listed(facts: Mapping[str, Any]) -> str:
    """Facts in one line."""
    return ", ".join(f"{key}: {value}" for key, value in facts.items())


def counted(classes: Mapping[str, int]) -> str:
    """Classes with their numbers of rows, the first few if there are many."""
    return _first_few([f"{label}: {count}" for label, count in classes.items()])


def named(columns: Sequence[str]) -> str:
    """Names of columns, the first few if there are many."""
    return _first_few([repr(name) for name in columns])


def _first_few(items: Sequence[str]) -> str:
    more = f" and {len(items) - MOST_NAMED} more" if len(items) > MOST_NAMED else ""
    return ", ".join(items[:MOST_NAMED]) + more
