"""Ranks of models on data sets: Friedman's test of all at once, Nemenyi's of all pairs."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from scipy import stats

from broadlearn.study.statistics.complete import complete_rows


@dataclass(frozen=True, eq=False)
class Ranks:
    """Ranks of models on data sets, from `ranks`.

    Attributes
    ----------
    table : DataFrame
        Ranks, rows data sets and columns models, 1 the best; ties share their mean rank.
    mean : Series
        Mean rank of each model.
    left_out : tuple
        Data sets with a missing accuracy, which have no ranks.
    """

    table: pd.DataFrame
    mean: pd.Series
    left_out: tuple[Hashable, ...]


@dataclass(frozen=True)
class FriedmanResult:
    """Friedman's test, from `friedman`.

    Attributes
    ----------
    chi2 : float
        Friedman's χ², not corrected for ties.
    chi2_df : int
        Its degrees of freedom, k − 1.
    chi2_p_value, f_p_value : float
        The probability of a χ², or F, this large if all models were alike.
    f : float
        Iman and Davenport's F; infinite if all data sets rank the models alike.
    f_df : tuple of int
        Its degrees of freedom, k − 1 and (k − 1)(N − 1).
    n_models, n_datasets : int
        k and N, the latter without those left out.
    left_out : tuple
        Data sets with a missing accuracy, which took no part.
    """

    chi2: float
    chi2_df: int
    chi2_p_value: float
    f: float
    f_df: tuple[int, int]
    f_p_value: float
    n_models: int
    n_datasets: int
    left_out: tuple[Hashable, ...]


@dataclass(frozen=True, eq=False)
class NemenyiResult:
    """Nemenyi's test, from `nemenyi`.

    Attributes
    ----------
    mean_ranks : Series
        Mean rank of each model, best first.
    critical_difference : float
        Mean ranks at least this far apart differ at level alpha.
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


def ranks(accuracies: pd.DataFrame) -> Ranks:
    """Rank the models on each data set, 1 for the most accurate.

    Parameters
    ----------
    accuracies : DataFrame
        Rows are data sets, columns models; larger is better.

    Returns
    -------
    Ranks

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.study.statistics import ranks
    >>> accuracies = pd.DataFrame(
    ...     {"A": [90, 80, None], "B": [85, 80, 70], "C": [80, 75, 60]}, index=["x", "y", "z"]
    ... )
    >>> result = ranks(accuracies)
    >>> result.table
         A    B    C
    x  1.0  2.0  3.0
    y  1.5  1.5  3.0
    >>> result.left_out
    ('z',)
    """
    complete, left_out = complete_rows(accuracies, at_least=1)
    table = complete.rank(axis=1, ascending=False)
    return Ranks(table, table.mean(), left_out)


def friedman(accuracies: pd.DataFrame, *, rank_decimals: int | None = None) -> FriedmanResult:
    """Test whether all models are alike: Friedman's χ² and Iman and Davenport's F.

    Parameters
    ----------
    accuracies : DataFrame
        Rows are data sets, columns models; larger is better. At least two of each.
    rank_decimals : int, default=None
        Round the mean ranks to this many decimals first. The published χ² was computed from mean
        ranks of 4 decimals.

    Returns
    -------
    FriedmanResult

    Notes
    -----
    With mean ranks R_j of k models on N data sets [1]_,
    ``χ² = 12N / (k(k+1)) · (Σ R_j² − k(k+1)²/4)`` and ``F = (N−1)χ² / (N(k−1) − χ²)``.
    There is no correction for ties, as in the published study; `scipy.stats.friedmanchisquare`
    has one, so its χ² is larger where models tie.

    References
    ----------
    .. [1] J. Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of
       Machine Learning Research 7 (2006), 1-30.

    Examples
    --------
    >>> from broadlearn.study import published_table
    >>> from broadlearn.study.statistics import friedman
    >>> result = friedman(published_table())
    >>> round(result.chi2, 4), round(result.f, 2), result.f_df
    (86.1582, 28.42, (6, 162))
    >>> round(friedman(published_table(), rank_decimals=4).chi2, 4)
    86.1618
    """
    complete, left_out = complete_rows(accuracies, at_least=2)
    table = ranks(complete).table.to_numpy()
    N, k = table.shape
    rank_sums = table.sum(axis=0)
    if rank_decimals is not None:
        rank_sums = N * np.round(rank_sums / N, rank_decimals)
    # In sums, which are exact, S cannot pass its maximum by rounding, which would make F negative.
    S_max = N**2 * k * (k**2 - 1) / 12
    S = min(max(float(rank_sums @ rank_sums) - N**2 * k * (k + 1) ** 2 / 4, 0.0), S_max)
    chi2 = 12 * S / (N * k * (k + 1))
    f = (N - 1) * S / (S_max - S) if S < S_max else np.inf
    f_df = (k - 1, (k - 1) * (N - 1))
    return FriedmanResult(
        chi2=chi2,
        chi2_df=k - 1,
        chi2_p_value=float(stats.chi2.sf(chi2, k - 1)),
        f=f,
        f_df=f_df,
        f_p_value=float(stats.f.sf(f, *f_df)),
        n_models=k,
        n_datasets=N,
        left_out=left_out,
    )


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
    NemenyiResult

    Notes
    -----
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
    complete, left_out = complete_rows(accuracies, at_least=2)
    mean_ranks = ranks(complete).mean.sort_values(kind="stable")
    N, k = complete.shape
    models, values = mean_ranks.index, mean_ranks.to_numpy()
    unit = sqrt(k * (k + 1) / (6 * N))
    q_alpha = stats.studentized_range.isf(alpha, k, np.inf) / sqrt(2)
    q = np.abs(values[:, None] - values) / unit * sqrt(2)
    p_values = pd.DataFrame(stats.studentized_range.sf(q, k, np.inf), models, models)
    return NemenyiResult(
        mean_ranks=mean_ranks,
        critical_difference=float(q_alpha * unit),
        alpha=alpha,
        p_values=p_values,
        cliques=cliques(mean_ranks, float(q_alpha * unit)),
        n_datasets=N,
        left_out=left_out,
    )


def cliques(mean_ranks: pd.Series, critical_difference: float) -> tuple[tuple[Hashable, ...], ...]:
    """Largest groups of models whose mean ranks are within the critical difference.

    Parameters
    ----------
    mean_ranks : Series
    critical_difference : float
        Mean ranks at least this far apart differ.

    Returns
    -------
    tuple of tuple
        Groups of two or more models, none within another, best first. Models outside all groups
        differ from every other.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.study.statistics import cliques
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
