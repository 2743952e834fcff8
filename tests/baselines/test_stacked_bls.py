"""Stacked broad learning: every block is fitted to what is left."""

import numpy as np
from sklearn.datasets import load_iris

from broadlearn import StackedBLSClassifier

X, y = load_iris(return_X_y=True)


def test_every_block_is_fitted_to_the_residual_of_those_before():
    model = StackedBLSClassifier(3, 30, C=2.0, random_state=0).fit(X, y)
    inputs, left = X, np.eye(3)[y]
    for block in model.blocks_:
        again = type(block)(**block.get_params()).fit(inputs, left)
        inputs = again.predict(inputs)
        left = left - inputs
    np.testing.assert_allclose(model.decision_function(X), np.eye(3)[y] - left, atol=1e-10)


def test_more_blocks_begin_with_those_of_fewer():
    one, two = (StackedBLSClassifier(n, 30, random_state=0).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.blocks_[0].predict(X), two.blocks_[0].predict(X))
    errors = [np.abs(np.eye(3)[y] - m.decision_function(X)).mean() for m in (one, two)]
    assert errors[1] < errors[0]
