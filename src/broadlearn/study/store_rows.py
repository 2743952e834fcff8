"""What a result store holds: rows parsed, as a frame, and as a table that a second run repeats."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd

from broadlearn.study.owner import Owner
from broadlearn.study.plan import ADDED, Unit
from broadlearn.study.row_checks import CHECKSUM, is_intact
from broadlearn.study.shown_results import ResultFrame, count_words
from broadlearn.study.store_file import COLUMNS, UNIT_FIELDS
from broadlearn.utils import harmless

_JSON_FIELDS = ("fold_scores", "metrics", "chosen", "versions")
_ORDER = "dataset, noise, model, protocol, seed, grid, fingerprint"
# In stores of the first form; the time at which a unit was asked for is when it was started.
_ABSENT = {**ADDED, "metrics": None, "asked": None, "attempts": 0}
_NUMBERS = ("mean", "sd", "seconds", "lease_until", "asked")
# Columns of a frame: all but the checksum, which says nothing once it is verified.
_FRAMED = tuple(name for name in COLUMNS if name != CHECKSUM)
# What a second run of the same unit reproduces: no times, no processes, no machine.
_EXPORTED = (
    *UNIT_FIELDS,
    "former",
    "status",
    "mean",
    "sd",
    "fold_scores",
    "metrics",
    "chosen",
    "error",
)


@dataclass(frozen=True)
class Summary:
    """The progress of a plan.

    Attributes
    ----------
    units : dict of str to tuple of Unit
        The plan's units by status, with "missing" for those that the store does not know.
    """

    units: dict[str, tuple[Unit, ...]]

    def __repr__(self) -> str:
        found = {status: n for status, n in self.counts.items() if n}
        return f"<Summary of {sum(found.values())} units: {count_words(found)}>"

    @property
    def counts(self) -> dict[str, int]:
        """Number of units by status."""
        return {status: len(units) for status, units in self.units.items()}


def read_rows(db: sqlite3.Connection) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows that are sound, parsed, and those that are damaged, as they are, with their "rowid"."""
    sound, damaged = [], []
    for row in db.execute(f"SELECT rowid, * FROM results ORDER BY {_ORDER}"):
        values = dict(row)
        number = values.pop("rowid")
        try:
            if not is_intact(values):
                raise ValueError("another checksum")
            sound.append(_parsed(values))
        except (ValueError, TypeError, AttributeError):
            # Rows from before there were checksums are known to be damaged by making no sense.
            damaged.append({**values, "rowid": number})
    return sound, damaged


def frame_of(rows: Iterable[Mapping[str, Any]]) -> ResultFrame:
    """Rows as a frame; absent texts, lists and dicts are None, absent numbers NaN."""
    frame = pd.DataFrame(rows, columns=[*_FRAMED, "former"], dtype=object)
    kinds = {**dict.fromkeys(_NUMBERS, np.float64), "seed": np.int64, "attempts": np.int64}
    return ResultFrame(frame.astype(kinds))


def reproducible_csv(frame: pd.DataFrame) -> str:
    """What a second run of the same units gives byte for byte, as CSV."""
    frame = frame[list(_EXPORTED)]
    texts = {
        name: frame[name].map(json.dumps, na_action="ignore")
        for name in ("fold_scores", "metrics", "chosen")
    }
    text: str = frame.assign(**texts).map(harmless).to_csv(index=False, lineterminator="\n")
    return text


def status_now(row: sqlite3.Row | Mapping[str, Any]) -> str:
    """A row's status, after checking whether the owner of a running unit is still alive."""
    if row["status"] != "running":
        return str(row["status"])
    alive = Owner.parse(row["owner"]).is_alive()
    if alive is None:
        alive = time.time() <= row["lease_until"]
    return "running" if alive else "interrupted"


def _parsed(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with its present status and its JSON columns as objects."""
    values = {**_ABSENT, **row, "status": status_now(row)}
    values.pop(CHECKSUM, None)
    if values["asked"] is None:
        values["asked"] = datetime.fromisoformat(row["started"]).timestamp()
    for name in _JSON_FIELDS:
        values[name] = None if values[name] is None else json.loads(values[name])
    for name in (*_NUMBERS, "seed", "attempts"):
        if not isinstance(values[name], int | float | None):
            raise TypeError(f"{name} is no number")
    return values
