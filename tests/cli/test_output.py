"""What is printed: escapes, full disks, terminals without a sign."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from patients import call

from broadlearn import BLSClassifier, save
from broadlearn.cli import console

FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
RUN = [sys.executable, "-m", "broadlearn.cli"]


def run(*arguments, **options):
    return subprocess.run([*RUN, *arguments], stderr=subprocess.PIPE, text=True, **options)


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A model file whose labels could steer a terminal."""
    monkeypatch.chdir(tmp_path)
    X = pd.DataFrame({"a": np.arange(40.0)})
    y = np.where(X["a"] > 20, "\x1b[2Jill", "\u202ewell")
    save(BLSClassifier(random_state=0).fit(X, y), "m.blm")
    X.to_csv("x.csv", index=False)
    return tmp_path


def test_labels_that_steer_a_terminal_are_printed_as_escapes(hostile):
    described = call("describe", "m.blm").stdout
    assert r"\x1b[2Jill" in described
    assert "\x1b" not in described
    printed = call("predict", "m.blm", "x.csv", "-o", "p.csv").stdout
    assert r"\u202ewell" in printed
    # A file keeps the labels as they are.
    assert set(pd.read_csv("p.csv")["prediction"]) == {"\x1b[2Jill", "\u202ewell"}


def test_frames_are_printed_as_text_and_not_markup(capsys):
    frame = pd.DataFrame({"x": ["[red]a", "\x1b]0;b\x07"], "n": [1234, 2], "f": [0.5, np.nan]})
    console.print_frame(frame, "title")
    printed = capsys.readouterr().out
    assert "[red]a" in printed
    assert r"\x1b]0;b\x07" in printed
    assert "1,234" in printed
    assert "\x1b" not in printed
    console.print_frame(pd.concat([frame] * 30))
    assert "20 more; --json has all." in capsys.readouterr().out


@FULL
@pytest.mark.slow
def test_a_full_disk_is_one_sentence(hostile):
    with open("/dev/full", "w") as full:
        done = run("predict", "m.blm", "x.csv", stdout=full)
    assert done.returncode == 2
    assert done.stderr == "Error: standard output: No space left on device.\n"


@pytest.mark.slow
def test_characters_that_a_terminal_lacks_are_replaced(tmp_path):
    (tmp_path / "t.csv").write_text("cost;k\n€ 1,5;a\n€ 2,5;b\n€ 3,5;a\n", encoding="utf-8")
    done = subprocess.run(
        [*RUN, "inspect", str(tmp_path / "t.csv")],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0, done.stderr
    assert b"? 1,5" in done.stdout


def test_without_the_extra_it_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; from broadlearn.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert 'pip install "broadlearn[study]"' in done.stderr
