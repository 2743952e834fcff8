import json

import numpy as np
import pandas as pd
import pytest
from patients import call, patients
from sklearn.datasets import load_diabetes

from broadlearn import BLSRegressor, evaluate, load, save
from broadlearn.cli.predict import needed_columns

pytestmark = pytest.mark.slow


@pytest.fixture
def holdout(folder, model):
    frame = patients(seed=1)
    frame.to_csv("holdout.csv", index=False)
    return frame


def test_figures_are_those_of_the_library(holdout, model):
    done = call("evaluate", model, "holdout.csv", "--json", "-o", "page.html")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    fitted = load(model)
    X = holdout[needed_columns(fitted)]
    expected = evaluate(fitted, X, holdout["ill"].to_numpy(dtype=str))
    assert found["target"] == "ill"
    for name, line in expected.metrics.to_dict("index").items():
        assert found["metrics"][name] == pytest.approx(line)
    assert found["confusion"]["rows"] == expected.confusion.to_numpy().tolist()
    assert [row["row"] for row in found["worst"]] == expected.worst["position"].tolist()
    assert [row["line"] for row in found["worst"]] == (expected.worst["position"] + 2).tolist()
    assert found["importance"] is None
    assert found["written"] == ["page.html"]
    page = (model.parent / "page.html").read_text("utf-8")
    assert "<title>How good model.blm is, on holdout.csv</title>" in page
    assert f'<td class="nowrap">line {found["worst"][0]["line"]}</td>' in page


def test_what_is_printed(holdout, model):
    done = call("evaluate", model, "holdout.csv")
    assert done.exit_code == 0, done.output
    for word in ("balanced accuracy", "ROC AUC", "recall", "rows with the largest loss", "line"):
        assert word in done.stdout
    done = call("explain", model, "holdout.csv", "-o", "page.html")
    assert done.exit_code == 0, done.output
    for word in ("increase of the log-loss", "age", "smoker", "town", "written: page.html"):
        assert word in done.stdout
    assert "What the columns are worth" in (model.parent / "page.html").read_text("utf-8")
    found = json.loads(call("explain", model, "holdout.csv", "--json").stdout)
    assert found["importance"][0]["column"] == "age"
    assert found["importance_unit"] == "increase of the log-loss"


def test_labels_that_are_not_known_are_told(holdout, model):
    holdout.loc[3, "ill"] = "perhaps"
    holdout.to_csv("holdout.csv", index=False)
    done = call("evaluate", model, "holdout.csv")
    assert done.exit_code == 0, done.output
    assert "1 of 60 rows have a label that the model does not know" in done.stderr


def test_models_without_the_name_of_their_target(folder):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    save(BLSRegressor(random_state=0).fit(X[:200], y[:200]), "unnamed.blm")
    X[200:].assign(y=y).to_csv("new.csv", index=False)
    done = call("evaluate", "unnamed.blm", "new.csv")
    assert done.exit_code == 2
    assert "does not say which column it predicts; name it by --target" in done.stderr
    done = call("evaluate", "unnamed.blm", "new.csv", "-t", "y", "-o", "page.html", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["task"] == "regression"
    assert "Residuals" in (folder / "page.html").read_text("utf-8")
    off = np.abs(load("unnamed.blm").predict(X[200:]) - y[200:]).mean()
    assert found["metrics"]["mean_absolute_error"]["value"] == pytest.approx(off)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "model.blm", "holdout.csv", "-t", "il"], "did you mean 'ill'"),
        (["evaluate", "model.blm", "few.csv"], "has no 'age'"),
        (["evaluate", "holdout.csv", "holdout.csv"], "not a model file"),
        (["explain", "model.blm", "missing.csv"], "missing.csv"),
        (["explain", "model.blm", "holdout.csv", "-o", "holdout.csv"], "another file"),
    ],
)
def test_bad_input_is_one_sentence(folder, holdout, arguments, message):
    pd.DataFrame({"ill": ["yes", "=no"], "town": ["Ulm", "Kiel"]}).to_csv("few.csv", index=False)
    done = call(*arguments)
    assert done.exit_code == 2, done.output
    assert message in done.stderr
