"""Columns that tell the target by themselves: they may have been written down after it."""

from __future__ import annotations

import numpy as np

from broadlearn.auditing.findings import Finding
from broadlearn.auditing.penalties import within_limit
from broadlearn.auditing.rows import Rows
from broadlearn.io import RankedColumns
from broadlearn.io import find_leaks as leaks_of_columns
from broadlearn.utils import Array, percent

# Points of health for each column.
POINTS = 15.0


def check_leaks(rows: Rows, columns: RankedColumns) -> list[Finding]:
    """Find columns that may leak the target.

    `broadlearn.io.find_leaks` says which they are. A leak costs 15 points of health, at most 20
    together.

    Examples
    --------
    >>> from broadlearn.io import rank_columns
    >>> from broadlearn.auditing.rows import prepare_rows
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 200)
    >>> rows = prepare_rows(np.c_[rng.normal(size=200), y], y)
    >>> check_leaks(rows, rank_columns(rows.frame))[0].columns
    ['column 1']
    """
    found = find_leaks(rows, columns)
    if not found:
        return [Finding("leaking columns", "No column tells the target by itself.")]
    what = "variance of the target's ranks" if rows.is_regression else "labels"
    findings = []
    for j, (skill, of_rest) in found.items():
        name = columns.names[j]
        rest = (
            "with one value for each class"
            if np.isnan(of_rest)
            else f"all other columns together {percent(max(0.0, of_rest))}"
        )
        sentence = (
            f"'{name}' alone tells {percent(skill)} of the {what}, {rest}: make sure that it is "
            "known before the target is, or leave it out."
        )
        findings.append(Finding("leaking columns", sentence, POINTS, columns=[name]))
    return within_limit("leaking columns", findings)


def find_leaks(rows: Rows, columns: RankedColumns) -> dict[int, tuple[float, float]]:
    """Leaking columns by position, with their skill and that of all others (nan for renamings)."""
    position = {name: j for j, name in enumerate(rows.columns)}
    stops = [*rows.starts[1:].tolist(), rows.Z.shape[1]]

    def numbers_of(names: list[str]) -> Array:
        which = [position[name] for name in names if name in position]
        return rows.Z[:, [k for j in which for k in range(int(rows.starts[j]), stops[j])]]

    target = rows.labels if rows.is_regression else rows.codes
    return leaks_of_columns(columns, target, int(rows.classes.size), numbers_of)
