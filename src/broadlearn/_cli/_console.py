"""What all commands share: consoles, and errors as one sentence."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

console = Console()
errors = Console(stderr=True)

BAD_INPUT, SOME_FAILED, INTERRUPTED = 2, 2, 130
LONGEST_SENTENCE = 1000


@contextmanager
def one_sentence() -> Iterator[None]:
    """Print what is wrong with the input as one sentence, and exit with code 2."""
    try:
        yield
    except KeyboardInterrupt:
        errors.print("Interrupted; the same command goes on where it stopped.")
        raise typer.Exit(INTERRUPTED) from None
    except (ValueError, OSError, ImportError, TypeError, MemoryError) as error:
        errors.print("[bold red]Error:[/] ", end="")
        errors.print(_sentence(error), markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(BAD_INPUT) from error


def _sentence(error: Exception) -> str:
    """What an error says, in one line."""
    text = str(error) or "There is not enough memory."
    if isinstance(error, OSError) and error.strerror:
        text = f"{f'{error.filename}: ' if error.filename else ''}{error.strerror}."
    line = " ".join(printable(text).split())
    return line if len(line) <= LONGEST_SENTENCE else f"{line[:LONGEST_SENTENCE]} …"


def printable(text: str) -> str:
    """The text without marks that could steer a terminal."""
    return "".join(mark if mark.isprintable() or mark == "\n" else "?" for mark in text)


def split_list(texts: list[str] | None) -> list[str]:
    """Values of an option that may be repeated or hold commas."""
    return [part.strip() for text in texts or [] for part in text.split(",") if part.strip()]


def is_terminal() -> bool:
    """Whether a person is watching."""
    return sys.stderr.isatty()
