"""Two models at a time: wins, ties and losses, Wilcoxon's signed-rank test, Holm's adjustment."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from broadlearn.study.statistics.complete import DECIMALS, complete_rows
from broadlearn.utils import Array


@dataclass(frozen=True, eq=False)
class PairTests:
    """Tests of pairs of models, from `compare_pairs`.

    Attributes
    ----------
    table : DataFrame
        One row per pair, with the columns

        - model, other;
        - win, tie, loss: data sets on which the model is ahead, level, or behind;
        - p_sign: of the exact two-sided sign test;
        - significant: whether either model reaches the threshold;
        - n_different, rank_sum_better, rank_sum_worse: data sets on which the accuracies differ,
          and the sums of their signed ranks where the model is ahead, or behind;
        - p_wilcoxon: of the signed-rank test on accuracies;
        - p_holm: the same, adjusted over the rows of the table;
        - p_ranks: of the published variant of the test, on ranks, not adjusted.
    threshold : float
        The number of wins that differs from chance at the 5 % level, N/2 + 1.96 √N/2.
    n_datasets : int
        N, the number of data sets without those left out.
    left_out : tuple
        Data sets with a missing accuracy, which took no part.
    """

    table: pd.DataFrame
    threshold: float
    n_datasets: int
    left_out: tuple[Hashable, ...]


def compare_pairs(accuracies: pd.DataFrame, *, reference: Hashable | None = None) -> PairTests:
    """Wins, ties and losses, sign test and Wilcoxon's signed-rank tests of pairs of models.

    Parameters
    ----------
    accuracies : DataFrame
        Rows are data sets, columns models; larger is better.
    reference : str, default=None
        The model to compare with every other. None compares all pairs, the later column as
        ``model``.

    Returns
    -------
    PairTests

    Notes
    -----
    The sign test splits ties evenly between the two models, and ignores one if their number is odd.
    Wilcoxon's test drops them; models that tie everywhere have a p-value of 1. Its p-value is the
    one that `scipy.stats.wilcoxon` chooses by default: exact or from the normal approximation. The
    published variant takes differences of the ranks that the two models have among all models, and
    the normal approximation with continuity correction; it depends on which other models are in the
    table.

    Examples
    --------
    >>> from broadlearn.study import published_table
    >>> from broadlearn.study.statistics import compare_pairs
    >>> result = compare_pairs(published_table()[["BLS", "F-BLS", "IF-BLS"]], reference="IF-BLS")
    >>> result.table[["model", "other", "win", "tie", "loss", "p_sign", "p_holm"]].round(4)
        model  other  win  tie  loss  p_sign  p_holm
    0  IF-BLS    BLS   21    2     5  0.0037  0.0036
    1  IF-BLS  F-BLS   20    3     5  0.0059  0.0029
    >>> round(result.threshold, 2)
    19.19
    """
    complete, left_out = complete_rows(accuracies, at_least=2)
    # A smaller rank is better, a larger accuracy is.
    ranks = -complete.rank(axis=1, ascending=False)
    N = len(complete)
    threshold = N / 2 + 1.96 * sqrt(N) / 2
    rows = []
    for model, other in _pairs(list(complete.columns), reference):
        # Differences that are equal but for rounding must tie.
        difference = (complete[model] - complete[other]).round(DECIMALS).to_numpy()
        in_ranks = (ranks[model] - ranks[other]).to_numpy()
        win, loss = int((difference > 0.0).sum()), int((difference < 0.0).sum())
        tie = N - win - loss
        order = stats.rankdata(np.abs(difference[difference != 0.0]))
        ahead = difference[difference != 0.0] > 0.0
        rows.append(
            {
                "model": model,
                "other": other,
                "win": win,
                "tie": tie,
                "loss": loss,
                "p_sign": float(stats.binomtest(win + tie // 2, N - tie % 2).pvalue),
                "significant": max(win, loss) + tie // 2 >= threshold,
                "n_different": order.size,
                "rank_sum_better": order[ahead].sum(),
                "rank_sum_worse": order[~ahead].sum(),
                "p_wilcoxon": _signed_rank_p(difference),
                "p_ranks": _signed_rank_p(in_ranks, correction=True, method="asymptotic"),
            }
        )
    table = pd.DataFrame(rows)
    table.insert(table.columns.get_loc("p_ranks"), "p_holm", holm(table["p_wilcoxon"]))
    return PairTests(table, threshold, N, left_out)


def holm(p_values: ArrayLike) -> Array:
    """Holm's adjustment of p-values for several tests.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        Numbers in [0, 1].

    Returns
    -------
    adjusted : ndarray of shape (n_tests,)
        To be compared with the level that the tests should keep together.

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


def _pairs(models: list[Hashable], reference: Hashable | None) -> list[tuple[Hashable, Hashable]]:
    if reference is None:
        return [(model, other) for i, model in enumerate(models) for other in models[:i]]
    if reference not in models:
        raise ValueError(
            f"reference must be one of the models {', '.join(map(str, models))}, got {reference!r}."
        )
    return [(reference, other) for other in models if other != reference]


def _signed_rank_p(difference: Array, **options: object) -> float:
    return float(stats.wilcoxon(difference, **options).pvalue) if difference.any() else 1.0
