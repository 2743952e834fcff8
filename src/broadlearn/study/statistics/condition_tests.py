"""Several conditions, such as clean and noisy data: mean ranks and tests in each and in all."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import pandas as pd

from broadlearn.study.statistics.complete import complete_rows
from broadlearn.study.statistics.pair_tests import compare_pairs
from broadlearn.study.statistics.rank_tests import ranks

# Name of the column over all conditions.
TOGETHER = "all"


@dataclass(frozen=True, eq=False)
class ConditionTests:
    """Comparison of models in several conditions, from `compare_conditions`.

    Attributes
    ----------
    accuracies : DataFrame
        Mean accuracy over data sets, models × conditions and "all", their mean.
    mean_ranks : DataFrame
        Mean rank over data sets, in the same order: best in "all" first.
    tests : DataFrame
        One row per condition and other model, "all" last: condition, then the columns of
        `PairTests.table`; p_holm is adjusted within a condition. The accuracies of "all" are the
        means over conditions, so that a data set counts once there too.
    datasets : tuple
        Data sets with an accuracy for every model in every condition.
    left_out : tuple
        The others, which took no part.
    """

    accuracies: pd.DataFrame
    mean_ranks: pd.DataFrame
    tests: pd.DataFrame
    datasets: tuple[Hashable, ...]
    left_out: tuple[Hashable, ...]


def compare_conditions(
    tables: Mapping[str, pd.DataFrame], *, reference: Hashable
) -> ConditionTests:
    """Compare a model with each other one in several conditions and in all of them together.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        Accuracies by condition: rows are data sets, columns models; larger is better.
    reference : str
        The model to compare with every other.

    Returns
    -------
    ConditionTests

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
    joined = pd.concat(tables, axis=1)
    complete, left_out = complete_rows(joined, at_least=2)
    parts = {name: complete[name] for name in tables}
    parts[TOGETHER] = complete.T.groupby(level=1, sort=False).mean().T
    mean_ranks = pd.DataFrame({name: ranks(parts[name]).mean for name in tables})
    mean_ranks[TOGETHER] = mean_ranks.mean(axis=1)
    mean_ranks = mean_ranks.sort_values(TOGETHER, kind="stable")
    accuracies = pd.DataFrame({name: part.mean() for name, part in parts.items()})
    tests = []
    for name, part in parts.items():
        table = compare_pairs(part, reference=reference).table
        table.insert(0, "condition", name)
        tests.append(table)
    return ConditionTests(
        accuracies.loc[mean_ranks.index],
        mean_ranks,
        pd.concat(tests, ignore_index=True),
        tuple(complete.index),
        left_out,
    )
