"""Two models at a time: Wilcoxon's signed-rank test, Holm's adjustment, wins, ties and losses."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from broadlearn.experiments.statistics._complete import DECIMALS, complete_rows
from broadlearn.experiments.statistics._ranks import ranks


@dataclass(frozen=True, eq=False)
class WilcoxonTable:
    """Signed-rank tests of pairs of models, from `wilcoxon_table`.

    Attributes
    ----------
    table : DataFrame
        One row a pair: model, other, n_different (data sets on which they differ), rank_sum_better
        and rank_sum_worse (of the data sets on which the model is ahead of or behind the other),
        p_value (two-sided) and p_holm (adjusted over the rows of the table).
    on : {"accuracies", "ranks"}
        What was compared.
    n_datasets : int
        Number of data sets, without those left out.
    left_out : tuple
        Data sets with a missing accuracy, which took no part.
    """

    table: pd.DataFrame
    on: str
    n_datasets: int
    left_out: tuple[Hashable, ...]


@dataclass(frozen=True, eq=False)
class WinTieLoss:
    """Wins, ties and losses of pairs of models, from `win_tie_loss`.

    Attributes
    ----------
    table : DataFrame
        One row a pair: model, other, win, tie, loss (of the model), p_value (exact two-sided sign
        test) and significant (whether either model reaches the threshold).
    threshold : float
        The wins that differ from chance at the 5 % level, N/2 + 1.96 √N/2.
    n_datasets : int
        N, the number of data sets without those left out.
    left_out : tuple
        Data sets with a missing accuracy, which took no part.
    """

    table: pd.DataFrame
    threshold: float
    n_datasets: int
    left_out: tuple[Hashable, ...]


def wilcoxon_table(
    accuracies: pd.DataFrame,
    *,
    reference: Hashable | None = None,
    on: Literal["accuracies", "ranks"] = "accuracies",
) -> WilcoxonTable:
    """Wilcoxon's signed-rank test for pairs of models, with Holm's adjustment.

    Parameters
    ----------
    accuracies : DataFrame
        Rows are data sets, columns models; larger is better.
    reference : str, default=None
        The model to compare with each other one. None compares all pairs, the later column as
        ``model``.
    on : {"accuracies", "ranks"}, default="accuracies"
        What to take the differences of. "accuracies" is the usual test, with the p-value that
        `scipy.stats.wilcoxon` chooses by default: exact or from the normal approximation. "ranks"
        is the variant of the published study: differences of the ranks that the two models have
        among all models, normal approximation with continuity correction. It depends on which
        other models are in the table.

    Returns
    -------
    result : WilcoxonTable
        The table of pairs, and the data sets that were left out.

    Notes
    -----
    Data sets on which the two models tie are dropped from their test. Models that tie everywhere
    have a p-value of 1.

    Examples
    --------
    >>> from broadlearn.experiments.published_results import published_accuracy
    >>> from broadlearn.experiments.statistics import wilcoxon_table
    >>> accuracies = published_accuracy()[["BLS", "F-BLS", "IF-BLS"]]
    >>> result = wilcoxon_table(accuracies, reference="IF-BLS")
    >>> result.table[["model", "other", "n_different", "p_value", "p_holm"]].round(4)
        model  other  n_different  p_value  p_holm
    0  IF-BLS    BLS           26   0.0036  0.0036
    1  IF-BLS  F-BLS           25   0.0014  0.0029
    """
    if on not in ("accuracies", "ranks"):
        raise ValueError(f'on must be "accuracies" or "ranks", got {on!r}.')
    complete, left_out = complete_rows(accuracies, at_least=2)
    # A smaller rank is better, a larger accuracy is.
    values = complete if on == "accuracies" else -ranks(complete).table
    rows = []
    for model, other in _pairs(complete, reference):
        # Differences that are equal but for rounding must tie.
        difference = (values[model] - values[other]).round(DECIMALS).to_numpy()
        order = stats.rankdata(np.abs(difference[difference != 0.0]))
        ahead = difference[difference != 0.0] > 0.0
        rows.append(
            {
                "model": model,
                "other": other,
                "n_different": order.size,
                "rank_sum_better": order[ahead].sum(),
                "rank_sum_worse": order[~ahead].sum(),
                "p_value": _signed_rank_p_value(difference, as_published=on == "ranks"),
            }
        )
    table = pd.DataFrame(rows)
    table["p_holm"] = holm(table["p_value"])
    return WilcoxonTable(table, on, len(complete), left_out)


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Holm's adjustment of p-values for several tests.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        Numbers in [0, 1].

    Returns
    -------
    adjusted : ndarray of shape (n_tests,)
        To be compared with the level that all tests together should keep.

    Examples
    --------
    >>> from broadlearn.experiments.statistics import holm
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


def win_tie_loss(accuracies: pd.DataFrame, *, reference: Hashable | None = None) -> WinTieLoss:
    """Count wins, ties and losses of pairs of models, with the sign test.

    Parameters
    ----------
    accuracies : DataFrame
        Rows are data sets, columns models; larger is better.
    reference : str, default=None
        The model to compare with each other one. None compares all pairs, the later column as
        ``model``.

    Returns
    -------
    result : WinTieLoss
        The table of pairs, the threshold, and the data sets that were left out.

    Notes
    -----
    Ties are split evenly between the two models, and one is ignored if their number is odd.

    Examples
    --------
    >>> from broadlearn.experiments.published_results import published_accuracy
    >>> from broadlearn.experiments.statistics import win_tie_loss
    >>> accuracies = published_accuracy()[["BLS", "F-BLS", "IF-BLS"]]
    >>> result = win_tie_loss(accuracies, reference="IF-BLS")
    >>> result.table.round(4)
        model  other  win  tie  loss  p_value  significant
    0  IF-BLS    BLS   21    2     5   0.0037         True
    1  IF-BLS  F-BLS   20    3     5   0.0059         True
    >>> round(result.threshold, 2)
    19.19
    """
    complete, left_out = complete_rows(accuracies, at_least=2)
    N = len(complete)
    threshold = N / 2 + 1.96 * sqrt(N) / 2
    rows = []
    for model, other in _pairs(complete, reference):
        win = int((complete[model] > complete[other]).sum())
        loss = int((complete[model] < complete[other]).sum())
        tie = N - win - loss
        rows.append(
            {
                "model": model,
                "other": other,
                "win": win,
                "tie": tie,
                "loss": loss,
                "p_value": float(stats.binomtest(win + tie // 2, N - tie % 2).pvalue),
                "significant": max(win, loss) + tie // 2 >= threshold,
            }
        )
    return WinTieLoss(pd.DataFrame(rows), threshold, N, left_out)


def _pairs(table: pd.DataFrame, reference: Hashable | None) -> list[tuple[Hashable, Hashable]]:
    models = list(table.columns)
    if reference is None:
        return [(model, other) for i, model in enumerate(models) for other in models[:i]]
    if reference not in models:
        raise ValueError(
            f"reference must be one of the models {', '.join(map(str, models))}, got {reference!r}."
        )
    return [(reference, other) for other in models if other != reference]


def _signed_rank_p_value(difference: NDArray[np.float64], *, as_published: bool) -> float:
    if not difference.any():
        return 1.0
    if as_published:
        result = stats.wilcoxon(difference, correction=True, method="asymptotic")
    else:
        result = stats.wilcoxon(difference)
    return float(result.pvalue)
