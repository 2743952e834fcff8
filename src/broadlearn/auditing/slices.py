"""Parts of a table, by one or two columns, where predictions go wrong more than elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import hypergeom

from broadlearn.auditing.coincidence import Flags, Positions
from broadlearn.auditing.findings import Finding
from broadlearn.auditing.penalties import within_limit
from broadlearn.io import RankedColumns, find_identifiers, mid_ranks
from broadlearn.utils import Array, percent, row_priorities

# Numbers of more values than this are cut at their quartiles; of text, that many levels count.
MAX_NUMBER_LEVELS = 6
MAX_TEXT_LEVELS = 8
# Slices of fewer rows, or of a smaller share of them, or of more than half of them are not tried.
MIN_ROWS = 20
MIN_SHARE = 0.005
# Pairs are tried of the columns that tell errors best, over so many rows.
MAX_PAIRED = 30
MAX_PAIR_ROWS = 100_000
# p-value after Bonferroni's correction, and how much worse than overall, or than a parent.
ALPHA = 0.01
WORSE = 1.5
WORSE_THAN_PARENT = 1.2
# Slices that are listed, and the part of their union that two of them may share.
MAX_SLICES = 5
MAX_OVERLAP = 0.5
POINTS = 1.0


class Slice(NamedTuple):
    """A part of a table.

    Attributes
    ----------
    where : str
        Its condition, such as "age > 61 and town is 'Ulm'".
    columns : list of str
    rows : ndarray of shape (n_found,)
        Positions of its rows.
    loss : float
        Mean loss of its rows.
    p : float
        Chance that as many rows drawn at random would do as badly, times the slices tried.
    """

    where: str
    columns: list[str]
    rows: Positions
    loss: float
    p: float


class _Parts(NamedTuple):
    """How columns are cut: the part of each row by column, and the column and name of each part."""

    code: NDArray[np.int32]
    column: Positions
    names: list[str]


class _Tried(NamedTuple):
    """Slices that are large enough: their parts (the same twice for one), sizes and scores."""

    first: Positions
    second: Positions
    size: Array
    total: Array


def check_slices(columns: RankedColumns, loss: Array, is_regression: bool) -> list[Finding]:
    """Say where held-out predictions go wrong; each slice costs a point of health, at most 5."""
    slices = find_slices(columns, loss)
    if not slices:
        return [
            Finding("slices", "Predictions are no worse in one part of the table than in others.")
        ]
    overall = float(loss.mean())
    findings = []
    for found in slices:
        if is_regression:
            what = f"the mean absolute error is {found.loss:.3g}, against {overall:.3g} overall"
        else:
            what = f"{percent(found.loss)} of held-out predictions are wrong"
            what += f", against {percent(overall)} overall"
        sentence = f"Where {found.where} ({found.rows.size:,} rows), {what}."
        findings.append(Finding("slices", sentence, POINTS, found.rows, found.columns))
    return within_limit("slices", findings)


def find_slices(columns: RankedColumns, loss: Array) -> list[Slice]:
    """Find the parts of a table where a loss is largest.

    Parts are the levels of text, the quartiles of numbers (their values, where they are at most
    six), missing values, and all pairs of parts of two columns. A part is found if its
    loss is half as large again as overall, and if, drawn at random, so many rows would do so badly
    with a probability below 0.01 after Bonferroni's correction for all parts tried
    (hypergeometric for losses of 0 and 1, else by ranks). A pair must exceed both of its parents
    by a fifth, and as significantly. Parts that have most of their rows in common with a worse one
    are left out, as are columns that are bad only for the rows of parts listed before.

    Parameters
    ----------
    columns : RankedColumns
    loss : ndarray of shape (n_samples,)
        What each row costs, held out: 0 or 1 for right or wrong, or any quantity.

    Returns
    -------
    list of Slice
        At most five, the most significant first.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.io import rank_columns
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame({"age": rng.uniform(20, 80, 1000), "sex": ["f", "m"] * 500})
    >>> wrong = rng.random(1000) < np.where((frame["age"] > 65) & (frame["sex"] == "f"), 0.5, 0.1)
    >>> [(found.where, found.rows.size) for found in find_slices(rank_columns(frame), wrong * 1.0)]
    [("age > 65.9 and sex is 'f'", 132)]
    """
    usable = (columns.n_levels > 1) & ~find_identifiers(columns)
    columns = columns.select(usable)
    if loss.min() == loss.max() or not columns.names:
        return []
    is_binary = bool(np.isin(loss, (0.0, 1.0)).all())
    score = loss if is_binary else mid_ranks(loss) / loss.size
    parts = _cut(columns)
    single, best = _single_slices(parts, score)
    kept = np.argsort(row_priorities(0, loss.size, 2))[:MAX_PAIR_ROWS]
    pairs, parents = _pairs(parts, score, np.sort(kept), np.sort(best[:MAX_PAIRED]))

    alpha = ALPHA / max(1, single.size.size + pairs.size.size)
    test = partial(_chance, spread=None if is_binary else float(score.std()))
    n, total = float(loss.size), float(score.sum())
    worse = test(single.size, single.total, n, total) < alpha
    candidates = [(int(part), int(part)) for part in single.first[worse]]
    n, total = float(kept.size), float(score[kept].sum())
    worse = test(pairs.size, pairs.total, n, total) < alpha
    for parent_size, parent_total in parents:
        worse &= test(pairs.size, pairs.total, parent_size, parent_total) < alpha
    candidates += zip(pairs.first[worse].tolist(), pairs.second[worse].tolist(), strict=True)
    return _list_slices(candidates, parts, columns.names, loss, score, test, alpha)


def _chance(
    size: Array | float,
    total: Array | float,
    all_size: Array | float,
    all_total: Array | float,
    spread: float | None,
) -> Array:
    """Probability that so many of all rows, drawn at random, have so large a total score.

    Scores are 0 and 1, or ranks of that standard deviation.
    """
    if spread is None:
        return np.asarray(hypergeom.sf(np.subtract(total, 1.0), all_size, all_total, size))
    excess = total - np.multiply(size, all_total) / all_size
    deviation = spread * np.sqrt(size * (1.0 - np.divide(size, all_size)))
    return np.asarray(ndtr(-excess / np.maximum(deviation, 1e-12)))


def _least_rows(n_rows: int) -> float:
    return max(MIN_ROWS, MIN_SHARE * n_rows)


def _single_slices(parts: _Parts, score: Array) -> tuple[_Tried, Positions]:
    """Parts that are large enough, and the columns, those that tell scores best first."""
    n_rows, n_parts = score.size, parts.column.size
    size, total = np.zeros((2, n_parts))
    for code in parts.code:
        inside = code >= 0
        size += np.bincount(code[inside], minlength=n_parts)
        total += np.bincount(code[inside], weights=score[inside], minlength=n_parts)
    enough = (size >= _least_rows(n_rows)) & (size <= n_rows / 2)
    mean = total / np.maximum(size, 1.0)
    told = np.bincount(parts.column, size * (mean - score.mean()) ** 2, len(parts.code))
    which = np.flatnonzero(enough)
    return _Tried(which, which, size[which], total[which]), np.argsort(-told, kind="stable")


def _pairs(
    parts: _Parts, score: Array, rows: Positions, columns: Positions
) -> tuple[_Tried, list[tuple[Array, Array]]]:
    """Pairs of parts of two columns that are large enough, and sizes and scores of their parents.

    Rows by parts, as 0 and 1, times their transpose count the rows of all pairs at once.
    """
    which = np.flatnonzero(np.isin(parts.column, columns))
    member = np.empty((which.size, rows.size), dtype=np.float32)
    for k, part in enumerate(which):
        member[k] = parts.code[parts.column[part], rows] == part
    size = (member @ member.T).astype(np.float64)
    total = np.asarray((member * score[rows].astype(np.float32)) @ member.T, dtype=np.float64)
    different = parts.column[which][:, None] < parts.column[which]
    enough = (size >= _least_rows(rows.size)) & (size <= rows.size / 2)
    i, j = np.nonzero(different & enough)
    parents = [(size[k, k], total[k, k]) for k in (i, j)]
    return _Tried(which[i], which[j], size[i, j], total[i, j]), parents


def _list_slices(
    candidates: list[tuple[int, int]],
    parts: _Parts,
    names: Sequence[str],
    loss: Array,
    score: Array,
    test: Callable[..., Array],
    alpha: float,
) -> list[Slice]:
    """The slices that stand out most and add to those before them."""
    found = []
    for pair in candidates:
        inside = [parts.code[parts.column[part]] == part for part in sorted(set(pair))]
        rows = np.logical_and.reduce(inside)
        limits = [WORSE * loss.mean()]
        if len(inside) > 1:
            limits += [WORSE_THAN_PARENT * loss[parent].mean() for parent in inside]
        if loss[rows].mean() >= max(limits):
            excess = score[rows].mean() - score.mean()
            found.append((excess * np.sqrt(rows.sum() / (1.0 - rows.mean())), pair, rows))
    slices: list[Slice] = []
    listed = np.zeros(loss.size, dtype=bool)
    for _, pair, rows in sorted(found, key=lambda one: -one[0]):
        left, rest = rows & ~listed, ~listed
        adds = left.sum() >= MIN_ROWS and loss[left].mean() >= WORSE * loss[rest].mean()
        adds &= test(left.sum(), score[left].sum(), rest.sum(), score[rest].sum()) < alpha
        repeats = any(_overlap(rows, before.rows) > MAX_OVERLAP for before in slices)
        if repeats or not (adds or pair[0] != pair[1]):
            continue
        listed |= rows
        p = float(test(rows.sum(), score[rows].sum(), loss.size, score.sum())) * ALPHA / alpha
        chosen = sorted(set(pair))
        slices.append(
            Slice(
                " and ".join(parts.names[part] for part in chosen),
                [names[parts.column[part]] for part in chosen],
                np.flatnonzero(rows),
                float(loss[rows].mean()),
                min(1.0, p),
            )
        )
        if len(slices) == MAX_SLICES:
            break
    return slices


def _overlap(inside: Flags, positions: Positions) -> float:
    """Rows that two slices have in common, by those of either."""
    common = np.count_nonzero(inside[positions])
    return common / (np.count_nonzero(inside) + positions.size - common)


def _cut(columns: RankedColumns) -> _Parts:
    """Cut all columns; parts are numbered throughout."""
    codes = np.full(columns.ranks.shape, -1, dtype=np.int32)
    names: list[str] = []
    of_column: list[int] = []
    for j, name in enumerate(columns.names):
        code, labels = _parts_of(columns, j)
        codes[j] = np.where(code < 0, -1, code + len(names))
        names += [f"{name} {label}" for label in labels]
        of_column += [j] * len(labels)
    return _Parts(codes, np.array(of_column, dtype=np.intp), names)


def _parts_of(columns: RankedColumns, j: int) -> tuple[Positions, list[str]]:
    """The part of each row, -1 for none, and what the parts are called."""
    ranks, values = columns.ranks[j], columns.values[j]
    present = np.sort(ranks[ranks >= 0])
    if columns.is_number[j] and len(values) > MAX_NUMBER_LEVELS:
        edges = np.unique(present[[present.size * q // 4 for q in (1, 2, 3)]])
        code = np.searchsorted(edges, ranks, side="left")
        cuts = [f"{values[edge]:.3g}" for edge in edges]
        labels = [f"<= {cuts[0]}"]
        labels += [f"is in ({low}, {high}]" for low, high in pairwise(cuts)]
        labels.append(f"> {cuts[-1]}")
    else:
        counts = np.bincount(present, minlength=len(values))
        limit = MAX_NUMBER_LEVELS if columns.is_number[j] else MAX_TEXT_LEVELS
        kept = np.argsort(-counts, kind="stable")[:limit]
        lookup = np.full(len(values), -1)
        lookup[kept] = np.arange(kept.size)
        code = lookup[ranks]
        number = columns.is_number[j]
        labels = [f"is {values[r]:.4g}" if number else f"is '{values[r]}'" for r in kept.tolist()]
    code = np.where(ranks < 0, len(labels), code)
    return code, [*labels, "is missing"]
