from math import comb, erfc, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from broadlearn.study.statistics import compare_pairs, holm, ranks


@pytest.fixture
def accuracies():
    values = np.random.default_rng(1).integers(70, 82, (20, 4)) / 10
    return pd.DataFrame(values, columns=list("ABCD"))


def plain_rank_sums(difference):
    """Sums of the ranks of |d| where d > 0 and where d < 0, zeros dropped, ties averaged."""
    kept = [d for d in difference if d != 0]
    rank = [
        sum(abs(e) < abs(d) for e in kept) + (sum(abs(e) == abs(d) for e in kept) + 1) / 2
        for d in kept
    ]
    better = sum(r for r, d in zip(rank, kept, strict=True) if d > 0)
    return rank, better, sum(rank) - better


def plain_normal_p_value(difference):
    """Normal approximation with continuity and tie correction."""
    rank, better, _ = plain_rank_sums(difference)
    n = len(rank)
    ties = sum(rank.count(r) ** 3 - rank.count(r) for r in set(rank))
    deviation = sqrt((n * (n + 1) * (2 * n + 1) - ties / 2) / 24)
    distance = max(abs(better - n * (n + 1) / 4) - 0.5, 0.0)
    return erfc(distance / deviation / sqrt(2))


def test_on_ranks_equals_the_formula(accuracies):
    result = compare_pairs(accuracies)
    rank = ranks(accuracies)
    for row in result.itertuples():
        difference = list(rank[row.other] - rank[row.model])
        np.testing.assert_allclose(row.p_ranks, plain_normal_p_value(difference), rtol=1e-12)


def test_on_many_accuracies_equals_scipy(accuracies):
    tenths = (accuracies * 10).round().astype(int)
    for row in compare_pairs(accuracies).itertuples():
        # Of integers, so that no two equal differences are told apart by rounding.
        expected = stats.wilcoxon(tenths[row.model] - tenths[row.other]).pvalue
        np.testing.assert_allclose(row.p_wilcoxon, expected, rtol=1e-12)


def test_models_that_tie_everywhere():
    table = compare_pairs(pd.DataFrame({"A": [1, 2, 3], "B": [1, 2, 3]}))
    assert table.loc[0, ["p_sign", "p_wilcoxon", "p_holm", "p_ranks"]].tolist() == [1.0] * 4


def test_a_reference_gives_its_pairs_only(accuracies):
    pairs = compare_pairs(accuracies)
    assert list(zip(pairs["model"], pairs["other"], strict=True)) == [
        ("B", "A"), ("C", "A"), ("C", "B"), ("D", "A"), ("D", "B"), ("D", "C")
    ]  # fmt: skip
    chosen = compare_pairs(accuracies, reference="B")
    assert list(chosen["model"]) == ["B"] * 3
    assert list(chosen["other"]) == ["A", "C", "D"]
    for name in ("p_sign", "p_wilcoxon", "p_ranks"):
        assert chosen.loc[0, name] == pairs.loc[0, name]
        np.testing.assert_allclose(chosen.loc[1, name], pairs.loc[2, name], rtol=1e-12)


def test_holm_is_the_step_down_rule():
    rng = np.random.default_rng(0)
    for _ in range(20):
        p = rng.random(6) ** 3
        adjusted = holm(p)
        for alpha in (0.01, 0.05, 0.2):
            rejected = []
            for step, i in enumerate(np.argsort(p)):
                if p[i] * (6 - step) > alpha:
                    break
                rejected.append(i)
            np.testing.assert_array_equal(np.flatnonzero(adjusted <= alpha), sorted(rejected))


def test_holm_of_ties_none_and_the_table(accuracies):
    np.testing.assert_allclose(holm([0.7, 0.6, 0.01]), [1.0, 1.0, 0.03])
    assert holm([]).shape == (0,)
    table = compare_pairs(accuracies)
    np.testing.assert_array_equal(table["p_holm"], holm(table["p_wilcoxon"]))


def plain_sign_test(win, n):
    """Two-sided exact binomial p-value with p = 1/2."""
    tail = sum(comb(n, i) for i in range(max(win, n - win), n + 1)) / 2**n
    return min(1.0, 2 * tail)


def test_win_tie_loss_equals_counting(accuracies):
    result = compare_pairs(accuracies)
    for row in result.itertuples():
        a, b = accuracies[row.model].tolist(), accuracies[row.other].tolist()
        pairs = list(zip(a, b, strict=True))
        assert row.win == sum(x > y for x, y in pairs)
        assert row.tie == sum(x == y for x, y in pairs)
        assert row.loss == sum(x < y for x, y in pairs)
        expected = plain_sign_test(row.win + row.tie // 2, 20 - row.tie % 2)
        np.testing.assert_allclose(row.p_sign, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda a: compare_pairs(a, reference="E"),
            "reference must be one of the models A, B, C, D, got 'E'",
        ),
        (lambda a: holm([0.1, 1.1]), "p_values must be a flat list of numbers from 0 to 1"),
        (lambda a: holm([0.1, np.nan]), "p_values must be"),
        (lambda a: holm([[0.1]]), "p_values must be"),
    ],
)
def test_bad_input_is_named(accuracies, call, message):
    with pytest.raises(ValueError, match=message):
        call(accuracies)
