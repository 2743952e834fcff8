"""What all commands share: what is printed, as facts, notes, JSON, or errors in one sentence."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from sklearn.exceptions import FitFailedWarning

console = Console()
errors = Console(stderr=True)

BAD_INPUT, SOME_FAILED, INTERRUPTED = 2, 2, 130
MAX_SENTENCE = 1000
# Columns or classes that a sentence names.
MAX_NAMED = 8


@contextmanager
def one_sentence(interrupted: str = "the same command goes on where it stopped") -> Iterator[None]:
    """Print what is wrong with the input as one sentence, and exit with code 2."""
    try:
        yield
    except KeyboardInterrupt:
        errors.print(f"Interrupted; {interrupted}.")
        raise typer.Exit(INTERRUPTED) from None
    except (ValueError, OSError, ImportError, TypeError, MemoryError) as error:
        errors.print("[bold red]Error:[/] ", end="")
        say(_sentence(error), errors)
        raise typer.Exit(BAD_INPUT) from error


@contextmanager
def command() -> Iterator[Callable[[], list[str]]]:
    """Faults as one sentence, warnings as notes; gives what to call for the notes so far."""
    with one_sentence("nothing was written"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        for category in (UserWarning, FitFailedWarning):
            warnings.simplefilter("always", category)
        # `unseen_levels` says this with the names of the columns.
        warnings.filterwarnings("ignore", "Found unknown categories")

        def notes() -> list[str]:
            return list(dict.fromkeys(str(warning.message) for warning in caught))

        yield notes
        for sentence in notes():
            say(f"Note: {sentence}", errors)


@contextmanager
def progress_bar(estimator: Any) -> Iterator[None]:
    """Show the progress of a fit on a terminal, where scikit-learn has callbacks for it."""
    if not is_terminal() or not hasattr(estimator, "set_callbacks"):
        yield
        return
    from sklearn.callback import ProgressBar

    estimator.set_callbacks(ProgressBar())
    try:
        yield
    finally:
        estimator.set_callbacks()


@contextmanager
def stage_progress() -> Iterator[Callable[[str, float], None] | None]:
    """What to call with the name of a stage and the share done, where a person is watching."""
    if not is_terminal():
        yield None
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn())
    with Progress(*columns, TimeElapsedColumn(), console=errors, transient=True) as bar:
        task = bar.add_task("start", total=1.0)
        yield lambda stage, share: bar.update(task, description=stage, completed=share)


def note(sentence: str) -> None:
    """Say something that is no fault."""
    warnings.warn(sentence, UserWarning, stacklevel=2)


def say(text: object, where: Console = console) -> None:
    """Print a text as it is, but for marks that could steer a terminal."""
    where.print(printable(str(text)), markup=False, highlight=False, soft_wrap=True)


def print_facts(facts: Mapping[str, Any]) -> None:
    """Print one line per fact."""
    for key, value in facts.items():
        say(f"{key:>20}: {value}")


def print_json(**facts: Any) -> None:
    """Print facts for machines."""
    typer.echo(json.dumps(facts, indent=2, default=str))


def listed(facts: Mapping[str, Any]) -> str:
    """Facts in one line."""
    return ", ".join(f"{key}: {value}" for key, value in facts.items())


def first_few(items: Sequence[str]) -> str:
    """Names in one line, and how many more there are."""
    more = f" and {len(items) - MAX_NAMED} more" if len(items) > MAX_NAMED else ""
    return ", ".join(items[:MAX_NAMED]) + more


def _sentence(error: Exception) -> str:
    """What an error says, in one line."""
    text = str(error) or "There is not enough memory."
    if isinstance(error, OSError) and error.strerror:
        text = f"{f'{error.filename}: ' if error.filename else ''}{error.strerror}."
    line = " ".join(printable(text).split())
    return line if len(line) <= MAX_SENTENCE else f"{line[:MAX_SENTENCE]} …"


def printable(text: str) -> str:
    """The text without marks that could steer a terminal."""
    return "".join(mark if mark.isprintable() or mark == "\n" else "?" for mark in text)


def split_list(texts: Sequence[str] | None) -> list[str]:
    """Values of an option that may be repeated or hold commas."""
    return [part.strip() for text in texts or [] for part in text.split(",") if part.strip()]


def is_terminal() -> bool:
    """Whether a person is watching."""
    return sys.stderr.isatty()
