import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.datasets import make_classification, make_friedman1
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from broadlearn import BroadEnsembleClassifier, BroadEnsembleRegressor
from broadlearn.ensemble import trees as room
from broadlearn.ensemble.boosted_trees import BoostedTrees
from broadlearn.ensemble.trees import boost_classes, boost_targets, gather, least_squares_shares


def table(n=400, k=3):
    X, y = make_classification(n, 5, n_informative=4, n_redundant=0, n_classes=k, random_state=0)
    X[::9, 1] = np.nan
    return X, y


@pytest.fixture
def for_few_samples(monkeypatch):
    monkeypatch.setattr(room, "MIN_SAMPLES_OF_TREES", 150)
    monkeypatch.setattr("broadlearn.ensemble.fitting.MIN_SAMPLES_OF_TREES", 150)
    monkeypatch.setattr(room, "MAX_ROUNDS", 20)


def nothing():
    pass


@pytest.mark.parametrize("k", [2, 3])
def test_arrays_predict_as_the_models_that_they_hold(k):
    X, y = table(k=k)
    models = [HistGradientBoostingClassifier(max_iter=5, random_state=i).fit(X, y) for i in (0, 1)]
    expected = np.mean([m.decision_function(X).reshape(len(X), -1) for m in models], axis=0)
    trees = gather([[model] for model in models])
    np.testing.assert_allclose(trees(X), expected, atol=1e-12)
    small = trees(X.astype(np.float32))
    assert small.dtype == np.float32
    np.testing.assert_allclose(small, trees(X.astype(np.float32).astype(np.float64)), atol=1e-6)


def test_several_targets_have_their_own_trees():
    X, y = table()
    T = np.column_stack([y * 1.0, np.nan_to_num(X[:, 1])])
    models = [HistGradientBoostingRegressor(max_iter=5).fit(X, t) for t in T.T]
    expected = np.column_stack([model.predict(X) for model in models])
    np.testing.assert_allclose(gather([models])(X), expected, atol=1e-12)


@pytest.mark.usefixtures("for_few_samples")
def test_held_out_predictions_are_by_models_without_the_fold():
    X, y = table()
    weight = np.random.default_rng(0).integers(1, 4, len(X)) * 1.0
    _, held_out = boost_classes(X, y, weight, 7, nothing)
    train, test = next(StratifiedKFold(5, shuffle=True, random_state=7).split(X, y))
    model = HistGradientBoostingClassifier(
        max_iter=20, l2_regularization=1.0, early_stopping=True, random_state=7
    )
    known = {"X_val": X[test], "y_val": y[test], "sample_weight_val": weight[test]}
    model.fit(X[train], y[train], weight[train], **known)
    np.testing.assert_allclose(held_out[test], model.decision_function(X[test]), atol=1e-12)


@pytest.mark.usefixtures("for_few_samples")
def test_columns_without_values_change_nothing():
    X, y = table()
    empty = np.full((len(X), 2), np.nan)
    empty[3, 1] = 1.0
    first, held_out = boost_classes(X, y, None, 0, nothing)
    second, again = boost_classes(np.hstack([X, empty]), y, None, 0, nothing)
    np.testing.assert_array_equal(again, held_out)
    np.testing.assert_array_equal(second(np.hstack([X, empty])), first(X))


@pytest.mark.usefixtures("for_few_samples")
def test_a_class_too_rare_for_the_folds_has_no_trees():
    X, y = table()
    y[:4], y[4:] = 3, y[4:] % 3
    steps = []
    assert boost_classes(X, y, None, 0, lambda: steps.append(1)) is None
    assert len(steps) == 5
    assert boost_classes(X[:100], y[4:104], None, 0, nothing) is None
    assert boost_targets(X[:100], y[4:104, None] * 1.0, None, 0, nothing) is None


@pytest.mark.parametrize("damage", ["loop", "beyond", "column"])
def test_forged_nodes_are_refused(damage):
    X, y = table()
    trees = gather([[HistGradientBoostingClassifier(max_iter=2).fit(X, y)]])
    arrays = {name: value.copy() for name, value in vars(trees).items()}
    if damage == "column":
        arrays["features"][0] = 5
    else:
        arrays["children"][1] = {"loop": 1, "beyond": 10_000}[damage]
    with pytest.raises(ValueError, match="trees of this model are damaged"):
        BoostedTrees(**arrays)(X)


@pytest.mark.usefixtures("for_few_samples", "few_kernels")
@pytest.mark.parametrize("k", [2, 3])
def test_probabilities_weigh_kernels_and_trees_by_the_log_loss(k):
    X, y = table(300, k)
    model = BroadEnsembleClassifier(random_state=0, robust=False).fit(X, y)
    # Decisions of the kernels are those of the same model without trees.
    d, trees = model._average(X), model._trees(X)
    if k == 2:
        low = np.clip(d, -0.98, 0.98)
        evidence = [d / np.sqrt(1 + d**2), np.log((1 + low) / (1 - low)), trees]
    else:
        evidence = [d / np.sqrt(1 + d**2), np.log(np.maximum(d, 0.01)), trees]
    expected = sum(slope * one for slope, one in zip(model.proba_slopes_, evidence, strict=True))
    decision = model.decision_function(X).reshape(expected.shape)
    np.testing.assert_allclose(decision, expected, atol=1e-10)
    if k == 2:
        expected = np.hstack([np.zeros_like(expected), expected])
    np.testing.assert_allclose(
        np.log(model.predict_proba(X)), log_softmax(expected, axis=1), atol=1e-8
    )
    np.testing.assert_array_equal(model.predict(X), expected.argmax(axis=1))
    held_out = np.log(model.leave_one_out_proba_)[np.arange(len(y)), y]
    assert model.proba_slopes_.shape == (3,)
    assert np.mean(held_out) < np.mean(log_softmax(expected, axis=1)[np.arange(len(y)), y])


@pytest.mark.usefixtures("for_few_samples", "few_kernels")
def test_samples_of_weight_zero_and_threads_change_nothing():
    X, y = table(320, 2)
    weight = np.where(np.arange(320) < 20, 0.0, 1.0)
    models = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            models.append(BroadEnsembleClassifier(random_state=0).fit(X, y, weight))
    one, two = (model.predict_proba(X) for model in models)
    np.testing.assert_allclose(one, two, atol=1e-9)
    without = BroadEnsembleClassifier(random_state=0).fit(X[20:], y[20:])
    np.testing.assert_allclose(without.predict_proba(X), one, atol=1e-8)
    held_out = models[0].leave_one_out_proba_[20:]
    np.testing.assert_allclose(without.leave_one_out_proba_, held_out, atol=1e-8)


@pytest.mark.parametrize("weighted", [False, True])
def test_shares_are_of_least_squares(weighted):
    rng = np.random.default_rng(0)
    T = rng.normal(size=(80, 2)) * [1.0, 50.0]
    parts = [T * 0.5 + rng.normal(size=T.shape), T + rng.normal(size=T.shape) * [2.0, 9.0]]
    weight = rng.uniform(size=80) if weighted else np.ones(80)

    def loss(shares):
        error = T - shares[0] * parts[0] - shares[1] * parts[1]
        return sum(np.average(error**2, axis=0, weights=weight) / (weight @ T**2))

    best = minimize(loss, [0.5, 0.5], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-14})
    found = least_squares_shares(parts, T, weight if weighted else None)
    np.testing.assert_allclose(found, best.x, atol=1e-4)
    np.testing.assert_array_equal(least_squares_shares([-T, T], T, None), [0.0, 1.0])


@pytest.mark.usefixtures("for_few_samples", "few_kernels")
def test_a_regressor_adds_trees():
    X, y = make_friedman1(300, 6, noise=0.5, random_state=0)
    model = BroadEnsembleRegressor(random_state=0).fit(X, np.where(X[:, 0] > 0.5, 8.0, 0.0) + y)
    kernels, trees = model.shares_
    assert trees > 0
    expected = kernels * model._average(X) + trees * model._trees(X) + model.intercept_
    np.testing.assert_allclose(model.predict(X), expected.ravel(), atol=1e-10)


@pytest.mark.usefixtures("for_few_samples", "few_kernels")
@pytest.mark.parametrize("scale", [1e-200, 1e100])
def test_targets_of_any_size(scale):
    X, y = make_friedman1(300, 6, noise=0.5, random_state=0)
    y[X[:, 0] > 0.5] += 8.0
    plain = BroadEnsembleRegressor(random_state=0).fit(X, y)
    scaled = BroadEnsembleRegressor(random_state=0).fit(X, y * scale)
    np.testing.assert_allclose(scaled.shares_, plain.shares_, atol=1e-6)
    np.testing.assert_allclose(scaled.predict(X) / scale, plain.predict(X), rtol=1e-6)
