"""A unit that ends its process, takes too long or too much memory fails alone; the rest is done."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from patients import call

from broadlearn.study import ResultStore

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "killpg"), reason="the system is not POSIX"),
]
# In a module of their own, as a user has them.
MODELS = """
import os, signal, sys, time
import numpy as np
from sklearn.dummy import DummyClassifier

class Acts(DummyClassifier):
    def fit(self, X, y, sample_weight=None):
        self.act()
        return super().fit(X, y, sample_weight)
    def act(self):
        pass

class Killed(Acts):
    def act(self):
        os.kill(os.getpid(), signal.SIGKILL)

class Crashes(Acts):
    def act(self):
        os.kill(os.getpid(), signal.SIGSEGV)

class Exits(Acts):
    def act(self):
        sys.exit(3)

class Sleeps(Acts):
    def act(self):
        time.sleep(600)

class Hoards(Acts):
    def act(self):
        self.held_ = np.ones(10**9)

class DiesOnce(Acts):
    def act(self):
        try:
            os.close(os.open("died", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

class Begins(Acts):
    def act(self):
        with open("pids", "a") as file:
            print(os.getpid(), file=file, flush=True)
        time.sleep(600)
"""
COMMAND = ("study", "run", "-d", "iris", "-p", "nested")
CLI = "import sys; sys.path.insert(0, ''); from broadlearn.cli import main; main()"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "acting_models.py").write_text(MODELS)
    return tmp_path


def start(models, *options):
    return subprocess.Popen(
        [sys.executable, "-c", CLI, *COMMAND, "-m", models, "--store", "results.db", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Where tests run in the background, their children would inherit what is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def run(models, *options):
    done = call(*COMMAND, "-m", models, "--store", "results.db", *options)
    assert "Traceback" not in done.output
    return done.exit_code, done.stderr


def units():
    with ResultStore("results.db", read_only=True) as store:
        return store.to_frame().set_index("model")


def test_a_unit_that_ends_its_process_fails_alone_after_two_attempts(folder):
    code, errors = run(
        "acting_models:Killed,acting_models:Exits,majority,acting_models:DiesOnce", "-j", "2"
    )
    found = units()
    assert found["status"].to_dict() == {
        "Killed": "failed",
        "Exits": "failed",
        "majority": "done",
        "DiesOnce": "done",
    }
    assert found.loc["Killed", "error"] == "killed by signal 9 (SIGKILL)"
    assert found.loc["Exits", "error"] == "ended its process with exit code 3"
    attempts = {"Killed": 2, "Exits": 2, "majority": 0, "DiesOnce": 1}
    assert found["attempts"].to_dict() == attempts
    assert code == 2
    assert "failed: iris, Killed, nested, none: killed by signal 9 (SIGKILL)" in errors
    assert "2 of 4 units are not done" in errors

    # Units that were tried before come last, and are not tried twice again.
    _, errors = run("acting_models:Killed,acting_models:Acts")
    order = [line.split(", ")[1] for line in errors.splitlines() if ", nested" in line]
    assert order == ["Acts", "Killed"]
    assert units()["attempts"].to_dict()["Killed"] == 3


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("where", [("-j", "2"), ("-j", "1", "--dask", "local")])
def test_limits_of_time_and_memory(folder, where):
    if "--dask" in where:
        pytest.importorskip("distributed")
    names = "acting_models:Sleeps,acting_models:Hoards,acting_models:Crashes,majority"
    code, _ = run(names, "--timeout", "3", "--memory", "1GB", *where)
    found = units()
    assert code == 2
    assert found["status"].to_dict() == {
        "Sleeps": "timeout",
        "Hoards": "failed",
        "Crashes": "failed",
        "majority": "done",
    }
    assert found.loc["Sleeps", "error"] == "took longer than 3 seconds"
    assert found.loc["Hoards", "error"].startswith("took more than 1GB of memory: ")
    crash = "killed by signal 11 (SIGSEGV), with a limit of 1GB of memory"
    assert found.loc["Crashes", "error"] == crash


def begun(process, n=1):
    """Processes of units, once they are at work."""
    while process.poll() is None:
        text = Path("pids").read_text() if Path("pids").exists() else ""
        if text.count("\n") >= n:
            return [int(pid) for pid in text.split()]
        time.sleep(0.1)
    raise AssertionError(process.communicate())


def ends(pid):
    """Whether a process is gone soon."""
    for _ in range(300):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state in "ZX":
            return True
        time.sleep(0.1)
    return False


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="the system has no /proc")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, -9), (signal.SIGTERM, 143)])
def test_processes_of_units_end_with_their_parent(folder, number, code):
    process = start("acting_models:Begins")
    (pid,) = begun(process)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert ends(pid)
    assert "Traceback" not in errors
    lines = [line for line in errors.splitlines() if "done before" not in line]
    assert lines == [] if code < 0 else lines[0].startswith("Terminated; ")
    assert units()["status"].tolist() == ["interrupted"]
    assert pd.isna(units()["mean"]).all()


def test_bad_limits_are_one_sentence(folder):
    for option, value in (("timeout", "0"), ("memory", "much")):
        done = call("study", "run", "-d", "iris", "-m", "majority", f"--{option}", value)
        assert done.exit_code == 2
        assert f"Error: {option} must be" in done.output.splitlines()[-1]
