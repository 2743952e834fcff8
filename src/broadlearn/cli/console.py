"""Printing of all commands: facts, tables, JSON, notes, progress, and errors in one sentence.

Results go to standard output; notes, progress and errors to standard error. `--quiet` leaves out
notes and progress.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import typer

from broadlearn.cli.interrupts import INTERRUPTED, TERMINATED, Terminated

if TYPE_CHECKING:
    import pandas as pd
    from rich.progress import Progress

# Exit code after bad input, or if some runs failed.
FAILED = 2
# State after an interrupt of a command that keeps what it has done.
CONTINUES = "the same command continues where it stopped"

# Whether notes and progress are left out, the spinner on the terminal, and of the present command
# the files that it has written, its warnings, and whether it has printed JSON.
settings = SimpleNamespace(quiet=False, spinner=None, written=[], caught=[], json=False)


def command_group(help: str, *, add_completion: bool = False) -> typer.Typer:
    """Return a group of commands that all have `-h`, and whose help is plain text."""
    return typer.Typer(
        help=help,
        no_args_is_help=True,
        add_completion=add_completion,
        pretty_exceptions_enable=False,
        # Panels would take twice the time, and be cut in a pipe.
        rich_markup_mode=None,
        # Longer lines are hard to read, however wide the terminal is.
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )


@contextmanager
def command(interrupted: str | None = None) -> Iterator[None]:
    """Print errors as one sentence and exit with code 2; 130 or 143 after an interrupt.

    Files that were written are printed at the end, and warnings as notes. `interrupted` is the
    state after an interrupt; None tells which files were written.
    """
    settings.written, settings.json = [], False
    try:
        with warnings.catch_warnings(record=True) as settings.caught:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            waiting("working")
            yield
            for path in () if settings.json else settings.written:
                print_facts({"written": path})
            for sentence in _notes():
                tell(f"Note: {sentence}")
    except KeyboardInterrupt as error:
        files = ", ".join(map(str, settings.written))
        state = interrupted or (f"written before: {files}" if files else "nothing was written")
        asked = isinstance(error, Terminated)
        say(f"{'Terminated' if asked else 'Interrupted'}; {state}.", err=True)
        raise typer.Exit(TERMINATED if asked else INTERRUPTED) from None
    except (OSError, ValueError, ImportError, TypeError, MemoryError) as error:
        # Of standard output: `main` handles it, and typer a reader that has enough, as `head` does.
        if isinstance(error, OSError) and error.errno is not None and error.filename is None:
            raise
        stop_waiting()
        typer.secho("Error: ", fg="red", bold=True, err=True, nl=False)
        say(_sentence(error), err=True)
        raise typer.Exit(FAILED) from error
    finally:
        stop_waiting()


def _notes() -> list[str]:
    return list(dict.fromkeys(str(warning.message) for warning in settings.caught))


def note(sentence: str) -> None:
    """Print a note at the end of the command."""
    warnings.warn(sentence, UserWarning, stacklevel=2)


@contextmanager
def stage_progress() -> Iterator[Callable[[str, float], None]]:
    """Show stages on a terminal; yields a function of the stage and the share done."""
    with bar() as shown:
        task = shown.add_task("start", total=1.0)
        yield lambda stage, share: shown.update(task, description=stage, completed=share)


def bar() -> Progress:
    """Return a progress bar with the time left, shown on a terminal only."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    stop_waiting()
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        *Progress.get_default_columns()[2:],
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        disable=not is_terminal(),
    )


def waiting(what: str) -> None:
    """Show what is being done, on a terminal, until something is printed."""
    if not is_terminal():
        return
    from rich.console import Console
    from rich.markup import escape

    stop_waiting()
    settings.spinner = Console(stderr=True).status(escape(what))
    settings.spinner.start()


def stop_waiting() -> None:
    """Remove what `waiting` shows."""
    if settings.spinner is not None:
        settings.spinner.stop()
        settings.spinner = None


def is_terminal() -> bool:
    """Return whether a person is watching and wants to see progress."""
    return sys.stderr.isatty() and not settings.quiet


def tell(text: object) -> None:
    """Print a note on standard error, unless `--quiet` is given."""
    if not settings.quiet:
        say(text, err=True)


def say(text: object, *, err: bool = False) -> None:
    """Print a text, with unprintable characters as escapes."""
    from broadlearn.utils import visible

    stop_waiting()
    typer.echo(visible(str(text)), err=err)


def print_facts(facts: Mapping[str, Any]) -> None:
    """Print one line per fact that is known."""
    for key, value in facts.items():
        if isinstance(value, Mapping):
            value = ", ".join(f"{name}: {part}" for name, part in value.items())
        elif isinstance(value, list):
            value = ", ".join(map(str, value))
        elif isinstance(value, float):
            value = f"{value:.4g}"
        if value not in (None, ""):
            say(f"{key:>20}: {value}")


def print_frame(frame: pd.DataFrame, title: str | None = None, max_rows: int = 40) -> None:
    """Print the first rows of a frame as a table, numbers to the right.

    It is as wide as the terminal; in a pipe it has no frame and is never cut.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from broadlearn.utils import visible

    table = Table(box=SIMPLE_HEAD, title=title, title_justify="left")
    for name, dtype in frame.dtypes.items():
        right = dtype.kind in "iuf"
        table.add_column(
            str(name), justify="right" if right else "left", no_wrap=right, overflow="fold"
        )
    for row in frame.head(max_rows).itertuples(index=False, name=None):
        table.add_row(*(Text(visible(_cell(value))) for value in row))
    stop_waiting()
    console = Console()
    if not console.is_terminal:
        # Lines of a pipe are not wrapped.
        console = Console(width=100_000)
        table.box, table.pad_edge = None, False
    console.print(table)
    if len(frame) > max_rows:
        say(f"{len(frame) - max_rows:,} more; --json has all.")


def print_json(**facts: Any) -> None:
    """Print facts for machines, with the files that were written and the notes."""
    stop_waiting()
    settings.json = True
    facts |= {"written": list(map(str, settings.written)), "notes": _notes()}
    typer.echo(json.dumps(facts, indent=2, default=str))


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table for machines; missing and infinite numbers are None."""
    text = table.to_json(orient="records", double_precision=15, default_handler=str)
    rows: list[dict[str, Any]] = json.loads(text)
    return rows


def split_list(texts: Sequence[str] | None) -> list[str]:
    """Return the values of an option that may be repeated or hold commas."""
    return [part.strip() for text in texts or [] for part in text.split(",") if part.strip()]


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "-" if value != value else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _sentence(error: Exception) -> str:
    """Return the message of an error in one line."""
    text = str(error) or "There is not enough memory."
    if isinstance(error, OSError) and error.strerror:
        text = f"{f'{error.filename}: ' if error.filename else ''}{error.strerror}."
    return " ".join(text.split())
