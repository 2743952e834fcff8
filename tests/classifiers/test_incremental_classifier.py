import numpy as np
import pytest

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
)

SIZES = {"n_feature_groups": 2, "n_feature_nodes": 3, "n_enhancement_nodes": 20}


def make(n=200):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    return X, np.array(["no", "yes"])[(X[:, 0] * X[:, 1] > 0).astype(int)]


def test_classes_are_needed_at_first_only():
    X, y = make()
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        BLSClassifier(**SIZES).partial_fit(X, y)
    model = BLSClassifier(**SIZES).partial_fit(X[:50], y[:50], ["yes", "no"])
    model.partial_fit(X[50:], y[50:]).partial_fit(X, y, classes=["no", "yes"])
    np.testing.assert_array_equal(model.classes_, ["no", "yes"])


@pytest.mark.parametrize("how", ["fit", "partial_fit"])
def test_new_and_other_classes_are_named(how):
    X, y = make()
    model = BLSClassifier(**SIZES, random_state=0)
    model = model.fit(X, y) if how == "fit" else model.partial_fit(X, y, ["no", "yes"])
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="y has \\['maybe'\\], which the model does not know"):
        model.partial_fit(X[:2], ["no", "maybe"])
    with pytest.raises(ValueError, match="not those that the stream began with"):
        model.partial_fit(X, y, classes=["no", "maybe"])
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_one_class_is_not_enough():
    X, _ = make()
    with pytest.raises(ValueError, match="only one class: 'no'"):
        BLSClassifier(**SIZES).partial_fit(X, ["no"] * 200, classes=["no"])


def test_a_batch_may_lack_a_class():
    X, y = make()
    order = np.argsort(y, kind="stable")
    model = BLSClassifier(**SIZES, random_state=0).warm_up(X, y)
    for rows in np.array_split(order, 4):
        model.partial_fit(X[rows], y[rows])
    fitted = BLSClassifier(**SIZES, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), fitted.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("kind", [FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier])
def test_scores_need_every_class_in_the_warm_up(kind):
    X, y = make()
    with pytest.raises(ValueError, match="1 of 2 classes have none"):
        kind(**SIZES).partial_fit(X[y == "no"], y[y == "no"], classes=["no", "yes"])


@pytest.mark.parametrize("kind", [FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier])
def test_scores_are_those_of_fit_and_then_stay_as_learnt(kind):
    X, y = make()
    fitted = kind(**SIZES, random_state=0).fit(X, y)
    model = kind(**SIZES, random_state=0).partial_fit(X, y, classes=["no", "yes"])
    np.testing.assert_allclose(model.sample_scores_, fitted.sample_scores_, atol=1e-10)
    model.partial_fit(X[:7] + 100.0, y[:7])
    np.testing.assert_array_equal(model.sample_scores_, 0.0)
    if kind is IntuitionisticFuzzyBLSClassifier:
        assert model.kernel_width_ == fitted.kernel_width_


def test_a_class_without_trusted_rows_is_named():
    X, y = make()
    model = IntuitionisticFuzzyBLSClassifier(
        **SIZES, kernel_width=100.0, neighborhood_radius=2.0, random_state=0
    )
    X = np.vstack([X, X[y == "no"][:1]])
    y = np.append(y, "odd")
    X[-1] += 50.0
    X = np.vstack([X, X[-1:] + 50.0])
    y = np.append(y, "odd")
    with pytest.raises(ValueError, match="All sample scores of class 'odd' are zero"):
        model.partial_fit(X, y, classes=["no", "odd", "yes"])


def test_targets_of_a_regressor_keep_their_shape():
    X, _ = make()
    model = BLSRegressor(**SIZES, random_state=0).partial_fit(X, X[:, 0])
    with pytest.raises(ValueError, match="y has 2 targets in 2 dimensions"):
        model.partial_fit(X, X[:, :2])
    assert model.predict(X).shape == (200,)
