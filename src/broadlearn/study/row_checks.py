"""A checksum for each row of a result store, by which a row that was damaged on disk is known."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from broadlearn.study.plan import Unit

CHECKSUM = "checksum"
DIGITS = 32
# What a user knows a unit by.
NAMED = ("dataset", "model", "protocol", "noise", "seed", "status")


def checksum(row: Mapping[str, Any]) -> str:
    """Digest of all fields of a row but for the checksum itself, as hexadecimal digits.

    Examples
    --------
    >>> from broadlearn.study.row_checks import checksum
    >>> row = {"dataset": "iris", "mean": 0.75}
    >>> checksum(row) == checksum({**row, "mean": 0.5}), len(checksum(row))
    (False, 32)
    """
    content = [[name, row[name]] for name in sorted(row) if name != CHECKSUM]
    # Numbers are written with all their digits, bytes (of a field whose kind has changed) as such.
    text = json.dumps(content, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def is_intact(row: sqlite3.Row | Mapping[str, Any]) -> bool:
    """Whether a row is as it was written; true of rows from before there were checksums."""
    values = dict(row)
    return CHECKSUM not in values or bool(values[CHECKSUM] == checksum(values))


def name_unit(row: Mapping[str, Any]) -> str:
    """What a row says that it is, to name it to a user, though it may be damaged.

    Examples
    --------
    >>> from broadlearn.study.row_checks import name_unit
    >>> name_unit({"dataset": "iris", "model": "BLS", "protocol": "nested", "noise": "none",
    ...            "seed": 0, "status": "done"})
    'iris, BLS, nested, none, 0, done'
    """
    values = (row.get(name) for name in NAMED)
    return ", ".join(str(value).encode("utf-8", "replace").decode() for value in values)


def says_whose_it_is(row: Mapping[str, Any]) -> bool:
    """Whether a damaged row still says which unit it is of."""
    try:
        unit = Unit(**{field.name: row[field.name] for field in fields(Unit)})
    except (ValueError, TypeError, KeyError):
        return False
    return bool(unit.key == row["key"])
