"""Columns that say nothing, repeat another, or look like an ID; missing values."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd

from broadlearn.auditing.checks.base import MIN_ROWS, Evidence
from broadlearn.auditing.findings import Finding
from broadlearn.auditing.rows import Rows
from broadlearn.utils import listed, out_of, percent

# Least share of missing values of a nearly empty column.
NEARLY_EMPTY = 0.95


class Columns:
    """Columns that are constant, nearly empty, look like an ID, or repeat another; missing values.

    Each column costs a point, each percent of missing values 0.2.

    Examples
    --------
    >>> from broadlearn.auditing import audit
    >>> sizes = np.random.default_rng(0).integers(0, 9, 50)
    >>> X = pd.DataFrame({"nr": range(50), "size": sizes, "cm": 2.54 * sizes, "unit": "in"})
    >>> for finding in audit(X, sizes > 4, checks=[Columns()]).health.findings:
    ...     print(finding.sentence)
    'unit' has the same value in every row: drop it.
    'nr' looks like an ID: drop it.
    'cm' repeats 'size': drop one of them.
    No value is missing.
    """

    limit: ClassVar[float] = 5.0

    def find(self, rows: Rows, evidence: Evidence) -> list[Finding]:
        """List such columns."""
        frame = rows.frame
        missing = frame.isna().mean()
        n_values = frame.nunique()
        constant = [name for name in frame if n_values[name] == 1 and not missing[name]]
        empty = [name for name in frame if missing[name] >= NEARLY_EMPTY]
        ids = id_columns(frame)
        copies = _copies(frame.drop(columns=[*constant, *empty, *ids]))
        findings = []
        if constant:
            have, them = ("has", "it") if len(constant) == 1 else ("have", "them")
            sentence = f"{listed(constant)} {have} the same value in every row: drop {them}."
            findings.append(_finding("constant columns", sentence, constant))
        if empty:
            least = percent(float(missing[empty].min()))
            sentence = f"{listed(empty)} missing in at least {least} of the rows: drop or fill in."
            findings.append(_finding("nearly empty columns", sentence, empty))
        if ids:
            look, them = ("looks like an ID", "it") if len(ids) == 1 else ("look like IDs", "them")
            findings.append(_finding("IDs", f"{listed(ids)} {look}: drop {them}.", ids))
        for copy, first in copies.items():
            sentence = f"'{copy}' repeats '{first}': drop one of them."
            findings.append(_finding("copied columns", sentence, [copy]))
        if not findings:
            sentence = "No column is constant, nearly empty, like an ID, or a copy of another."
            findings.append(Finding("columns", sentence))
        return [*findings, _missing(frame)]


def _missing(frame: pd.DataFrame) -> Finding:
    gaps = frame.isna()
    names = [str(name) for name in frame if gaps[name].any()]
    if not names:
        return Finding("missing values", "No value is missing.")
    share, where = float(gaps.to_numpy().mean()), np.flatnonzero(gaps.any(axis=1))
    sentence = (
        f"{percent(share)} of all values are missing, in {out_of(where.size, len(frame), 'row')} "
        f"and {out_of(len(names), frame.shape[1], 'column')}: {listed(names)}."
    )
    return Finding("missing values", sentence, 20.0 * share, where, names)


def _finding(check: str, sentence: str, names: list[str]) -> Finding:
    return Finding(check, sentence, float(len(names)), columns=names)


def id_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns that look like an ID: text or integers that never repeat.

    Integers must also be ascending or without large gaps, as a measured quantity is not.

    Examples
    --------
    >>> id_columns(pd.DataFrame({"nr": range(30), "key": [f"k{i}" for i in range(30)],
    ...                          "sum": np.arange(30) ** 2 % 307}))
    ['nr', 'key']
    """
    n = len(frame)
    return [
        name
        for name, column in frame.items()
        if n >= MIN_ROWS and column.nunique() == n and _may_name_rows(column)
    ]


def _may_name_rows(column: pd.Series) -> bool:
    if pd.api.types.is_datetime64_any_dtype(column) or pd.api.types.is_bool_dtype(column):
        return False
    if not pd.api.types.is_numeric_dtype(column):
        return True
    values = column.to_numpy(dtype=np.float64)
    whole = bool(np.isfinite(values).all() and (values == np.round(values)).all())
    consecutive = whole and np.ptp(values) < 2 * len(values)
    return bool(whole and (consecutive or column.is_monotonic_increasing))


def _copies(frame: pd.DataFrame) -> dict[str, str]:
    """Return columns that have one value for each value of an earlier one, and that column.

    Numbers must be in the same or the opposite order: values that never repeat always pair up.
    """
    first: dict[bytes, str] = {}
    copies = {}
    for name, column in frame.items():
        if pd.api.types.is_numeric_dtype(column):
            ranks = column.astype(np.float64).rank(method="dense").fillna(0.0).to_numpy()
            if ranks[ranks.nonzero()[0][0]] > np.median(ranks):
                ranks = np.where(ranks > 0.0, ranks.max() + 1.0 - ranks, 0.0)
        else:
            ranks = pd.factorize(column)[0].astype(np.float64)
            if ranks.max() > 0.5 * len(ranks):
                continue
        key = ranks.tobytes()
        if key in first:
            copies[str(name)] = first[key]
        first.setdefault(key, str(name))
    return copies
