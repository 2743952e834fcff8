"""`fit`, `predict`, `evaluate`, `inspect` and `describe` on tables as people have them."""

import json

import numpy as np
import pandas as pd
import pytest
from patients import app, call, patients, runner
from sklearn.datasets import load_diabetes
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from broadlearn import BLSClassifier, ELMClassifier, load, save
from broadlearn.tables import TablePreparation


def facts(*arguments):
    done = call(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def refusal(*arguments):
    done = call(*arguments)
    assert done.exit_code == 2, done.output
    assert "Traceback" not in done.output
    return done.stderr


def test_an_ensemble_is_fitted_evaluated_and_used(folder):
    found = facts("fit", "patients.csv", "-t", "ill", "-o", "m.blm")
    assert [c["kind"] for c in found["columns"]] == ["number", "boolean", "category", "text"]
    assert found["task"] == "classification"
    assert found["held_out"] == "leave-one-out, slightly optimistic"
    model, frame = load("m.blm"), patients()
    held_out = model.classes_[model[-1].leave_one_out_proba_.argmax(axis=1)]
    expected = balanced_accuracy_score(frame["ill"], held_out)
    assert found["metrics"]["balanced_accuracy"]["value"] == pytest.approx(expected)
    new = patients(200, seed=1)
    new.to_csv("new.csv", index=False)
    evaluated = facts("evaluate", "m.blm", "new.csv", "-o", "page.html", "--importance")
    accuracy = evaluated["metrics"]["accuracy"]["value"]
    assert accuracy == pytest.approx((model.predict(new) == new["ill"]).mean())
    assert evaluated["importance"][0]["column"] == "age"
    assert evaluated["written"] == ["page.html"]
    assert "Evaluation of m.blm on new.csv" in (folder / "page.html").read_text("utf-8")
    assert "rows with the largest loss" in call("evaluate", "m.blm", "new.csv").stdout


def test_a_row_is_explained(folder, model):
    found = facts("explain", model, "patients.csv", "--row", "3", "-o", "why.parquet")
    total = sum(column["contribution"] for column in found["columns"])
    assert total == pytest.approx(found["probability"] - found["mean probability"], abs=1e-9)
    table = pd.read_parquet("why.parquet")
    assert table["row"].tolist() == [3]
    assert table["class"].tolist() == [load(model).predict(patients())[3]]
    shown = call("explain", model, "patients.csv").stdout
    assert "age" in shown
    assert "+" * 20 in shown
    assert "--row must be below" in refusal("explain", model, "patients.csv", "--row", "9999")


def test_predictions_keep_the_identity_of_rows(folder, model):
    frame, fitted = patients(), load(model)
    proba = fitted.predict_proba(frame)
    done = call("predict", model, "patients.csv", "-o", "p.parquet", "--keep", "id,town")
    assert done.exit_code == 0, done.output
    table = pd.read_parquet("p.parquet")
    assert table.columns.tolist() == [
        *("row", "id", "town", "prediction", "probability_=no", "probability_yes")
    ]
    assert table["id"].tolist() == frame["id"].tolist()
    np.testing.assert_array_equal(table["prediction"], fitted.predict(frame))
    np.testing.assert_allclose(table["probability_yes"], proba[:, 1])
    printed = call("predict", model, "patients.csv").stdout.splitlines()
    assert printed[0] == '"row","prediction","probability_=no","probability_yes"'
    assert printed[1].startswith(('0,"yes",0.', '0,"\'=no",0.'))
    assert "must name columns" in refusal("predict", model, "patients.csv", "--keep", "no")
    assert "must end in .csv or .parquet" in refusal(
        "predict", model, "patients.csv", "-o", "p.xlsx"
    )


def test_other_models_are_cross_validated(folder):
    found = facts("fit", "patients.csv", "-t", "ill", "-m", "elm", "-o", "m.blm")
    frame = patients()
    X, y = frame.drop(columns="ill"), frame["ill"].to_numpy(dtype=str)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    pipeline = make_pipeline(TablePreparation(), ELMClassifier(random_state=0))
    predicted = cross_val_predict(pipeline, X, y, cv=folds)
    assert found["metrics"]["accuracy"]["value"] == pytest.approx((predicted == y).mean())
    assert found["held_out"] == "5-fold cross-validation"
    np.testing.assert_array_equal(load("m.blm").predict(X), pipeline.fit(X, y).predict(X))


@pytest.mark.slow
def test_settings_thresholds_and_class_weights_are_chosen(folder):
    options = ("fit", "patients.csv", "-t", "ill", "-m", "bls", "--force", "-o", "m.blm")
    tuned = facts(*options, "--tune", "--scoring", "f1_macro")
    assert "settings were chosen on the same folds" in tuned["held_out"]
    assert load("m.blm")[-1].C == tuned["settings"]["C"]
    found = facts(*options, "--threshold", "0.2", "--class-weight", "balanced")
    assert found["threshold"] == {"label": "=no", "value": 0.2}
    assert found["settings"]["class_weight"] == "balanced"
    described = facts("describe", "m.blm")
    assert described["threshold"] == found["threshold"]
    assert described["target"] == "ill"
    assert facts("predict", "m.blm", "patients.csv")["rows"] == 60


def test_a_number_with_many_values_is_a_quantity(folder):
    frame = load_diabetes(as_frame=True, scaled=False).frame
    frame[:200].to_csv("train.csv", index=False)
    frame[200:].to_csv("new.csv", index=False)
    done = call("fit", "train.csv", "-t", "target", "-o", "m.blm")
    assert done.exit_code == 0, done.output
    assert "task: regression (by the values of the target; --task changes it)" in done.stdout
    found = facts("predict", "m.blm", "new.csv", "--coverage", "0.9")["predictions"]
    assert all(row["low"] < row["prediction"] < row["high"] for row in found)
    evaluated = facts("evaluate", "m.blm", "new.csv", "-o", "page.html")
    assert evaluated["metrics"]["r2"]["value"] > 0.3
    assert 0.8 < evaluated["metrics"]["coverage"]["value"] <= 1.0
    assert "Residuals" in (folder / "page.html").read_text("utf-8")
    found = facts("fit", "train.csv", "-t", "target", "-m", "bls", "-o", "bls.blm")
    assert found["metrics"]["r2"]["value"] > 0.2
    sentence = refusal("fit", "train.csv", "-t", "target", "-m", "IF-BLS", "-o", "x.blm")
    assert "--model must be one of Ensemble, BLS for regression" in sentence
    classes = ("fit", "train.csv", "-t", "sex", "--task", "regression", "-m", "bls", "-o", "s.blm")
    assert facts(*classes)["task"] == "regression"


def test_the_order_of_words_and_kinds_of_columns_can_be_given(folder):
    rng = np.random.default_rng(0)
    stage = rng.choice(["low", "mid", "high"], 60)
    y = np.where(stage == "high", "b", "a")
    pd.DataFrame({"stage": stage, "code": rng.integers(0, 3, 60), "y": y}).to_csv("t.csv")
    options = ("--as", "stage=low<mid<high,code=category")
    found = facts("inspect", "t.csv", "-t", "y", *options)
    assert [column["kind"] for column in found["columns"]] == ["ordered", "category"]
    assert found["task"] == "classification"
    done = call("fit", "t.csv", "-t", "y", "-m", "bls", "-o", "m.blm", *options)
    assert done.exit_code == 0, done.output
    assert "ordered" in call("describe", "m.blm").stdout
    assert "--as must be like column=kind, got 'stage'" in refusal(
        "inspect", "t.csv", "--as", "stage"
    )
    assert "there is no 'x'" in refusal("inspect", "t.csv", "--as", "x=number")


def test_a_table_as_people_write_it(folder):
    rng = np.random.default_rng(0)
    paid = rng.uniform(900, 3000, 80)
    lines = ["wann;bezahlt;anteil;ja;ziel"]
    for i, value in enumerate(paid):
        text = f"{value:,.2f}".translate(str.maketrans(",.", ".,"))
        day = f"{1 + i % 28:02d}.03.2024"
        lines.append(
            f"{day};€ {text};{7 * i % 100} %;{'ja' if i % 2 else 'nein'};{int(value > 1900)}"
        )
    (folder / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    found = facts("fit", "t.csv", "-t", "ziel", "-o", "m.blm")
    kinds = {column["column"]: column["kind"] for column in found["columns"]}
    assert kinds["wann"] == "date"
    assert kinds["bezahlt"] == kinds["anteil"] == "number"
    assert found["metrics"]["accuracy"]["value"] > 0.8
    assert facts("predict", "m.blm", "t.csv")["rows"] == 80
    # The same dates written otherwise are not guessed at.
    (folder / "other.csv").write_text("\n".join(lines).replace(".03.2024", "/03/24"), "utf-8")
    assert "'wann' has 80 of 80 cells that are not dates in the format of training" in refusal(
        "predict", "m.blm", "other.csv"
    )
    done = call("predict", "m.blm", "other.csv", "--force", "-o", "p.csv")
    assert done.exit_code == 0, done.output
    assert "Note: Column 'wann' has 80 of 80 cells" in done.stderr


def test_tables_come_from_a_pipe_a_workbook_or_with_table_options(folder):
    frame = patients().replace("=no", "no")
    frame.to_csv("patients.csv", index=False)
    frame.to_excel("p.xlsx", sheet_name="second", index=False)
    text = frame.to_csv(index=False, header=False, sep="|")
    (folder / "p.txt").write_text(text.replace(".", ","))
    options = ("-m", "elm", "--force", "-o", "m.blm")
    expected = facts("fit", "patients.csv", "-t", "ill", *options)["metrics"]
    assert facts("fit", "p.xlsx", "-t", "ill", "--sheet", "second", *options)["metrics"] == expected
    named = ("--no-header", "--sep", "|")
    assert facts("fit", "p.txt", "-t", "f5", *named, *options)["metrics"] == expected
    piped = frame.to_csv(index=False)
    done = runner.invoke(app, ["fit", "-", "-t", "ill", *options, "--json"], input=piped)
    assert json.loads(done.stdout)["metrics"] == expected


def test_models_saved_in_python_take_columns_by_name(folder):
    X = patients()[["age", "smoker"]].fillna(0).astype(float)
    save(BLSClassifier(random_state=0).fit(X, patients()["ill"]), "named.blm")
    save(BLSClassifier(random_state=0).fit(X.to_numpy(), patients()["ill"]), "nameless.blm")
    X.to_csv("x.csv", index=False)
    assert facts("predict", "named.blm", "x.csv")["rows"] == 60
    assert "has no column names" in refusal("predict", "nameless.blm", "x.csv")
    assert "does not name the column" in refusal("evaluate", "named.blm", "x.csv")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["fit", "no.csv", "-t", "ill", "-o", "m.blm"], "no.csv: No such file"),
        (["fit", "patients.csv", "-t", "Ill", "-o", "m.blm"], "did you mean 'ill'?"),
        (
            ["fit", "patients.csv", "-t", "ill", "-o", "patients.csv"],
            "already used by this command",
        ),
        (["fit", "patients.csv", "-t", "ill", "-o", "no/m.blm"], "in a folder that exists"),
        (
            ["fit", "patients.csv", "-t", "ill", "-o", "m", "--threshold", "2"],
            "between 0 and 1",
        ),
        (["fit", "patients.csv", "-t", "town", "-o", "m", "--threshold", "0.2"], "two classes"),
        (["predict", "patients.csv", "patients.csv"], "patients.csv"),
        (["evaluate", "patients.csv", "patients.csv"], "patients.csv"),
        (["describe", "patients.csv"], "patients.csv"),
        (["fit", "\x1b[2J.csv", "-t", "y", "-o", "m"], r"\x1b[2J.csv: No such file"),
    ],
)
def test_bad_input_is_one_sentence(folder, arguments, sentence):
    text = refusal(*arguments)
    assert sentence in text
    assert text.startswith("Error: ")
    assert len(text.splitlines()) == 1
    assert {path.name for path in folder.iterdir()} == {"patients.csv"}


def test_only_predictions_are_printed_as_a_table(model):
    printed = call("predict", model, "patients.csv").stdout
    assert call("predict", model, "patients.csv", "-o", "-").stdout == printed
    assert "must be a file" in refusal("predict", model, "patients.csv", "-o", "/dev/stdout")


def test_missing_columns_and_files_that_exist(folder, model):
    patients()[["town", "id"]].to_csv("few.csv", index=False)
    assert "has no 'age' and 'smoker'" in refusal("predict", model, "few.csv")
    before = model.read_bytes()
    options = ("fit", "patients.csv", "-t", "ill", "-m", "elm", "-o", model)
    assert "exists; write to another file, or overwrite it with --force" in refusal(*options)
    assert model.read_bytes() == before
    assert call(*options, "--force").exit_code == 0
    assert model.read_bytes() != before
