import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
    TargetEncoder,
)

from broadlearn import BLSClassifier
from broadlearn.evaluation import with_threshold
from broadlearn.io.model_checks import check_model
from broadlearn.io.stored_steps import STEP_RULES, has_learnt

X, y = load_iris(return_X_y=True)
WORDS = pd.DataFrame({"t": np.where(y > 0, "u", "v"), "s": np.array(["x", "y", "z"])[y]})
SMALL = {"n_feature_nodes": 3, "n_enhancement_nodes": 5, "random_state": 0}


def refused(model):
    with pytest.raises(ValueError, match=r"do not go together|is not whole|of another kind"):
        check_model(model)


def test_rules_are_of_classes():
    assert all(isinstance(kind, type) for kind in STEP_RULES)


def test_what_has_learnt():
    assert not has_learnt(StandardScaler())
    assert has_learnt(StandardScaler().fit(X))


@pytest.mark.parametrize(
    "steps",
    [
        [("a", StandardScaler()), ("a", StandardScaler())],
        [("a", BLSClassifier()), ("b", BLSClassifier())],
        [("steps", StandardScaler())],
        [("a", "drop")],
        [("a",)],
        [],
        [("a", 3)],
    ],
    ids=str,
)
def test_pipelines(steps):
    model = Pipeline([("x", StandardScaler())])
    check_model(model)
    model.steps = steps
    refused(model)


def test_unions():
    model = FeatureUnion([("x", StandardScaler())])
    check_model(model)
    model.transformer_list = [("x", StandardScaler()), ("x", "drop")]
    refused(model)
    model.transformer_list = [("x", BLSClassifier())]
    refused(model)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("_transformer_to_input_indices", {"a": [9], "remainder": []}),
        ("_transformer_to_input_indices", {}),
        ("output_indices_", {}),
        ("transformers_", [("b", StandardScaler(), [0])]),
        ("transformers_", [("a", BLSClassifier(), [0])]),
    ],
)
def test_column_transformers(name, value):
    model = ColumnTransformer([("a", StandardScaler(), [0, 1])]).fit(X)
    check_model(model)
    vars(model)[name] = value
    refused(model)


@pytest.mark.parametrize("degree", [0, 1, 2, 3, (1, 3), (2, 3), (0, 2)])
@pytest.mark.parametrize("interaction_only", [False, True])
@pytest.mark.parametrize("include_bias", [False, True])
def test_products(degree, interaction_only, include_bias):
    if degree == 0 and not include_bias:
        return
    model = PolynomialFeatures(degree, interaction_only=interaction_only, include_bias=include_bias)
    check_model(model.fit(X))
    model.n_output_features_ += 1
    refused(model)


def test_bins():
    model = KBinsDiscretizer(3, quantile_method="averaged_inverted_cdf").fit(X)
    check_model(model)
    model.n_bins_ = np.array([3, 3, 3, 9])
    refused(model)


@pytest.mark.parametrize(
    ("model", "name", "value"),
    [
        (OneHotEncoder(drop="first"), "drop_idx_", np.array([0, 9], object)),
        (OneHotEncoder(), "_n_features_outs", [2, 9]),
        (OneHotEncoder(min_frequency=60), "_default_to_infrequent_mappings", [None, np.arange(9)]),
        (OneHotEncoder(), "_infrequent_enabled", True),
        (OrdinalEncoder(), "_missing_indices", {0: 9}),
        (TargetEncoder(), "encodings_", [np.zeros(2)] * 6),
        (TargetEncoder(), "target_mean_", 1.0),
        (TargetEncoder(target_type="continuous"), "encodings_", [np.zeros(2)] * 3),
    ],
)
def test_encoders(model, name, value):
    model.fit(WORDS, y)
    check_model(model)
    vars(model)[name] = value
    refused(model)


def test_thresholds():
    model = make_pipeline(StandardScaler(), BLSClassifier(**SMALL)).fit(X, y > 0)
    decided = with_threshold(model, True, 0.3)
    check_model(decided)
    del decided[-1].estimator_
    refused(decided)


@pytest.mark.parametrize("model", [RidgeClassifier(), LogisticRegression(max_iter=1000)])
def test_linear_models(model):
    for targets in (y, y > 0):
        check_model(model.fit(X, targets))
        vars(model)["coef_"] = np.atleast_2d(model.coef_)[[0, 0]]
        refused(model)
