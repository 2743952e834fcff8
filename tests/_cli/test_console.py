import pytest
import typer

from broadlearn._cli._console import INTERRUPTED, one_sentence, printable, split_list


def test_lists_may_be_repeated_or_hold_commas():
    assert split_list(["a,b", " c "]) == ["a", "b", "c"]
    assert split_list(None) == []


def test_errors_are_shown_as_text(capsys):
    with pytest.raises(typer.Exit) as stopped, one_sentence():
        raise ValueError("[bold]not markup[/bold]")
    assert stopped.value.exit_code == 2
    assert "[bold]not markup[/bold]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ValueError("first\n  second \x1b[2J."), "first second ?[2J."),
        (ValueError("x" * 5000), f"{'x' * 1000} …"),
        (PermissionError(13, "Permission denied", "t.csv"), "t.csv: Permission denied."),
        (OSError(28, "No space left on device"), "No space left on device."),
        (OSError("There is no file."), "There is no file."),
        (MemoryError(), "There is not enough memory."),
    ],
    ids=str,
)
def test_errors_are_one_line(capsys, error, sentence):
    with pytest.raises(typer.Exit) as stopped, one_sentence():
        raise error
    assert stopped.value.exit_code == 2
    assert capsys.readouterr().err == f"Error: {sentence}\n"


def test_what_is_printed_cannot_steer_a_terminal():
    assert printable("a\x1b[2J\tb\nü\u202e") == "a?[2J?b\nü?"


def test_an_interrupt_says_how_to_go_on(capsys):
    with pytest.raises(typer.Exit) as stopped, one_sentence():
        raise KeyboardInterrupt
    assert stopped.value.exit_code == INTERRUPTED
    assert "goes on where it stopped" in capsys.readouterr().err
