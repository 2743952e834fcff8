from typer.testing import CliRunner

import broadlearn
from broadlearn.cli.app import app


def test_without_a_command_help_is_shown():
    done = CliRunner().invoke(app, [])
    assert "study" in done.output
    assert "datasets" in done.output


def test_version():
    assert CliRunner().invoke(app, ["--version"]).output.strip() == broadlearn.__version__
