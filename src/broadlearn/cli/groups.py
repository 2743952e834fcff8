"""Groups of commands that all have `-h`, and whose help is plain text."""

from __future__ import annotations

from typing import Annotated

import typer

Jobs = Annotated[int, typer.Option("--jobs", "-j", min=-1, help="Processes; -1 for all cores.")]
# Longer lines are hard to read, however wide the terminal is.
MAX_WIDTH = 100


def command_group(help: str, *, add_completion: bool = False) -> typer.Typer:
    """Return a group of commands under one name."""
    return typer.Typer(
        help=help,
        no_args_is_help=True,
        add_completion=add_completion,
        pretty_exceptions_enable=False,
        # Panels would take twice the time, and be cut in a pipe.
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": MAX_WIDTH},
    )
