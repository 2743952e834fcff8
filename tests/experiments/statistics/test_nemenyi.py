from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from broadlearn.experiments.statistics import cliques, nemenyi, ranks

# Demšar (2006), Table 5a: critical values of the two-tailed Nemenyi test.
Q = {
    0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
    0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
}


@pytest.mark.parametrize("alpha", [0.05, 0.10])
@pytest.mark.parametrize("k", range(2, 11))
def test_critical_difference_equals_the_printed_table(k, alpha):
    table = pd.DataFrame(np.random.default_rng(k).normal(size=(6, k)))
    result = nemenyi(table, alpha=alpha)
    q = result.critical_difference / np.sqrt(k * (k + 1) / (6 * 6))
    assert abs(q - Q[alpha][k - 2]) < 1.1e-3
    assert (result.alpha, result.n_datasets) == (alpha, 6)


def test_p_values_agree_with_the_critical_difference():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(15, 6)) + np.arange(6) / 2, columns=list("abcdef"))
    result = nemenyi(table)
    pd.testing.assert_series_equal(result.mean_ranks, ranks(table).mean.sort_values())
    assert list(result.p_values.index) == list(result.mean_ranks.index)
    for a, b in combinations(table.columns, 2):
        far = abs(result.mean_ranks[a] - result.mean_ranks[b]) >= result.critical_difference
        assert (result.p_values.loc[a, b] <= 0.05) == far
        assert result.p_values.loc[a, b] == result.p_values.loc[b, a]
    np.testing.assert_array_equal(np.diag(result.p_values), 1.0)


def test_models_that_tie_everywhere_are_one_clique():
    result = nemenyi(pd.DataFrame({"A": [1, 2], "B": [1, 2], "C": [1, 2]}))
    np.testing.assert_allclose(result.p_values, 1.0)
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
    mean_ranks = pd.Series(rng.integers(2, 14, 7) / 2, index=list("abcdefg"))
    for critical_difference in (0.1, 0.5, 1.2, 2.0, 9.0):
        found = cliques(mean_ranks, critical_difference)
        assert {frozenset(group) for group in found} == plain_cliques(
            mean_ranks, critical_difference
        )
        assert len(set(found)) == len(found)
        for group in found:
            assert mean_ranks[list(group)].is_monotonic_increasing


def test_models_all_far_apart_have_no_clique():
    assert cliques(pd.Series({"A": 1.0, "B": 2.0, "C": 3.0}), 1.0) == ()


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, np.nan])
def test_bad_alpha_is_named(alpha):
    with pytest.raises(ValueError, match="alpha must be a number between 0 and 1"):
        nemenyi(pd.DataFrame({"A": [1, 2], "B": [2, 1]}), alpha=alpha)
