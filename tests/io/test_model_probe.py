import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from broadlearn import BLSClassifier, BroadEnsembleClassifier, BroadFeatures
from broadlearn.evaluation import with_threshold
from broadlearn.io import TablePreparation
from broadlearn.io.model_probe import use_once

X, y = load_iris(return_X_y=True)
NODES = {"n_feature_nodes": 3, "n_enhancement_nodes": 5, "random_state": 0}
TABLE = pd.DataFrame({"a": X[:, 0], "word": np.array(["x", "y", "z"])[y]})


def spied(model, monkeypatch):
    """What a model was asked about."""
    seen, ask = [], type(model).predict

    def predict(self, rows):
        seen.append(rows)
        return ask(self, rows)

    monkeypatch.setattr(type(model), "predict", predict)
    use_once(model)
    return seen


def test_models_that_are_whole_pass():
    two = BLSClassifier(**NODES).fit(X, y > 0)
    for model in (
        BLSClassifier(**NODES),
        BLSClassifier(**NODES).fit(X, y),
        BLSClassifier(**NODES).fit(pd.DataFrame(X, columns=list("abcd")), y),
        BLSClassifier(**NODES).warm_up(X, y),
        BroadFeatures(1, 3, 1, 4).fit(X),
        with_threshold(two, True, 0.3),
        make_pipeline(FunctionTransformer(np.log), BLSClassifier(**NODES)).fit(X, y),
        make_pipeline(TablePreparation(), BLSClassifier(**NODES)).fit(TABLE[["a"]], y),
    ):
        use_once(model)


def test_a_sample_that_suits_is_made_of_what_was_learnt(monkeypatch):
    encoder = OneHotEncoder()
    steps = [("n", StandardScaler(), ["a"]), ("w", encoder, ["word"])]
    model = make_pipeline(ColumnTransformer(steps), BLSClassifier(**NODES)).fit(TABLE, y)
    (seen,) = spied(model, monkeypatch)
    assert seen["word"].tolist() == ["x"]
    assert seen["a"].tolist() == [pytest.approx(X[:, 0].mean())]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("output_weights_", np.zeros((3, 3))),
        ("_direct_weights", np.zeros((9, 3))),
        ("proba_slope_", None),
        ("classes_", np.array([], dtype=int)),
        ("_map", None),
    ],
)
def test_a_model_that_fails_is_found_out(name, value):
    model = BLSClassifier(**NODES).fit(X, y)
    vars(model)[name] = value
    with pytest.raises((ValueError, TypeError, AttributeError, IndexError)):
        use_once(model)


def test_steps_name_their_columns():
    inner = make_pipeline(FunctionTransformer(feature_names_out="one-to-one"), StandardScaler())
    steps = ColumnTransformer([("n", inner, ["a"])])
    model = make_pipeline(steps, BLSClassifier(**NODES)).fit(TABLE, y)
    use_once(model)
    step = model[0].transformers_[0][1][0]
    step.feature_names_out = lambda step, names: np.array(None)
    with pytest.raises(ValueError, match="FunctionTransformer has no names of columns"):
        use_once(model)


def test_answers_are_finite():
    model = BroadEnsembleClassifier(ensemble_size=2).fit(X[::5], y[::5])
    model.proba_slopes_ = np.array([np.nan, 0.0])
    with pytest.raises(ValueError, match=r"predict_proba of BroadEnsemble.* gives no"):
        use_once(model)


def test_a_model_with_parts_missing_is_no_unfitted_one():
    model = BLSClassifier(**NODES).fit(X, y)
    del model.output_weights_
    with pytest.raises(ValueError, match="BLSClassifier lacks a part of what it learnt"):
        use_once(model)


def test_what_a_first_step_refuses_says_nothing_against_the_last():
    model = make_pipeline(FunctionTransformer(np.log), BLSClassifier(**NODES)).fit(X, y)
    model[0].func = np.sqrt
    use_once(model)
    model[-1].output_weights_ = np.zeros((3, 3))
    with pytest.raises(ValueError, match=r"matmul|broadcast"):
        use_once(model)
