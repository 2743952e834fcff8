import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from made_up_collection import write_collection
from typer.testing import CliRunner

from broadlearn.cli.app import app
from broadlearn.study import ResultStore

runner = CliRunner()


def call(*arguments):
    return runner.invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_run_status_and_report(folder):
    arguments = ["-d", "iris", "-m", "ELM,majority", "--grid", "reduced"]
    done = call("study", "run", *arguments, "--noise", "none,labels:0.2", "--output", "page")
    assert done.exit_code == 0, done.output
    assert "iris, ELM, nested, labels:0.2:train: " in done.output
    assert "8/8  " in done.output
    assert (folder / "page" / "index.html").is_file()
    again = call("study", "run", *arguments)
    assert "4 runs, 4 done before, 0 to do" in again.output
    assert "done" in call("study", "status").output
    report = call("study", "report", "-o", "other", "--export", "runs.csv", "--reference", "ELM")
    assert report.exit_code == 0, report.output
    assert len(pd.read_csv(folder / "runs.csv")) == 8


def test_a_failing_model_gives_exit_code_2(folder, monkeypatch):
    (folder / "broken.py").write_text(
        "from sklearn.dummy import DummyClassifier\n"
        "class Broken(DummyClassifier):\n"
        "    def fit(self, X, y, sample_weight=None):\n"
        "        raise RuntimeError('out of order')\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    done = call("study", "run", "-d", "iris", "-m", "majority,broken:Broken", "-p", "nested")
    assert done.exit_code == 2
    assert "failed: iris, Broken, nested: RuntimeError: out of order" in done.output
    assert "1 of 2 runs is not done" in done.output
    assert "out of order" in call("study", "status").output
    sys.modules.pop("broken", None)


def test_a_plan_in_a_file(folder):
    frame = pd.DataFrame({"a": range(60), "b": ["x", "y"] * 30, "group": ["CN", "MCI", "AD"] * 20})
    frame.to_csv("clinic.csv", index=False)
    (folder / "plan.toml").write_text(
        'data = ["clinic.csv"]\ntarget = "group"\npairwise = ["CN", "MCI", "AD"]\n'
        'model = ["ELM"]\nprotocol = ["nested"]\nscoring = "balanced_accuracy"\nfolds = 3\n'
        'title = "Three pairs"\n'
    )
    done = call("study", "run", "plan.toml", "-m", "majority", "--output", "page")
    assert done.exit_code == 0, done.output
    assert "3 runs" in done.output
    assert "clinic: CN vs AD, majority, nested" in done.output
    assert "Three pairs" in (folder / "page" / "index.html").read_text()
    (folder / "large.toml").write_text("max_rows = 1500\n")
    arguments = ["-d", "iris,digits", "-m", "majority", "-p", "nested", "--grid", "equal"]
    large = call("study", "run", "large.toml", *arguments)
    assert "1 run, 0 done before" in large.output


def test_the_collection_is_a_data_set_like_any_other(folder, monkeypatch):
    write_collection(folder / "data" / "uci121")
    monkeypatch.setenv("BROADLEARN_DATA", str(folder / "data"))
    arguments = ["-d", "uci121", "-p", "given-splits", "-m", "majority", "--output", "page"]
    done = call("study", "run", *arguments)
    assert done.exit_code == 0, done.output
    assert "12 runs" in done.output
    assert (folder / "page" / "tables" / "leaderboard_majority.csv").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["study", "run", "-d", "no_such"], "no_such"),
        (["study", "run", "-m", "no_such", "-d", "iris"], "model must be one of"),
        (["study", "run", "--data", "missing.csv", "--target", "y"], "missing.csv"),
        (["study", "run", "--data", "missing.csv"], "--target"),
        (["study", "run", "-d", "iris", "--noise", "loud"], "noise"),
        (["study", "run", "-d", "iris", "-m", "ELM", "--jobs", "-2"], "--jobs"),
        (["study", "run", "-d", "iris", "-m", "ELM", "--seeds", "0"], "--seeds"),
        (["study", "run", "none.toml"], "none.toml"),
        (["study", "run", "bad.toml"], "not a TOML file"),
        (["study", "run", "odd.toml"], "unknown option 'speed'"),
        (["study", "status", "--store", "none.db"], "no result store"),
        (["study", "report", "-o", "x", "--store", "none.db"], "no result store"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(folder, arguments, message):
    (folder / "bad.toml").write_text("a = = 1")
    (folder / "odd.toml").write_text("speed = 1")
    done = call(*arguments)
    assert done.exit_code == 2
    assert message in done.output.replace("\n", " ")
    assert "Traceback" not in done.output


def test_facts_for_machines(folder):
    arguments = ["-d", "iris", "-m", "MAJORITY", "-p", "nested", "--noise", "none", "--json"]
    ran = json.loads(call("study", "run", *arguments).stdout)
    assert (ran["runs"], ran["done"], ran["report"]) == (1, 1, None)
    found = json.loads(call("study", "status", "--json").stdout)
    assert found["counts"] == [{"protocol": "nested", "status": "done", "runs": 1}]
    assert found["lost"] == []
    assert found["code"][0]["runs"] == 1


def test_other_code_is_said_and_redone_on_demand(folder, monkeypatch):
    arguments = ["study", "run", "-d", "iris", "-m", "majority", "-p", "nested"]
    call(*arguments)
    monkeypatch.setattr("broadlearn.study.store._package_source", lambda: ("0" * 12, ""))
    assert "1 result of other code; --again runs these anew" in call(*arguments).output
    assert "0 done before, 1 to do" in call(*arguments, "--again").output
    assert "of other code" not in call(*arguments).output


def test_a_second_study_on_a_store_stops(folder):
    with ResultStore("results.db"):
        done = call("study", "run", "-d", "iris", "-m", "majority", "--store", "results.db")
    assert done.exit_code == 2
    assert "Another study is writing to results.db" in done.output


def test_quiet_says_nothing_of_what_goes_well(folder):
    done = call("-q", "study", "run", "-d", "iris", "-m", "majority", "-p", "nested")
    assert done.exit_code == 0
    assert done.output == ""


@pytest.mark.soak
def test_a_model_of_the_working_folder_in_worker_processes(folder):
    """As it is typed: the folder is on the path of no process to begin with."""
    package = folder / "own_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "models.py").write_text(
        "from sklearn.neighbors import KNeighborsClassifier\n"
        "class Mine(KNeighborsClassifier):\n    pass\n"
    )
    arguments = ["-d", "iris", "-m", "own_package.models:Mine", "-p", "nested"]
    command = [Path(sys.executable).with_name("broadlearn"), "study", "run", *arguments]
    first = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "0 done before, 1 to do" in first.stderr
    with (package / "models.py").open("a") as file:
        file.write("# Edited.\n")
    second = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "1 done before, 0 to do" in second.stderr
    assert "of other code" in second.stderr
