import inspect
from dataclasses import dataclass

import numpy as np
import pytest

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadFeatures,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
)
from broadlearn.models.bls_base import MAP_CONSTRAINTS
from broadlearn.sample_scores import (
    FuzzyScorer,
    HeldOutScorer,
    IntuitionisticScorer,
    NeighborScorer,
    SampleScorer,
    Trust,
    UniformScorer,
)

MODELS = [BLSClassifier, BLSRegressor, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier]
ONLINE = ("partial_fit", "warm_up", "forget", "grow")
SHARED = {*MAP_CONSTRAINTS, "C", "solver"}
SIZES = {"n_feature_groups": 2, "n_feature_nodes": 3, "n_enhancement_nodes": 20}


def make(n=200):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    return X, np.array(["no", "yes"])[(X[:, 0] * X[:, 1] > 0).astype(int)]


def defaults(model):
    parameters = inspect.signature(model).parameters
    return {name: parameter.default for name, parameter in parameters.items()}


@pytest.mark.parametrize("model", MODELS)
def test_models_share_parameters_and_defaults(model):
    own, shared = defaults(model), defaults(BLSClassifier)
    assert set(own) >= SHARED
    for name in SHARED:
        assert own[name] == shared[name]
    assert set(model._parameter_constraints) == set(own)


def test_the_transformer_has_the_same_nodes_by_default():
    own, shared = defaults(BroadFeatures), defaults(BLSClassifier)
    for name in own:
        assert own[name] == shared[name]
    assert set(BroadFeatures._parameter_constraints) == set(own)
    nodes = (
        shared["n_feature_groups"] * shared["n_feature_nodes"]
        + shared["n_enhancement_groups"] * shared["n_enhancement_nodes"]
    )
    assert nodes == 1000


@dataclass(frozen=True)
class Halves(SampleScorer):
    def score(self, samples):
        return Trust(np.full(samples.codes.size, 0.5))


@pytest.mark.parametrize(
    ("scorer", "streams"),
    [
        *((name, True) for name in ("uniform", "fuzzy", "intuitionistic")),
        *((name, False) for name in ("neighbors", "held_out")),
        *((kind(), True) for kind in (UniformScorer, FuzzyScorer, IntuitionisticScorer)),
        *((kind(), False) for kind in (NeighborScorer, HeldOutScorer, Halves)),
    ],
)
def test_online_methods_are_there_together_or_not_at_all(scorer, streams):
    model = BLSClassifier(**SIZES, sample_scores=scorer, random_state=0)
    assert [hasattr(model, name) for name in ONLINE] == [streams] * 4
    if streams:
        model.partial_fit(*make(), classes=["no", "yes"])
        assert all(hasattr(model, name) for name in ONLINE)
        return
    model.fit(*make())
    for name in ONLINE:
        with pytest.raises(AttributeError, match="compares all samples with each other"):
            getattr(model, name)


@pytest.mark.parametrize("kind", MODELS)
def test_published_models_have_all_online_methods(kind):
    assert all(hasattr(kind(), name) for name in ONLINE)
    # The class has them as functions, with their documentation and signature.
    assert all(inspect.isfunction(getattr(kind, name)) for name in ONLINE)


def test_bad_parameters_are_named_by_online_methods():
    model = BLSClassifier(sample_scores="fuzy")
    assert hasattr(model, "partial_fit")
    with pytest.raises(ValueError, match="'sample_scores' parameter of BLSClassifier"):
        model.partial_fit(*make(), classes=["no", "yes"])


def test_classes_are_needed_at_first_only():
    X, y = make()
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        BLSClassifier(**SIZES).partial_fit(X, y)
    model = BLSClassifier(**SIZES).partial_fit(X[:50], y[:50], ["yes", "no"])
    model.partial_fit(X[50:], y[50:]).partial_fit(X, y, classes=["no", "yes"])
    np.testing.assert_array_equal(model.classes_, ["no", "yes"])


def test_new_and_other_classes_are_named():
    X, y = make()
    model = BLSClassifier(**SIZES, random_state=0).partial_fit(X, y, ["no", "yes"])
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="y has \\['maybe'\\], which the model does not know"):
        model.partial_fit(X[:2], ["no", "maybe"])
    with pytest.raises(ValueError, match=r"classes=\['maybe', 'no'\] lack \['yes'\]"):
        model.partial_fit(X, y, classes=["no", "maybe"])
    np.testing.assert_array_equal(model.decision_function(X), before)
    with pytest.raises(ValueError, match="y has \\['maybe'\\], which the model does not know"):
        model.fit(X, y).grow(X, np.where(y == "no", "maybe", y), n_enhancement_nodes=30)


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


def test_a_class_without_trusted_samples_is_named():
    X, y = make()
    model = IntuitionisticFuzzyBLSClassifier(
        **SIZES, kernel_width=100.0, neighborhood_radius=2.0, standardize=True, random_state=0
    )
    X = np.vstack([X, X[y == "no"][:1]])
    y = np.append(y, "odd")
    X[-1] += 50.0
    X = np.vstack([X, X[-1:] + 50.0])
    y = np.append(y, "odd")
    with pytest.raises(ValueError, match="All sample scores of class 'odd' are zero"):
        model.partial_fit(X, y, classes=["no", "odd", "yes"])
