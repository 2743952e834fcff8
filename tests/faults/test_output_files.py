"""Outputs destroy no device, pipe or link, and a file is always one whole version of itself."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest
from patients import call, patients

from broadlearn import BLSClassifier, load, save

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the system is not POSIX")
NOBODY = 65534


@pytest.fixture(scope="module")
def models():
    X = np.random.default_rng(0).normal(size=(30, 3))
    return [
        BLSClassifier(random_state=seed, n_enhancement_nodes=size).fit(X, X[:, 0] > 0)
        for seed, size in ((1, 5), (2, 60))
    ]


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_a_full_device_is_one_sentence(tmp_path, monkeypatch):
    if not Path("/dev/full").is_char_device():
        pytest.skip("there is no /dev/full")
    monkeypatch.chdir(tmp_path)
    patients().to_csv("patients.csv", index=False)
    done = call("fit", "patients.csv", "-t", "ill", "-m", "elm", "-o", "/dev/full")
    assert done.exit_code == 2
    assert "Error: /dev/full: No space left on device." in done.output
    assert Path("/dev/full").is_char_device()


@pytest.mark.soak
def test_a_folder_that_is_not_writable_is_named():
    """As a user without privileges."""
    code = """
        import os, sys
        from pathlib import Path
        from broadlearn.utils import write_whole
        folder = Path(sys.argv[1])
        if os.geteuid() == 0:
            os.setgid(65534), os.setuid(65534)
        write_whole(folder / "a", "old")
        folder.chmod(0o500)
        try:
            write_whole(folder / "a", "new")
        except PermissionError as error:
            assert error.filename == str(folder / "a"), error
        else:
            raise AssertionError
        assert (folder / "a").read_text() == "old"
        folder.chmod(0o700)
        assert os.listdir(folder) == ["a"]
    """
    # Folders of pytest are open to their owner alone.
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), folder], capture_output=True, text=True
        )
    assert done.returncode == 0, done.stderr


def test_threads_that_save_to_one_path_leave_whole_models(tmp_path, models):
    path = tmp_path / "model.blm"
    save(models[0], path)
    errors, stop = [], threading.Event()

    def write(model):
        try:
            while not stop.is_set():
                save(model, path)
        except Exception as error:
            errors.append(error)

    writers = [threading.Thread(target=write, args=(model,)) for model in (*models, *models)]
    for writer in writers:
        writer.start()
    sizes = [load(path).n_enhancement_nodes for _ in range(40)]
    stop.set()
    for writer in writers:
        writer.join()
    assert errors == []
    assert set(sizes) <= {5, 60}
    assert names(tmp_path) == {"model.blm"}


SLOW = """
import sys, time
from broadlearn.utils import write_whole

def content():
    yield b"half"
    print("half", flush=True)
    time.sleep(60)

write_whole(sys.argv[1], content())
"""


@pytest.mark.soak
def test_a_killed_process_leaves_the_file_of_before(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    process = subprocess.Popen([sys.executable, "-c", SLOW, str(path)], stdout=subprocess.PIPE)
    process.stdout.readline()
    process.kill()
    process.communicate()
    assert path.read_text() == "old"


@pytest.mark.slow
def test_a_terminated_command_leaves_no_part(tmp_path):
    code = "from broadlearn.cli.interrupts import handle_termination\nhandle_termination()\n" + SLOW
    path = tmp_path / "file"
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # Where tests run in the background, their children would inherit what is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL),
    )
    process.stdout.readline()
    process.terminate()
    process.communicate()
    assert process.returncode != 0
    assert names(tmp_path) == set()
