import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from broadlearn.cli.app import app

runner = CliRunner()


def call(*arguments):
    return runner.invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_run_status_and_report(folder):
    done = call(
        "study", "run", "-d", "iris", "-m", "ELM,majority", "--grid", "reduced", "--report", "page"
    )
    assert done.exit_code == 0, done.output
    assert "index.html" in done.output
    assert (folder / "page" / "index.html").is_file()
    again = call("study", "run", "-d", "iris", "-m", "ELM,majority", "--grid", "reduced")
    assert "4 done before, 0 to do" in again.output
    assert "done" in call("study", "status").output
    report = call("study", "report", "other", "--export", "units.csv")
    assert report.exit_code == 0, report.output
    assert len(pd.read_csv(folder / "units.csv")) == 4


@pytest.mark.slow
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
    assert "out of order" in done.output
    assert "1 of 2 units are not done" in done.output
    assert "out of order" in call("study", "status").output
    sys.modules.pop("broken", None)


@pytest.mark.slow
def test_large_data_sets_are_left_out(folder):
    done = call(
        "study", "run", "-d", "iris,digits", "-m", "majority", "-p", "nested", "--max-rows", 1500
    )
    assert done.exit_code == 0, done.output
    assert "1 units, 0 done before" in done.output


@pytest.mark.slow
def test_a_table_of_ones_own_in_pairs(folder):
    frame = pd.DataFrame({"a": range(60), "b": ["x", "y"] * 30, "group": ["CN", "MCI", "AD"] * 20})
    frame.to_csv("clinic.csv", index=False)
    done = call(
        "study", "run", "--data", "clinic.csv", "--target", "group", "--pairwise", "CN,MCI,AD",
        "-m", "majority", "-p", "nested",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "3 units" in done.output
    assert "clinic: CN vs AD" in done.output


@pytest.mark.slow
def test_sensitivity_feeds_the_report(folder):
    assert call("study", "run", "-d", "iris", "-m", "majority", "-p", "paper").exit_code == 0
    found = call("study", "sensitivity", "s.csv", "-d", "iris", "-m", "BLS", "--grid", "reduced")
    assert found.exit_code == 0, found.output
    assert call("study", "report", "page", "--sensitivity", "s.csv").exit_code == 0
    assert "Accuracy against C" in (folder / "page" / "index.html").read_text()


def test_sensitivity_of_pairs(folder):
    found = call(
        "study", "sensitivity", "s.csv", "-d", "iris", "--pairwise", "0,1,2", "-m", "ELM",
        "--grid", "reduced",
    )  # fmt: skip
    assert found.exit_code == 0, found.output
    names = pd.read_csv(folder / "s.csv")["dataset"].unique().tolist()
    assert names == ["iris: 0 vs 1", "iris: 0 vs 2", "iris: 1 vs 2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["study", "run", "-d", "no_such"], "no_such"),
        (["study", "run", "-m", "no_such", "-d", "iris"], "model must be one of"),
        (["study", "run", "--data", "missing.csv", "--target", "y"], "missing.csv"),
        (["study", "run", "--data", "missing.csv"], "--target"),
        (["study", "run", "-d", "iris", "--noise", "loud"], "noise"),
        (["study", "run", "-d", "iris", "-m", "ELM", "--dask", "tcp://10.0.0.5:1"], "--insecure"),
        (["study", "status", "--store", "none.db"], "no file of results"),
        (["study", "report", "x", "--store", "none.db"], "no file of results"),
        (["study", "sensitivity", "s.csv"], "--dataset"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(folder, arguments, message):
    done = call(*arguments)
    assert done.exit_code == 2
    assert message in done.output.replace("\n", " ")
    assert "Traceback" not in done.output


@pytest.mark.slow
def test_facts_for_machines(folder):
    arguments = ["-d", "iris", "-m", "MAJORITY", "-p", "nested", "--noise", "none", "--json"]
    ran = json.loads(call("study", "run", *arguments).stdout)
    assert (ran["units"], ran["done"], ran["failed"], ran["report"]) == (1, 1, 0, None)
    found = json.loads(call("study", "status", "--json").stdout)
    assert found == {
        "store": "study/results.db",
        "counts": [{"protocol": "nested", "status": "done", "units": 1}],
        "lost": [],
        "former": {"model": 0, "data": 0},
    }


@pytest.mark.slow
def test_quiet_says_nothing_of_what_goes_well(folder):
    done = call("study", "run", "-d", "iris", "-m", "majority", "-p", "nested", "-q")
    assert done.exit_code == 0
    assert done.output == ""


@pytest.mark.slow
def test_tables_of_ones_own_with_commas(folder):
    for name in ("one", "two"):
        frame = pd.DataFrame({"a": range(40), "y": [0, 1] * 20})
        frame.to_csv(f"{name}.csv", index=False)
    done = call(
        "study", "run", "--data", "one.csv,two.csv", "--target", "y", "-m", "majority",
        "-p", "nested",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "2 units" in done.output


@pytest.mark.slow
def test_a_model_of_the_working_folder_in_worker_processes(folder):
    """As it is typed: the folder is on the path of no process to begin with."""
    package = folder / "own_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "models.py").write_text(
        "from sklearn.neighbors import KNeighborsClassifier\n"
        "from .parts import K\n"
        "class Mine(KNeighborsClassifier):\n"
        "    def __init__(self, n_neighbors=K):\n"
        "        super().__init__(n_neighbors)\n"
    )
    arguments = ["-d", "iris,wine", "-m", "majority,own_package.models:Mine", "-p", "nested"]
    command = [Path(sys.executable).with_name("broadlearn"), "study", "run", *arguments]
    told = []
    for k, n_jobs in ((1, "2"), (5, "1")):
        (package / "parts.py").write_text(f"K = {k}\n")
        done = subprocess.run([*command, "-j", n_jobs], capture_output=True, text=True, check=True)
        told.append(done.stderr.splitlines()[0])
    assert "4 units, 0 done before, 4 to do" in told[0]
    assert "4 units, 2 done before, 2 to do" in told[1]
    status = call("study", "status")
    assert "Besides, 2 units of former models or data" in status.output
