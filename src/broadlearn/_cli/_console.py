"""What all commands share: consoles, and errors as one sentence."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

console = Console()
errors = Console(stderr=True)

BAD_INPUT, SOME_FAILED, INTERRUPTED = 1, 2, 130


@contextmanager
def one_sentence() -> Iterator[None]:
    """Print what is wrong with the input as one sentence, and exit with code 1."""
    try:
        yield
    except KeyboardInterrupt:
        errors.print("Interrupted; the same command goes on where it stopped.")
        raise typer.Exit(INTERRUPTED) from None
    except (ValueError, OSError, ImportError, TypeError) as error:
        errors.print("[bold red]Error:[/] ", end="")
        errors.print(str(error), markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(BAD_INPUT) from error


def split_list(texts: list[str] | None) -> list[str]:
    """Values of an option that may be repeated or hold commas."""
    return [part.strip() for text in texts or [] for part in text.split(",") if part.strip()]


def is_terminal() -> bool:
    """Whether a person is watching."""
    return sys.stderr.isatty()
