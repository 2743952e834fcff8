"""Columns that tell the target by themselves."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from broadlearn.auditing.checks.base import Evidence
from broadlearn.auditing.findings import Finding
from broadlearn.auditing.rows import Rows
from broadlearn.utils import percent, spread_rows

# A column alone must tell this share of the labels beyond chance, all others together at most that.
MIN_SKILL, MAX_REST = 0.95, 0.8
# Rows that are looked at, and those of the smallest class, or of all, that are needed.
MAX_ROWS, MIN_ROWS = 2000, 20


class Leaks:
    """Columns that predict the target nearly perfectly, far better than all others together.

    They may have been written down after the target. Each costs 15 points.

    Examples
    --------
    >>> from broadlearn.auditing import audit
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 200)
    >>> found = audit(np.c_[rng.normal(size=200), y], y, checks=[Leaks()])
    >>> found.health.findings[0].columns
    ['column 1']
    """

    limit: ClassVar[float] = 20.0

    def find(self, rows: Rows, evidence: Evidence) -> list[Finding]:
        """List leaking columns."""
        which = spread_rows(rows.size, MAX_ROWS)
        target = (rows.labels if rows.is_regression else rows.codes)[which]
        if rows.size < MIN_ROWS or (not rows.is_regression and np.bincount(target).min() < 5):
            return [Finding("leaking columns", "Too few rows to look for columns that leak.")]
        findings = []
        Z, stops = rows.Z[which], [*rows.starts[1:], rows.Z.shape[1]]
        for name, start, stop in zip(rows.columns, rows.starts, stops, strict=True):
            own = np.arange(start, stop)
            skill = _skill(Z[:, own], target, rows.is_regression, alone=True)
            if skill < MIN_SKILL:
                continue
            rest = 0.0
            if own.size < Z.shape[1]:
                others = np.delete(Z, own, axis=1)
                rest = max(0.0, _skill(others, target, rows.is_regression, alone=False))
            if rest > MAX_REST:
                continue
            what = "variance of the target" if rows.is_regression else "labels"
            findings.append(
                Finding(
                    "leaking columns",
                    f"'{name}' alone tells {percent(skill)} of the {what} beyond chance, all other "
                    f"columns together {percent(rest)}: make sure that it is known before the "
                    "target is, or drop it.",
                    15.0,
                    columns=[name],
                )
            )
        return findings or [Finding("leaking columns", "No column tells the target by itself.")]


def _skill(X: np.ndarray, y: np.ndarray, is_regression: bool, *, alone: bool) -> float:
    """Return the share of labels, or of variance, that is predicted out of fold, beyond chance."""
    if is_regression:
        model = DecisionTreeRegressor(min_samples_leaf=5) if alone else ExtraTreesRegressor(50)
        folds = KFold(3, shuffle=True, random_state=0)
        model.set_params(random_state=0)
        predicted = cross_val_predict(model, X, y, cv=folds)
        return 1.0 - float(((y - predicted) ** 2).sum() / ((y - y.mean()) ** 2).sum())
    model = DecisionTreeClassifier(min_samples_leaf=2) if alone else ExtraTreesClassifier(50)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    predicted = cross_val_predict(model.set_params(random_state=0), X, y, cv=folds)
    chance = np.bincount(y).max() / y.size
    return (float((predicted == y).mean()) - chance) / (1.0 - chance)
