"""All commands together."""

from __future__ import annotations

from typing import Annotated

import typer

import broadlearn
from broadlearn._cli import _datasets, _models, _study, _suspects
from broadlearn._cli._console import console

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Fast, closed-form classifiers that stay accurate when rows are noisy.",
)
app.command("audit")(_suspects.audit_rows)
app.command("fit")(_models.fit)
app.command("predict")(_models.predict)
app.command("describe")(_models.describe)
app.add_typer(_study.app, name="study")
app.add_typer(_datasets.app, name="datasets")


@app.callback(invoke_without_command=True)
def main(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Show the version."""
    if version:
        console.print(broadlearn.__version__, highlight=False)
        raise typer.Exit
