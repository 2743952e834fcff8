"""What all commands share: what is printed, as facts, notes, JSON, or errors in one sentence.

Facts go to standard output; notes, progress and errors to standard error. `--quiet` leaves out
notes and progress.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import typer

from broadlearn.cli.interrupts import INTERRUPTED, TERMINATED, Terminated, at_work

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn
    from rich.table import Table

BAD_INPUT, SOME_FAILED = 2, 2
MAX_SENTENCE = 1000
# Columns or classes that a sentence names.
MAX_NAMED = 8
# Of tables that nobody watches: wide enough for all.
PIPE_WIDTH = 100_000

# Whether notes and progress are left out; what shows that a command is at work, if anything does.
settings = SimpleNamespace(quiet=False, spinner=None)


@contextmanager
def one_sentence(interrupted: str = "the same command goes on where it stopped") -> Iterator[None]:
    """Print what is wrong with the input as one sentence, and exit with code 2."""
    try:
        with at_work():
            waiting("working")
            yield
    except KeyboardInterrupt as error:
        asked = isinstance(error, Terminated)
        say(f"{'Terminated' if asked else 'Interrupted'}; {interrupted}.", err=True)
        raise typer.Exit(TERMINATED if asked else INTERRUPTED) from None
    except BrokenPipeError:
        # The reader of a pipe has enough, as `head` does.
        raise
    except (ValueError, OSError, ImportError, TypeError, MemoryError) as error:
        stop_waiting()
        typer.secho("Error: ", fg="red", bold=True, err=True, nl=False)
        say(_sentence(error), err=True)
        raise typer.Exit(BAD_INPUT) from error
    finally:
        stop_waiting()


@contextmanager
def command() -> Iterator[Callable[[], list[str]]]:
    """Faults as one sentence, warnings as notes; gives what to call for the notes so far."""
    with one_sentence("nothing was written"), warnings.catch_warnings(record=True) as caught:
        from sklearn.exceptions import FitFailedWarning

        warnings.simplefilter("ignore")
        for category in (UserWarning, FitFailedWarning):
            warnings.simplefilter("always", category)
        # `unseen_levels` says this with the names of the columns.
        warnings.filterwarnings("ignore", "Found unknown categories")

        def notes() -> list[str]:
            return list(dict.fromkeys(str(warning.message) for warning in caught))

        yield notes
        for sentence in notes():
            tell(f"Note: {sentence}")


@contextmanager
def progress_bar(estimator: Any) -> Iterator[None]:
    """Show the progress of a fit on a terminal, where scikit-learn has callbacks for it."""
    if not is_terminal() or not hasattr(estimator, "set_callbacks"):
        yield
        return
    from rich import reconfigure
    from sklearn.callback import ProgressBar

    # The bar takes rich's own console, and standard output is for results.
    reconfigure(stderr=True)
    stop_waiting()
    estimator.set_callbacks(ProgressBar())
    try:
        yield
    finally:
        estimator.set_callbacks()


@contextmanager
def stage_progress() -> Iterator[Callable[[str, float], None]]:
    """What to call with the name of a stage and the share done; shown where a person watches."""
    with bar() as shown:
        task = shown.add_task("start", total=1.0)
        yield lambda stage, share: shown.update(task, description=stage, completed=share)


def bar(*columns: ProgressColumn) -> Progress:
    """A bar with the time left, where a person watches; it is gone when all is done."""
    from rich.progress import (
        BarColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    stop_waiting()
    times = (TaskProgressColumn(), TimeElapsedColumn(), "left", TimeRemainingColumn())
    return _progress(
        TextColumn("{task.description}", markup=False), BarColumn(), *(columns or times)
    )


def waiting(what: str) -> None:
    """Say what is being done, with a clock, where a person watches and until more is printed."""
    if not is_terminal():
        return
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    stop_waiting()
    text = TextColumn("{task.description}", markup=False)
    settings.spinner = _progress(SpinnerColumn(), text, TimeElapsedColumn(), redirect=False)
    settings.spinner.add_task(what, total=None)
    settings.spinner.start()


def stop_waiting() -> None:
    """Remove what `waiting` shows."""
    if settings.spinner is not None:
        settings.spinner.stop()
        settings.spinner = None


def _progress(*columns: str | ProgressColumn, redirect: bool = True) -> Progress:
    """What is shown on standard error; with `redirect`, what is said there goes above it."""
    from rich.console import Console
    from rich.progress import Progress

    return Progress(
        *columns,
        console=Console(stderr=True),
        transient=True,
        # Results go to standard output, whatever is shown.
        redirect_stdout=False,
        redirect_stderr=redirect,
        disable=not is_terminal(),
    )


def note(sentence: str) -> None:
    """Say something that is no fault."""
    warnings.warn(sentence, UserWarning, stacklevel=2)


def tell(text: object) -> None:
    """Say something that is neither a result nor a fault; nothing with `--quiet`."""
    if not settings.quiet:
        say(text, err=True)


def say(text: object, *, err: bool = False) -> None:
    """Print a text as it is, but for marks that could steer a terminal."""
    stop_waiting()
    typer.echo(printable(str(text)), err=err)


def print_facts(facts: Mapping[str, Any]) -> None:
    """Print one line per fact."""
    for key, value in facts.items():
        say(f"{key:>20}: {value}")


def print_table(table: Table) -> None:
    """Print a table as wide as the terminal; in a pipe without a frame, and never cut."""
    from rich.console import Console

    stop_waiting()
    console = Console()
    if not console.is_terminal:
        console = Console(width=PIPE_WIDTH)
        table.box, table.pad_edge, table.title_justify = None, False, "left"
    console.print(table)


def print_json(**facts: Any) -> None:
    """Print facts for machines."""
    stop_waiting()
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


def split_paths(paths: Sequence[Path] | None) -> list[Path]:
    """Files of an option that may be repeated or hold commas, which a file's name may have too."""
    return [
        part
        for path in paths or []
        for part in ([path] if path.exists() else map(Path, split_list([str(path)])))
    ]


def is_terminal() -> bool:
    """Whether a person is watching, and wants to see more than the result."""
    return sys.stderr.isatty() and not settings.quiet
