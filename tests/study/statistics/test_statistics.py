"""From the published accuracies, the statistics give back what the paper prints."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from broadlearn.study.published_results import published_table
from broadlearn.study.statistics import compare_pairs, friedman, nemenyi, ranks


@pytest.fixture(scope="module")
def accuracy():
    return published_table()


def test_means(accuracy):
    assert accuracy.mean().round(4).to_dict() == {
        "BLS": 82.5126,
        "ELM": 79.8093,
        "NeuroFBLS": 80.1096,
        "IF-TSVM": 58.3726,
        "H-ELM": 79.9287,
        "F-BLS": 82.5434,
        "IF-BLS": 84.5076,
    }


def test_all_196_ranks(accuracy):
    result = ranks(accuracy)
    assert result.table.size == 196
    pd.testing.assert_frame_equal(result.table, published_table("ranks"))
    assert result.left_out == ()


def test_friedman(accuracy):
    exact, as_printed = friedman(accuracy), friedman(accuracy, rank_decimals=4)
    assert round(exact.chi2, 4) == 86.1582
    assert round(as_printed.chi2, 4) == 86.1618
    assert round(exact.f, 2) == 28.42
    # To two decimals that would be 28.43: the printed F is the one of exact ranks, or cut off.
    assert round(as_printed.f, 3) == 28.426
    assert (exact.chi2_df, exact.f_df) == (6, (6, 162))
    assert max(exact.chi2_p_value, exact.f_p_value) < 1e-15


def test_ten_wilcoxon_p_values_on_ranks_to_the_printed_digits(accuracy):
    table = compare_pairs(accuracy).table.set_index(["model", "other"])
    printed = published_table("wilcoxon").set_index(["proposed", "baseline"])["p_value"]
    assert len(printed) == 10
    for pair, p_value in printed.items():
        digits = len(Decimal(repr(p_value)).as_tuple().digits)
        assert float(f"{table.loc[pair, 'p_ranks']:.{digits}g}") == p_value


def test_wilcoxon_on_accuracies_differs(accuracy):
    table = compare_pairs(accuracy, reference="IF-BLS").table.set_index("other")
    assert round(table.loc["BLS", "p_wilcoxon"], 5) == 0.00364


def test_all_21_win_tie_loss_cells(accuracy):
    counts = compare_pairs(accuracy).table[["model", "other", "win", "tie", "loss"]]
    printed = published_table("win_tie_loss").rename(columns={"row": "model", "column": "other"})
    assert len(counts) == 21
    pd.testing.assert_frame_equal(counts, printed)


def test_nemenyi(accuracy):
    result = nemenyi(accuracy)
    # Demšar's table has q = 2.949 for 7 models.
    np.testing.assert_allclose(
        result.critical_difference, 2.949 * np.sqrt(7 * 8 / (6 * 28)), rtol=0, atol=1e-3
    )
    assert list(result.mean_ranks.index[:3]) == ["IF-BLS", "BLS", "F-BLS"]
    assert result.cliques == (
        ("IF-BLS", "BLS", "F-BLS"),
        ("BLS", "F-BLS", "NeuroFBLS", "H-ELM", "ELM"),
    )
