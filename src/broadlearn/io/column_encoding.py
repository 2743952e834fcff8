"""Numbers that models learn from, made of what the cells of a column are read as."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2_contingency, kruskal, mannwhitneyu
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import TargetEncoder

from broadlearn.io.column_dates import PARTS, date_parts, varying_parts
from broadlearn.io.column_reading import Reading
from broadlearn.io.column_table import Target
from broadlearn.utils import Array

# Levels that get a column of their own; with more, the target tells their numbers, or rare ones
# share a column where there is no target to tell.
MAX_LEVELS = 30
MAX_LEVELS_ALONE = 50
# Targets of more classes would make too many numbers of a level.
MAX_TARGET_CLASSES = 10
# Parts of dates tell something of the target from this p-value on, missing values from that: a
# number more costs little, and other columns may hide what it tells.
ALPHA, ALPHA_MISSING = 0.01, 0.3
MIN_ROWS = 20
MIN_MISSING = 5
N_FOLDS = 5


@dataclass(frozen=True)
class Encoding:
    """How a column becomes numbers.

    Attributes
    ----------
    names : tuple of str
        What the numbers are called after the name of the column; "" for that alone.
    use : str
        What becomes of the column, in words.
    fill : tuple of float
        What missing values become.
    indicator : bool
        Whether the last number says if the value is missing.
    start : float
        The moment from which days are counted.
    places : tuple of int
        The number that is 1 for each level, for a missing and for a new one; -1 for none.
    table : tuple of tuple of float
        Numbers of each level, of a missing and of a new one.
    """

    names: tuple[str, ...]
    use: str
    fill: tuple[float, ...] = ()
    indicator: bool = False
    start: float = 0.0
    places: tuple[int, ...] = ()
    table: tuple[tuple[float, ...], ...] = ()


def learn_encoding(reading: Reading, values: Array, target: Target) -> tuple[Encoding, Array]:
    """Learn how a column becomes numbers; also those of its rows.

    Where the target tells the numbers of levels, those of each row come from other rows.

    Parameters
    ----------
    reading : Reading
    values : ndarray of shape (n_rows,) or (n_rows, n_parts)
        From ``reading.read``.
    target : Target

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.io.column_deciding import decide_reading
    >>> from broadlearn.io.column_table import as_target
    >>> column = pd.Series(["red", "blue", None])
    >>> reading = decide_reading(column)
    >>> encoding, numbers = learn_encoding(reading, reading.read(column), as_target(None))
    >>> encoding.names, numbers.tolist()
    (('blue', 'red', 'missing'), [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    """
    if reading.how == "words" and reading.kind == "category":
        told = target.values.size and target.n_classes <= MAX_TARGET_CLASSES
        if told and len(reading.levels) > MAX_LEVELS:
            return _by_target(reading, values, target)
        encoding = _one_hot(reading, values)
        return encoding, encode(reading, encoding, values)
    numbers = _plain_numbers(reading, values, start := _start(reading, values))
    if reading.how == "date":
        parts = telling_parts(numbers, varying_parts(values, reading.clock), target)
        use, names = ", ".join(parts), tuple(parts)
        numbers = numbers[:, [PARTS.index(part) for part in parts]]
    elif reading.how == "parts":
        names = tuple(f"{j + 1}" for j in range(numbers.shape[1]))
        use = f"{len(names)} numbers"
    else:
        names = ("",)
        ranks = " < ".join(reading.levels[:4]) + (" < ..." if len(reading.levels) > 4 else "")
        use = f"ranks {ranks}" if reading.kind == "ordered category" else "number"
        if reading.kind == "boolean":
            use = f"1 for {reading.levels[1]!r}, 0 for {reading.levels[0]!r}"
    missing: NDArray[np.bool_] = np.asarray(np.isnan(numbers).any(axis=1))
    fill = tuple(_middle(part[~np.isnan(part)], reading.kind == "boolean") for part in numbers.T)
    indicator = bool(missing.any()) and (not _varies(numbers) or is_informative(missing, target))
    if indicator:
        names, use = (*names, "missing"), f"{use}, and whether it is missing"
    encoding = Encoding(names, use, fill, indicator, start)
    return encoding, encode(reading, encoding, values)


def _middle(present: Array, mean: bool) -> float:
    """What missing numbers become: the mean or median of those that are present, or 0."""
    if not present.size:
        return 0.0
    return float(present.mean() if mean else np.median(present))


def _varies(numbers: Array) -> bool:
    return bool((np.nanmax(numbers, axis=0) > np.nanmin(numbers, axis=0)).any())


def encode(reading: Reading, encoding: Encoding, values: Array) -> Array:
    """Numbers of what cells are read as.

    Examples
    --------
    >>> reading = Reading("number", "number")
    >>> encoding = Encoding(("", "missing"), "", (2.0,), indicator=True)
    >>> encode(reading, encoding, np.array([5.0, np.nan])).tolist()
    [[5.0, 0.0], [2.0, 1.0]]
    """
    if encoding.places or encoding.table:
        n_levels = len(reading.levels)
        level = np.where(np.isnan(values), n_levels, np.where(values < 0, n_levels + 1, values))
        codes = level.astype(np.intp)
        if encoding.table:
            return np.asarray(encoding.table)[codes]
        place = np.asarray(encoding.places)[codes]
        found = np.zeros((values.size, len(encoding.names)))
        rows = np.flatnonzero(place >= 0)
        found[rows, place[rows]] = 1.0
        return found
    numbers = _plain_numbers(reading, values, encoding.start)
    if reading.how == "date":
        parts = encoding.names[: len(encoding.fill)]
        numbers = numbers[:, [PARTS.index(part) for part in parts]]
    missing = np.isnan(numbers)
    filled = np.where(missing, np.asarray(encoding.fill), numbers)
    return np.column_stack([filled, missing.any(axis=1)]) if encoding.indicator else filled


def telling_parts(numbers: Array, parts: list[str], target: Target) -> list[str]:
    """Parts of dates that tell something of the target, and days since the first.

    Without a target all of them; with one, a year says nothing that days since the first do not.

    Examples
    --------
    >>> days = np.arange(700.0)
    >>> numbers = date_parts(86400.0 * days, 0.0)
    >>> telling_parts(numbers, ["year", "month", "weekday", "elapsed"], Target(days % 7 > 4, 2))
    ['weekday', 'elapsed']
    """
    if not target.values.size or "elapsed" not in parts:
        return parts
    found = []
    for part in parts:
        values = np.floor(numbers[:, PARTS.index(part)])
        known = np.isfinite(values)
        tells = part not in ("year", "elapsed") and _depends(values[known], target, known)
        if tells or part == "elapsed":
            found.append(part)
    return found


def _depends(levels: Array, target: Target, rows: NDArray[np.bool_]) -> bool:
    """Whether the target differs between levels."""
    _, codes = np.unique(levels, return_inverse=True)
    n_levels = int(codes.max()) + 1
    values = target.values[rows]
    if n_levels < 2 or values.size < MIN_ROWS:
        return False
    if target.n_classes:
        table = np.zeros((n_levels, target.n_classes))
        np.add.at(table, (codes, values.astype(np.intp)), 1.0)
        return bool(chi2_contingency(table[:, table.sum(axis=0) > 0])[1] < ALPHA)
    return bool(kruskal(*(values[codes == level] for level in range(n_levels))).pvalue < ALPHA)


def is_informative(missing: NDArray[np.bool_], target: Target) -> bool:
    """Whether rows without a value have other targets than rows with one.

    Examples
    --------
    >>> missing = np.arange(60) % 3 == 0
    >>> is_informative(missing, Target(missing.astype(int), 2))
    True
    >>> is_informative(missing, Target(np.arange(60) % 2, 2))
    False
    """
    n_missing = int(missing.sum())
    if not target.values.size or min(n_missing, missing.size - n_missing) < MIN_MISSING:
        return False
    if not target.n_classes:
        found = mannwhitneyu(target.values[missing], target.values[~missing])
        return bool(found.pvalue < ALPHA_MISSING)
    table = np.zeros((2, target.n_classes))
    np.add.at(table, (missing.astype(np.intp), target.values), 1.0)
    kept = table[:, table.sum(axis=0) > 0]
    return bool(chi2_contingency(kept, correction=False)[1] < ALPHA_MISSING)


def _start(reading: Reading, values: Array) -> float:
    return float(np.nanmin(values)) if reading.how == "date" and not reading.clock else 0.0


def _plain_numbers(reading: Reading, values: Array, start: float) -> Array:
    """What cells are read as, a column per number; words that are new count as missing."""
    if reading.how == "date":
        return date_parts(values, start)
    if reading.how == "words":
        values = np.where(values < 0, np.nan, values)
    return values.reshape(len(values), -1)


def _one_hot(reading: Reading, values: Array) -> Encoding:
    """A column of 0 and 1 for each level, missing being one; a single one for two of them."""
    n_levels = len(reading.levels)
    missing = np.isnan(values)
    counts = np.bincount(values[~missing].astype(np.intp), minlength=n_levels)
    names = [*reading.levels, *(["missing"] if missing.any() else [])]
    absent = n_levels if missing.any() else -1
    if len(names) == 2:
        places: tuple[int, ...] = (-1, 0, -1) if n_levels == 1 else (-1, 0, -1, -1)
        return Encoding((names[1],), f"1 for {names[1]!r}", places=places)
    if n_levels <= MAX_LEVELS_ALONE:
        places = (*range(n_levels), absent, -1)
        return Encoding(tuple(names), f"{len(names)} columns of 0 and 1", places=places)
    kept = np.sort(np.argsort(-counts, kind="stable")[: MAX_LEVELS_ALONE - 1])
    place = np.full(n_levels, kept.size)
    place[kept] = np.arange(kept.size)
    labels = [reading.levels[k] for k in kept.tolist()] + ["rare"]
    absent = len(labels) if missing.any() else -1
    labels += ["missing"] if missing.any() else []
    use = f"{len(labels)} columns of 0 and 1, one for rare levels"
    return Encoding(tuple(labels), use, places=(*place.tolist(), absent, kept.size))


def _by_target(reading: Reading, values: Array, target: Target) -> tuple[Encoding, Array]:
    """Levels as the mean target of their rows, smoothed; for each row by other rows."""
    n_levels = len(reading.levels)
    codes = np.where(np.isnan(values), n_levels, values)[:, None]
    encoder = TargetEncoder(target_type="auto" if target.n_classes else "continuous")
    table = np.asarray(
        encoder.fit(codes, target.values).transform(np.arange(n_levels + 2.0)[:, None])
    )
    n_folds = min(N_FOLDS, len(codes))
    splitter = (StratifiedKFold if target.n_classes else KFold)(
        n_folds, shuffle=True, random_state=0
    )
    numbers = np.empty((len(codes), table.shape[1]))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class")
        folds = list(splitter.split(codes, target.values))
    for train, rest in folds:
        if np.unique(target.values[train]).size == max(target.n_classes, 2) or not target.n_classes:
            numbers[rest] = encoder.fit(codes[train], target.values[train]).transform(codes[rest])
        else:
            numbers[rest] = table[-1]
    names = ("",) if table.shape[1] == 1 else tuple(map(str, range(table.shape[1])))
    use = "mean target of its level, by other rows"
    rows = tuple(tuple(map(float, row)) for row in table)
    return Encoding(names, use, table=rows), numbers
