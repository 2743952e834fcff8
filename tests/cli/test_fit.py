import json

import numpy as np
import pandas as pd
import pytest
from patients import call, patients
from sklearn.base import clone
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline

from broadlearn import (
    BLSClassifier,
    BroadEnsembleClassifier,
    ELMClassifier,
    load,
    save,
)
from broadlearn.cli.fit import MAX_COLUMNS
from broadlearn.cli.model_names import CLASSIFIERS
from broadlearn.evaluation import unwrap_model
from broadlearn.io import TablePreparation, read_header

pytestmark = pytest.mark.slow


def test_fit_reports_the_cross_validated_accuracy(folder):
    done = call("fit", "patients.csv", "-t", "ill", "-m", "elm", "-o", "m.blm", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    frame = patients()
    X, y = frame[["age", "smoker", "town"]], frame["ill"].to_numpy(dtype=str)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    pipeline = make_pipeline(TablePreparation(), ELMClassifier(random_state=0))
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


def test_a_tuned_fit_prepares_columns_within_the_folds(folder):
    done = call("fit", "patients.csv", "-t", "ill", "-m", "elm", "--tune", "-o", "m.blm", "--json")
    found, fitted, frame = json.loads(done.stdout), load("m.blm"), patients()
    X, y = frame[["age", "smoker", "town"]], frame["ill"].to_numpy(dtype=str)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    scores = cross_val_score(clone(fitted), X, y, cv=folds)
    assert found["accuracy"]["mean"] == pytest.approx(scores.mean(), abs=1e-12)


def test_the_ensemble_needs_neither_tuning_nor_folds(folder):
    rows = pd.DataFrame({"x": [0.0, 1.0, 2.0, 9.0, 8.0, 7.0], "y": list("aaabbb")})
    rows.to_csv("rare.csv", index=False)
    done = call("fit", "rare.csv", "-t", "y", "--tune", "-o", "m.blm")
    assert done.exit_code == 0, done.output
    assert "--tune changes nothing" in done.stderr
    assert "leave-one-out" in done.stdout


@pytest.mark.parametrize("name", CLASSIFIERS)
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


def test_a_failing_fit_keeps_the_file_that_was_there(folder, model, monkeypatch):
    before = model.read_bytes()
    patients().assign(when=["2020-01-01", "2020-02-03"] * 30).to_csv("dates.csv", index=False)
    fit = ("fit", "dates.csv", "-t", "ill", "-m", "bls", "-o", model, "--force")
    done = call(*fit, "--as", "town=date")
    assert done.exit_code == 2
    assert "Column 'town' cannot be read as date" in done.stderr
    assert model.read_bytes() == before
    done = call(*fit, "--drop", "town,id")
    assert done.exit_code == 0, done.output
    assert "elapsed" in done.stdout

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    before = model.read_bytes()
    monkeypatch.setattr("broadlearn.cli.fitting.cross_validated", interrupted)
    done = call("fit", "patients.csv", "-t", "ill", "-m", "elm", "-o", model, "--force")
    assert done.exit_code == 130
    assert "nothing was written" in done.stderr
    assert model.read_bytes() == before


def test_as_many_columns_as_fit_takes_can_be_saved(tmp_path):
    names = [f"a column with a rather long name, number {j}" for j in range(MAX_COLUMNS)]
    X = pd.DataFrame(np.eye(6, MAX_COLUMNS), columns=names)
    small = BLSClassifier(1, 2, 1, 2, feature_weights="random", random_state=0)
    save(make_pipeline(TablePreparation(), small).fit(X, [0, 1] * 3), tmp_path / "m.blm")


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


def test_other_models_are_one_word_away(folder):
    done = call("fit", "patients.csv", "-t", "ill", "--model", "if-bls", "-o", "m.blm", "--json")
    found = json.loads(done.stdout)
    assert found["model"] == "IF-BLS"
    assert found["accuracy"]["optimistic"] is False
    assert found["accuracy"]["folds"] == 5


@pytest.mark.parametrize("name", ["neuro-fbls", "NeuroFBLS", "NEURO FBLS"])
def test_case_and_hyphens_of_a_name_do_not_matter(folder, name):
    done = call("fit", "patients.csv", "-t", "ill", "-m", name, "-o", "m.blm", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["model"] == "NeuroFBLS"


def test_models_for_comparison_are_for_studies(folder):
    done = call("fit", "patients.csv", "-t", "ill", "-m", "svc", "-o", "m.blm")
    assert done.exit_code == 2
    assert "in `broadlearn study run --model svc`; to fit, use one of BLS" in done.stderr


def rare(n=400, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    frame["kind"] = np.where(frame["a"] + 0.6 * rng.normal(size=n) > 1.9, "fraud", "normal")
    return frame


@pytest.mark.parametrize("name", ["bls", "ensemble"])
def test_a_class_that_is_missed_is_seen_at_a_glance(folder, name):
    rare().to_csv("rare.csv", index=False)
    done = call("fit", "rare.csv", "-t", "kind", "-m", name, "-o", "m.blm")
    assert done.exit_code == 0, done.output
    for word in ("most frequent class", "balanced accuracy", "ROC AUC", "log-loss", "held out"):
        assert word in done.stdout
    assert "of class 'fraud' only" in done.stderr
    assert "--class-weight balanced" in done.stderr
    assert "--threshold auto" in done.stderr
    helped = ["--class-weight", "balanced", "--threshold", "auto", "--json", "--force"]
    done = call("fit", "rare.csv", "-t", "kind", "-m", name, "-o", "m.blm", *helped)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    recalls = {row["label"]: row["recall"] for row in found["by_class"]}
    assert recalls["fraud"] > 0.65
    assert found["metrics"]["balanced_accuracy"] == pytest.approx(np.mean([*recalls.values()]))
    assert found["threshold"]["label"] == "fraud"
    assert found["class_weight"] == "balanced"
    assert "threshold was chosen on these rows" in found["held_out"]
    parts = unwrap_model(load("m.blm"))
    assert parts.threshold == tuple(found["threshold"].values())
    assert parts.estimator.class_weight == "balanced"
    assert read_header("m.blm")["target"] == "kind"


def test_held_out_figures_are_those_of_cross_validated_predictions(folder):
    found = json.loads(
        call("fit", "patients.csv", "-t", "ill", "-m", "elm", "-o", "m.blm", "--json").stdout
    )
    frame = patients()
    X, y = frame[["age", "smoker", "town"]], frame["ill"].to_numpy(dtype=str)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    pipeline = make_pipeline(TablePreparation(), ELMClassifier(random_state=0))
    proba = cross_val_predict(pipeline, X, y, cv=folds, method="predict_proba")
    assert found["metrics"]["log_loss"] == pytest.approx(log_loss(y, proba))
    assert found["metrics"]["roc_auc"] == pytest.approx(roc_auc_score(y, proba[:, 1]))


def test_a_given_threshold_is_of_the_rarer_class(folder):
    rare().to_csv("rare.csv", index=False)
    done = call("fit", "rare.csv", "-t", "kind", "-m", "elm", "--threshold", "0.1", "-o", "m.blm")
    assert done.exit_code == 0, done.output
    assert "threshold: fraud from a probability of 0.1 on" in done.stdout
    fitted, X = load("m.blm"), rare()[list("abc")]
    expected = np.where(fitted.predict_proba(X)[:, 0] >= 0.1, "fraud", "normal")
    np.testing.assert_array_equal(fitted.predict(X), expected)
    assert "threshold: fraud" in call("describe", "m.blm").stdout
    found = json.loads(call("describe", "m.blm", "--json").stdout)
    assert found["threshold"] == {"label": "fraud", "value": 0.1}
    assert found["target"] == "kind"


def test_scoring_without_anything_to_choose_says_so(folder):
    done = call("fit", "patients.csv", "-t", "ill", "--scoring", "f1", "-m", "elm", "-o", "m.blm")
    assert "--scoring changes nothing" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--threshold", "2"], "auto or a number between 0 and 1"),
        (["--threshold", "auto", "--scoring", "roc_auc"], "roc_auc looks at probabilities"),
        (["--scoring", "goodness"], "--scoring must be the name of a scorer"),
        (["--class-weight", "heavy"], "--class-weight must be none or balanced"),
        (["--threshold", "auto", "-m", "if-tsvm"], "a model with probabilities"),
    ],
)
def test_bad_options_are_one_sentence(folder, options, message):
    done = call("fit", "patients.csv", "-t", "ill", "-m", "elm", "-o", "m.blm", *options)
    assert done.exit_code == 2, done.output
    assert message in done.stderr
    assert not (folder / "m.blm").exists()


def test_of_many_classes_the_least_found_are_listed(folder):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(14), 10)
    frame = pd.DataFrame({"a": y + rng.normal(size=140), "y": [f"c{i}" for i in y]})
    frame.to_csv("many.csv", index=False)
    done = call("fit", "many.csv", "-t", "y", "-m", "elm", "-o", "m.blm")
    assert "10 of 14 classes, the least found" in done.stdout
    done = call("fit", "many.csv", "-t", "y", "-m", "elm", "--threshold", "auto", "-o", "n.blm")
    assert "--threshold needs two classes; there are 14" in done.stderr
    done = call(
        "fit", "many.csv", "-t", "y", "-m", "elm", "--tune", "--scoring", "f1", "-o", "n.blm"
    )
    assert "use f1_macro" in done.stderr
