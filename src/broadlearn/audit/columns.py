"""Columns that say nothing, say it again, or name rows instead of describing them."""

from __future__ import annotations

import re

import numpy as np

from broadlearn.audit.coincidence import Flags, Positions
from broadlearn.audit.findings import Finding
from broadlearn.audit.penalties import within_limit
from broadlearn.audit.ranked import RankedColumns, renamings
from broadlearn.audit.wording import listed, percent
from broadlearn.utils import spread_rows

# A column is nearly empty from this share of missing values on.
NEARLY_EMPTY = 0.95
# From this many rows on, values that never repeat may be identifiers.
MIN_IDENTIFIER_ROWS = 20
# Whole numbers that never repeat are identifiers if this is the chance that none would.
IDENTIFIER_CHANCE = 1e-3
# Numbers say the same from this correlation of their ranks on, over so many rows at most.
COPY_CORRELATION = 0.9999
MAX_ROWS = 20_000
# Points of health for each column.
POINTS = 1.0

_IDENTIFIER_NAME = re.compile(r"(^|[^A-Za-z])(id|ID|Id|uuid|UUID|key|index)$|[a-z]I[dD]$")


def check_columns(columns: RankedColumns) -> list[Finding]:
    """Find columns that are constant, nearly empty, identifiers, or copies of another.

    Each costs a point of health, at most 5 together.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.audit.ranked import rank_columns
    >>> numbers = np.random.default_rng(0).integers(0, 9, 50)
    >>> frame = pd.DataFrame({"nr": range(50), "size": numbers, "cm": 2.54 * numbers, "unit": "in"})
    >>> for finding in check_columns(rank_columns(frame)):
    ...     print(finding.sentence)
    'unit' has the same value in every row: drop it.
    'nr' names the rows instead of describing them, as its values never repeat: leave it out.
    'cm' says the same as 'size': drop one of them.
    """
    findings = [*_constant(columns), *_nearly_empty(columns), *_identifiers(columns)]
    findings += _copies(columns)
    if not findings:
        return [Finding("columns", "No column is constant, empty, an identifier or a copy.")]
    return within_limit("columns", findings)


def find_identifiers(columns: RankedColumns) -> Flags:
    """Columns whose values name rows: 20 or more that are present in every row and never repeat.

    Text that never repeats is an identifier. Whole numbers are, if they ascend or descend row by
    row, if so many drawn from their range would have repeated with a probability of
    99.9 %, or if their column is called "id", "customer_id", "rowID", "key", "uuid" or "index".
    """
    n_rows = columns.n_rows
    unique = (columns.n_levels == n_rows) & (n_rows >= MIN_IDENTIFIER_ROWS)
    for j in np.flatnonzero(unique & columns.is_number).tolist():
        values = columns.values[j]
        steps = np.diff(columns.ranks[j])
        in_order = bool((steps > 0).all() or (steps < 0).all())
        span = values[-1] - values[0] + 1.0
        dense = n_rows * (n_rows - 1.0) / (2.0 * span) > -np.log(IDENTIFIER_CHANCE)
        named = _IDENTIFIER_NAME.search(columns.names[j]) is not None
        unique[j] = (values == np.round(values)).all() and (in_order or dense or named)
    return unique


def find_copies(columns: RankedColumns) -> Positions:
    """For each column, the first that says the same (see `renamings`); -1 for none before it.

    Numbers say the same as well if their ranks correlate by more than 0.9999 or less than -0.9999,
    as those of a length in centimetres and in inches, rounded, do.
    """
    found = renamings(columns)
    numbers = np.flatnonzero(columns.is_number & (columns.n_levels > 1) & (found < 0))
    if numbers.size < 2:
        return found
    ranks = columns.ranks[np.ix_(numbers, spread_rows(columns.n_rows, MAX_ROWS))]
    present = ranks >= 0
    mean = (ranks * present).sum(axis=1) / np.maximum(present.sum(axis=1), 1)
    centred = np.where(present, ranks - mean[:, None], 0.0)
    length = np.sqrt((centred**2).sum(axis=1))
    centred /= np.where(length > 0.0, length, 1.0)[:, None]
    alike = np.tril(np.abs(centred @ centred.T) > COPY_CORRELATION, -1)
    copies = alike.any(axis=1)
    found[numbers[copies]] = numbers[alike.argmax(axis=1)[copies]]
    return found


def _named(columns: RankedColumns, which: Flags) -> list[str]:
    return [columns.names[j] for j in np.flatnonzero(which).tolist()]


def _constant(columns: RankedColumns) -> list[Finding]:
    names = _named(columns, (columns.n_levels == 1) & ~columns.missing.any(axis=1))
    if not names:
        return []
    have, them = ("has", "it") if len(names) == 1 else ("have", "them")
    sentence = f"{listed(names)} {have} the same value in every row: drop {them}."
    return [Finding("constant columns", sentence, POINTS * len(names), columns=names)]


def _nearly_empty(columns: RankedColumns) -> list[Finding]:
    missing = columns.missing.mean(axis=1)
    which = missing >= NEARLY_EMPTY
    names = _named(columns, which)
    if not names:
        return []
    least = percent(float(missing[which].min()))
    if len(names) == 1:
        sentence = f"'{names[0]}' is missing in {least} of the rows: drop it, or fill it in."
    else:
        sentence = (
            f"{listed(names)} are missing in {least} of the rows or more: drop them, or fill them "
            "in."
        )
    return [Finding("nearly empty columns", sentence, POINTS * len(names), columns=names)]


def _identifiers(columns: RankedColumns) -> list[Finding]:
    names = _named(columns, find_identifiers(columns))
    if not names:
        return []
    if len(names) == 1:
        sentence = (
            f"'{names[0]}' names the rows instead of describing them, as its values never repeat: "
            "leave it out."
        )
    else:
        sentence = (
            f"{listed(names)} name the rows instead of describing them, as their values never "
            "repeat: leave them out."
        )
    return [Finding("identifiers", sentence, POINTS * len(names), columns=names)]


def _copies(columns: RankedColumns) -> list[Finding]:
    original = find_copies(columns)
    original[(columns.n_levels <= 1) | find_identifiers(columns)] = -1
    findings = []
    for first in np.unique(original[original >= 0]).tolist():
        names = _named(columns, original == first)
        verb, ending = (
            ("says", "drop one of them") if len(names) == 1 else ("say", "keep one of them")
        )
        sentence = f"{listed(names)} {verb} the same as '{columns.names[first]}': {ending}."
        findings.append(
            Finding(
                "copied columns",
                sentence,
                POINTS * len(names),
                columns=[columns.names[first], *names],
            )
        )
    return findings
