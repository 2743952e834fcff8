"""The command line: parse, call, print."""

import io
import os
import sys


def main() -> None:
    """Run the command line, or print which extra it needs."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A character that the terminal lacks, such as € in the locale C, is no reason to fail.
        sys.stdout.reconfigure(errors="replace")
    try:
        from broadlearn.cli.interrupts import handle_termination

        handle_termination()
        _run()
    except KeyboardInterrupt as error:
        from broadlearn.cli.interrupts import INTERRUPTED, TERMINATED, Terminated

        asked = isinstance(error, Terminated)
        sys.stderr.write("Terminated.\n" if asked else "Interrupted.\n")
        sys.exit(TERMINATED if asked else INTERRUPTED)
    except OSError as error:
        # Python flushes once more when it exits, and would print a traceback.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.stderr.write(f"Error: standard output: {error.strerror}.\n")
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
        # typer turns an interrupt between our functions into an exit without a word.
        cause = getattr(finished.__context__, "__cause__", None)
        if isinstance(cause, KeyboardInterrupt):
            raise cause from None
        if not finished.code:
            sys.stdout.flush()
        raise
