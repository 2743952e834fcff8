import numpy as np
import pandas as pd
import pytest

from broadlearn.auditing.coincidence import (
    beyond_chance,
    chance_of_equals,
    find_equal_rows,
    may_differ_in_one,
)
from broadlearn.io import rank_columns


def plain_chance(X, strata):
    """The estimate of `chance_of_equals`, row by row and value by value."""
    n, d = X.shape
    distinct = np.unique(X, axis=0)
    expected = {}
    for i in range(n):
        same = (X == X[i]).all(axis=1)
        own, in_stratum = same.sum(), strata == strata[i]
        own_within = (same & in_stratum).sum()
        product = product_within = 1.0
        by_one = 0.0
        for j in range(d):
            counts = np.unique(distinct[:, j], return_counts=True)[1]
            once, twice = (counts == 1).sum(), (counts == 2).sum()
            again = min(1.0, 2 * twice / once) if once else 1.0
            others = (X[:, j] == X[i, j]).sum() - own
            share = (others + 1 if others else again) / (n - own + 1)
            product *= share
            within = (X[in_stratum, j] == X[i, j]).sum() - own_within
            product_within *= (within + 1 if within else again) / (
                in_stratum.sum() - own_within + 1
            )
            rest = np.delete(X, j, axis=1)
            differ = (rest == rest[i]).all(axis=1) & (X[:, j] != X[i, j])
            by_one = max(by_one, max(differ.sum() - 1, 0) * share / max(1 - share, 1 / n))
        estimate = max((n - 1) * product + (in_stratum.sum() - 1) * product_within, by_one)
        key = tuple(X[i])
        expected[key] = max(expected.get(key, 0.0), estimate)
    return np.array([1.0 - np.exp(-expected[tuple(row)]) for row in X])


@pytest.mark.parametrize("n_levels", [2, 5, 12])
def test_chance_against_a_plain_version(n_levels):
    rng = np.random.default_rng(n_levels)
    X = rng.integers(0, n_levels, (120, 4))
    X[:, 1] = X[:, 0] // 2 + rng.integers(0, 2, 120)
    strata = rng.integers(0, 3, 120)
    columns = rank_columns(pd.DataFrame(X))
    chance = chance_of_equals(columns, find_equal_rows(columns), strata)
    np.testing.assert_allclose(chance, plain_chance(X, strata), rtol=1e-10)


def test_equal_rows():
    frame = pd.DataFrame({"a": [1.0, np.nan, 1.0, np.nan, 2.0], "b": ["x", None, "x", None, "x"]})
    equal = find_equal_rows(rank_columns(frame))
    assert equal.size.tolist() == [2, 2, 2, 2, 1]
    assert equal.group[0] == equal.group[2] != equal.group[1] == equal.group[3]


def test_rows_that_differ_in_one_column_are_candidates():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (80, 5))
    columns = rank_columns(pd.DataFrame(X))
    candidates = may_differ_in_one(columns, find_equal_rows(columns))
    n_different = (X[:, None] != X[None]).sum(axis=2)
    assert set(np.flatnonzero((n_different == 1).any(axis=1))) <= set(candidates)


def test_one_column_is_always_equal_by_chance():
    columns = rank_columns(pd.DataFrame({"x": [0.1, 0.2, 0.3, 0.4, 0.5, 0.1]}))
    equal = find_equal_rows(columns)
    chance = chance_of_equals(columns, equal, np.zeros(6, dtype=np.intp))
    assert not beyond_chance(chance, equal.size > 1).any()


def test_false_discoveries_are_few():
    rng = np.random.default_rng(0)
    chance = np.r_[rng.random(2000) * 0.05, np.full(200, 1e-6)]
    is_equal = rng.random(2200) < chance
    is_equal[2000:] = True
    found = beyond_chance(chance, is_equal)
    assert found[2000:].all()
    assert found[:2000].sum() <= 20


def test_nothing_is_beyond_chance_where_half_of_it_is_expected():
    chance = np.r_[np.full(10, 1e-9), np.full(100, 0.1)]
    is_equal = np.r_[np.ones(10), np.arange(100) < 10].astype(bool)
    assert not beyond_chance(chance, is_equal).any()
