"""The command line: parses, calls, prints."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; without its extra, say how to get it."""
    try:
        from broadlearn.cli.app import app
    except ImportError as error:
        sys.exit(
            f'The command line needs the extra "study" ({error.name} is missing): '
            'pip install "broadlearn[study]".'
        )
    app()
