"""The health of a table: what all checks found, and what is left of 100 points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from broadlearn.auditing.classes import check_classes
from broadlearn.auditing.columns import check_columns
from broadlearn.auditing.drift import check_drift
from broadlearn.auditing.duplicates import Duplicates, check_duplicates
from broadlearn.auditing.findings import Finding, Health
from broadlearn.auditing.leaks import check_leaks
from broadlearn.auditing.missing import check_missing
from broadlearn.auditing.penalties import LIMITS
from broadlearn.auditing.rows import Rows
from broadlearn.auditing.slices import check_slices
from broadlearn.io import RankedColumns, rank_columns
from broadlearn.utils import Array, out_of, percent

if TYPE_CHECKING:
    from broadlearn.auditing.errors import Estimate

# Points of health for each percent of the rows.
POINTS_ERROR = 1.5
POINTS_OUTLYING = 1.0


def check_table(
    rows: Rows,
    proba: Array,
    suspicion: Array,
    n_errors: Estimate,
    duplicates: Duplicates,
    *,
    outlying: ArrayLike = (),
    columns: RankedColumns | None = None,
) -> Health:
    """Join what all checks found.

    A table starts with 100 points. Each check takes points away, in proportion to the rows or the
    columns that it found and up to a limit; the limits sum to 100, so that a table
    has no points left where every check found the worst.

    ======================== ===== ===========================================================
    check                    limit points
    ======================== ===== ===========================================================
    label errors                35 1.5 for each percent of labels estimated to be wrong
    leaking columns             20 15 for each column that tells the target by itself
    contradicting duplicates    10 2 for each percent of rows that equal one of another label
    duplicates                   5 0.5 for each percent of rows that are copies, or nearly so
    slices                       5 1 for each part of the table where predictions fail
    outlying rows                5 1 for each percent of outlying rows
    columns                      5 1 for each constant, nearly empty, copied or naming column
    missing values               5 0.2 for each percent of values, 2 for each column whose
                                   missing values tell the target
    classes                      5 1 for each class of one or two rows, 1.5 for each power of
                                   ten between the largest class and the smallest (for a
                                   quantity, 4 times the share of its most frequent value)
    row order                    5 2 for rows sorted by the target, 3 for a target that
                                   changes along the rows, 1 for each column that does
    ======================== ===== ===========================================================

    Points say how much of a table is doubtful, and little of how well a model will do: what
    cannot be predicted in any part of the table costs nothing.

    Parameters
    ----------
    rows : Rows
    proba : ndarray of shape (n_samples, n_classes)
        Held-out probabilities of the labels; for a regression target of shape (n_samples, 1), the
        held-out prediction.
    suspicion : ndarray of shape (n_samples,)
        Probability that a label is wrong.
    n_errors : Estimate
        Labels that are wrong in all.
    duplicates : Duplicates
    outlying : array-like of shape (n_outlying,), default=()
        Positions of outlying rows, the worst first.
    columns : RankedColumns, default=None
        Columns of the frame, if they have been ranked before.

    Returns
    -------
    Health
        Findings of all checks, also of those that found nothing, the most expensive first.

    Examples
    --------
    >>> from broadlearn.auditing.duplicates import find_duplicates
    >>> from broadlearn.auditing.errors import Estimate
    >>> from broadlearn.auditing.rows import prepare_rows
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(100, 2)), rng.integers(0, 2, 100)
    >>> rows = prepare_rows(X, y)
    >>> proba, suspicion, n_errors = np.eye(2)[y], np.zeros(100), Estimate(2.0, 1.0, 4.0)
    >>> health = check_table(rows, proba, suspicion, n_errors, find_duplicates(rows))
    >>> health.score, health.findings[0].check
    (97.0, 'label errors')
    """
    columns = rank_columns(rows.frame) if columns is None else columns
    if rows.is_regression:
        loss = np.abs(rows.labels - proba[:, 0])
    else:
        loss = (proba.argmax(axis=1) != rows.codes).astype(np.float64)
    findings = [
        _about_labels(rows, suspicion, n_errors),
        *check_leaks(rows, columns),
        *check_duplicates(rows, duplicates),
        *check_slices(columns, loss, rows.is_regression),
        _about_outlying(columns.n_rows, np.asarray(outlying, dtype=np.intp)),
        *check_columns(columns),
        *check_missing(rows, columns),
        *check_classes(rows),
        *check_drift(rows, columns),
    ]
    return Health(sorted(findings, key=lambda finding: -finding.penalty))


def _about_labels(rows: Rows, suspicion: Array, n_errors: Estimate) -> Finding:
    n_rows = rows.labels.size
    share = n_errors.value / n_rows
    what = "targets" if rows.is_regression else "labels"
    if n_errors.value < 0.5:
        sentence = f"No {what} are estimated to be wrong (at most {n_errors.high:,.0f})."
    else:
        sentence = (
            f"About {n_errors.value:,.0f} of {n_rows:,} {what} ({percent(share)}) are estimated to "
            f"be wrong, {n_errors.low:,.0f} to {n_errors.high:,.0f} with a probability of 90 %: "
            "look at the most suspect rows first."
        )
    points = min(LIMITS["label errors"], POINTS_ERROR * 100.0 * share)
    count = int(np.ceil(n_errors.value - 0.5))
    worst = np.argsort(-suspicion, kind="stable")[:count]
    return Finding("label errors", sentence, points, worst)


def _about_outlying(n_rows: int, outlying: np.ndarray) -> Finding:
    if not outlying.size:
        return Finding("outlying rows", "No row is far from all others.")
    sentence = (
        f"{out_of(outlying.size, n_rows, 'row', 'is')} far from all others: check the values of "
        "the columns that set them apart."
    )
    points = min(LIMITS["outlying rows"], POINTS_OUTLYING * 100.0 * outlying.size / n_rows)
    return Finding("outlying rows", sentence, points, outlying)
