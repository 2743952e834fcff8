import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from broadlearn.study import ResultStore, StoreError, find_model, make_study, newest
from broadlearn.study.models import ModelSpec
from broadlearn.study.plan import Unit, UnitResult
from broadlearn.study.running import Task, run_tasks, start_worker

UNIT = Unit("iris", "none", "BLS", "nested", 0, "paper", "5ac1")
RESULT = UnitResult(
    [0.5, 1.0], [{"C": np.float64(1.0)}, {"n": np.int64(3)}], 1.5, {"f1_macro": [0.1, 0.2]}
)
BLS = find_model("BLS")


def test_rows_come_back_as_they_were_filed(tmp_path):
    with ResultStore(tmp_path / "new" / "results.db") as store:
        store.add(UNIT, BLS, RESULT)
        store.add_failure(Unit(**{**vars(UNIT), "seed": 1}), BLS, "timeout", "took\nlong \udc80")
    with ResultStore(tmp_path / "new" / "results.db", read_only=True) as store:
        done, lost = store.to_frame().to_dict("records")
    assert (done["mean"], done["sd"]) == (RESULT.mean, RESULT.sd)
    assert done["fold_scores"] == [0.5, 1.0]
    assert done["chosen"] == [{"C": 1.0}, {"n": 3}]
    assert done["metrics"] == {"f1_macro": [0.1, 0.2]}
    assert len(done["source"]) == 12
    assert (lost["status"], lost["error"]) == ("timeout", "took long ?")
    assert np.isnan(lost["mean"])


def test_the_last_row_of_a_cell_counts(tmp_path):
    other = Unit(**{**vars(UNIT), "identity": "other"})
    with ResultStore(tmp_path / "results.db") as store:
        store.add(UNIT, BLS, RESULT)
        store.add(other, BLS, UnitResult([0.25], {}, 1.0))
        assert len(store.to_frame()) == 2
        assert newest(store.to_frame())["mean"].tolist() == [0.25]
        store.add(UNIT, BLS, RESULT)
        assert newest(store.to_frame())["mean"].tolist() == [0.75]
        assert len(store.to_frame()) == 2


def test_a_second_writer_is_refused_and_readers_are_not(tmp_path):
    path = tmp_path / "results.db"
    with ResultStore(path) as store:
        store.add(UNIT, BLS, RESULT)
        with pytest.raises(StoreError, match="Another study is writing to"):
            ResultStore(path)
        with ResultStore(path, read_only=True) as reader:
            assert len(reader.to_frame()) == 1
    ResultStore(path).close()


def test_other_files_are_refused_and_left_alone(tmp_path):
    text = tmp_path / "notes.db"
    text.write_text("my notes, which are not a database at all, but a text" * 10)
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as db:
        db.execute("CREATE TABLE t (x)")
    db.close()
    for path in (text, foreign):
        before = path.read_bytes()
        with pytest.raises(StoreError, match=f"{path.name}"):
            ResultStore(path)
        assert path.read_bytes() == before
    with pytest.raises(StoreError, match="Expected a result store, got a directory"):
        ResultStore(tmp_path)
    with pytest.raises(StoreError, match="no result store"):
        ResultStore(tmp_path / "none.db", read_only=True)


def test_exports_have_the_same_bytes(tmp_path):
    texts = []
    for name in ("a", "b"):
        with ResultStore(tmp_path / f"{name}.db") as store:
            store.add(UNIT, BLS, RESULT)
            store.export_csv(tmp_path / f"{name}.csv")
        texts.append((tmp_path / f"{name}.csv").read_bytes())
    assert texts[0] == texts[1]
    assert len(pd.read_csv(tmp_path / "a.csv")) == 1


FULL = """
import resource, sys
from broadlearn.study import ResultStore, StoreError, find_model
from broadlearn.study.plan import Unit, UnitResult
store = ResultStore(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    for seed in range(10_000):
        unit = Unit("iris", "none", "BLS", "nested", seed, "paper", "5ac1")
        store.add(unit, find_model("BLS"), UnitResult([0.5] * 50, {}, 1.0))
        print(seed)
except StoreError as error:
    sys.exit(str(error))
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="needs limits of file sizes")
def test_a_full_disk_is_one_sentence_and_loses_nothing(tmp_path):
    path = tmp_path / "results.db"
    done = subprocess.run([sys.executable, "-c", FULL, str(path)], capture_output=True, text=True)
    filed = len(done.stdout.split())
    assert done.returncode == 1
    assert filed > 10
    (sentence,) = done.stderr.strip().splitlines()
    assert "cannot be used as a result store" in sentence
    with ResultStore(path) as store:
        assert len(store.to_frame()) == filed
        store.add(UNIT, BLS, RESULT)


class Poison(DummyClassifier):
    """Ends its process, or takes too long, when it is fitted."""

    def __init__(self, how="", marker=""):
        super().__init__()
        self.how = how
        self.marker = marker

    def fit(self, X, y, sample_weight=None):
        if self.how == "once" and os.path.exists(self.marker):
            return super().fit(X, y)
        if self.how == "once":
            open(self.marker, "w").close()
        if self.how == "sleep":
            time.sleep(600)
        if self.how == "exit":
            os._exit(3)
        os.kill(os.getpid(), signal.SIGKILL)
        return self


def run_poison(specs, monkeypatch, n_jobs, **options):
    """Run models in worker processes; return their outcomes by name."""
    # The worker unpickles the class from here.
    monkeypatch.setattr("broadlearn.study.running.start_worker", start_worker)
    study = make_study(["iris"], specs, protocols=["nested"])
    tasks = [Task(u, study.data[u.fingerprint], study.models[u.model]) for u in study.plan]
    return {outcome.unit.model: outcome for outcome in run_tasks(tasks, n_jobs, **options)}


@pytest.mark.slow
def test_a_dead_worker_ends_only_its_own_run(monkeypatch):
    found = run_poison([ModelSpec("kill", Poison("kill")), find_model("majority")], monkeypatch, 1)
    assert {name: outcome.status for name, outcome in found.items()} == {
        "kill": "died",
        "majority": "done",
    }
    assert "SIGKILL" in found["kill"].error


@pytest.mark.soak
def test_runs_that_exit_hang_or_die_once(tmp_path, monkeypatch):
    specs = [
        ModelSpec("kill", Poison("kill")),
        ModelSpec("exit", Poison("exit")),
        ModelSpec("sleep", Poison("sleep")),
        ModelSpec("once", Poison("once", str(tmp_path / "marker"))),
        find_model("majority"),
    ]
    found = run_poison(specs, monkeypatch, 2, timeout=8.0)
    assert {name: outcome.status for name, outcome in found.items()} == {
        "kill": "died",
        "exit": "died",
        "sleep": "timeout",
        "once": "done",
        "majority": "done",
    }
    assert "3" in found["exit"].error
    assert found["sleep"].error == "took longer than 8 seconds"


def test_a_time_limit_must_be_positive():
    with pytest.raises(ValueError, match="timeout must be a number of seconds above 0, got 0"):
        list(run_tasks([], 1, timeout=0))
