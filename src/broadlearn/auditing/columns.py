"""Columns that say nothing, say it again, or name rows instead of describing them."""

from __future__ import annotations

import numpy as np

from broadlearn.auditing.coincidence import Flags
from broadlearn.auditing.findings import Finding
from broadlearn.auditing.penalties import within_limit
from broadlearn.io import RankedColumns, find_copies, find_identifiers
from broadlearn.utils import listed, percent

# A column is nearly empty from this share of missing values on.
NEARLY_EMPTY = 0.95
# Points of health for each column.
POINTS = 1.0


def check_columns(columns: RankedColumns) -> list[Finding]:
    """Find columns that are constant, nearly empty, identifiers, or copies of another.

    Each costs a point of health, at most 5 together.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.io import rank_columns
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
