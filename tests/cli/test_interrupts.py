import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer

from broadlearn.cli.console import command
from broadlearn.cli.interrupts import Terminated, handle_termination
from broadlearn.cli.tables import write_outputs


def test_a_request_to_end_is_an_exception_too():
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        handle_termination()
        with pytest.raises(Terminated):
            signal.raise_signal(signal.SIGTERM)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        handle_termination()
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_files_that_were_written_before_are_named(tmp_path, monkeypatch, capsys):
    def interrupted(path):
        raise KeyboardInterrupt

    with pytest.raises(typer.Exit), command():
        write_outputs({Path("a.html"): lambda path: None, Path("b.csv"): interrupted})
    assert capsys.readouterr().err == "Interrupted; written before: a.html.\n"


def _ends(group):
    """Whether a group of processes is gone soon: what was killed waits for init to take note."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "milliseconds"),
    [
        ("fit", 300),
        *(
            pytest.param(*case, marks=pytest.mark.soak)
            for case in [("fit", 0), ("fit", 4000), ("audit", 4000)]
        ),
    ],
)
def test_at_any_time_it_is_one_line_and_exit_code_130(tmp_path, name, milliseconds):
    header = ",".join([*(f"x{j}" for j in range(60)), "y"])
    rows = (",".join([*(str((i * j) % 97) for j in range(60)), str(i % 7)]) for i in range(4000))
    (tmp_path / "data.csv").write_text("\n".join([header, *rows]))
    commands = {
        "fit": "fit data.csv -t y -m IF-BLS --tune -o model.blm -j 2",
        "audit": "audit data.csv -t y --csv rows.csv",
    }
    arguments = ["broadlearn", *commands[name].split()]
    # Where tests run in the background, their children would inherit that the signal is ignored.
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += f"sys.argv = {arguments}; from broadlearn.cli import main\n"
    # The first that `main` does is to import what handles interrupts: then it is told to be there.
    code += "class Told:\n    def find_spec(name, path=None, target=None):\n"
    code += "        if name == 'broadlearn.cli.interrupts': print(0, flush=True)\n"
    code += "sys.meta_path.insert(0, Told); main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    process.stdout.readline()
    time.sleep(milliseconds / 1000)
    # As a terminal does, to the process and its children.
    os.killpg(process.pid, signal.SIGINT)
    said, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert len(errors.splitlines()) == 1, errors
    assert errors in ("Interrupted.\n", "Interrupted; nothing was written.\n")
    assert said == ""
    left = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"data.csv"}
    assert _ends(process.pid)


def test_an_interrupt_before_the_command_begins():
    code = (
        "import sys, broadlearn.cli.app as module\n"
        "def stop(*given, **named): raise KeyboardInterrupt\n"
        "module.app.registered_callback.callback = stop\n"
        "sys.argv = ['broadlearn', 'describe', 'model.blm']\n"
        "from broadlearn.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "Interrupted.\n")
