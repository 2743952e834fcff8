from functools import partial, reduce

import numpy as np
import pytest
from sklearn.base import clone

from broadlearn import BLSClassifier
from broadlearn.out_of_core.columns import column_statistics, learn_columns, merge_columns
from broadlearn.out_of_core.rows import fold
from broadlearn.random_features import learn_standardization


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(100.0, [1.0, 5.0, 0.0], size=(200, 3))
    X[:, 2] = 0.1
    return X, rng.integers(0, 3, 200), rng.integers(1, 4, 200)


def statistics(kind, X, y, weight, cuts):
    model = clone(kind())
    model.n_features_in_, model._one_target = 3, True
    part = partial(column_statistics, model, None, None)
    parts = [
        part((X[i], y[i], None if weight is None else weight[i]), 0)
        for i in np.split(np.arange(len(X)), cuts)
    ]
    return parts


@pytest.mark.parametrize("weighted", [False, True])
def test_merged_statistics_are_those_of_all_rows(rows, weighted):
    X, y, weight = rows
    if not weighted:
        weight = None
    parts = statistics(BLSClassifier, X, y, weight, [1, 40, 41, 120])
    expected = learn_standardization(X, weight)
    for merged in (
        reduce(merge_columns, parts),
        merge_columns(merge_columns(*parts[:2]), reduce(merge_columns, parts[2:])),
    ):
        np.testing.assert_allclose(merged.mean, expected.mean, rtol=1e-14)
        np.testing.assert_allclose(merged.scale, expected.scale, rtol=1e-12)
        assert merged.scale[2] == 1.0
        np.testing.assert_array_equal(merged.labels, [0, 1, 2])
        assert merged.weight == (200 if weight is None else weight.sum())
        np.testing.assert_array_equal(merged.extremes, [X.min(axis=0), X.max(axis=0)])
        np.testing.assert_array_equal(merged.rows.X, X)


class Blocks:
    """Rows in two blocks."""

    def __init__(self, X, y):
        self.X, self.y, self.stages = X, y, []

    def head(self):
        return self.X[:0], 1

    def reduce(self, stage, part, merge):
        self.stages.append(stage)
        return fold(
            part, merge, [(self.X[:70], self.y[:70], None), (self.X[70:], self.y[70:], None)]
        )


@pytest.mark.parametrize("scale", [1.0, 1e300])
def test_standardisation_is_learnt_in_one_pass_or_two(rows, scale):
    X, y, _ = rows
    model, blocks = BLSClassifier(random_state=0), Blocks(X * [1.0, scale, 1.0], y)
    found, shift, dtype = learn_columns(model, blocks, None)
    expected = learn_standardization(blocks.X)
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-13)
    np.testing.assert_allclose(found.scale, expected.scale, rtol=1e-12)
    assert blocks.stages == (["columns"] if scale == 1.0 else ["columns", "extreme columns"])
    assert (dtype, shift) == (np.float64, None)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.n_features_in_ == 3


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
def test_missing_values_take_no_part(rows, weighted, standardize):
    X, y, weight = rows
    weight = weight if weighted else None
    X[:100, 0] = X[::3, 1] = np.nan

    class Blocks:
        def head(self):
            return X[:0], 1

        def reduce(self, stage, part, merge):
            cuts = [slice(0, 40), slice(40, 120), slice(120, 200)]
            parts = [part((X[i], y[i], None if weight is None else weight[i]), 0) for i in cuts]
            return reduce(merge, parts)

    found = learn_columns(BLSClassifier(standardize=standardize), Blocks(), None)[0]
    expected = learn_standardization(X, weight, standardize)
    np.testing.assert_array_equal(found.missing, [0, 1])
    np.testing.assert_allclose(found.share, expected.share)
    np.testing.assert_allclose(found.affine(X), expected.affine(X), atol=1e-9)
