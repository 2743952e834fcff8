"""Whatever numbers a table holds: predictions are finite, or one sentence says what is wrong."""

import os
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    ELMClassifier,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
)
from broadlearn.utils import one_thread

pytestmark = pytest.mark.soak

SIZES = {"n_feature_nodes": 4, "n_enhancement_nodes": 8}
CLASSIFIERS = {
    "BLS": lambda: BLSClassifier(**SIZES, random_state=0),
    "F-BLS": lambda: FuzzyBLSClassifier(**SIZES, random_state=0),
    "IF-BLS": lambda: IntuitionisticFuzzyBLSClassifier(**SIZES, random_state=0),
    "ELM": lambda: ELMClassifier(9, random_state=0),
    "NeuroFBLS": lambda: NeuroFuzzyBLSClassifier(2, 2, 5, random_state=0),
    "IF-TSVM": lambda: IntuitionisticFuzzyTwinSVC(random_state=0),
}
KINDS = ("plain", "constant", "copies", "gross", "whole", "flag", "single")
# More of them with BROADLEARN_EXAMPLES in the environment.
EXAMPLES = int(os.environ.get("BROADLEARN_EXAMPLES", "25"))
FEW = settings(derandomize=True, max_examples=EXAMPLES, deadline=None, database=None)


@st.composite
def tables(draw):
    """X of any type and scale, y with classes of any size, and weights of any size or None."""
    sizes = draw(st.lists(st.integers(1, 12), min_size=2, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(y.size, draw(st.integers(1, 4)))) + y[:, None]
    X *= 10.0 ** draw(st.sampled_from([-300, -160, -20, 0, 3, 20, 160, 300]))
    kind = draw(st.sampled_from(KINDS))
    if kind == "constant":
        X[:, 0] = X[0, 0]
    elif kind == "copies":
        X = X[rng.integers(0, max(2, y.size // 3), y.size)]
    elif kind == "gross":
        X[0, 0] = draw(st.sampled_from([1e12, -1e200, 1e307]))
    elif kind == "whole":
        X = np.clip(X, -1e18, 1e18).astype(np.int64)
    elif kind == "flag":
        X = X > 0
    elif kind == "single":
        X = np.clip(X, -1e38, 1e38).astype(np.float32)
    weight = None
    if draw(st.booleans()):
        weight = 10.0 ** rng.choice([-320.0, -300.0, -50.0, 0.0, 50.0, 200.0, 300.0], 1)[0] * (
            rng.integers(0, 3, y.size)
        )
    return X, y, weight


def refusal(model, X, y, weight=None):
    """The sentence with which a fit is refused, or nothing."""
    try:
        model.fit(X, y, sample_weight=weight)
    except ValueError as error:
        said = str(error)
        return said if 20 < len(said) < 600 else pytest.fail(f"No sentence: {said}")
    return ""


@pytest.mark.parametrize("name", CLASSIFIERS)
@FEW
@given(tables())
def test_decisions_are_finite_or_an_error_says_why(name, table):
    X, y, weight = table
    model = CLASSIFIERS[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if refusal(model, X, y, weight):
            return
        assert np.isfinite(model.decision_function(X)).all()
        assert set(model.predict(X)) <= set(y.tolist())


@FEW
@given(tables(), st.sampled_from([1e-200, 1.0, 1e100]))
def test_predictions_of_quantities_are_finite(table, size):
    X, y, weight = table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = BLSRegressor(**SIZES, random_state=0)
        if not refusal(model, X, y * size, weight):
            assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_class_of_weight_0_is_absent_or_named(name):
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.arange(60) % 3
    model = CLASSIFIERS[name]().set_params(class_weight={0: 1.0, 1: 1.0, 2: 0.0})
    said = refusal(model, X, y)
    if name == "IF-TSVM":
        assert "All samples of class 2 have a weight of 0" in said
    else:
        assert not said
        assert np.isfinite(model.decision_function(X)).all()


def test_fuzzy_rules_leave_threads_of_linear_algebra_as_they_were():
    from threadpoolctl import threadpool_info

    def threads():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before = threads()
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    NeuroFuzzyBLSClassifier(2, 2, 5, random_state=0).fit(X, y)
    assert threads() == before
    with one_thread():
        NeuroFuzzyBLSClassifier(2, 2, 5, random_state=0).fit(X, y)
        assert set(threads()) == {1}
    assert threads() == before
