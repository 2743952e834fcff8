import json
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from typer.testing import CliRunner

import broadlearn
from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadEnsembleClassifier,
    ELMClassifier,
    PathEnsembleClassifier,
    load,
    save,
)
from broadlearn.cli.app import app
from broadlearn.cli.models import MAX_COLUMNS, NAMES, needed_columns, unseen_levels
from broadlearn.io import column_preparation
from broadlearn.registry import REGISTRY

pytestmark = pytest.mark.slow

runner = CliRunner()


def call(*arguments):
    return runner.invoke(app, [str(argument) for argument in arguments])


def patients(n=60, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, n).astype(float),
            "smoker": rng.random(n) < 0.3,
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], n),
            "id": [f"p{i}" for i in range(n)],
        }
    )
    frame["ill"] = np.where(frame["age"] > 50, "yes", "=no")
    frame.loc[::7, "age"] = np.nan
    return frame


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    patients().to_csv("patients.csv", index=False)
    return tmp_path


@pytest.fixture
def model(folder):
    done = call("fit", "patients.csv", "--target", "ill", "-m", "bls", "-o", "model.blm")
    assert done.exit_code == 0, done.output
    return folder / "model.blm"


def test_fit_reports_the_cross_validated_accuracy(folder):
    done = call("fit", "patients.csv", "-t", "ill", "-m", "elm", "-o", "m.blm", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    frame = patients()
    X, y = frame[["age", "smoker", "town"]], frame["ill"].to_numpy(dtype=str)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    pipeline = make_pipeline(column_preparation(X), ELMClassifier(random_state=0))
    scores = cross_val_score(pipeline, X, y, cv=folds)
    assert found["accuracy"]["mean"] == pytest.approx(scores.mean(), abs=1e-12)
    assert found["accuracy"]["optimistic"] is False
    assert found["columns"] == ["age", "smoker", "town"]
    assert found["classes"] == frame["ill"].value_counts().to_dict()
    assert "'id' is left out" in found["notes"][0]
    assert "Note: Column 'id'" in done.stderr
    np.testing.assert_array_equal(load("m.blm").predict(X), pipeline.fit(X, y).predict(X))


def test_a_tuned_fit_says_that_its_accuracy_is_optimistic(folder):
    done = call("fit", "patients.csv", "-t", "ill", "-m", "elm", "--tune", "-o", "m.blm")
    assert done.exit_code == 0, done.output
    assert "optimistic" in done.output
    again = call("fit", "patients.csv", "-t", "ill", "-m", "elm", "--tune", "-o", "n.blm", "--json")
    found = json.loads(again.stdout)
    assert found["accuracy"]["optimistic"] is True
    assert load("m.blm")[-1].n_hidden_nodes == found["settings"]["n_hidden_nodes"]
    assert (folder / "m.blm").read_bytes() == (folder / "n.blm").read_bytes()


def test_the_ensemble_needs_neither_tuning_nor_folds(folder):
    rows = pd.DataFrame({"x": [0.0, 1.0, 2.0, 9.0, 8.0, 7.0], "y": list("aaabbb")})
    rows.to_csv("rare.csv", index=False)
    done = call("fit", "rare.csv", "-t", "y", "--tune", "-o", "m.blm")
    assert done.exit_code == 0, done.output
    assert "--tune changes nothing" in done.stderr
    assert "leave-one-out" in done.stdout


@pytest.mark.parametrize("name", [name for name in NAMES if name != "PathEnsemble"])
def test_every_model_is_fitted_and_predicts(folder, name):
    patients(30).drop(columns="id").to_csv("few.csv", index=False)
    done = call("fit", "few.csv", "-t", "ill", "-m", name, "-o", "m.blm")
    assert done.exit_code == 0, done.output
    done = call("predict", "m.blm", "few.csv", "-o", "out.csv")
    assert done.exit_code == 0, done.output
    out = pd.read_csv("out.csv")
    assert len(out) == 30
    assert ("probability_yes" in out) == (name != "IF-TSVM")
    assert ("gives no probabilities" in done.stderr) == (name == "IF-TSVM")


def test_big_tables_are_scored_by_landmarks(folder, monkeypatch):
    monkeypatch.setattr("broadlearn.cli.models.MAX_EXACT_ROWS", 50)
    done = call("fit", "patients.csv", "-t", "ill", "-m", "if-bls", "-o", "m.blm", "--json")
    assert json.loads(done.stdout)["settings"]["landmarks"] == 1000


def test_predict_writes_labels_and_probabilities(folder, model):
    frame = patients(seed=1)
    frame.to_csv("new.csv", index=False)
    done = call("predict", model, "new.csv", "-o", "out.csv")
    assert done.exit_code == 0, done.output
    out = pd.read_csv("out.csv")
    fitted = load(model)
    assert list(out) == ["row", "prediction", "probability_=no", "probability_yes"]
    labels = np.where(fitted.predict(frame) == "yes", "yes", "'=no")
    np.testing.assert_array_equal(out["prediction"], labels)
    np.testing.assert_allclose(
        out.filter(like="probability"), fitted.predict_proba(frame), atol=1e-12
    )
    assert not list(folder.glob("*.part"))


def test_predict_without_an_output_prints(folder, model):
    text = call("predict", model, "patients.csv").stdout
    assert text.splitlines()[0] == '"row","prediction","probability_=no","probability_yes"'
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
    assert any("'town'" in note and "'Paris'" in note for note in found["notes"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.drop(columns=["age", "town"]), "'age', 'town'"),
        (lambda frame: frame.assign(age="old"), "Column 'age' must hold numbers"),
        (lambda frame: frame.iloc[:0], "no rows"),
    ],
)
def test_a_failing_predict_keeps_the_file_that_was_there(folder, model, change, message):
    change(patients()).to_csv("new.csv", index=False)
    (folder / "out.csv").write_text("before")
    done = call("predict", model, "new.csv", "-o", "out.csv")
    assert done.exit_code == 2
    assert message in done.stderr
    assert (folder / "out.csv").read_text() == "before"


def test_a_failing_fit_keeps_the_file_that_was_there(folder, model, monkeypatch):
    before = model.read_bytes()
    patients().assign(when="2020-01-01").to_csv("dates.csv", index=False)
    done = call("fit", "dates.csv", "-t", "ill", "-m", "bls", "-o", model)
    assert done.exit_code == 2
    assert "dates must be turned into numbers" in done.stderr
    assert model.read_bytes() == before
    done = call("fit", "dates.csv", "-t", "ill", "--drop", "when,id", "-m", "bls", "-o", model)
    assert done.exit_code == 0, done.output

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    before = model.read_bytes()
    monkeypatch.setattr("broadlearn.cli.models.cross_val_score", interrupted)
    done = call("fit", "patients.csv", "-t", "ill", "-m", "elm", "-o", model)
    assert done.exit_code == 130
    assert "nothing was written" in done.stderr
    assert model.read_bytes() == before


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
    assert "where a classifier is needed" in call("predict", "regressor.blm", "iris.csv").stderr
    assert json.loads(call("describe", "regressor.blm", "--json").stdout)["classes"] == []


def test_as_many_columns_as_fit_takes_can_be_saved(tmp_path):
    names = [f"a column with a rather long name, number {j}" for j in range(MAX_COLUMNS)]
    X = pd.DataFrame(np.eye(6, MAX_COLUMNS), columns=names)
    small = BLSClassifier(1, 2, 1, 2, feature_weights="random", random_state=0)
    save(make_pipeline(column_preparation(X), small).fit(X, [0, 1] * 3), tmp_path / "m.blm")


def test_columns_and_levels_of_a_model_without_preparation():
    X, y = load_iris(return_X_y=True, as_frame=True)
    fitted = BLSClassifier(random_state=0).fit(X, y)
    assert needed_columns(fitted) == list(X)
    assert unseen_levels(fitted, X) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["fit", "patients.csv", "-t", "ill", "-m", "no_such", "-o", "m.blm"],
            "There is no model 'no_such'; use one",
        ),
        (
            ["fit", "patients.csv", "-t", "ill", "-m", "bls regressor", "-o", "m.blm"],
            "--model must be one of BLS, ELM",
        ),
        (["fit", "patients.csv", "-t", "il", "-o", "m.blm"], "did you mean 'ill'"),
        (["fit", "missing.csv", "-t", "ill", "-o", "m.blm"], "missing.csv"),
        (["fit", "patients.csv", "-t", "ill", "-o", "no/m.blm"], "a folder that exists"),
        (["fit", "patients.csv", "-t", "ill", "-o", "patients.csv"], "another file"),
        (
            ["fit", "rare.csv", "-t", "y", "-m", "bls", "-o", "m.blm"],
            "two classes of 5 or more rows",
        ),
        (["fit", "same.csv", "-t", "y", "-o", "m.blm"], "every label is 'b'"),
        (["predict", "patients.csv", "patients.csv"], "not a model file"),
        (["predict", "missing.blm", "patients.csv"], "missing.blm"),
        (["describe", "patients.csv"], "not a model file"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(folder, arguments, message):
    pd.DataFrame({"a": range(20), "y": ["a", *"b" * 19]}).to_csv("rare.csv", index=False)
    pd.DataFrame({"a": range(20), "y": ["b"] * 20}).to_csv("same.csv", index=False)
    before = sorted(folder.iterdir())
    done = call(*arguments)
    assert done.exit_code == 2, done.output
    assert message in done.stderr
    assert "Traceback" not in done.output
    assert sorted(folder.iterdir()) == before


def test_an_ensemble_is_fitted_unless_another_model_is_named(folder):
    done = call("fit", "patients.csv", "-t", "ill", "-o", "m.blm", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["model"] == "Ensemble"
    fitted, frame = load("m.blm"), patients()
    model, names = fitted[-1], frame["ill"].to_numpy(dtype=str)
    assert isinstance(model, BroadEnsembleClassifier)
    held_out = model.classes_[model.leave_one_out_proba_.argmax(axis=1)]
    assert found["accuracy"]["mean"] == pytest.approx(np.mean(held_out == names), abs=1e-12)
    assert found["accuracy"]["optimistic"] is True
    families = {
        f"{m['family']} on {m['inputs']}": found["settings"][f"{m['family']} on {m['inputs']}"]
        for m in model.members_
    }
    assert sum(families.values()) == found["settings"]["kernels"] == len(model.members_) == 12
    assert found["settings"]["scores"] in ("uniform", "held_out")
    assert fitted.score(frame, names) > 0.8


def test_the_ensemble_says_how_it_was_judged_and_what_it_is_made_of(folder):
    done = call("fit", "patients.csv", "-t", "ill", "-o", "m.blm")
    assert "leave-one-out; members were chosen on the same rows" in done.stdout
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


def test_other_models_are_one_word_away(folder):
    done = call("fit", "patients.csv", "-t", "ill", "--model", "if-bls", "-o", "m.blm", "--json")
    found = json.loads(done.stdout)
    assert found["model"] == "IF-BLS"
    assert found["accuracy"]["optimistic"] is False
    assert found["accuracy"]["folds"] == 5


def test_a_path_ensemble_is_fitted_described_and_used(folder, monkeypatch):
    small = partial(
        PathEnsembleClassifier,
        param_grid={"C": [0.1, 1.0], "n_enhancement_nodes": [5, 10]},
        ensemble_size=3,
        n_draws=2,
    )
    entry = replace(REGISTRY["PathEnsemble"], estimator=small)
    monkeypatch.setitem(REGISTRY, "PathEnsemble", entry)
    done = call("fit", "patients.csv", "-t", "ill", "-m", "path-ensemble", "-o", "m.blm", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["settings"]["average of"] == "BLSClassifier"
    assert (found["settings"]["settings"], found["settings"]["draws"]) == (3, 2)
    assert found["accuracy"]["optimistic"] is True
    assert "average of: BLSClassifier" in call("describe", "m.blm").output
    assert call("predict", "m.blm", "patients.csv", "-o", "out.csv").exit_code == 0


@pytest.mark.parametrize("name", ["neuro-fbls", "NeuroFBLS", "NEURO FBLS"])
def test_case_and_hyphens_of_a_name_do_not_matter(folder, name):
    done = call("fit", "patients.csv", "-t", "ill", "-m", name, "-o", "m.blm", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["model"] == "NeuroFBLS"
