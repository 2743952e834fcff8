import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from broadlearn.study.datasets import load_dataset
from broadlearn.study.design import Study, make_study
from broadlearn.study.plan import make_plan
from broadlearn.study.result_store import ResultStore
from broadlearn.study.runner import cluster_executor
from broadlearn.study.search_spaces import ModelSpec, find_model

pytestmark = pytest.mark.slow


class Raises(DummyClassifier):
    """Cannot be fitted on wine."""

    def fit(self, X, y, sample_weight=None):
        if X.shape[1] == 13:
            raise RuntimeError("no wine today")
        return super().fit(X, y, sample_weight)


class Sleeps(DummyClassifier):
    """Takes a minute."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(60)


def make(names=("iris", "wine"), models=("majority",), protocols=("nested",), extra=()):
    tables = [load_dataset(name) for name in names]
    specs = {name: find_model(name) for name in models} | {spec.name: spec for spec in extra}
    plan = make_plan(tables, list(specs), protocols, grid="reduced")
    data = {unit.fingerprint: t for unit in plan for t in tables if t.name == unit.dataset}
    return Study(plan, data, specs)


def export(store, tmp_path):
    store.export_csv(tmp_path / "out.csv")
    return (tmp_path / "out.csv").read_bytes()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_model_that_raises_fails_its_unit_only(tmp_path, n_jobs):
    study = make(extra=[ModelSpec("raises", Raises())])
    with ResultStore(tmp_path / "s.db") as store:
        outcomes = study.run(store, n_jobs=n_jobs)
        assert sorted(o.status for o in outcomes) == ["done", "done", "done", "failed"]
        frame = store.to_frame().set_index(["dataset", "model"])
        assert "RuntimeError: no wine today" in frame.loc[("wine", "raises"), "error"]
        assert frame.loc[("iris", "raises"), "status"] == "done"


def test_failed_units_are_tried_again_by_the_next_run_only(tmp_path):
    study = make(["wine"], models=(), extra=[ModelSpec("raises", Raises())])
    with ResultStore(tmp_path / "s.db") as store:
        assert len(study.run(store)) == 1
        assert len(study.run(store)) == 1
        study.models["raises"] = ModelSpec("raises", DummyClassifier())
        assert study.run(store)[0].status == "done"
        assert study.run(store) == []


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_unit_that_takes_too_long_is_a_timeout(tmp_path, n_jobs):
    study = make(["iris"], models=(), extra=[ModelSpec("sleeps", Sleeps())])
    with ResultStore(tmp_path / "s.db") as store:
        (outcome,) = study.run(store, n_jobs=n_jobs, timeout=0.2)
        assert outcome.status == "timeout"
        assert store.to_frame()["error"][0] == "took longer than 0.2 seconds"


def test_an_interrupt_is_filed_and_goes_on_up(tmp_path):
    study = make(["iris", "wine"])

    def stop(outcome):
        raise KeyboardInterrupt

    with ResultStore(tmp_path / "s.db") as store:
        with pytest.raises(KeyboardInterrupt):
            study.run(store, n_jobs=2, report=stop)
        assert set(store.to_frame()["status"]) <= {"done", "interrupted"}
        study.run(store)
        assert list(store.to_frame()["status"]) == ["done", "done"]


def test_processes_do_not_change_the_table(tmp_path):
    study = make(["iris"], models=("ELM", "IF-TSVM"), protocols=("paper", "nested"))
    exports = []
    for n_jobs in (1, 2):
        with ResultStore(tmp_path / f"{n_jobs}.db") as store:
            study.run(store, n_jobs=n_jobs)
            exports.append(export(store, tmp_path))
    assert exports[0] == exports[1]


SCRIPT = """
import sys
from broadlearn.study import ResultStore, make_study
models = ["ELM", "BLS", "F-BLS"]
study = make_study(["iris", "wine"], models, protocols=["nested"], grid="reduced")
with ResultStore(sys.argv[1]) as store:
    print("ready", flush=True)
    if sys.argv[3:]:
        sys.stdin.readline()
    study.run(store, n_jobs=int(sys.argv[2]))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")
def test_killed_and_resumed_gives_the_same_table(tmp_path):
    def start(name, n_jobs):
        return subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(tmp_path / name), str(n_jobs)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
        )

    undisturbed = start("whole.db", 1)
    delays = np.random.default_rng(0).uniform(0, 1.5, 2)
    for n_jobs, delay in zip((1, 2), delays, strict=True):
        process = start("killed.db", n_jobs)
        process.stdout.readline()
        time.sleep(delay)
        process.kill()
        process.wait()
        process.stdout.close()
    last = start("killed.db", 1)
    for process in (last, undisturbed):
        process.communicate()
        assert process.returncode == 0
    exports = []
    for name in ("whole.db", "killed.db"):
        with ResultStore(tmp_path / name) as store:
            exports.append(export(store, tmp_path))
            assert set(store.to_frame()["status"]) == {"done"}
    assert exports[0] == exports[1]


def test_two_processes_on_one_store_share_the_work(tmp_path):
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(tmp_path / "both.db"), "1", "wait"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    # Neither begins before the other is there.
    for process in processes:
        process.stdout.readline()
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0, 0]
    with ResultStore(tmp_path / "both.db") as store:
        frame = store.to_frame()
    assert list(frame["status"]) == ["done"] * 6
    assert frame["owner"].nunique() == 2


def test_a_remote_scheduler_without_tls_is_refused():
    with pytest.raises(ValueError, match="--insecure"), cluster_executor("tcp://10.0.0.5:8786"):
        pass


@pytest.mark.filterwarnings("ignore")
def test_a_local_cluster_gives_the_table_of_one_process(tmp_path):
    pytest.importorskip("distributed")
    study = make_study(["iris"], ["ELM", "BLS"], protocols=["nested"], grid="reduced")
    exports = []
    with ResultStore(tmp_path / "one.db") as store:
        study.run(store)
        store.export_csv(tmp_path / "one.csv")
        exports.append((tmp_path / "one.csv").read_bytes())
    with (
        cluster_executor("local", n_workers=2) as (executor, workers),
        ResultStore(tmp_path / "dask.db") as store,
    ):
        assert workers == 2
        study.run(store, n_jobs=workers, executor=executor)
        store.export_csv(tmp_path / "dask.csv")
        exports.append((tmp_path / "dask.csv").read_bytes())
    assert exports[0] == exports[1]
