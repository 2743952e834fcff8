"""Comparing models over data sets: ranks, Friedman, Nemenyi, Wilcoxon, Holm, win-tie-loss.

Every function takes a table of accuracies with data sets as rows and models as columns. A data set
with a missing accuracy is left out for all models, and the result names it in ``left_out``.
Accuracies are compared to 10 decimals, so that means that differ only by rounding tie.
"""

from broadlearn.study.statistics.condition_tests import ConditionTests, compare_conditions
from broadlearn.study.statistics.pair_tests import PairTests, compare_pairs, holm
from broadlearn.study.statistics.rank_tests import (
    FriedmanResult,
    NemenyiResult,
    Ranks,
    cliques,
    friedman,
    nemenyi,
    ranks,
)

__all__ = [
    "ConditionTests",
    "FriedmanResult",
    "NemenyiResult",
    "PairTests",
    "Ranks",
    "cliques",
    "compare_conditions",
    "compare_pairs",
    "friedman",
    "holm",
    "nemenyi",
    "ranks",
]
