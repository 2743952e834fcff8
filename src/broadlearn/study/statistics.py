"""Compare models over data sets: ranks, Friedman, Nemenyi, Wilcoxon, Holm, win-tie-loss.

Every function takes a table of accuracies with data sets as rows and models as columns; larger is
better. A data set with a missing accuracy is left out for all models. Accuracies are compared to 10
decimals, so that means that differ only by rounding tie.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from broadlearn.utils import Array

# Means of the same folds, summed in another order, differ in the 16th decimal.
DECIMALS = 10
# Name of the column over all conditions.
TOGETHER = "all"


class FriedmanResult(NamedTuple):
    """Friedman's χ², not corrected for ties, and Iman and Davenport's F, with their p-values."""

    chi2: float
    chi2_p_value: float
    f: float
    f_p_value: float


class NemenyiResult(NamedTuple):
    """Mean ranks (best first), critical difference, and groups of models that are alike.

    Groups have two or more models, none is within another, and the best comes first.
    """

    mean_ranks: pd.Series
    critical_difference: float
    cliques: tuple[tuple[Hashable, ...], ...]


class ConditionTests(NamedTuple):
    """Comparison of models in several conditions and in "all" of them.

    `accuracies` and `mean_ranks` are means over data sets, models by conditions, the best mean rank
    in "all" first. `tests` has the columns of `compare_pairs` and the condition.
    """

    accuracies: pd.DataFrame
    mean_ranks: pd.DataFrame
    tests: pd.DataFrame


def complete_rows(accuracies: pd.DataFrame, *, at_least: int) -> pd.DataFrame:
    """Return the data sets with an accuracy for every model, rounded to `DECIMALS`."""
    complete = accuracies.apply(pd.to_numeric).astype(float).dropna()
    if complete.shape[1] < 2 or len(complete) < at_least:
        raise ValueError(
            f"accuracies must have 2 or more models and {at_least} or more data sets with a value "
            f"for each, got {complete.shape[1]} and {len(complete)}."
        )
    return complete.round(DECIMALS)


def ranks(accuracies: pd.DataFrame) -> pd.DataFrame:
    """Rank the models on each data set, 1 for the most accurate; ties share their mean rank.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.study.statistics import ranks
    >>> accuracies = pd.DataFrame(
    ...     {"A": [90, 80, None], "B": [85, 80, 70], "C": [80, 75, 60]}, index=["x", "y", "z"]
    ... )
    >>> ranks(accuracies)
         A    B    C
    x  1.0  2.0  3.0
    y  1.5  1.5  3.0
    """
    return complete_rows(accuracies, at_least=1).rank(axis=1, ascending=False)


def friedman(accuracies: pd.DataFrame) -> FriedmanResult:
    """Test whether all models are alike: Friedman's χ² and Iman and Davenport's F.

    With mean ranks R_j of k models on N data sets (Demšar, JMLR 7, 2006),
    ``χ² = 12N / (k(k+1)) · (Σ R_j² − k(k+1)²/4)`` and ``F = (N−1)χ² / (N(k−1) − χ²)``.
    As in the published study there is no correction for ties; `scipy.stats.friedmanchisquare`
    has one. The printed χ², 86.1618, was computed from mean ranks of 4 decimals.

    Examples
    --------
    >>> from broadlearn.study import published_table
    >>> from broadlearn.study.statistics import friedman
    >>> result = friedman(published_table())
    >>> round(result.chi2, 4), round(result.f, 2)
    (86.1582, 28.42)
    """
    table = ranks(complete_rows(accuracies, at_least=2)).to_numpy()
    N, k = table.shape
    rank_sums = table.sum(axis=0)
    # In sums, which are exact, S cannot pass its maximum by rounding, which would make F negative.
    S_max = N**2 * k * (k**2 - 1) / 12
    S = min(max(float(rank_sums @ rank_sums) - N**2 * k * (k + 1) ** 2 / 4, 0.0), S_max)
    chi2 = 12 * S / (N * k * (k + 1))
    f = (N - 1) * S / (S_max - S) if S < S_max else np.inf
    p_values = stats.chi2.sf(chi2, k - 1), stats.f.sf(f, k - 1, (k - 1) * (N - 1))
    return FriedmanResult(chi2, float(p_values[0]), f, float(p_values[1]))


def nemenyi(accuracies: pd.DataFrame, *, alpha: float = 0.05) -> NemenyiResult:
    """Test which models differ in mean rank, all pairs at the level `alpha`.

    The critical difference of k models on N data sets is ``q_α √(k(k+1) / 6N)``, with q_α the
    quantile of the studentised range for k groups, divided by √2.

    Examples
    --------
    >>> from broadlearn.study import published_table
    >>> from broadlearn.study.statistics import nemenyi
    >>> result = nemenyi(published_table())
    >>> round(result.critical_difference, 3)
    1.702
    >>> result.cliques[0]
    ('IF-BLS', 'BLS', 'F-BLS')
    """
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be a number between 0 and 1, got {alpha!r}.")
    complete = complete_rows(accuracies, at_least=2)
    mean_ranks = ranks(complete).mean().sort_values(kind="stable")
    N, k = complete.shape
    unit = sqrt(k * (k + 1) / (6 * N))
    width = float(stats.studentized_range.isf(alpha, k, np.inf) / sqrt(2) * unit)
    return NemenyiResult(mean_ranks, width, cliques(mean_ranks, width))


def cliques(mean_ranks: pd.Series, width: float) -> tuple[tuple[Hashable, ...], ...]:
    """Return the largest groups of models whose ordered mean ranks differ by less than a width."""
    values = mean_ranks.to_numpy(dtype=np.float64)
    groups: list[tuple[Hashable, ...]] = []
    end = 0
    for start in range(len(values)):
        reach = start + int(np.sum(values[start:] - values[start] < width))
        if reach > max(end, start + 1):
            groups.append(tuple(mean_ranks.index[start:reach]))
            end = reach
    return tuple(groups)


def compare_pairs(accuracies: pd.DataFrame, *, reference: Hashable | None = None) -> pd.DataFrame:
    """Count wins, ties and losses of pairs of models, with sign and signed-rank tests.

    Parameters
    ----------
    accuracies : DataFrame
    reference : str, default=None
        The model to compare with every other. None compares all pairs, the later column as
        ``model``.

    Returns
    -------
    DataFrame
        One row per pair: model, other; win, tie, loss; p_sign of the exact two-sided sign test,
        which splits ties evenly; p_wilcoxon of `scipy.stats.wilcoxon` on accuracies, which drops
        ties; p_holm, the same adjusted over the rows; p_ranks of the published variant, not
        adjusted: on the ranks among all models of the table, by the normal approximation with
        continuity correction.

    Examples
    --------
    >>> from broadlearn.study import published_table
    >>> from broadlearn.study.statistics import compare_pairs
    >>> result = compare_pairs(published_table()[["BLS", "F-BLS", "IF-BLS"]], reference="IF-BLS")
    >>> result[["model", "other", "win", "tie", "loss", "p_sign", "p_holm"]].round(4)
        model  other  win  tie  loss  p_sign  p_holm
    0  IF-BLS    BLS   21    2     5  0.0037  0.0036
    1  IF-BLS  F-BLS   20    3     5  0.0059  0.0029
    """
    complete = complete_rows(accuracies, at_least=2)
    models = list(complete.columns)
    if reference is None:
        pairs = [(model, other) for i, model in enumerate(models) for other in models[:i]]
    elif reference in models:
        pairs = [(reference, other) for other in models if other != reference]
    else:
        raise ValueError(
            f"reference must be one of the models {', '.join(map(str, models))}, got {reference!r}."
        )
    # A smaller rank is better, a larger accuracy is.
    negative_ranks = -complete.rank(axis=1, ascending=False)
    N = len(complete)
    rows = []
    for model, other in pairs:
        # Differences that are equal but for rounding must tie.
        difference = (complete[model] - complete[other]).round(DECIMALS).to_numpy()
        in_ranks = (negative_ranks[model] - negative_ranks[other]).to_numpy()
        win, loss = int((difference > 0.0).sum()), int((difference < 0.0).sum())
        tie = N - win - loss
        rows.append(
            {
                "model": model,
                "other": other,
                "win": win,
                "tie": tie,
                "loss": loss,
                "p_sign": float(stats.binomtest(win + tie // 2, N - tie % 2).pvalue),
                "p_wilcoxon": _signed_rank_p(difference),
                "p_ranks": _signed_rank_p(in_ranks, correction=True, method="asymptotic"),
            }
        )
    table = pd.DataFrame(rows)
    table.insert(table.columns.get_loc("p_ranks"), "p_holm", holm(table["p_wilcoxon"]))
    return table


def _signed_rank_p(difference: Array, **options: object) -> float:
    return float(stats.wilcoxon(difference, **options).pvalue) if difference.any() else 1.0


def holm(p_values: ArrayLike) -> Array:
    """Adjust p-values for several tests by Holm's method.

    Examples
    --------
    >>> from broadlearn.study.statistics import holm
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0.0) & (p <= 1.0)).all():
        raise ValueError("p_values must be a flat list of numbers from 0 to 1.")
    order = np.argsort(p)
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return np.minimum(adjusted, 1.0)


def compare_conditions(
    tables: Mapping[str, pd.DataFrame], *, reference: Hashable
) -> ConditionTests:
    """Compare a model with each other one in several conditions and in all of them together.

    `tables` has accuracies by condition, such as clean and noisy data. Accuracies in "all" are
    means over conditions, so that a data set counts once.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.study.statistics import compare_conditions
    >>> clean = pd.DataFrame({"A": [90, 80, 70], "B": [85, 81, 60]}, index=["x", "y", "z"])
    >>> result = compare_conditions({"clean": clean, "noisy": clean - [1, 8]}, reference="A")
    >>> result.mean_ranks.round(2)
       clean  noisy   all
    A   1.33    1.0  1.17
    B   1.67    2.0  1.83
    >>> result.tests[["condition", "other", "win", "tie", "loss", "p_holm"]]
      condition other  win  tie  loss  p_holm
    0     clean     B    2    0     1    0.50
    1     noisy     B    3    0     0    0.25
    2       all     B    3    0     0    0.25
    """
    if not tables or TOGETHER in tables:
        raise ValueError(
            f"tables must have one or more conditions, none of them named {TOGETHER!r}."
        )
    complete = complete_rows(pd.concat(tables, axis=1), at_least=2)
    parts = {name: complete[name] for name in tables}
    parts[TOGETHER] = complete.T.groupby(level=1, sort=False).mean().T
    mean_ranks = pd.DataFrame({name: ranks(parts[name]).mean() for name in tables})
    mean_ranks[TOGETHER] = mean_ranks.mean(axis=1)
    mean_ranks = mean_ranks.sort_values(TOGETHER, kind="stable")
    accuracies = pd.DataFrame({name: part.mean() for name, part in parts.items()})
    tests = [
        compare_pairs(part, reference=reference).assign(condition=name)
        for name, part in parts.items()
    ]
    joined = pd.concat(tests, ignore_index=True)
    joined = joined[["condition", *joined.columns.drop("condition")]]
    return ConditionTests(accuracies.loc[mean_ranks.index], mean_ranks, joined)
