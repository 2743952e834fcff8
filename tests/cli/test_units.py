import sys

import pytest
import typer
from sklearn.dummy import DummyClassifier

from broadlearn.cli.units import (
    METRICS,
    check_jobs,
    command_line,
    exit_if_lost,
    kept_results,
    n_processes,
    run_units,
    why,
)
from broadlearn.study import ModelSpec, ResultStore, make_study
from broadlearn.study.metrics import METRICS as known


class Broken(DummyClassifier):
    def fit(self, X, y, sample_weight=None):
        raise RuntimeError("out of order")


@pytest.mark.slow
def test_units_are_told_as_they_end(tmp_path, capsys):
    study = make_study(["iris"], ["majority"], protocols=["nested"], seeds=2)
    with ResultStore(tmp_path / "results.db") as store:
        run_units(study, store, 1)
        exit_if_lost(study, store)
        first = capsys.readouterr().err
        run_units(study, store, 1)
    assert "2 units, 0 done before, 2 to do on 1 process; results in" in first
    assert "2/2  iris, majority, nested" in first
    assert "2 done before, 0 to do" in capsys.readouterr().err


@pytest.mark.slow
def test_lost_units_are_named_and_exit_with_code_2(tmp_path, capsys):
    study = make_study(["iris"], ["majority"], protocols=["nested"])
    study.models["majority"] = ModelSpec("majority", Broken())
    with ResultStore(tmp_path / "results.db") as store:
        run_units(study, store, 1)
        with pytest.raises(typer.Exit) as stopped:
            exit_if_lost(study, store)
    assert stopped.value.exit_code == 2
    error = capsys.readouterr().err
    assert why("failed", study.plan[0], "RuntimeError: out of order") in error
    assert "1 of 1 units are not done" in error


def test_small_things(monkeypatch):
    assert n_processes(3) == 3
    assert n_processes(-1) >= 1
    monkeypatch.setattr(sys, "argv", ["/bin/broadlearn", "study", "run", "a b"])
    assert command_line() == "broadlearn study run 'a b'"


def test_numbers_of_processes():
    assert [check_jobs(jobs) for jobs in (1, 8, -1, -2)] == [1, 8, -1, -2]
    for jobs in (0, 10**9):
        with pytest.raises(typer.BadParameter, match=f"or -1 for all cores, got {jobs}"):
            check_jobs(jobs)


def test_results_that_must_be_there(tmp_path):
    with pytest.raises(ValueError, match="There is no file of results at"):
        kept_results(tmp_path / "results.db")
    assert not (tmp_path / "results.db").exists()
    ResultStore(tmp_path / "results.db").close()
    kept_results(tmp_path / "results.db").close()


def test_names_that_help_texts_show_are_those_of_the_study():
    assert tuple(known) == METRICS
