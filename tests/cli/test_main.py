import os
import subprocess
import sys

import pytest

import broadlearn

pytestmark = pytest.mark.slow


def test_version_and_help():
    command = [sys.executable, "-m", "broadlearn.cli"]
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.strip() == broadlearn.__version__
    text = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout
    assert "study" in text
    assert "datasets" in text


def test_without_the_extra_it_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; from broadlearn.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert 'pip install "broadlearn[study]"' in done.stderr


def test_what_a_terminal_cannot_show_is_replaced(tmp_path):
    (tmp_path / "t.csv").write_text("cost;k\n€ 1,5;a\n€ 2,5;b\n€ 3,5;a\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "broadlearn.cli", "inspect", str(tmp_path / "t.csv")],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0, done.stderr
    assert b"? 1,5" in done.stdout
