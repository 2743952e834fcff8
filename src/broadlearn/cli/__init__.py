"""The command line: parse, call, print."""

import io
import os
import sys
from typing import NoReturn


def main() -> None:
    """Run the command line, or print which extra it needs."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        _fail("standard output is closed")
    if isinstance(sys.stdout, io.TextIOWrapper):
        if isinstance(sys.stdout.buffer, io.RawIOBase):
            # With PYTHONUNBUFFERED=1, text after a short write, as on a full disk, would be lost.
            buffer = io.BufferedWriter(sys.stdout.buffer)
            sys.stdout = io.TextIOWrapper(buffer, sys.stdout.encoding, line_buffering=True)
        # A character that the terminal lacks, such as € in the locale C, is no reason to fail.
        sys.stdout.reconfigure(errors="replace")
    try:
        from broadlearn.cli.interrupts import interrupts_handled

        with interrupts_handled():
            _run()
    except KeyboardInterrupt:
        # Before the handler is installed, or after it has gone.
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)
    except OSError as error:
        # Python flushes once more when it exits, and would print a traceback.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        _fail(f"standard output: {error.strerror}")


def _fail(what: str) -> NoReturn:
    sys.stderr.write(f"Error: {what}.\n")
    sys.exit(2)


def _run() -> None:
    try:
        from broadlearn.cli.app import app
    except ImportError as error:
        sys.exit(
            f'The command line needs the extra "study" ({error.name} is missing): '
            'pip install "broadlearn[study]".'
        )
    try:
        app()
    except SystemExit as finished:
        if not finished.code:
            sys.stdout.flush()
        raise
