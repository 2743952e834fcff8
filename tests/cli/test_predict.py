import json

import numpy as np
import pandas as pd
import pytest
from patients import call, patients
from sklearn.datasets import load_iris

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadEnsembleClassifier,
    BroadEnsembleRegressor,
    load,
    save,
)

pytestmark = pytest.mark.slow


def test_predict_writes_labels_and_probabilities(folder, model):
    frame = patients(seed=1)
    frame.to_csv("new.csv", index=False)
    done = call("predict", model, "new.csv", "-o", "out.csv")
    assert done.exit_code == 0, done.output
    out = pd.read_csv("out.csv")
    fitted = load(model)
    assert list(out) == ["row", "line", "prediction", "probability_=no", "probability_yes"]
    labels = np.where(fitted.predict(frame) == "yes", "yes", "'=no")
    np.testing.assert_array_equal(out["prediction"], labels)
    np.testing.assert_allclose(
        out.filter(like="probability"), fitted.predict_proba(frame), atol=1e-12
    )
    assert not list(folder.glob("*.part"))


def test_predict_without_an_output_prints(folder, model):
    text = call("predict", model, "patients.csv").stdout
    assert text.splitlines()[0] == '"row","line","prediction","probability_=no","probability_yes"'
    assert len(text.splitlines()) == 61
    found = json.loads(call("predict", model, "patients.csv", "--json").stdout)
    assert len(found["predictions"]) == 60
    assert sum(found["predicted"].values()) == 60
    assert found["written"] == []


def test_predict_names_columns_that_it_ignores_and_levels_that_are_new(folder, model):
    frame = patients().drop(columns=["id", "ill"]).assign(when="2020-01-01")
    frame.loc[3, "town"] = "Paris"
    frame.to_csv("new.csv", index=False)
    done = call("predict", model, "new.csv", "-o", "out.csv", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["ignored_columns"] == ["when"]
    assert found["predictions"] is None
    assert any("'when'" in note for note in found["notes"])
    assert any("'town'" in note and "'Paris' in line 5" in note for note in found["notes"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.drop(columns=["age", "town"]), "'age', 'town'"),
        (lambda frame: frame.iloc[:0], "no rows"),
    ],
)
def test_a_failing_predict_keeps_the_file_that_was_there(folder, model, change, message):
    change(patients()).to_csv("new.csv", index=False)
    (folder / "out.csv").write_text("before")
    done = call("predict", model, "new.csv", "-o", "out.csv", "--force")
    assert done.exit_code == 2
    assert message in done.stderr
    assert (folder / "out.csv").read_text() == "before"


def test_models_that_python_saved(folder):
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.to_csv("iris.csv", index=False)
    save(BLSClassifier(random_state=0).fit(X, y), "named.blm")
    done = call("predict", "named.blm", "iris.csv", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["predictions"][0]["prediction"] == 0
    save(BLSClassifier(random_state=0).fit(X.to_numpy(), y), "unnamed.blm")
    assert "without names of columns" in call("predict", "unnamed.blm", "iris.csv").stderr
    assert "not named" in call("describe", "unnamed.blm").stdout
    save(BLSRegressor(random_state=0).fit(X, y), "regressor.blm")
    done = call("predict", "regressor.blm", "iris.csv", "-o", "out.csv")
    assert done.exit_code == 0, done.output
    expected = load("regressor.blm").predict(X)
    np.testing.assert_allclose(pd.read_csv("out.csv")["prediction"], expected)
    assert json.loads(call("describe", "regressor.blm", "--json").stdout)["classes"] == []


def test_probabilities_are_left_out_on_request(folder, model):
    out = call("predict", model, "patients.csv", "--no-proba").stdout
    assert out.splitlines()[0] == '"row","line","prediction"'
    assert "probability_yes" in call("predict", model, "patients.csv", "--proba").stdout


def test_conformal_sets_and_intervals_are_columns(folder, model):
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.to_csv("iris.csv", index=False)
    labels = np.array(["a", "b", "c"])[y]
    classifier = BroadEnsembleClassifier(ensemble_size=2).fit(X, labels)
    save(classifier, "sets.blm")
    done = call("predict", "sets.blm", "iris.csv", "--coverage", "0.99", "-o", "out.csv")
    assert done.exit_code == 0, done.output
    out, sets = pd.read_csv("out.csv"), classifier.predict_set(X, 0.99)
    expected = [" | ".join(classifier.classes_[row]) for row in sets]
    assert out["set"].fillna("").tolist() == expected
    np.testing.assert_array_equal(out["set_size"], sets.sum(axis=1))
    found = json.loads(
        call("predict", "sets.blm", "iris.csv", "--coverage", "0.99", "--json").stdout
    )
    assert found["predictions"][70]["set"] == classifier.classes_[sets[70]].tolist()
    regressor = BroadEnsembleRegressor(ensemble_size=2).fit(X, y)
    save(regressor, "intervals.blm")
    assert (
        call("predict", "intervals.blm", "iris.csv", "--coverage", "0.8", "-o", "o.csv").exit_code
        == 0
    )
    out = pd.read_csv("o.csv")
    np.testing.assert_allclose(out[["low", "high"]], regressor.predict_interval(X, 0.8))
    done = call("predict", model, "patients.csv", "--coverage", "0.9")
    assert done.exit_code == 2
    assert "--coverage needs a model of the ensembles" in done.stderr
    done = call("predict", "sets.blm", "iris.csv", "--coverage", "90")
    assert "coverage must be a number between 0 and 1" in done.stderr


def test_cells_that_cannot_be_read_are_said(folder, model):
    frame = patients().astype({"age": object})
    frame.loc[4, "age"] = "old"
    frame.to_csv("new.csv", index=False)
    done = call("predict", model, "new.csv", "-o", "out.csv")
    assert done.exit_code == 0, done.output
    assert "'age' has values in 1 of 60 rows that cannot be read as a number" in done.stderr


def test_columns_in_another_spelling_are_found_and_said(folder, model):
    frame = patients(seed=1)
    frame.to_csv("new.csv", index=False)
    frame.rename(columns={"town": " TOWN"}).to_csv("respelt.csv", index=False)
    assert call("predict", model, "new.csv", "-o", "a.csv").exit_code == 0
    done = call("predict", model, "respelt.csv", "-o", "b.csv")
    assert "'TOWN' as 'town'" in done.output
    assert (folder / "a.csv").read_text() == (folder / "b.csv").read_text()
