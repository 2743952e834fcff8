"""All commands together."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from broadlearn.cli import (
    audit,
    datasets,
    describe,
    evaluate,
    explain,
    fit,
    inspect,
    predict,
    study,
)
from broadlearn.cli.console import command_group, settings
from broadlearn.cli.tables import TableCommand

app = command_group(
    "Fast, closed-form classifiers that stay accurate when rows are noisy.", add_completion=True
)
app.command("audit", cls=TableCommand)(audit.audit_rows)
app.command("inspect", cls=TableCommand)(inspect.inspect)
app.command("fit", cls=TableCommand)(fit.fit)
app.command("predict", cls=TableCommand)(predict.predict)
app.command("evaluate", cls=TableCommand)(evaluate.evaluate)
app.command("explain", cls=TableCommand)(explain.explain)
app.command("describe")(describe.describe)
app.add_typer(study.app, name="study")
app.add_typer(datasets.app, name="datasets")


@app.callback(invoke_without_command=True)
def main(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show neither notes nor progress.")
    ] = False,
) -> None:
    """Show the version."""
    settings.quiet = quiet
    if version:
        # As `importlib.metadata` says too, whose import would take half of the time.
        typer.echo(sys.modules["broadlearn"].__version__)
        raise typer.Exit
