from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from broadlearn.study.statistics import cliques, friedman, nemenyi, ranks

# Demšar (2006), Table 5a: critical values of the two-tailed Nemenyi test.
Q = {
    0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
    0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
}


def make_table(rows, models, values, seed=0):
    """Integers from few values tie often."""
    drawn = np.random.default_rng(seed).integers(0, values, (rows, models))
    return pd.DataFrame(drawn, columns=[f"m{j}" for j in range(models)])


def plain_rank(row, j):
    """1 + models that are better + half of the others that tie."""
    return 1 + sum(x > row[j] for x in row) + (sum(x == row[j] for x in row) - 1) / 2


@pytest.mark.parametrize("values", [1, 3, 1000])
def test_ranks_equal_counting(values):
    table = make_table(20, 5, values)
    result = ranks(table)
    expected = [[plain_rank(row, j) for j in range(5)] for row in table.to_numpy()]
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_allclose(result.mean(), np.mean(expected, axis=0), rtol=0, atol=1e-14)
    assert list(result.columns) == list(table.columns)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("rows", "models", "values"), [(12, 4, 3), (7, 3, 1000), (5, 2, 4)])
def test_friedman_equals_the_formulas(rows, models, values, seed):
    table = make_table(rows, models, values, seed)
    result = friedman(table)
    N, k = rows, models
    R = ranks(table).mean()
    chi2 = 12 * N / (k * (k + 1)) * ((R**2).sum() - k * (k + 1) ** 2 / 4)
    f = (N - 1) * chi2 / (N * (k - 1) - chi2)
    np.testing.assert_allclose([result.chi2, result.f], [chi2, f], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(result.chi2_p_value, stats.chi2(k - 1).sf(chi2))
    np.testing.assert_allclose(result.f_p_value, stats.f(k - 1, (k - 1) * (N - 1)).sf(f))
    if k > 2 and (table.nunique(axis=1) == k).all():
        np.testing.assert_allclose(result.chi2, stats.friedmanchisquare(*table.to_numpy().T)[0])


def test_models_that_tie_everywhere_are_alike():
    result = friedman(make_table(6, 3, values=1))
    assert (result.chi2, result.f) == (0.0, 0.0)
    assert (result.chi2_p_value, result.f_p_value) == (1.0, 1.0)


@pytest.mark.parametrize("rows", [2, 3, 7, 49])
def test_the_same_order_everywhere_has_infinite_f(rows):
    table = pd.DataFrame([[3.0, 2.0, 1.0, 0.0, -1.0, -2.0, -3.0]] * rows)
    result = friedman(table)
    assert result.chi2 == rows * 6
    assert result.f == np.inf
    assert result.f_p_value == 0.0


@pytest.mark.parametrize("alpha", [0.05, 0.10])
@pytest.mark.parametrize("k", range(2, 11))
def test_critical_difference_equals_the_printed_table(k, alpha):
    table = pd.DataFrame(np.random.default_rng(k).normal(size=(6, k)))
    result = nemenyi(table, alpha=alpha)
    q = result.critical_difference / np.sqrt(k * (k + 1) / (6 * 6))
    assert abs(q - Q[alpha][k - 2]) < 1.1e-3


def test_models_that_tie_everywhere_are_one_clique():
    result = nemenyi(pd.DataFrame({"A": [1, 2], "B": [1, 2], "C": [1, 2]}))
    assert result.cliques == (("A", "B", "C"),)


def plain_cliques(mean_ranks, critical_difference):
    """All groups whose members are pairwise alike and that no other such group holds."""
    names = list(mean_ranks.index)
    groups = [
        set(group)
        for size in range(2, len(names) + 1)
        for group in combinations(names, size)
        if all(
            abs(mean_ranks[a] - mean_ranks[b]) < critical_difference
            for a, b in combinations(group, 2)
        )
    ]
    return {frozenset(g) for g in groups if not any(g < h for h in groups)}


@pytest.mark.parametrize("seed", range(20))
def test_cliques_equal_a_search_of_all_groups(seed):
    rng = np.random.default_rng(seed)
    mean_ranks = pd.Series(rng.integers(2, 14, 7) / 2, index=list("abcdefg")).sort_values()
    for critical_difference in (0.1, 0.5, 1.2, 2.0, 9.0):
        found = cliques(mean_ranks, critical_difference)
        assert {frozenset(group) for group in found} == plain_cliques(
            mean_ranks, critical_difference
        )
        assert len(set(found)) == len(found)
        for group in found:
            assert mean_ranks[list(group)].is_monotonic_increasing


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, np.nan])
def test_bad_alpha_is_named(alpha):
    with pytest.raises(ValueError, match="alpha must be a number between 0 and 1"):
        nemenyi(pd.DataFrame({"A": [1, 2], "B": [2, 1]}), alpha=alpha)
