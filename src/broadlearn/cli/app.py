"""All commands together."""

from __future__ import annotations

from importlib.metadata import version as version_of
from typing import Annotated

import typer

from broadlearn.cli import audit, datasets, leaderboard, models, reproduction, study
from broadlearn.cli.console import say

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Fast, closed-form classifiers that stay accurate when rows are noisy.",
)
app.command("audit")(audit.audit_rows)
app.command("fit")(models.fit)
app.command("predict")(models.predict)
app.command("describe")(models.describe)
study.app.command("leaderboard")(leaderboard.leaderboard)
study.app.command("reproduction")(reproduction.reproduction)
app.add_typer(study.app, name="study")
app.add_typer(datasets.app, name="datasets")


@app.callback(invoke_without_command=True)
def main(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Show the version."""
    if version:
        say(version_of("broadlearn"))
        raise typer.Exit
