import os
import signal
import time

import pytest
from sklearn.dummy import DummyClassifier

from broadlearn.study import Unit, load_dataset, unit_process
from broadlearn.study.search_spaces import ModelSpec
from broadlearn.study.unit_limits import Limits
from broadlearn.study.unit_process import DIED, Task, UnitProcess, UnitProcesses, run_in_child

pytestmark = pytest.mark.slow
UNIT = Unit("iris", "none", "BLS", "nested", 0, "reduced", "5ac1")


class Acts(DummyClassifier):
    """Does something to its process when it is fitted."""

    def __init__(self, what="nothing"):
        super().__init__()
        self.what = what

    def fit(self, X, y, sample_weight=None):
        print("models may print")
        if self.what == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self.what == "exit":
            os._exit(7)
        elif self.what == "sleep":
            time.sleep(600)
        return super().fit(X, y, sample_weight)


def task(what="nothing"):
    return Task(UNIT, load_dataset("iris"), ModelSpec("acts", Acts(what)))


def test_one_process_serves_many_units_and_is_replaced_when_it_ends():
    processes = UnitProcesses()
    try:
        pids = []
        for what, status in (
            ("nothing", "done"),
            ("nothing", "done"),
            ("kill", DIED),
            ("exit", DIED),
            ("sleep", "timeout"),
            ("nothing", "done"),
        ):
            outcome = processes.run(task(what), Limits(timeout=2.0 if what == "sleep" else None))
            assert outcome.status == status, outcome
            pids.append(processes._own.process._process.pid)
            if what == "kill":
                assert outcome.error == "killed by signal 9 (SIGKILL)"
            elif what == "exit":
                assert outcome.error == "ended its process with exit code 7"
        assert pids[0] == pids[1] == pids[2]
        assert len(set(pids)) == 4
    finally:
        processes.close()
    assert all(process.has_ended for process in processes._started)
    with pytest.raises(OSError, match="not run any more"):
        processes.run(task(), Limits())


def test_an_idle_process_that_was_killed_costs_no_attempt():
    assert run_in_child(task(), Limits()).status == "done"
    process = unit_process.PROCESSES._own.process
    os.kill(process._process.pid, signal.SIGKILL)
    assert run_in_child(task(), Limits()).status == "done"
    assert unit_process.PROCESSES._own.process is not process
    unit_process.PROCESSES._own.process.end()


def test_a_process_that_is_forgotten_ends():
    process = UnitProcess()
    child = process._process
    del process
    assert child.wait(timeout=30) == -signal.SIGKILL


def test_where_no_process_can_be_started_no_unit_is_blamed(monkeypatch):
    monkeypatch.setattr(unit_process.sys, "path", [])
    processes = UnitProcesses()
    with pytest.raises(OSError, match="cannot be started: ended its process with exit code 1"):
        processes.run(task(), Limits())
