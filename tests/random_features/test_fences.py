from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array

from broadlearn.random_features.fences import (
    MAX_FENCE_ROWS,
    FenceRows,
    draw_fence_rows,
    learn_fences,
)


def fences(X, weight=None):
    return learn_fences(draw_fence_rows(X, weight))


def plain_fences(x):
    """Fences of one column, from the sorted values."""
    x = np.sort(x)
    tail = min(max(0.025, 2.0 / x.size), 0.25)
    low, high = x[int(np.ceil(tail * x.size)) - 1], x[int(np.ceil((1.0 - tail) * x.size)) - 1]
    distance = np.sort(np.abs(x - x[(x.size - 1) // 2]))
    distance = distance[distance > 0.0]
    typical = distance[(distance.size - 1) // 2] if distance.size else 0.0
    length = max(high - low, typical) or 1.0
    return [low - 15.0 * length, high + 15.0 * length]


@pytest.mark.parametrize("n_rows", [2, 7, 30, 199])
def test_fences_of_columns_of_all_kinds(n_rows):
    rng = np.random.default_rng(n_rows)
    X = rng.lognormal(size=(n_rows, 5))
    X[:, 1] = rng.random(n_rows) < 0.05
    X[:, 2] = 7.0
    X[0, 3] = 1e12
    X[:, 4] = np.where(rng.random(n_rows) < 0.1, X[:, 4], 0.0)
    expected = np.transpose([plain_fences(x) for x in X.T])
    np.testing.assert_allclose(fences(X), expected)
    np.testing.assert_allclose(fences(X, np.ones(n_rows)), expected)


def test_one_gross_value_does_not_move_fences_but_a_group_is_within():
    x = np.random.default_rng(0).normal(size=200)
    alone, group = x.copy(), x.copy()
    alone[0], group[:8] = 1e12, 1e3
    np.testing.assert_allclose(fences(alone[:, None]), fences(x[:, None]), rtol=0.1)
    assert fences(group[:, None])[1] > 1e3


def test_missing_values_are_no_part_and_weights_are_copies():
    rng = np.random.default_rng(1)
    X, weight = rng.normal(size=(60, 3)), rng.integers(1, 4, 60)
    X[::3, 1] = np.nan
    X[:, 2] = np.nan
    found = fences(X)
    np.testing.assert_allclose(found[:, 1], plain_fences(X[~np.isnan(X[:, 1]), 1]))
    np.testing.assert_array_equal(found[:, 2], [-np.inf, np.inf])
    copies = fences(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(fences(X, weight * 1.0), copies)


def test_sparse_columns_have_the_fences_of_dense_ones_with_zero_within():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((150, 4)) < [0.02, 0.2, 1.0, 0.0], rng.normal(9, 1, (150, 4)), 0.0)
    low, high = fences(X)
    found = fences(csr_array(X))
    np.testing.assert_allclose(found[1], high)
    np.testing.assert_allclose(found[0], np.minimum(low, 0.0))


def test_many_rows_are_drawn_the_same_in_whatever_blocks():
    X = np.random.default_rng(0).normal(size=(3 * MAX_FENCE_ROWS, 2))
    weight = np.ones(len(X))
    cuts = [0, 1, 5000, len(X)]
    blocks = [draw_fence_rows(X[a:b], weight[a:b], a) for a, b in pairwise(cuts)]
    merged = blocks[0].merge(blocks[1]).merge(blocks[2])
    whole = draw_fence_rows(X, weight)
    assert isinstance(merged, FenceRows)
    np.testing.assert_array_equal(merged.X, whole.X)
    np.testing.assert_array_equal(learn_fences(merged), learn_fences(whole))
