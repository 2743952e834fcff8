import json
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from stub_audit import stub_audit
from typer.testing import CliRunner

from broadlearn.cli import console
from broadlearn.cli.app import app

runner = CliRunner()
HEADER = '"row","line","label","likely_label","suspicion","verdict","action","new_label"\n'


def call(*arguments):
    return runner.invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (30, 2)), rng.normal(5, 1, (30, 2))]).round(3)
    y = np.repeat(["=low", "high"], 30)
    y[40], X[20] = "=low", [-9, 0]
    return pd.DataFrame(X, columns=["a", "b"]).assign(y=y)


@pytest.fixture
def calls(monkeypatch):
    """Calls of an audit that finds large `a` among the low and very small ones anywhere."""
    made = []

    def audit(X, y, *, task, progress, **options):
        made.append((X, y, task))
        progress("neighbours", 0.5)
        a, found = X["a"].to_numpy(), {}
        if task == "regression":
            found = {i: ("likely mislabelled", 0.9, 0.0) for i in np.flatnonzero(y > 100).tolist()}
            return stub_audit(X, y, found, task)
        for i in np.flatnonzero(a < -5).tolist():
            found[i] = "outlier", 0.3
        for i in np.flatnonzero((a > 2.5) & np.char.endswith(y, "low")).tolist():
            found[i] = "likely mislabelled", 0.95, "high"
        return stub_audit(X, y, found, task)

    for module in ("broadlearn.auditing", "broadlearn.auditing.auditing"):
        monkeypatch.setattr(import_module(module), "audit", audit)
    return made


@pytest.fixture
def folder(tmp_path, monkeypatch, frame, calls):
    monkeypatch.chdir(tmp_path)
    frame.to_csv("rows.csv", index=False)
    return tmp_path


def test_suspect_rows_are_printed_and_written(folder, frame, calls):
    done = call("audit", "rows.csv", "--target", "y", "-o", "page.html", "--csv", "rows.out.csv")
    assert done.exit_code == 0, done.output
    assert "written: page.html" in done.stdout
    assert "written: rows.out.csv" in done.stdout
    assert "flagged: 1 of 31 '=low'" in done.stdout
    assert calls[0][2] == "classification"
    text = (folder / "rows.out.csv").read_text()
    header, first, *_ = text.splitlines()
    assert header.startswith('"row","line","suspicion","verdict"')
    assert first.startswith('40,42,0.95,"likely mislabelled"')
    assert "Audit of rows.csv" in (folder / "page.html").read_text()


def test_json_lists_the_suspects(folder):
    done = call("audit", "rows.csv", "-t", "y", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["rows"] == sum(found["verdicts"].values()) == 60
    assert [(suspect["row"], suspect["line"]) for suspect in found["suspects"]] == [
        (40, 42),
        (20, 22),
    ]
    assert found["suspects"][0]["likely_label"] == "high"
    assert found["suspects"][1]["values"] == {"a": -9.0, "b": 0.0}
    assert found["wrong_labels"]["low"] < found["wrong_labels"]["value"]
    assert found["written"] == []
    assert found["applied"] is None


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


@pytest.mark.parametrize("action", [None, "drop", "relabel"])
def test_the_clean_table_keeps_all_columns_and_digits(folder, frame, action):
    lines = [f"{i};{row.b:.5f};{row.y};{row.a}" for i, row in enumerate(frame.itertuples())]
    (folder / "rows.csv").write_text("id;b;y;a\n" + "\n".join(lines) + "\n")
    options = [] if action is None else ["--action", action]
    done = call("audit", "rows.csv", "-t", "y", "--drop", "id", "--write-clean", "c.csv", *options)
    assert done.exit_code == 0, done.output
    expected = lines.copy()
    expected[40] = expected[40].replace("=low", "high")
    if action != "relabel":
        del expected[40]
    assert (folder / "c.csv").read_text() == "id;b;y;a\n" + "\n".join(expected) + "\n"
    what = "60 of 60 rows, 0 dropped, 1" if action == "relabel" else "59 of 60 rows, 1 dropped, 0"
    assert f"c.csv ({what} relabelled)" in done.stdout


def test_the_loop_is_closed(folder, frame, calls):
    done = call("audit", "rows.csv", "-t", "y", "--corrections", "fixes.csv")
    assert done.exit_code == 0, done.output
    assert (folder / "fixes.csv").read_text() == HEADER + (
        '40,42,"\'=low","high",0.95,"likely mislabelled","relabel?","high"\n'
        '20,22,"\'=low","\'=low",0.3,"outlier","keep?",""\n'
    )
    options = ["audit", "rows.csv", "-t", "y", "--apply", "fixes.csv", "--write-clean", "c.csv"]
    options.append("--force")
    done = call(*options)
    assert done.exit_code == 0, done.output
    assert "nobody decided: 2 rows of fixes.csv" in done.stderr
    assert (folder / "c.csv").read_bytes() == (folder / "rows.csv").read_bytes()

    fixes = (folder / "fixes.csv").read_text().replace("relabel?", "relabel")
    (folder / "fixes.csv").write_text(fixes.replace("keep?", "drop"))
    del calls[:]
    done = call(*options)
    assert done.exit_code == 0, done.output
    assert [len(X) for X, _, _ in calls] == [60, 59]
    assert calls[1][1][39] == "high"
    assert "applied: 1 dropped, 1 relabelled, 0 kept" in done.stdout
    assert "rows: 60 → 59" in done.stdout
    assert "likely mislabelled: 1 → 0" in done.stdout
    expected = frame.copy()
    expected.loc[40, "y"] = "high"
    pd.testing.assert_frame_equal(
        pd.read_csv("c.csv"), expected.drop(index=20).reset_index(drop=True)
    )
    done = call(*options, "--json")
    applied = json.loads(done.stdout)["applied"]
    assert applied["before"]["verdicts"]["likely mislabelled"] == 1
    assert (applied["dropped"], applied["relabelled"]) == (1, 1)


def test_only_undecided_rows_are_cleaned_by_an_action(folder, frame):
    frame.loc[41, "y"] = "=low"
    frame.to_csv("rows.csv", index=False)
    (folder / "f.csv").write_text(
        "row,label,action,new_label\n40,'=low,keep,\n0,'=low,drop,\n1,'=low,relabel,new:odd\n"
    )
    options = ["--apply", "f.csv", "--write-clean", "c.csv", "--action", "drop"]
    done = call("audit", "rows.csv", "-t", "y", *options)
    assert done.exit_code == 0, done.output
    frame.loc[1, "y"] = "odd"
    expected = frame.drop(index=[0, 41]).reset_index(drop=True)
    pd.testing.assert_frame_equal(pd.read_csv("c.csv"), expected)
    # A row that somebody decided to keep is listed no more.
    assert "\n39 " not in done.stdout
    assert "\n40 " in done.stdout


def test_regression_targets(folder, frame, calls):
    frame["y"] = np.linspace(1, 7, 60)
    frame.loc[5, "y"] = 1000
    frame.to_csv("rows.csv", index=False)
    done = call("audit", "rows.csv", "-t", "y", "--write-clean", "c.csv", "--corrections", "f.csv")
    assert done.exit_code == 0, done.output
    assert calls[0][2] == "regression"
    assert len(pd.read_csv("c.csv")) == 59
    assert '"drop?",""' in (folder / "f.csv").read_text()
    (folder / "f.csv").write_text("row,label,action,new_label\n5,1000,relabel,1.75\n")
    done = call(
        "audit", "rows.csv", "-t", "y", "--apply", "f.csv", "--write-clean", "c.csv", "--force"
    )
    assert done.exit_code == 0, done.output
    assert pd.read_csv("c.csv")["y"][5] == 1.75
    for options, message in {
        ("--task", "classification"): "looks like a regression target",
        ("--write-clean", "d.csv", "--action", "relabel"): "--action relabel needs classes",
    }.items():
        done = call("audit", "rows.csv", "-t", "y", *options)
        assert (done.exit_code, message in done.stderr) == (2, True)


def test_whole_numbers_as_a_quantity(folder, frame, calls):
    frame.assign(y=np.arange(60) % 7).to_csv("rows.csv", index=False)
    assert call("audit", "rows.csv", "-t", "y", "--task", "regression").exit_code == 0
    assert calls[-1][2] == "regression"


def test_progress_is_shown_where_a_person_is_watching(folder, monkeypatch):
    shown = []

    def update(self, task_id, **changes):
        shown.append((changes["description"], changes["completed"]))

    monkeypatch.setattr("rich.progress.Progress.update", update)
    monkeypatch.setattr(console, "is_terminal", lambda: True)
    assert call("audit", "rows.csv", "-t", "y").exit_code == 0
    assert shown == [("neighbours", 0.5)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-t", "z"], "no column 'z'"),
        (["-t", "y", "-o", "rows.csv"], "another file"),
        (["-t", "y", "-o", "out", "--csv", "out"], "another file"),
        (["-t", "y", "--drop", "a,b"], "no columns besides"),
        (["-t", "y", "--task", "x"], "--task must be one of auto, classification, regression, got"),
        (["-t", "y", "--task", "regression"], "holds texts, where numbers are expected"),
        (["-t", "y", "--write-clean", "c.csv", "--action", "x"], "--action must be one of drop, r"),
        (["-t", "y", "--action", "drop"], "--action says what --write-clean does"),
        (["-t", "y", "--write-clean", "clean.xlsx"], "must end in .csv"),
        (["-t", "y", "--apply", "none.csv"], "There is no file none.csv"),
        (["-t", "y", "--apply", "rows.csv"], "must have the columns row, label, action"),
        (["-t", "y", "--apply", "f.csv", "--write-clean", "f.csv"], "another file"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(folder, arguments, message):
    done = call("audit", "rows.csv", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert [path.name for path in folder.iterdir()] == ["rows.csv"]


def test_corrections_that_leave_one_class_are_refused(folder, frame):
    frame.iloc[[0, 1, 40, 59]].to_csv("rows.csv", index=False)
    (folder / "f.csv").write_text("row,label,action,new_label\n3,high,drop,\n")
    done = call("audit", "rows.csv", "-t", "y", "--apply", "f.csv")
    assert done.exit_code == 2
    assert "y must hold at least two classes" in done.stderr
