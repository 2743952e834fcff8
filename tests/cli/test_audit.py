import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from broadlearn import audit
from broadlearn.cli.app import app

runner = CliRunner()


def call(*arguments):
    return runner.invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (30, 2)), rng.normal(5, 1, (30, 2))])
    y = np.repeat(["=low", "high"], 30)
    y[40], X[20] = "=low", [-9, 0]
    return pd.DataFrame(X, columns=["a", "b"]).assign(y=y)


@pytest.fixture
def folder(tmp_path, monkeypatch, frame):
    monkeypatch.chdir(tmp_path)
    frame.to_csv("rows.csv", index=False)
    return tmp_path


def test_suspect_rows_are_printed_and_written(folder, frame):
    done = call("audit", "rows.csv", "--target", "y", "-o", "page.html", "--csv", "rows.out.csv")
    assert done.exit_code == 0, done.output
    assert "page.html, rows.out.csv" in done.stdout
    found = audit(frame[["a", "b"]], frame["y"].to_numpy(dtype=str))
    assert (folder / "rows.out.csv").read_text() == found.to_csv()
    assert "Audit of rows.csv" in (folder / "page.html").read_text()


def test_json_lists_the_suspects(folder):
    done = call("audit", "rows.csv", "-t", "y", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["rows"] == sum(found["verdicts"].values()) == 60
    assert [suspect["row"] for suspect in found["suspects"]] == [40, 20]
    assert found["suspects"][0]["likely_label"] == "high"
    assert found["written"] == []


def test_cells_are_text_and_not_markup(folder, frame):
    frame["y"] = frame["y"].replace("=low", "[red]low")
    frame.to_csv("rows.csv", index=False)
    done = call("audit", "rows.csv", "-t", "y", "--top", "1")
    assert done.exit_code == 0, done.output
    assert "[red]low" in done.stdout


def test_nothing_is_listed_where_nothing_is_suspect(folder, frame):
    frame.drop(index=[20, 40]).to_csv("fine.csv", index=False)
    done = call("audit", "fine.csv", "-t", "y")
    assert done.exit_code == 0, done.output
    assert "suspicion" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-t", "z"], "no column 'z'"),
        (["-t", "y", "-o", "rows.csv"], "another file"),
        (["-t", "y", "-o", "out", "--csv", "out"], "another file"),
        (["-t", "y", "--drop", "a,b"], "no columns besides"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(folder, arguments, message):
    done = call("audit", "rows.csv", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert [path.name for path in folder.iterdir()] == ["rows.csv"]
