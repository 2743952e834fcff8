"""Values that are missing, and columns where that tells the target."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr
from scipy.stats import hypergeom

from broadlearn.auditing.coincidence import Flags, Positions
from broadlearn.auditing.findings import Finding
from broadlearn.auditing.many_tests import holm
from broadlearn.auditing.penalties import within_limit
from broadlearn.auditing.rows import Rows
from broadlearn.io import RankedColumns, mid_ranks
from broadlearn.utils import Array, listed, out_of, percent

# Missing values tell the target: p-value after Holm, and difference of shares (or of ranks).
ALPHA = 0.01
MIN_DIFFERENCE = 0.1
# Points of health: for all values missing, and for each column that tells the target by it.
POINTS_ALL = 20.0
POINTS_TELLING = 2.0


class Telling(NamedTuple):
    """Columns whose missing values go with the target.

    Attributes
    ----------
    column : ndarray of shape (n_found,)
        Position of the column, the one of the largest difference first.
    of_class : ndarray of shape (n_found,)
        Class where values are missing more, or less, than in the others; -1 for a quantity.
    share, share_elsewhere : ndarray of shape (n_found,)
        Missing values among the rows of that class and of all others. For a quantity, median
        of the target where the column is missing and where it is not.
    """

    column: Positions
    of_class: Positions
    share: Array
    share_elsewhere: Array


def check_missing(rows: Rows, columns: RankedColumns) -> list[Finding]:
    """Say how many values are missing, and where that tells the target.

    Missing values cost 0.2 points of health for each percent of all values, a column whose missing
    values tell the target 2 points; at most 5 together.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.io import rank_columns
    >>> from broadlearn.auditing.rows import prepare_rows
    >>> X = pd.DataFrame({"age": np.arange(80.0), "dose": [1.0] * 40 + [None] * 30 + [2.0] * 10})
    >>> rows = prepare_rows(X, ["well"] * 40 + ["ill"] * 40)
    >>> for finding in check_missing(rows, rank_columns(X)):
    ...     print(finding.sentence.partition(":")[0])
    19 % of all values are missing, in 30 of 80 rows and 1 of 2 columns
    That 'dose' is missing tells the target (in 75 % of the rows of 'ill', in 0 % of others)
    """
    missing = columns.missing
    n_values = int(missing.sum())
    names = [columns.names[j] for j in np.argsort(-missing.sum(axis=1), kind="stable")]
    n_columns = int(missing.any(axis=1).sum())
    if not n_values:
        return [Finding("missing values", "No value is missing.")]
    in_rows = np.flatnonzero(missing.any(axis=0))
    share = n_values / missing.size
    sentence = (
        f"{percent(share)} of all values are missing, in "
        f"{out_of(in_rows.size, columns.n_rows, 'row')} and "
        f"{out_of(n_columns, len(names), 'column')}: {listed(names[:n_columns])}."
    )
    findings = [Finding("missing values", sentence, POINTS_ALL * share, in_rows, names[:n_columns])]
    told = find_telling(rows, columns)
    for j, c, inside, outside in zip(*(part.tolist() for part in told), strict=True):
        name = columns.names[j]
        if rows.is_regression:
            tells = f"the median target is {inside:.4g} where it is, {outside:.4g} elsewhere"
        else:
            label = rows.classes.tolist()[c]
            tells = (
                f"in {percent(inside)} of the rows of '{label}', in {percent(outside)} of others"
            )
        sentence = f"That '{name}' is missing tells the target ({tells}): find out why."
        findings.append(
            Finding("telling gaps", sentence, POINTS_TELLING, np.flatnonzero(missing[j]), [name])
        )
    return within_limit("missing values", findings)


def find_telling(rows: Rows, columns: RankedColumns) -> Telling:
    """Columns that are missing more often for some targets than for others.

    For each column and class, the number of missing values among the rows of the class is compared
    with that of as many rows drawn at random (Fisher's exact test, two-sided); for a regression
    target, the ranks of rows where the column is missing with those of the others (Wilcoxon). A
    column tells the target if p is below 0.01 after Holm's correction for all columns and classes,
    and the shares differ by 10 percentage points or more (for ranks, if the probability that a
    row with the value missing has the larger target is 0.1 off one half).
    """
    which = np.flatnonzero(columns.missing.any(axis=1) & ~columns.missing.all(axis=1))
    compare = _compare_ranks if rows.is_regression else _compare_classes
    p, difference, share, elsewhere = compare(rows, columns.missing[which])
    corrected = holm(p.ravel()).reshape(p.shape)
    difference = np.where(corrected < ALPHA, np.abs(difference), 0.0)
    most = difference.argmax(axis=1)
    at = np.arange(which.size)
    order = np.argsort(-difference[at, most], kind="stable")
    order = order[difference[order, most[order]] >= MIN_DIFFERENCE]
    of_class = np.full(order.size, -1) if rows.is_regression else most[order]
    return Telling(which[order], of_class, share[order, most[order]], elsewhere[order, most[order]])


def _compare_classes(rows: Rows, missing: Flags) -> tuple[Array, Array, Array, Array]:
    n_classes = rows.classes.size
    n_rows = missing.shape[1]
    sizes = np.bincount(rows.codes, minlength=n_classes)
    found = np.array(
        [np.bincount(rows.codes[gaps], minlength=n_classes) for gaps in missing]
    ).reshape(len(missing), n_classes)
    totals = found.sum(axis=1, keepdims=True)
    more = hypergeom.sf(found - 1, n_rows, totals, sizes)
    fewer = hypergeom.cdf(found, n_rows, totals, sizes)
    share = found / sizes
    elsewhere = (totals - found) / np.maximum(n_rows - sizes, 1)
    p = np.minimum(1.0, 2.0 * np.minimum(more, fewer))
    return p, share - elsewhere, share, elsewhere


def _compare_ranks(rows: Rows, missing: Flags) -> tuple[Array, Array, Array, Array]:
    y = rows.labels
    ranks = mid_ranks(y)
    n, gaps = y.size, missing.sum(axis=1)
    mean = (missing @ ranks) / gaps
    # Probability that a row with a gap has the larger target, less one half.
    difference = (mean - (n + 1.0) / 2.0) / (n - gaps)
    error = np.sqrt(ranks.var(ddof=1) * (1.0 / gaps - 1.0 / n)) / (n - gaps)
    p = 2.0 * ndtr(-np.abs(difference) / error)
    medians = [np.array([np.median(y[part]) for part in parts]) for parts in (missing, ~missing)]
    return p[:, None], difference[:, None], medians[0][:, None], medians[1][:, None]
