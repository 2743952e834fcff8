import json

import numpy as np
import pandas as pd
import pytest
from patients import call
from sklearn.datasets import load_iris
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import broadlearn
from broadlearn import BLSClassifier, save
from broadlearn.cli.describe import needed_columns
from broadlearn.cli.predict import unseen_levels

pytestmark = pytest.mark.slow


def test_describe(model):
    text = call("describe", model).stdout
    assert "BLSClassifier" in text
    assert "age, smoker, town" in text
    found = json.loads(call("describe", model, "--json").stdout)
    assert found["classes"] == ["=no", "yes"]
    assert found["columns"] == ["age", "smoker", "town"]
    assert found["settings"]["random_state"] == 0
    assert found["versions"]["broadlearn"] == broadlearn.__version__
    assert found["bytes"] == model.stat().st_size


def test_columns_and_levels_of_a_model_without_preparation():
    X, y = load_iris(return_X_y=True, as_frame=True)
    fitted = BLSClassifier(random_state=0).fit(X, y)
    assert needed_columns(fitted) == list(X)
    assert unseen_levels(fitted, X) == []


def test_the_ensemble_says_how_it_was_judged_and_what_it_is_made_of(folder):
    done = call("fit", "patients.csv", "-t", "ill", "-o", "m.blm")
    assert "leave-one-out, slightly optimistic" in done.stdout
    assert "folds" not in done.stdout
    text = call("describe", "m.blm").stdout
    assert "BroadEnsembleClassifier" in text
    assert "kernels: 12" in text
    found = json.loads(call("describe", "m.blm", "--json").stdout)
    assert found["settings"]["kernels"] == 12
    done = call("predict", "m.blm", "patients.csv", "-o", "out.csv")
    assert done.exit_code == 0, done.output
    shares = pd.read_csv("out.csv").filter(like="probability")
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


@pytest.mark.parametrize("last", [None, "passthrough"])
def test_steps_of_which_the_last_passes_on(last, tmp_path):
    X, _ = load_iris(return_X_y=True)
    steps = Pipeline([("scaled", StandardScaler()), ("last", last)]).fit(X)
    save(steps, tmp_path / "steps.blm")
    done = call("describe", tmp_path / "steps.blm")
    assert done.exit_code == 0, done.output
    assert "Pipeline" in done.stdout
