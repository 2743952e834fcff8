import io
import json
import sys
import warnings
from pathlib import Path

import pytest
import typer
from rich.table import Table
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
    print_table,
    printable,
    say,
    settings,
    split_list,
    split_paths,
    stage_progress,
    tell,
    waiting,
)


def test_lists_may_be_repeated_or_hold_commas():
    assert split_list(["a,b", " c "]) == ["a", "b", "c"]
    assert split_list(None) == []


def test_files_may_be_listed_with_commas_or_have_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a,b.csv").touch()
    assert split_paths([Path("a,b.csv")]) == [Path("a,b.csv")]
    assert split_paths([Path("c.csv,d.csv"), Path("e")]) == [*map(Path, ("c.csv", "d.csv", "e"))]
    assert split_paths(None) == []


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


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def on_terminal(monkeypatch):
    """A function that makes both streams terminals of 60 columns; pytest sets its own before."""

    def change():
        monkeypatch.setenv("COLUMNS", "60")
        monkeypatch.setenv("TERM", "xterm")
        for name in ("stdout", "stderr"):
            monkeypatch.setattr(sys, name, Terminal())
        return sys

    return change


@pytest.fixture
def quiet(monkeypatch):
    monkeypatch.setattr(settings, "quiet", True)


def wide_table():
    table = Table("name", "where", title="All")
    table.add_row("a", "long " * 50 + "end")
    return table


def test_tables_in_a_pipe_are_neither_cut_nor_framed(capsys):
    print_table(wide_table())
    title, heading, row = capsys.readouterr().out.splitlines()
    assert title.strip() == "All"
    assert heading.split() == ["name", "where"]
    assert row.rstrip().endswith("long " * 50 + "end")
    assert row.isascii()
    assert row.isprintable()


def test_tables_on_a_terminal_are_as_wide_as_it(on_terminal):
    terminal = on_terminal()
    print_table(wide_table())
    lines = terminal.stdout.getvalue().splitlines()
    assert len(lines) > 5
    assert max(map(len, lines)) >= 60
    assert "┃" in terminal.stdout.getvalue()


def test_quiet_leaves_out_notes_and_progress_but_no_errors(on_terminal, quiet):
    terminal = on_terminal()
    with command(), stage_progress() as progress:
        note("a note")
        tell("of no importance")
        progress("half", 0.5)
    assert terminal.stderr.getvalue() == ""
    with pytest.raises(typer.Exit), command():
        raise ValueError("wrong")
    assert "wrong" in terminal.stderr.getvalue()


def test_progress_is_shown_on_a_terminal_and_goes(on_terminal):
    terminal = on_terminal()
    with one_sentence(), stage_progress() as progress:
        progress("half", 0.5)
    shown = terminal.stderr.getvalue()
    assert "working" in shown
    assert "half" in shown
    assert "50%" in shown
    # The cursor is there again.
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")
    assert terminal.stdout.getvalue() == ""


@pytest.mark.parametrize("show", [say, lambda text: print_json(text=text)])
def test_what_shows_that_one_waits_goes_before_anything_is_printed(on_terminal, show):
    terminal = on_terminal()
    waiting("writing the report")
    assert settings.spinner is not None
    show("done")
    assert settings.spinner is None
    assert "done" in terminal.stdout.getvalue()
    assert "writing the report" in terminal.stderr.getvalue()


def test_nobody_waits_at_a_pipe(capsys):
    with one_sentence():
        waiting("writing")
        say("done")
    assert capsys.readouterr() == ("done\n", "")


def test_a_reader_that_has_enough_is_no_fault(capsys):
    with pytest.raises(BrokenPipeError), one_sentence():
        raise BrokenPipeError
    assert capsys.readouterr().err == ""
