"""What the commands on tables share: options, labelled tables, files that can be written."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from broadlearn.cli.console import first_few, split_list
from broadlearn.io import read_table

Data = Annotated[Path, typer.Argument(help="The table: CSV, TSV, Parquet or ARFF.")]
Target = Annotated[str, typer.Option("--target", "-t", help="Column of the labels.")]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", help="Columns to leave out, such as dates; several with commas."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


class Labelled(NamedTuple):
    """Rows, their labels, and how many rows each label has; none for a regression target."""

    X: pd.DataFrame
    y: NDArray[Any]
    classes: dict[str, int]

    @property
    def is_regression(self) -> bool:
        """Whether the target is a quantity."""
        return not self.classes


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


def read_labelled(
    data: Path, target: str, drop: list[str] | None, task: str = "classification"
) -> Labelled:
    """Read a table of two or more classes, or with a regression target where `task` allows it."""
    table = read_table(data, target, drop=split_list(drop), task=task)
    y = np.asarray(table.y)
    if y.dtype.kind == "f":
        if np.ptp(y) == 0.0:
            raise ValueError(f"The target column {target!r} of {data} must vary; all are {y[0]:g}.")
        return Labelled(table.X, y, {})
    return Labelled(table.X, y, count_classes(y, f"The target column {target!r} of {data}"))


def count_classes(y: NDArray[Any], what: str) -> dict[str, int]:
    """Rows of each class, if there are at least two."""
    labels, counts = np.unique(y, return_counts=True)
    if labels.size < 2:
        raise ValueError(
            f"{what} must hold at least two classes; every label is {str(labels[0])!r}."
        )
    if labels.size == y.size:
        raise ValueError(f"{what} must hold at least two classes; no label is there twice.")
    return dict(zip(map(str, labels), counts.tolist(), strict=True))


def counted(classes: Mapping[str, int]) -> str:
    """Classes with their numbers of rows, the first few if there are many."""
    return first_few([f"{label}: {count}" for label, count in classes.items()])


def named(columns: Sequence[str]) -> str:
    """Names of columns, the first few if there are many."""
    return first_few([repr(name) for name in columns])
