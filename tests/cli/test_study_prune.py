import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from broadlearn.cli import study_prune
from broadlearn.cli.app import app
from broadlearn.study import ResultStore, Unit, UnitResult

runner = CliRunner()
UNIT = Unit("iris", "none", "BLS", "nested", 0, "paper", "5ac1")


def call(*arguments, **options):
    return runner.invoke(app, ["study", *map(str, arguments)], **options)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "results.db"
    with ResultStore(path) as store:
        for unit in (UNIT, replace(UNIT, recipe="r1"), replace(UNIT, recipe="r2", seed=1)):
            store.claim(unit)
            store.finish(unit, UnitResult([0.5], {}, 1.0))
    return path


def n_units(path):
    with ResultStore(path) as store:
        return len(store.rows())


def test_status_counts_former_units(path):
    text = call("status", "--store", path).output
    assert "nested    done    2" in text
    assert "Besides, 1 units of former models or data (1 by the model, 0 by the data)" in text
    found = json.loads(call("status", "--store", path, "--json").output)
    assert found["former"] == {"model": 1, "data": 0}


def test_a_dry_run_removes_nothing(path):
    done = call("prune", "--store", path, "--dry-run")
    assert done.exit_code == 0, done.output
    assert "1 unit of BLS on iris: the model changed since" in done.output
    assert "1 unit would be removed" in done.output
    assert n_units(path) == 3


def test_without_a_terminal_yes_is_needed(path):
    done = call("prune", "--store", path)
    assert done.exit_code == 2
    assert "give --yes" in done.output
    assert n_units(path) == 3
    assert "Removed 1 unit from" in call("prune", "--store", path, "--yes").output
    assert n_units(path) == 2
    assert "has no units of former models" in call("prune", "--store", path, "--yes").output


@pytest.mark.parametrize(("answer", "left", "code"), [("y", 2, 0), ("n", 3, 1)])
def test_a_terminal_is_asked(path, monkeypatch, answer, left, code):
    monkeypatch.setattr(study_prune, "_is_asked", lambda: True)
    done = call("prune", "--store", path, input=f"{answer}\n")
    assert done.exit_code == code
    assert n_units(path) == left


def test_json(path):
    found = json.loads(call("prune", "--store", path, "--yes", "--json").output)
    assert found["removed"] == 1
    assert found["former"] == [{"model": "BLS", "dataset": "iris", "former": "model", "units": 1}]


def test_no_store(tmp_path):
    done = call("prune", "--store", tmp_path / "none.db")
    assert done.exit_code == 2
    assert "no file of results" in done.output
