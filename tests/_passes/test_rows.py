import numpy as np
import pytest

from broadlearn import BLSClassifier
from broadlearn._passes.rows import Reader, count_rows, fold
from broadlearn.random_features._standardize import Standardization


def test_fold_passes_over_rows_without_weight():
    blocks = [
        (np.ones((3, 1)), np.ones(3), np.zeros(3)),
        (np.ones((2, 1)), np.ones(2), None),
        (np.ones((0, 1)), np.ones(0), None),
        (np.ones((3, 1)), np.ones(3), np.array([0, 2, 1])),
        (np.ones((1, 1)), np.ones(1), None),
    ]
    seen = fold(lambda X, y, weight, first: [(len(X), first)], lambda a, b: a + b, blocks, 10)
    assert seen == [(2, 10), (3, 12), (1, 14)]
    assert fold(lambda X, y, weight, first: 1, max, blocks[:1]) is None


@pytest.mark.parametrize(("weight", "expected"), [(None, 3), ([0, 1, 0.5], 2), ([0, 0, 0], 0)])
def test_rows_that_have_a_weight_are_counted(weight, expected):
    assert count_rows([1, 2, 3], weight) == expected


def test_a_reader_validates_and_standardises():
    model = BLSClassifier()
    model.n_features_in_, model.classes_ = 1, np.array(["a", "b", "c"])
    reader = Reader(model, Standardization(np.array([1.0]), np.array([2.0]), None), np.empty(0))
    batch = reader([[1.0], [5.0], [9.0]], ["b", "c", "a"], [1.0, 2.0, 0.0])
    np.testing.assert_array_equal(batch.codes, [1, 2])
    np.testing.assert_array_equal(batch.weight, [1.0, 2.0])
    np.testing.assert_array_equal(reader.standardized(batch), [[0.0], [2.0]])
    with pytest.raises(ValueError, match="does not know as classes"):
        reader([[1.0]], ["d"], None)
