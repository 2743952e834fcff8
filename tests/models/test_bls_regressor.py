import numpy as np
import pytest
from plain import plain_ridge
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

from broadlearn import BLSRegressor, BroadFeatures


def test_is_ridge_on_the_design_matrix_around_the_mean():
    X, y = load_diabetes(return_X_y=True)
    model = BLSRegressor(3, 4, 1, 30, C=5.0, random_state=0).fit(X, y)
    G = BroadFeatures(3, 4, 1, 30, random_state=0).fit_transform(X)
    expected = G @ plain_ridge(G, (y - y.mean())[:, None], 5.0)
    np.testing.assert_allclose(model.predict(X), expected.ravel() + y.mean(), atol=1e-7)
    np.testing.assert_allclose(model.intercept_, [y.mean()])


def test_several_targets_are_fitted_as_if_alone():
    X, y = load_diabetes(return_X_y=True)
    Y = np.column_stack([y, -3 * y + 7])
    together = BLSRegressor(random_state=0).fit(X, Y).predict(X)
    assert together.shape == Y.shape
    for k in range(2):
        alone = BLSRegressor(random_state=0).fit(X, Y[:, k]).predict(X)
        np.testing.assert_allclose(together[:, k], alone, atol=1e-6)


def test_shift_of_the_target_shifts_predictions():
    X, y = load_diabetes(return_X_y=True)
    model = BLSRegressor(random_state=0)
    np.testing.assert_allclose(
        model.fit(X, y + 1e6).predict(X), model.fit(X, y).predict(X) + 1e6, atol=1e-4
    )


def test_learns():
    X, y = load_diabetes(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    assert BLSRegressor(C=0.001, random_state=0).fit(X, y).score(X_test, y_test) > 0.35


@pytest.mark.parametrize("start", ["fit", "stream"])
def test_targets_keep_their_shape(start):
    X = np.random.default_rng(0).normal(size=(200, 4))
    model = BLSRegressor(2, 3, 1, 20, random_state=0)
    y, more = X[:, 0], {"n_enhancement_nodes": 30} if start == "fit" else {}
    go_on = model.fit(X, y).grow if start == "fit" else model.partial_fit(X, y).partial_fit
    with pytest.raises(ValueError, match="y has 2 targets in 2 dimensions"):
        go_on(X, X[:, :2], **more)
    with pytest.raises(ValueError, match="y has 1 targets in 2 dimensions"):
        go_on(X, X[:, :1], **more)
    assert go_on(X, y, **more).predict(X).shape == (200,)


def test_a_refit_may_have_other_targets():
    X = np.random.default_rng(0).normal(size=(60, 4))
    model = BLSRegressor(2, 3, 1, 20, random_state=0).fit(X, X[:, 0])
    assert model.fit(X, X[:, :2]).predict(X).shape == (60, 2)
    assert model.fit(X, X[:, :1]).predict(X).shape == (60, 1)
    assert model.fit(X, X[:, 0]).predict(X).shape == (60,)
