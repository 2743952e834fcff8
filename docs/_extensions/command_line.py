"""The directive `command-line`: every command with its arguments and options, from the code."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import typer
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from broadlearn.cli.app import app as commands

SHOWN_ONCE = {"help", "quiet"}


def leaves(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Commands that do something, with their whole names."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield " ".join(path), command
        return
    context = typer.Context(command)
    for name in command.list_commands(context):
        yield from leaves(command.get_command(context, name), (*path, name))


def rows_of(command: Any) -> Iterator[tuple[str, str]]:
    """Names and explanations of a command's arguments and options."""
    context = typer.Context(command)
    for parameter in command.get_params(context):
        if parameter.name in SHOWN_ONCE:
            continue
        record = parameter.get_help_record(context)
        if record is not None:
            yield record


class CommandLine(SphinxDirective):
    """A section for each command."""

    def run(self) -> list[nodes.Node]:
        """Make the sections."""
        sections: list[nodes.Node] = []
        for name, command in leaves(typer.main.get_command(commands), ("broadlearn",)):
            section = nodes.section(ids=[nodes.make_id(name)])
            section += nodes.title(text=name)
            for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
                section += nodes.paragraph(text=re.sub(r"\s+", " ", paragraph))
            options = nodes.definition_list()
            for words, text in rows_of(command):
                item = nodes.definition_list_item()
                item += nodes.term("", "", nodes.literal(text=words))
                item += nodes.definition("", nodes.paragraph(text=text))
                options += item
            section += options
            sections.append(section)
        return sections


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directive."""
    app.add_directive("command-line", CommandLine)
    return {"parallel_read_safe": True}
