import pytest
import typer

from broadlearn._cli._console import INTERRUPTED, one_sentence, split_list


def test_lists_may_be_repeated_or_hold_commas():
    assert split_list(["a,b", " c "]) == ["a", "b", "c"]
    assert split_list(None) == []


def test_errors_are_shown_as_text(capsys):
    with pytest.raises(typer.Exit) as stopped, one_sentence():
        raise ValueError("[bold]not markup[/bold]")
    assert stopped.value.exit_code == 1
    assert "[bold]not markup[/bold]" in capsys.readouterr().err


def test_an_interrupt_says_how_to_go_on(capsys):
    with pytest.raises(typer.Exit) as stopped, one_sentence():
        raise KeyboardInterrupt
    assert stopped.value.exit_code == INTERRUPTED
    assert "goes on where it stopped" in capsys.readouterr().err
