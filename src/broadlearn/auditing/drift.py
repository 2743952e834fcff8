"""Whether rows change along the table, or could have come in any order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import kolmogorov, ndtr

from broadlearn.auditing.coincidence import Positions
from broadlearn.auditing.findings import Finding
from broadlearn.auditing.many_tests import holm
from broadlearn.auditing.penalties import within_limit
from broadlearn.auditing.rows import Rows
from broadlearn.io import RankedColumns, find_identifiers, mid_ranks
from broadlearn.utils import Array, listed, percent

# Tests of fewer rows would find next to nothing.
MIN_ROWS = 30
# p-value after Holm, and the least effect that is worth a sentence.
ALPHA = 0.01
MIN_EFFECT = 0.1
# Levels of text, and classes, that are followed: the most frequent ones.
MAX_LEVELS = 10
# Neighbours are compared if by chance so many pairs of them would be of rarer values.
MIN_PAIRS = 10.0
# Rows are sorted by the target if neighbours are that much more alike than by chance.
SORTED = 0.9
# A quantity must be in the order of the rows as well, by this correlation of ranks.
SORTED_QUANTITY = 0.99
# Points of health for rows sorted by the target, for a target that changes along them or
# comes in runs, and for each column that does.
POINTS_SORTED = 2.0
POINTS_TARGET = 3.0
POINTS_COLUMN = 1.0

# Stand for the target among columns, for missing values among levels, and for all levels.
TARGET = -1
MISSING = -1
ALL_LEVELS = -2


class Drift(NamedTuple):
    """What changes along the rows: one entry for each column that does, the largest effect first.

    Attributes
    ----------
    column : ndarray of shape (n_found,)
        Position of the column, -1 for the target.
    at : ndarray of shape (n_found,)
        Position of the first row after the largest change; -1 where there is no such row but
        neighbouring rows are alike.
    level : ndarray of shape (n_found,)
        The class, or level of text, whose share changes; -1 for missing values, and -2 where
        values change, or neighbours are alike.
    effect : ndarray of shape (n_found,)
        The probability that a value after the change is larger than one before it, less the
        probability that it is smaller; for text and classes, the change of the share of a level.
        Without a change, the correlation of neighbours' ranks, or of being of the same class.
    is_sorted : bool
        Whether rows are sorted by the target.
    """

    column: Positions
    at: Positions
    level: Positions
    effect: Array
    is_sorted: bool


class _Test(NamedTuple):
    column: int
    at: int
    level: int
    effect: float
    p: float


def check_drift(rows: Rows, columns: RankedColumns) -> list[Finding]:
    """Find out whether the order of the rows matters, and where it changes what.

    Rows sorted by the target cost 2 points of health, a target that otherwise changes along the
    rows 3, each column that does a point; at most 5 together.
    """
    if columns.n_rows < MIN_ROWS:
        return [Finding("row order", f"{columns.n_rows} rows are too few to tell drift.")]
    drift = find_drift(rows, columns)
    findings = []
    if drift.is_sorted:
        n_runs = 1 + np.count_nonzero(np.diff(rows.codes))
        if rows.is_regression:
            how = "The rows are sorted by the target"
        elif n_runs == rows.classes.size:
            how = "The rows are sorted by class"
        else:
            how = f"The rows are almost sorted by class ({n_runs:,} runs of equal labels)"
        sentence = f"{how}: shuffle them before they are cut into folds."
        findings.append(Finding("row order", sentence, POINTS_SORTED))
    else:
        about_target = np.flatnonzero(drift.column == TARGET)
        findings += [_about_target(rows, drift, i) for i in about_target.tolist()]
    findings += _about_columns(rows, columns, drift)
    if not findings:
        return [Finding("row order", "Nothing changes along the rows: they may be in any order.")]
    return within_limit("row order", findings)


def find_drift(rows: Rows, columns: RankedColumns) -> Drift:
    """Test whether the target and each column could be in any order.

    Numbers are turned into ranks, and text, classes and gaps into the presence of each of
    their most frequent levels. Two tests are made of each:

    - the largest deviation of the cumulative sum from a straight line, which tells a change and
      its place (the limit distribution under all orders is Kolmogorov's);
    - the correlation of neighbouring rows, which tells rows that come in groups (Mood's number of
      runs for classes), where there are enough rows of rarer values for it to be normal.

    Of what is left after Holm's correction at 1 % for all tests, effects of 0.1 and more count.
    Where rows are sorted by class, columns are followed within classes; where they are sorted by a
    quantity, only that is said. Identifiers are left out. Rows are counted from 0.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.io import rank_columns
    >>> from broadlearn.auditing.rows import prepare_rows
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> X[200:, 1] += 1.0
    >>> rows = prepare_rows(X, rng.integers(0, 2, 300))
    >>> drift = find_drift(rows, rank_columns(rows.frame))
    >>> drift.column.tolist(), drift.at.tolist(), drift.effect.round(2).tolist()
    ([1], [199], [0.56])
    """
    tests: list[_Test] = []
    target = rows.labels if rows.is_regression else rows.codes
    if rows.is_regression:
        _test_order(tests, TARGET, ALL_LEVELS, 2.0 * mid_ranks(target) / target.size, True)
    else:
        for level, track in _levels(target, rows.classes.size):
            _test_order(tests, TARGET, level, track, False)
        _test_runs(tests, rows.codes)
    is_sorted = tests[-1].effect >= SORTED and min(test.p for test in tests) < ALPHA / len(tests)
    if rows.is_regression:
        ordered = np.corrcoef(mid_ranks(target), np.arange(target.size))[0, 1]
        is_sorted = bool(is_sorted and abs(ordered) >= SORTED_QUANTITY)
    usable = (columns.n_levels > 1) & ~find_identifiers(columns)
    if is_sorted and rows.is_regression:
        usable[:] = False
    within = rows.codes if is_sorted else np.zeros(columns.n_rows, dtype=np.intp)
    for j in np.flatnonzero(usable).tolist():
        for level, track, runs in _tracks(columns, j):
            _test_order(tests, j, level, track, runs, within)
    return _strongest(tests, is_sorted)


def _tracks(columns: RankedColumns, j: int) -> Iterator[tuple[int, Array, bool]]:
    """Levels and series that stand for a column, and whether neighbours are compared by them."""
    ranks, n_levels = columns.ranks[j], len(columns.values[j])
    present = ranks >= 0
    if columns.is_number[j]:
        counts = np.bincount(ranks[present], minlength=n_levels)
        scale = 2.0 / present.sum()
        middle = (np.cumsum(counts) - 0.5 * counts) * scale
        enough = (present.sum() - counts.max()) ** 2 >= MIN_PAIRS * columns.n_rows
        yield ALL_LEVELS, np.where(present, middle[ranks], 1.0), bool(enough)
    else:
        for level, track in _levels(ranks, n_levels):
            yield (
                level,
                track,
                bool(min(track.sum(), (1 - track).sum()) ** 2 >= MIN_PAIRS * track.size),
            )
    if not present.all():
        yield MISSING, np.where(present, 0.0, 1.0), False


def _levels(codes: NDArray[np.integer], n_levels: int) -> Iterator[tuple[int, Array]]:
    """Presence of each of the most frequent levels; one of two says it all."""
    counts = np.bincount(codes[codes >= 0], minlength=n_levels)
    followed = np.argsort(-counts, kind="stable")[:MAX_LEVELS]
    for level in (followed[1:] if n_levels == 2 else followed).tolist():
        yield level, np.asarray(codes == level, dtype=np.float64)


def _test_order(
    tests: list[_Test],
    column: int,
    level: int,
    track: Array,
    runs: bool,
    within: Positions | None = None,
) -> None:
    """Test a series for a change and, if asked for, for neighbours that are alike."""
    n = track.size
    within = np.zeros(n, dtype=np.intp) if within is None else within
    means = np.bincount(within, weights=track) / np.maximum(np.bincount(within), 1)
    centred = track - means[within]
    squares = float(centred @ centred)
    if squares <= 1e-12 * n:
        return
    sums = np.cumsum(centred)[:-1]
    at = int(np.abs(sums).argmax()) + 1
    effect = float(-sums[at - 1] / (n - at) - sums[at - 1] / at)
    tests.append(
        _Test(column, at, level, effect, float(kolmogorov(abs(sums[at - 1]) / np.sqrt(squares))))
    )
    if runs:
        correlation = float(centred[1:] @ centred[:-1]) / squares
        p = float(2.0 * ndtr(-abs(correlation * n + 1.0) / np.sqrt(n)))
        tests.append(_Test(column, -1, ALL_LEVELS, correlation, p))


def _test_runs(tests: list[_Test], codes: Positions) -> None:
    """Compare the number of runs of the same class with that of all orders (Mood, 1940)."""
    n = codes.size
    sizes = np.bincount(codes).astype(np.float64)
    s2, s3 = (sizes**2).sum(), (sizes**3).sum()
    n_runs = 1.0 + np.count_nonzero(np.diff(codes))
    mean = (n * (n + 1.0) - s2) / n
    variance = (s2 * (s2 + n * (n + 1.0)) - 2.0 * n * s3 - n**3) / (n**2 * (n - 1.0))
    enough = (n - sizes.max()) ** 2 >= MIN_PAIRS * n
    p = 2.0 * ndtr(-abs(n_runs - mean) / np.sqrt(variance)) if variance > 0.0 and enough else 1.0
    tests.append(_Test(TARGET, -1, ALL_LEVELS, float((mean - n_runs) / (mean - 1.0)), float(p)))


def _strongest(tests: list[_Test], is_sorted: bool) -> Drift:
    """The largest effect of each column, of those that count."""
    column, at, level = np.array([test[:3] for test in tests], dtype=np.intp).T
    effect, p = np.array([test[3:] for test in tests]).T
    found = (holm(p) < ALPHA) & (np.abs(effect) >= MIN_EFFECT)
    # A change says more than that neighbours are alike, which follows from it.
    changes = np.flatnonzero(found & (at >= 0))
    runs = np.flatnonzero(found & (at < 0) & ~np.isin(column, column[changes]))
    order = np.concatenate([part[np.argsort(-np.abs(effect[part]))] for part in (changes, runs)])
    kept = order[np.sort(np.unique(column[order], return_index=True)[1])]
    return Drift(column[kept], at[kept], level[kept], effect[kept], is_sorted)


def _about_target(rows: Rows, drift: Drift, i: int) -> Finding:
    at, effect = int(drift.at[i]), float(drift.effect[i])
    if at < 0:
        sentence = f"Neighbouring rows {_similar(effect)} in their targets than by chance"
        sentence += f" (correlation {effect:.2f}): {_advice(effect)}."
    else:
        what, values = ("mix of classes", rows.codes)
        if rows.is_regression:
            what, values = "target", rows.labels
        amount = _amount(values, rows.classes, at, int(drift.level[i]), effect)
        sentence = (
            f"The {what} changes along the rows, most at {rows.place(at)} ({amount}): judge models "
            "on later rows, not on shuffled ones."
        )
    return Finding("row order", sentence, POINTS_TARGET)


def _about_columns(rows: Rows, columns: RankedColumns, drift: Drift) -> list[Finding]:
    """One sentence for columns by which rows are sorted, that change, are alike, or alternate."""
    steps = [np.diff(columns.ranks[j]) if j >= 0 else np.zeros(1) for j in drift.column]
    ordered = np.array([(step >= 0).all() or (step <= 0).all() for step in steps], dtype=bool)
    of_column = drift.column >= 0
    changed = drift.at >= 0
    kinds = {
        "sorted": of_column & changed & ordered,
        "changed": of_column & changed & ~ordered,
        "alike": of_column & ~changed & (drift.effect > 0.0),
        "alternating": of_column & ~changed & (drift.effect < 0.0),
    }
    findings = []
    for kind, which in kinds.items():
        found = np.flatnonzero(which)
        if not found.size:
            continue
        names = [columns.names[j] for j in drift.column[found].tolist()]
        i, several = int(found[0]), len(names) > 1
        effect = float(drift.effect[i])
        most = f"'{names[0]}' most, " if several else ""
        if kind == "sorted":
            sentence = f"The rows are sorted by {listed(names)}."
        elif kind == "changed":
            j, at = int(drift.column[i]), int(drift.at[i])
            level = int(drift.level[i])
            values: NDArray[Any] = columns.ranks[j]
            if level == ALL_LEVELS:
                values = np.where(values < 0, np.nan, columns.values[j][values])
            amount = _amount(values, columns.values[j], at, level, effect)
            sentence = (
                f"{listed(names)} {'change' if several else 'changes'} along the rows, {most}at "
                f"{rows.place(at)} ({amount}): find out what happened there."
            )
        else:
            sentence = (
                f"Neighbouring rows {_similar(effect)} in {listed(names)} than by chance ({most}"
                f"correlation {effect:.2f}): {_advice(effect)}."
            )
        points = POINTS_COLUMN * len(names)
        findings.append(Finding("row order", sentence, points, columns=names))
    return findings


def _similar(effect: float) -> str:
    return "are more alike" if effect > 0.0 else "differ more"


def _advice(effect: float) -> str:
    if effect > 0.0:
        return "they may belong together; keep neighbours in the same fold"
    return "the file may alternate between sources"


def _amount(values: NDArray[Any], levels: NDArray[Any], at: int, level: int, effect: float) -> str:
    """What changes at a row, and from what to what."""
    if level != ALL_LEVELS:
        shares = [percent(float((part == level).mean())) for part in (values[:at], values[at:])]
        what = "missing values" if level == MISSING else f"'{levels[level]}'"
        return f"the share of {what} goes from {shares[0]} to {shares[1]}"
    sides = [part[~np.isnan(part)] for part in (values[:at], values[at:])]
    medians = [f"{np.median(part):.3g}" for part in sides if part.size]
    if len(set(medians)) == 2:
        return f"the median goes from {medians[0]} to {medians[1]}"
    than = "larger" if effect > 0.0 else "smaller"
    share = percent(0.5 + abs(effect) / 2.0)
    return f"values after it are {than} than those before it in {share} of pairs"
