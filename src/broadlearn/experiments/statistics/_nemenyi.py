"""Nemenyi's test of all pairs of models, and the groups of its critical-difference diagram."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from scikit_posthocs import posthoc_nemenyi_friedman
from scipy import stats

from broadlearn.experiments.statistics._complete import complete_rows
from broadlearn.experiments.statistics._ranks import ranks


@dataclass(frozen=True, eq=False)
class NemenyiResult:
    """Nemenyi's test, from `nemenyi`.

    Attributes
    ----------
    mean_ranks : Series
        Mean rank of each model, best first.
    critical_difference : float
        Mean ranks that are at least so far apart differ at level alpha.
    alpha : float
        The level, for all pairs together.
    p_values : DataFrame
        Models by models, in the order of ``mean_ranks``; 1 on the diagonal.
    cliques : tuple of tuple
        Groups of models that do not differ, best first: the bars of the diagram.
    n_datasets : int
        Number of data sets, without those left out.
    left_out : tuple
        Data sets with a missing accuracy, which took no part.
    """

    mean_ranks: pd.Series
    critical_difference: float
    alpha: float
    p_values: pd.DataFrame
    cliques: tuple[tuple[Hashable, ...], ...]
    n_datasets: int
    left_out: tuple[Hashable, ...]


def nemenyi(accuracies: pd.DataFrame, *, alpha: float = 0.05) -> NemenyiResult:
    """Nemenyi's test: which models differ in mean rank, all pairs at one level.

    Parameters
    ----------
    accuracies : DataFrame
        Rows are data sets, columns models; larger is better. At least two of each.
    alpha : float, default=0.05
        Level of the test, between 0 and 1.

    Returns
    -------
    result : NemenyiResult
        Mean ranks, critical difference, p-values and cliques, and the data sets left out.

    Notes
    -----
    The critical difference of k models on N data sets is ``q_α √(k(k+1) / 6N)``, with q_α the
    quantile of the studentised range for k groups, divided by √2.

    Examples
    --------
    >>> from broadlearn.experiments.published_results import published_accuracy
    >>> from broadlearn.experiments.statistics import nemenyi
    >>> result = nemenyi(published_accuracy())
    >>> round(result.critical_difference, 3)
    1.702
    >>> result.cliques[0]
    ('IF-BLS', 'BLS', 'F-BLS')
    """
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be a number between 0 and 1, got {alpha!r}.")
    complete, left_out = complete_rows(accuracies, at_least=2)
    ranked = ranks(complete)
    mean_ranks = ranked.mean.sort_values(kind="stable")
    table = ranked.table[mean_ranks.index]
    N, k = table.shape
    q_alpha = stats.studentized_range.isf(alpha, k, np.inf) / sqrt(2)
    critical_difference = float(q_alpha * sqrt(k * (k + 1) / (6 * N)))
    return NemenyiResult(
        mean_ranks=mean_ranks,
        critical_difference=critical_difference,
        alpha=alpha,
        p_values=pd.DataFrame(
            posthoc_nemenyi_friedman(table.to_numpy()).to_numpy(),
            index=mean_ranks.index,
            columns=mean_ranks.index,
        ),
        cliques=cliques(mean_ranks, critical_difference),
        n_datasets=N,
        left_out=left_out,
    )


def cliques(mean_ranks: pd.Series, critical_difference: float) -> tuple[tuple[Hashable, ...], ...]:
    """Largest groups of models whose mean ranks are within the critical difference.

    Parameters
    ----------
    mean_ranks : Series
        Mean rank of each model.
    critical_difference : float
        Mean ranks that are at least so far apart differ.

    Returns
    -------
    cliques : tuple of tuple
        Groups of two or more models, none within another, best first. Models outside all groups
        differ from every other.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.experiments.statistics import cliques
    >>> cliques(pd.Series({"A": 1.0, "B": 1.8, "C": 2.4, "D": 4.8}), 1.0)
    (('A', 'B'), ('B', 'C'))
    """
    ordered = mean_ranks.sort_values(kind="stable")
    values = ordered.to_numpy(dtype=np.float64)
    found: list[tuple[Hashable, ...]] = []
    end = 0
    for start in range(len(values)):
        reach = start + int(np.sum(values[start:] - values[start] < critical_difference))
        if reach > max(end, start + 1):
            found.append(tuple(ordered.index[start:reach]))
            end = reach
    return tuple(found)
