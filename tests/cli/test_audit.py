"""`audit`: lists of suspect rows, corrections made and applied."""

import json
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from patients import call
from stub_audit import stub_audit


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (40, 2)), rng.normal(6, 1, (40, 2))]).round(3)
    y = np.repeat(["=low", "high"], 40)
    y[50], X[20] = "=low", [-90, 0]
    return pd.DataFrame(X, columns=["a", "b"]).assign(y=y)


def audit(X, y, *, task, progress, **options):
    """Find large `a` among the low, very small ones anywhere, and large quantities."""
    progress("neighbours", 0.5)
    a = X["a"].to_numpy()
    if task == "regression":
        found = {i: ("likely mislabelled", 0.9, 0.0) for i in np.flatnonzero(y > 100).tolist()}
        return stub_audit(X, y, found, task)
    found = {i: ("outlier", 0.3) for i in np.flatnonzero(a < -50).tolist()}
    for i in np.flatnonzero((a > 3) & (y == "=low")).tolist():
        found[i] = ("likely mislabelled", 0.95, "high")
    return stub_audit(X, y, found, task)


@pytest.fixture
def folder(tmp_path, monkeypatch, frame):
    for module in ("broadlearn.auditing", "broadlearn.auditing.auditing"):
        monkeypatch.setattr(import_module(module), "audit", audit)
    monkeypatch.chdir(tmp_path)
    frame.to_csv("rows.csv", index=False)
    return tmp_path


def test_wrong_labels_and_outliers_have_lists_of_their_own(folder):
    done = call("audit", "rows.csv", "-t", "y", "-o", "page.html", "--csv", "out.parquet")
    assert done.exit_code == 0, done.output
    assert done.stdout.index("likely mislabelled: 1") < done.stdout.index("outlier: 1")
    assert "Audit of rows.csv" in (folder / "page.html").read_text("utf-8")
    table = pd.read_parquet("out.parquet")
    assert table["row"].tolist()[0] == 50
    assert len(table) == 80
    found = json.loads(call("audit", "rows.csv", "-t", "y", "--json").stdout)
    assert found["rows"] == sum(found["verdicts"].values()) == 80
    assert [row["row"] for row in found["suspects"]["likely mislabelled"]] == [50]
    assert [row["row"] for row in found["suspects"]["outlier"]] == [20]


def test_the_clean_table_keeps_cells_as_they_are_written(folder, frame):
    done = call("audit", "rows.csv", "-t", "y", "--write-clean", "drop.csv")
    assert done.exit_code == 0, done.output
    assert "clean table: 79 of 80 rows, 1 dropped, 0 relabelled" in done.stdout
    text = pd.read_csv("drop.csv", dtype=str)
    assert text["a"].tolist() == [str(a) for a in frame["a"].drop(50)]
    options = ("--write-clean", "new.parquet", "--action", "relabel")
    assert call("audit", "rows.csv", "-t", "y", *options).exit_code == 0
    assert pd.read_parquet("new.parquet")["y"][50] == "high"


def test_corrections_are_written_decided_on_and_applied(folder):
    assert call("audit", "rows.csv", "-t", "y", "--corrections", "fixes.csv").exit_code == 0
    fixes = pd.read_csv("fixes.csv")
    assert fixes["action"].str.endswith("?").all()
    text = (folder / "fixes.csv").read_text().replace("relabel?", "relabel")
    (folder / "fixes.csv").write_text(text)
    done = call(
        *("audit", "rows.csv", "-t", "y", "--apply", "fixes.csv", "--write-clean", "clean.csv")
    )
    assert done.exit_code == 0, done.output
    assert "likely mislabelled: 1 → 0" in done.stdout
    assert 'a suggestion that ends with "?"' in done.stderr
    assert pd.read_csv("clean.csv")["y"].tolist()[50] == "high"


def test_the_real_audit(folder, monkeypatch):
    monkeypatch.undo()
    done = call("audit", folder / "rows.csv", "-t", "y", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["suspects"]["likely mislabelled"][0]["row"] == 50


def test_a_quantity_is_audited(folder, frame):
    rng = np.random.default_rng(0)
    y = 3 * frame["a"] + rng.normal(0, 0.1, 80)
    y[30] += 400
    frame.assign(y=y).to_csv("q.csv", index=False)
    found = json.loads(call("audit", "q.csv", "-t", "y", "--json").stdout)
    assert found["task"] == "regression"
    assert found["suspects"]["likely mislabelled"][0]["row"] == 30
    done = call("audit", "q.csv", "-t", "y", "--write-clean", "c.csv", "--action", "relabel")
    assert done.exit_code == 2
    assert "needs classes" in done.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--apply", "no.csv"], "no.csv"),
        (["-o", "a.html", "--csv", "a.html"], "already used by this command"),
    ],
)
def test_bad_options_are_one_sentence(folder, options, sentence):
    done = call("audit", "rows.csv", "-t", "y", *options)
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
