import numpy as np
import pandas as pd
import pytest
from scipy import stats

from broadlearn.experiments.statistics import friedman, ranks


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
    np.testing.assert_array_equal(result.table, expected)
    np.testing.assert_allclose(result.mean, np.mean(expected, axis=0), rtol=0, atol=1e-14)
    assert list(result.mean.index) == list(table.columns)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("rows", "models", "values"), [(12, 4, 3), (7, 3, 1000), (5, 2, 4)])
def test_friedman_equals_the_formulas(rows, models, values, seed):
    table = make_table(rows, models, values, seed)
    result = friedman(table)
    N, k = rows, models
    R = ranks(table).mean
    chi2 = 12 * N / (k * (k + 1)) * ((R**2).sum() - k * (k + 1) ** 2 / 4)
    f = (N - 1) * chi2 / (N * (k - 1) - chi2)
    np.testing.assert_allclose([result.chi2, result.f], [chi2, f], rtol=1e-9, atol=1e-12)
    assert (result.n_models, result.n_datasets) == (k, N)
    np.testing.assert_allclose(result.chi2_p_value, stats.chi2(k - 1).sf(chi2))
    np.testing.assert_allclose(result.f_p_value, stats.f(k - 1, (k - 1) * (N - 1)).sf(f))


def test_friedman_equals_scipy_where_nothing_ties():
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(15, 6)))
    expected = stats.friedmanchisquare(*table.to_numpy().T)
    result = friedman(table)
    np.testing.assert_allclose(result.chi2, expected.statistic, rtol=1e-12)
    np.testing.assert_allclose(result.chi2_p_value, expected.pvalue, rtol=1e-12)


def test_models_that_tie_everywhere_are_alike():
    result = friedman(make_table(6, 3, values=1))
    assert (result.chi2, result.f) == (0.0, 0.0)
    assert (result.chi2_p_value, result.f_p_value) == (1.0, 1.0)


@pytest.mark.parametrize("rank_decimals", [None, 2])
@pytest.mark.parametrize("rows", [2, 3, 7, 49])
def test_the_same_order_everywhere_has_infinite_f(rows, rank_decimals):
    table = pd.DataFrame([[3.0, 2.0, 1.0, 0.0, -1.0, -2.0, -3.0]] * rows)
    result = friedman(table, rank_decimals=rank_decimals)
    assert result.chi2 == rows * 6
    assert result.f == np.inf
    assert result.f_p_value == 0.0


def test_rounded_mean_ranks_are_those_of_the_formula():
    table = make_table(7, 3, values=1000, seed=3)
    R = ranks(table).mean.round(1)
    expected = 12 * 7 / 12 * ((R**2).sum() - 3 * 16 / 4)
    np.testing.assert_allclose(friedman(table, rank_decimals=1).chi2, expected)
