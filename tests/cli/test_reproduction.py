import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from broadlearn.cli.app import app
from broadlearn.study import ResultStore, UnitResult, make_study

runner = CliRunner()


def call(*arguments):
    return runner.invoke(app, ["study", "reproduction", *map(str, arguments)])


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Made-up results of a data set that needs no file."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "results.db"
    with ResultStore(path) as results:
        for protocol, noise in (
            ("paper", "none"),
            ("paper-columns", "none"),
            ("nested", "none"),
        ):
            for unit in make_study(
                ["monks_1"], ["ELM", "BLS"], protocols=[protocol], noises=[noise]
            ).plan:
                results.claim(unit)
                results.finish(unit, UnitResult([0.7, 0.8, 0.75, 0.8, 0.9], {"C": 1.0}, 1.5))
    return path


def plain(text):
    return " ".join(text.split())


def test_redraws_go_on_where_they_stopped_and_a_report_is_written(store, tmp_path):
    first = call("--store", store, "--draws", "2", "--model", "ELM")
    assert first.exit_code == 0, first.output
    assert "2 printed figures, 0 redrawn before, 2 to redraw 2 times" in plain(first.output)
    assert "monks_1, ELM, paper-columns" in first.output
    redraws = pd.read_csv(tmp_path / "redraws.csv")
    assert list(redraws["reading"]) == ["paper", "paper-columns"]
    second = call("--store", store, "--draws", "2", "-d", "monks_1", "--report", "page")
    assert second.exit_code == 0, second.output
    assert "4 printed figures, 2 redrawn before, 2 to redraw 2 times" in plain(second.output)
    assert "contra-" in second.output
    assert (tmp_path / "page" / "reproduction.md").is_file()
    assert len(pd.read_csv(tmp_path / "page" / "cells.csv")) == 4


def test_without_draws_nothing_is_fitted(store, tmp_path):
    done = call("--store", store, "--draws", "0")
    assert done.exit_code == 0, done.output
    assert "without noise" in done.output
    assert not (tmp_path / "redraws.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--store", "none.db"), "There is no file of results at none.db"),
        (("--model", "SVC"), "must hold a unit that is done and has a printed figure, got none."),
    ],
)
def test_bad_input_in_one_sentence(store, arguments, message):
    done = call("--store", store, *arguments)
    assert done.exit_code == 2
    assert message in plain(done.output)


def test_facts_for_machines(store):
    done = call("--store", store, "--draws", "0", "--json")
    found = json.loads(done.stdout)
    assert found["report"] is None
    lines = found["summary"]["without noise"]
    assert {(line["reading"], line["model"]) for line in lines} == {
        (reading, model) for reading in ("paper", "paper-columns") for model in ("ELM", "BLS")
    }
