import json
import warnings

import pytest
import typer
from sklearn.datasets import load_iris
from sklearn.exceptions import FitFailedWarning

from broadlearn import BroadEnsembleClassifier, load, save
from broadlearn.cli import console
from broadlearn.cli.console import (
    INTERRUPTED,
    command,
    first_few,
    listed,
    note,
    one_sentence,
    print_facts,
    print_json,
    printable,
    say,
    split_list,
)


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


def test_warnings_are_notes(capsys):
    with command() as notes:
        note("[bold]twice[/bold]")
        note("[bold]twice[/bold]")
        warnings.warn("failed", FitFailedWarning, stacklevel=1)
        warnings.warn("of no interest", DeprecationWarning, stacklevel=1)
        assert notes() == ["[bold]twice[/bold]", "failed"]
    assert capsys.readouterr().err == "Note: [bold]twice[/bold]\nNote: failed\n"


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [(ValueError("wrong"), 2, "wrong"), (KeyboardInterrupt(), 130, "nothing was written")],
)
def test_faults_are_one_sentence(capsys, error, code, message):
    with pytest.raises(typer.Exit) as stopped, command():
        raise error
    assert stopped.value.exit_code == code
    assert message in capsys.readouterr().err


def test_facts(capsys):
    print_facts({"a": "[b]"})
    assert capsys.readouterr().out.strip() == "a: [b]"
    print_json(a=[1, None])
    assert json.loads(capsys.readouterr().out) == {"a": [1, None]}
    assert listed({"a": 1, "b": 2}) == "a: 1, b: 2"
    assert first_few(list("ab")) == "a, b"
    assert first_few(list("abcdefghij")) == "a, b, c, d, e, f, g, h and 2 more"


def test_what_is_said_is_neither_wrapped_nor_markup(capsys):
    say("[red]" + "long " * 50 + "\x1b")
    assert capsys.readouterr().out == "[red]" + "long " * 50 + "?\n"


def test_a_fit_on_a_terminal_shows_its_progress_and_can_be_saved(monkeypatch, tmp_path):
    pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9")
    X, y = load_iris(return_X_y=True)
    model, shown = BroadEnsembleClassifier(ensemble_size=1), []
    set_callbacks = type(model).set_callbacks

    def spy(self, *callbacks):
        shown.append(len(callbacks))
        return set_callbacks(self, *callbacks)

    monkeypatch.setattr(type(model), "set_callbacks", spy)
    for terminal in (False, True):
        monkeypatch.setattr(console, "is_terminal", lambda terminal=terminal: terminal)
        with console.progress_bar(model):
            model.fit(X[::5], y[::5])
        assert shown == [1, 0] * terminal
    save(model, tmp_path / "model.blm")
    assert load(tmp_path / "model.blm").members_ == model.members_
