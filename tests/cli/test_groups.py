from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from broadlearn.cli.console import settings, tell
from broadlearn.cli.groups import CommandGroup, Quiet, completes

runner = CliRunner()


@pytest.fixture
def group():
    made = CommandGroup("A group.")

    @made.callback()
    def main(quiet: Quiet = False):
        settings.quiet = quiet

    @made.command("greet")
    def greet(name: Annotated[str, typer.Argument(help="Whom.")], loud: bool = False):
        """Say hello to a person who is known by a name that may be quite long, whatever it may be.

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


@pytest.mark.parametrize("arguments", [["-q", "greet", "Ada"], ["greet", "--quiet", "Ada"]])
def test_quiet_is_taken_before_and_after_the_command(group, arguments):
    done = runner.invoke(group, arguments)
    assert done.stdout == "hello Ada\n"
    assert done.stderr == ""
    assert runner.invoke(group, ["greet", "Ada"]).stderr == "a note\n"


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_commands_with_their_first_sentence_uncut(group, flag):
    text = " ".join(runner.invoke(group, [flag]).output.split())
    assert "known by a name that may be quite long, whatever it may be. other" in text
    assert "And more." in runner.invoke(group, ["greet", flag]).output


@pytest.mark.parametrize(
    ("arguments", "suggestion"), [(["great"], "greet"), (["greet", "--luod", "x"], "--loud")]
)
def test_the_nearest_command_or_option_is_suggested(group, arguments, suggestion):
    done = runner.invoke(group, arguments)
    assert done.exit_code == 2
    assert suggestion in done.stderr


def test_values_are_completed_also_in_lists():
    complete = completes("BLS", "ELM", "Ensemble")
    assert complete("e") == ["ELM", "Ensemble"]
    assert complete("BLS,en") == ["BLS,Ensemble"]
    assert complete("x") == []
