"""Comparing models over data sets: ranks, Friedman, Wilcoxon, Holm, win-tie-loss, Nemenyi.

Every function takes a table of accuracies, rows data sets and columns models, larger is better. A
data set with a missing accuracy is left out for all models, and the result names it in
``left_out``. Accuracies are compared to 10 decimals, so that means that differ only by rounding
tie.
"""

from broadlearn.experiments.statistics._nemenyi import NemenyiResult, cliques, nemenyi
from broadlearn.experiments.statistics._pairs import (
    WilcoxonTable,
    WinTieLoss,
    holm,
    wilcoxon_table,
    win_tie_loss,
)
from broadlearn.experiments.statistics._ranks import FriedmanResult, Ranks, friedman, ranks

__all__ = [
    "FriedmanResult",
    "NemenyiResult",
    "Ranks",
    "WilcoxonTable",
    "WinTieLoss",
    "cliques",
    "friedman",
    "holm",
    "nemenyi",
    "ranks",
    "wilcoxon_table",
    "win_tie_loss",
]
