import numpy as np
import pytest

from broadlearn import BLSClassifier
from broadlearn.classifiers._rows import encode_targets


@pytest.mark.parametrize("standardize", [True, False])
def test_standardisation_is_learnt_from_rows_with_weight(standardize):
    X = np.array([[0.0], [2.0], [1e6]])
    model = BLSClassifier(standardize=standardize)
    found = model._learn_standardization(X[:2], np.array([1.0, 1.0]))
    expected = [[-1.0], [1.0]] if standardize else X[:2]
    out = np.empty((2, 1))
    found(X[:2], out=out)
    np.testing.assert_allclose(out, expected)


def test_rows_at_predict_must_have_the_columns_of_fit():
    model = BLSClassifier(n_enhancement_nodes=5).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    with pytest.raises(ValueError, match="2 features, but BLSClassifier is expecting 1"):
        model._validate_rows([[0.0, 1.0]])


def test_targets_are_one_hot_or_signs():
    np.testing.assert_array_equal(encode_targets(np.array([0, 1, 1]), 2), [[-1.0], [1.0], [1.0]])
    np.testing.assert_array_equal(encode_targets(np.array([2, 0]), 3), [[0, 0, 1], [1, 0, 0]])
