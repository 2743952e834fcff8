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
    fit,
    inspect,
    leaderboard,
    predict,
    reproduction,
    study,
    study_compare,
    study_prune,
    study_store,
)
from broadlearn.cli.console import say, settings
from broadlearn.cli.groups import CommandGroup, Quiet

app = CommandGroup(
    "Fast, closed-form classifiers that stay accurate when rows are noisy.", add_completion=True
)
app.command("audit")(audit.audit_rows)
app.command("inspect")(inspect.inspect)
app.command("fit")(fit.fit)
app.command("predict")(predict.predict)
app.command("evaluate")(evaluate.evaluate)
app.command("explain")(evaluate.explain)
app.command("describe")(describe.describe)
study.app.command("leaderboard")(leaderboard.leaderboard)
study.app.command("reproduction")(reproduction.reproduction)
study.app.command("compare")(study_compare.compare)
study.app.command("prune")(study_prune.prune)
study.app.command("check")(study_store.check)
study.app.command("release")(study_store.release)
app.add_typer(study.app, name="study")
app.add_typer(datasets.app, name="datasets")


@app.callback(invoke_without_command=True)
def main(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    quiet: Quiet = False,
) -> None:
    """Show the version."""
    settings.quiet = quiet
    if version:
        # As `importlib.metadata` says too, whose import would take half of the time.
        say(sys.modules["broadlearn"].__version__)
        raise typer.Exit
