import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_selection import SelectKBest, SelectPercentile, VarianceThreshold, f_regression
from sklearn.frozen import FrozenEstimator
from sklearn.impute import KNNImputer, MissingIndicator, SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

from broadlearn.io import load, save
from broadlearn.io.stored_sklearn import SKLEARN
from broadlearn.io.stored_types import STORED_TYPES

X, y = load_iris(return_X_y=True)
TWO = X[:100]
FRAME = pd.DataFrame(X, columns=list("abcd"))
GAPS = X.copy()
GAPS[::3, 1] = np.nan
WORDS = pd.DataFrame({"t": np.where(y > 0, "u", "v"), "s": np.array(["x", "y", "z"])[y]})
HOLES = WORDS.copy()
HOLES.loc[::9, "t"] = None
BINS = {"quantile_method": "averaged_inverted_cdf"}
RARE = {"min_frequency": 60}
FITTED = [
    (PCA(2), X),
    (PCA(0.9, whiten=True), FRAME),
    (PCA(2, svd_solver="randomized"), X),
    (TruncatedSVD(2), X),
    (SelectKBest(k=2), X),
    (SelectPercentile(f_regression), FRAME),
    (VarianceThreshold(), GAPS),
    (KNNImputer(add_indicator=True), GAPS),
    (MissingIndicator(), GAPS),
    (SimpleImputer(), GAPS),
    (SimpleImputer(add_indicator=True, strategy="most_frequent"), HOLES),
    (SimpleImputer(strategy="constant", fill_value=3), GAPS),
    (LogisticRegression(max_iter=1000), X),
    (Ridge(), X),
    (Ridge(solver="sag"), FRAME),
    (RidgeClassifier(class_weight="balanced"), X),
    (Binarizer(), X),
    (FunctionTransformer(np.log1p, validate=True, feature_names_out="one-to-one"), FRAME),
    (KBinsDiscretizer(3, **BINS), X),
    (KBinsDiscretizer([3, 4, 2, 2], encode="ordinal", **BINS), FRAME),
    (MaxAbsScaler(), X),
    (MinMaxScaler(), GAPS),
    (Normalizer(), X),
    (OneHotEncoder(), WORDS),
    (OneHotEncoder(drop="first", handle_unknown="infrequent_if_exist", **RARE), HOLES),
    (OneHotEncoder(drop=np.array(["u", "x"], dtype=object)), WORDS),
    (OneHotEncoder(categories=[["u", "v"], ["x", "y", "z"]]), WORDS),
    (OrdinalEncoder(), HOLES),
    (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan, **RARE), HOLES),
    (PolynomialFeatures(3), X),
    (PolynomialFeatures((2, 3), interaction_only=True), FRAME),
    (PolynomialFeatures((0, 2), include_bias=False), X),
    (PolynomialFeatures((2, 2)), X),
    (PowerTransformer(), X),
    (PowerTransformer("box-cox", standardize=False), FRAME),
    (QuantileTransformer(n_quantiles=5, output_distribution="normal"), X),
    (RobustScaler(with_centering=False), X),
    (StandardScaler(), FRAME),
    (StandardScaler(with_mean=False, with_std=False), X),
    (StandardScaler(with_std=False), GAPS),
    (StandardScaler().set_output(transform="pandas"), FRAME),
    (TargetEncoder(), WORDS),
    (TargetEncoder(target_type="continuous"), WORDS),
    (TargetEncoder(), WORDS[:100]),
    (Pipeline([("s", StandardScaler()), ("p", "passthrough"), ("m", Ridge())]), FRAME),
    (
        FeatureUnion(
            [("s", StandardScaler()), ("p", "passthrough"), ("d", "drop")],
            transformer_weights={"s": 2.0},
        ),
        X,
    ),
    (
        ColumnTransformer(
            [("a", StandardScaler(), ["a"]), ("p", "passthrough", ["b"]), ("d", "drop", ["c"])],
            remainder="passthrough",
        ),
        FRAME,
    ),
    (
        ColumnTransformer(
            [
                ("a", StandardScaler(), [0, 1]),
                ("s", PCA(1), slice(1, 3)),
                ("m", MinMaxScaler(), np.array([False, False, False, True])),
                ("c", StandardScaler(), make_column_selector("a")),
            ],
            remainder=MinMaxScaler(),
        ),
        FRAME,
    ),
    (FrozenEstimator(Ridge().fit(X, y)), X),
    (FixedThresholdClassifier(LogisticRegression(), threshold=0.3, pos_label=1), TWO),
]


@pytest.mark.parametrize(("model", "rows"), FITTED, ids=lambda part: type(part).__name__)
@pytest.mark.filterwarnings("ignore:Found unknown categories")
def test_steps_are_saved_and_loaded(model, rows, tmp_path):
    model.fit(rows, y[: len(rows)])
    save(model, tmp_path / "step.blm")
    again = load(tmp_path / "step.blm")
    for method in ("transform", "predict"):
        if hasattr(model, method):
            before, after = (getattr(some, method)(rows) for some in (model, again))
            dense = [
                part.toarray() if hasattr(part, "toarray") else part for part in (before, after)
            ]
            before, after = map(np.asarray, dense)
            if before.dtype.kind == "f":
                np.testing.assert_allclose(after, before, rtol=1e-12, atol=1e-12)
            else:
                np.testing.assert_array_equal(after, before)


def test_encoders_of_labels(tmp_path):
    for model in (LabelEncoder(), LabelBinarizer()):
        save(model.fit(WORDS["s"]), tmp_path / "labels.blm")
        again = load(tmp_path / "labels.blm")
        np.testing.assert_array_equal(again.transform(WORDS["s"]), model.transform(WORDS["s"]))


def test_every_step_of_files_has_a_table():
    kinds = STORED_TYPES["ObjectNode"].values()
    known = {k.__name__ for k in kinds if k.__module__.startswith("sklearn.")}
    wanted = {k.__name__ for k in kinds if issubclass(k, BaseEstimator)}
    assert set(SKLEARN) == known & wanted
    assert {type(model).__name__ for model, _ in FITTED} >= set(SKLEARN) - {
        "LabelEncoder",
        "LabelBinarizer",
    }


def test_no_attribute_is_a_method():
    kinds = {kind.__name__: kind for kind in STORED_TYPES["ObjectNode"].values()}
    for name, table in SKLEARN.items():
        parameters = inspect.signature(kinds[name]).parameters
        for attribute in table.keys() - parameters.keys():
            assert not callable(getattr(kinds[name], attribute, None)), (name, attribute)
