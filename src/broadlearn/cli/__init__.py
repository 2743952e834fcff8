"""The command line: parses, calls, prints."""

import sys
from io import TextIOWrapper


def main() -> None:
    """Run the command line; without its extra, say how to get it."""
    try:
        from broadlearn.cli.interrupts import interrupts_handled

        with interrupts_handled():
            for stream in (sys.stdout, sys.stderr):
                # What a terminal cannot show, such as € in the locale C, is no reason to fail.
                if isinstance(stream, TextIOWrapper):
                    stream.reconfigure(errors="replace")
            _run()
    except KeyboardInterrupt:
        # Before the handler is there, or after it has gone.
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)


def _run() -> None:
    try:
        from broadlearn.cli.app import app
    except ImportError as error:
        sys.exit(
            f'The command line needs the extra "study" ({error.name} is missing): '
            'pip install "broadlearn[study]".'
        )
    app()
