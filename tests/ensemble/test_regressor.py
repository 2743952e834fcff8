import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes

from broadlearn import BroadEnsembleRegressor
from broadlearn.random_features import KernelBasis, SamplePairs


def table(n=60, targets=1, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    Y = np.column_stack([np.sin(2 * X[:, 0]) + X[:, 1], 5 + X[:, 1] * X[:, 2]])
    Y = (Y + 0.1 * rng.normal(size=Y.shape)).astype(dtype)
    return X.astype(dtype), Y[:, 0] if targets == 1 else Y


@pytest.mark.parametrize("targets", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_predictions_equal_refits(targets, weighted):
    X, y = table(40, targets)
    weight = np.random.default_rng(0).uniform(0.5, 3, 40) if weighted else np.ones(40)
    model = BroadEnsembleRegressor().fit(X, y, weight if weighted else None)
    T, average = y.reshape(40, -1) - model.intercept_, model._average
    expected = np.zeros_like(T)
    for member, kernel in zip(model.members_, average.kernels, strict=True):
        samples = {kernel.inputs: average.forms(X, kernel.inputs)}
        gram = SamplePairs(KernelBasis(samples)).values(kernel, average.units) + 1.0
        for i in range(40):
            left = weight.copy()
            left[i] = 0.0
            kept = left > 0
            inner = gram[np.ix_(kept, kept)] + np.diag(1 / (member["C"] * left[kept]))
            expected[i] += member["weight"] * gram[i, kept] @ np.linalg.solve(inner, T[kept])
    found = model.leave_one_out_prediction_
    assert found.shape == y.shape
    np.testing.assert_allclose(found.reshape(40, -1), expected + model.intercept_, atol=1e-8)


def test_it_predicts_well():
    X, y = load_diabetes(return_X_y=True)
    assert BroadEnsembleRegressor().fit(X[:250], y[:250]).score(X[250:], y[250:]) > 0.45
    X, y = table(200)
    model = BroadEnsembleRegressor(ensemble_size=5).fit(X[:120], y[:120])
    assert model.score(X[120:], y[120:]) > 0.9
    assert len(model.members_) == 5
    assert sum(member["weight"] for member in model.members_) == pytest.approx(1.0)
    assert {member["scores"] for member in model.members_} == {"uniform"}
    on_landmarks = BroadEnsembleRegressor(max_exact_samples=100, random_state=0)
    assert on_landmarks.fit(X[:120], y[:120]).score(X[120:], y[120:]) > 0.9


@pytest.mark.parametrize("max_exact_samples", [4000, 20])
def test_a_sample_of_weight_zero_is_absent(max_exact_samples):
    X, y = table()
    weight = (np.arange(60) % 5 > 0) * 1.0
    model = BroadEnsembleRegressor(max_exact_samples=max_exact_samples, random_state=0)
    weighted = clone(model).fit(X, y, weight)
    without = model.fit(X[weight > 0], y[weight > 0]).predict(X)
    np.testing.assert_allclose(weighted.predict(X), without, atol=1e-9)
    absent = weighted.leave_one_out_prediction_[weight == 0]
    np.testing.assert_allclose(absent, without[weight == 0], atol=1e-9)


def test_weights_are_copies():
    X, y = table(targets=2)
    weight = np.random.default_rng(0).integers(0, 4, 60)
    copies = np.repeat(np.arange(60), weight)
    weighted = BroadEnsembleRegressor().fit(X, y, weight).predict(X)
    copied = BroadEnsembleRegressor().fit(X[copies], y[copies]).predict(X)
    np.testing.assert_allclose(weighted, copied, atol=1e-7)


@pytest.mark.parametrize("size", [1e148, 1e-300, 1e6])
def test_targets_of_any_size(size):
    X, y = table()
    expected = BroadEnsembleRegressor().fit(X, y).predict(X)
    found = BroadEnsembleRegressor().fit(X, size * y).predict(X)
    np.testing.assert_allclose(found / size, expected, atol=1e-6)


def test_constant_columns_and_targets():
    X, y = table()
    np.testing.assert_allclose(BroadEnsembleRegressor().fit(X, np.full(60, 7.0)).predict(X), 7.0)
    nothing = BroadEnsembleRegressor().fit(np.ones((60, 2)), y).predict(np.ones((1, 2)))
    np.testing.assert_allclose(nothing, y.mean(), atol=1e-8)
    assert BroadEnsembleRegressor().fit(X[:, :1], y).score(X[:, :1], y) > 0.2


@pytest.mark.parametrize(
    ("name", "value"),
    [("ensemble_size", 0), ("max_exact_samples", 0.5), ("random_state", "seed")],
)
def test_bad_parameters_are_named(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of BroadEnsembleRegressor"):
        BroadEnsembleRegressor(**{name: value}).fit(*table())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": np.full((60, 3), np.inf)}, "X contains infinity"),
        ({"y": np.full(60, np.inf)}, "y contains infinity"),
        ({"sample_weight": np.zeros(60)}, "sample_weight is zero for every sample"),
    ],
)
def test_bad_input_is_named(change, message):
    X, y = table()
    with pytest.raises(ValueError, match=message):
        BroadEnsembleRegressor().fit(**{"X": X, "y": y, **change})


@pytest.mark.parametrize("n_targets", [1, 2])
def test_conformal_intervals_follow_from_leave_one_out_residuals(n_targets):
    X, y = load_diabetes(return_X_y=True)
    X, Y = X[:120], np.c_[y, -3 * y][:120, :n_targets]
    Y = Y.ravel() if n_targets == 1 else Y
    model = BroadEnsembleRegressor(ensemble_size=2).fit(X, Y)
    off = np.abs(Y - model.leave_one_out_prediction_)
    np.testing.assert_allclose(model.calibration_scores_, off)
    rank = int(np.ceil(121 * 0.8))
    reach = np.sort(off, axis=0)[rank - 1]
    found = model.predict_interval(X, 0.8)
    assert found.shape == (120, 2) if n_targets == 1 else (120, 2, 2)
    np.testing.assert_allclose(found[..., 0], model.predict(X) - reach)
    np.testing.assert_allclose(found[..., 1], model.predict(X) + reach)
    assert np.isinf(BroadEnsembleRegressor().fit(X[:8], Y[:8]).predict_interval(X)).all()
    with pytest.raises(ValueError, match="coverage must be a number between 0 and 1"):
        model.predict_interval(X, 1.0)


def test_targets_that_are_too_large_are_named():
    X = np.random.default_rng(0).normal(size=(30, 2))
    for scale, dtype in ((1e303, np.float64), (1e32, np.float32)):
        with pytest.raises(ValueError, match=r"^y contains values beyond 1e\+\d+, too large for X"):
            BroadEnsembleRegressor(ensemble_size=2).fit(X.astype(dtype), scale * X[:, 0])
