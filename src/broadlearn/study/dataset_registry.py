"""What is known about each data set before it is read: size, classes, checksum, oddities."""

from __future__ import annotations

import csv
import difflib
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from broadlearn.utils import Array


@dataclass(frozen=True)
class DatasetInfo:
    """Facts about a data set.

    Attributes
    ----------
    name : str
    variant : str
        "" for the plain form, "embedded" for one that needs no file, or the name of another form.
    kind : str
        "uci28" for the 28 data sets of the study and their variants, "extra", "embedded", or
        "table" for a user's own.
    n_rows, n_columns : int
        Size; the target is not counted.
    class_counts : dict
        Number of rows per label, labels as text.
    sha256 : str
        Of the values, see `values_sha256`; empty for a user's table.
    source : str
        Where the data come from.
    files : tuple of str
        Paths in the public collection, if it is there, in the order in which they are joined.
    note : str
        What is odd about it.
    file : str
        Name of its file where that is not ``name.csv`` or ``name__variant.csv``.
    """

    name: str
    variant: str
    kind: str
    n_rows: int
    n_columns: int
    class_counts: dict[str, int]
    sha256: str = ""
    source: str = ""
    files: tuple[str, ...] = ()
    note: str = ""
    file: str = ""

    @property
    def file_name(self) -> str:
        """Name of its CSV file."""
        if self.file:
            return self.file
        return f"{self.name}__{self.variant}.csv" if self.variant else f"{self.name}.csv"


@cache
def registry() -> dict[tuple[str, str], DatasetInfo]:
    """All data sets by name and variant, in the order of the file."""
    text = (files(__package__) / "dataset_registry.csv").read_text(encoding="utf-8")
    infos = {}
    for row in csv.DictReader(text.splitlines()):
        parsed = {
            "n_rows": int(row["n_rows"]),
            "n_columns": int(row["n_columns"]),
            "class_counts": _parse_counts(row["class_counts"]),
            "files": tuple(row["files"].split()),
        }
        facts: dict[str, Any] = {**row, **parsed}
        infos[row["name"], row["variant"]] = DatasetInfo(**facts)
    return infos


def _parse_counts(text: str) -> dict[str, int]:
    """Counts of the labels 0, 1, … as ``61 59``, or of others as ``CDR 0: 135; CDR 0.5: 70``."""
    if ":" not in text:
        return {str(label): int(count) for label, count in enumerate(text.split())}
    parts = (part.rpartition(":") for part in text.split(";"))
    return {label.strip(): int(count) for label, _, count in parts}


def lookup(name: str, variant: str) -> DatasetInfo:
    """Give the facts about a data set; the error for an unknown one names those there are."""
    names = dict.fromkeys(known for known, _ in registry())
    if name not in names:
        close = difflib.get_close_matches(name.replace("-", "_"), names)
        hint = f"did you mean {' or '.join(map(repr, close))}?"
        every = f"use one of {', '.join(names)}."
        raise ValueError(f"There is no data set {name!r}; {hint if close else every}")
    if (name, variant) not in registry():
        variants = [other for known, other in registry() if known == name and other]
        there = f"use one of {', '.join(variants)}" if variants else "it has none"
        raise ValueError(f"Data set {name!r} has no variant {variant!r}; {there}.")
    return registry()[name, variant]


def features_and_labels(table: Array) -> tuple[Array, NDArray[np.int64]]:
    """Split off the last column, which must hold whole numbers."""
    if table.shape[1] < 2:
        raise ValueError("There must be a column of features and one of labels.")
    labels = table[:, -1]
    if not (np.isfinite(labels).all() and np.array_equal(labels, np.round(labels))):
        raise ValueError("The last column must have whole numbers as labels.")
    return table[:, :-1].copy(), labels.astype(np.int64)


def values_sha256(X: NDArray[Any] | pd.DataFrame, y: NDArray[Any]) -> str:
    """SHA-256 of a table's values, however the file writes them.

    Of the features, row by row, as little-endian doubles, then the labels as 64-bit integers; a
    frame, with text or missing values, as CSV, then the labels as lines of text.
    """
    if isinstance(X, pd.DataFrame):
        lines = [X.to_csv(index=False, lineterminator="\n"), *map(str, y)]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()
    unsigned_zeros = np.asarray(X, dtype=np.float64) + 0.0
    digest = hashlib.sha256(unsigned_zeros.astype("<f8").tobytes())
    digest.update(np.asarray(y).astype("<i8").tobytes())
    return digest.hexdigest()


def difference(info: DatasetInfo, X: NDArray[Any] | pd.DataFrame, y: NDArray[Any]) -> str:
    """Say how a table differs from what is known about it; empty if it does not."""
    if X.shape != (info.n_rows, info.n_columns):
        return f"{X.shape[0]} rows of {X.shape[1]} columns, not {info.n_rows} of {info.n_columns}"
    if class_counts(y) != info.class_counts:
        return f"class counts {class_counts(y)}, not {info.class_counts}"
    return "" if values_sha256(X, y) == info.sha256 else "other values (their checksum differs)"


def class_counts(y: NDArray[Any]) -> dict[str, int]:
    """Number of rows per label, labels as text, in their order."""
    labels, counts = np.unique(y, return_counts=True)
    return {str(label): int(count) for label, count in zip(labels, counts, strict=True)}
