"""`fit`, `evaluate` and `predict` on one table."""

import json

import numpy as np
import pandas as pd
import pytest
from patients import call, patients
from sklearn.metrics import balanced_accuracy_score

from broadlearn import load


def facts(*arguments):
    done = call(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_an_ensemble_is_fitted_evaluated_and_used(folder):
    found = facts("fit", "patients.csv", "-t", "ill", "-o", "m.blm")
    assert found["columns"] == ["age", "smoker", "town"]
    assert found["held_out"] == "leave-one-out, slightly optimistic"
    model, frame = load("m.blm"), patients()
    held_out = model.classes_[model[-1].leave_one_out_proba_.argmax(axis=1)]
    expected = balanced_accuracy_score(frame["ill"], held_out)
    assert found["metrics"]["balanced_accuracy"]["value"] == pytest.approx(expected)
    patients(200, seed=1).to_csv("new.csv", index=False)
    judged = facts("evaluate", "m.blm", "new.csv", "-o", "page.html")
    assert judged["metrics"]["accuracy"]["value"] > 0.8
    assert (folder / "page.html").stat().st_size > 10_000
    assert call("predict", "m.blm", "new.csv", "-o", "p.csv").exit_code == 0
    predicted = pd.read_csv("p.csv", keep_default_na=False)["prediction"].str.removeprefix("'")
    np.testing.assert_array_equal(predicted, model.predict(patients(200, seed=1)))


def test_a_threshold_for_the_rarer_class(folder):
    options = ("patients.csv", "-t", "ill", "-m", "bls", "--threshold", "0.2", "-o", "m.blm")
    found = facts("fit", *options)
    assert found["threshold"] == {"label": "=no", "value": 0.2}
    assert found["held_out"] == "5-fold cross-validation"
