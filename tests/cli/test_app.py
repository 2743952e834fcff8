import json
import os
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

import broadlearn
from broadlearn.cli.app import app

runner = CliRunner()
# Packages that take longer to import than a help text may take to be shown.
HEAVY = ("numpy", "scipy", "sklearn", "pandas", "polars", "matplotlib", "joblib")


def commands(group, *path):
    """All commands and groups, by what is typed for them."""
    yield path
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, *path, name)


COMMANDS = sorted(commands(typer.main.get_command(app)))


def run(code, *arguments, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_a_command_help_is_shown():
    done = runner.invoke(app, [])
    assert "study" in done.output
    assert "datasets" in done.output


def test_version():
    assert runner.invoke(app, ["--version"]).output.strip() == broadlearn.__version__


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_has_help_that_fits(path):
    short, long = (runner.invoke(app, [*path, flag]) for flag in ("-h", "--help"))
    assert short.exit_code == 0
    assert short.output == long.output
    assert max(map(len, short.output.splitlines())) <= 80
    assert "..." not in short.output.partition("Commands:")[2]
    assert "│" not in short.output


@pytest.mark.parametrize("command", ["audit", "evaluate", "fit", "inspect", "predict"])
def test_options_of_tables_are_last_under_a_heading(command):
    options, _, of_tables = runner.invoke(app, [command, "-h"]).output.partition("How to read the")
    assert "--json" in options
    assert "--sep" in of_tables


def test_every_command_is_listed_with_its_help():
    for *path, name in filter(None, COMMANDS):
        listed = runner.invoke(app, [*path, "-h"]).output.partition("Commands:")[2]
        lines = [line.split() for line in listed.splitlines()]
        assert any(line[:1] == [name] and len(line) > 1 for line in lines), name


@pytest.mark.parametrize(
    ("arguments", "suggestion"), [(["fitt"], "fit"), (["describe", "--jsn", "x"], "--json")]
)
def test_the_nearest_command_or_option_is_suggested(arguments, suggestion):
    done = runner.invoke(app, arguments)
    assert done.exit_code == 2
    assert suggestion in done.stderr


def test_help_imports_nothing_that_takes_long():
    code = f"""
import json, sys
from typer.testing import CliRunner
from broadlearn.cli.app import app
heavy = {{}}
for path in {COMMANDS}:
    assert CliRunner().invoke(app, [*path, "-h"]).exit_code == 0
    heavy[" ".join(path)] = [name for name in {HEAVY} if name in sys.modules]
CliRunner().invoke(app, ["--version"])
heavy["--version"] = [name for name in {HEAVY} if name in sys.modules]
print(json.dumps(heavy))
"""
    assert {path: names for path, names in json.loads(run(code)).items() if names} == {}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete_commands_and_options(shell):
    code = "import sys; sys.argv = ['broadlearn']; from broadlearn.cli import main; main()"
    words = {
        "COMP_WORDS": "broadlearn da",
        "COMP_CWORD": "1",
        "_TYPER_COMPLETE_ARGS": "broadlearn da",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    found = run(code, _BROADLEARN_COMPLETE=f"complete_{shell}", **words)
    assert "datasets" in found
    assert "study" not in found
