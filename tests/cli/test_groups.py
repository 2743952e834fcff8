from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from broadlearn.cli.console import command_group, settings, tell

runner = CliRunner()


@pytest.fixture
def group():
    made = command_group("A group.")

    @made.callback()
    def main(quiet: Annotated[bool, typer.Option("-q")] = False):
        settings.quiet = quiet

    @made.command("greet")
    def greet(name: Annotated[str, typer.Argument(help="Whom.")], loud: bool = False):
        """Say hello.

        And more.
        """
        tell("a note")
        typer.echo(f"hello {name.upper() if loud else name}")

    @made.command()
    def other():
        """Do nothing."""

    return made


def test_options_go_to_the_command(group):
    done = runner.invoke(group, ["greet", "Ada", "--loud"])
    assert done.stdout == "hello ADA\n"
    assert done.stderr == "a note\n"


def test_quiet_leaves_out_notes(group):
    done = runner.invoke(group, ["-q", "greet", "Ada"])
    assert done.stdout == "hello Ada\n"
    assert done.stderr == ""
    assert runner.invoke(group, ["greet", "Ada"]).stderr == "a note\n"


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_commands_with_their_first_sentence(group, flag):
    text = " ".join(runner.invoke(group, [flag]).output.split())
    assert "greet Say hello. other Do nothing." in text
    assert "And more." in runner.invoke(group, ["greet", flag]).output


@pytest.mark.parametrize(
    ("arguments", "suggestion"), [(["great"], "greet"), (["greet", "--luod", "x"], "--loud")]
)
def test_the_nearest_command_or_option_is_suggested(group, arguments, suggestion):
    done = runner.invoke(group, arguments)
    assert done.exit_code == 2
    assert suggestion in done.stderr
