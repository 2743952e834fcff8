"""`broadlearn datasets`: what there is, and how to get it."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn
from rich.table import Table

from broadlearn.cli.console import console, errors, listed, one_sentence, print_facts, say
from broadlearn.study import (
    dataset_names,
    dataset_path,
    dataset_variants,
    describe_dataset,
    fetch_datasets,
)

app = typer.Typer(no_args_is_help=True, help="List, fetch and describe data sets.")


@app.command("list")
def list_datasets(
    kind: Annotated[str | None, typer.Option(help="Only these: uci28, extra or embedded.")] = None,
) -> None:
    """List all data sets that the study knows, and where each one is."""
    with one_sentence():
        table = Table("name", "rows", "columns", "classes", "where")
        for name in dataset_names(kind):
            info = describe_dataset(name)
            where = "embedded" if info.kind == "embedded" else dataset_path(name) or "to be fetched"
            counts = ", ".join(map(str, info.class_counts.values()))
            table.add_row(name, str(info.n_rows), str(info.n_columns), counts, str(where))
        console.print(table)


@app.command()
def describe(name: Annotated[str, typer.Argument(help="Name of a data set.")]) -> None:
    """Show what is known of a data set: size, source, and what is odd about it."""
    with one_sentence():
        info = describe_dataset(name)
        facts = {
            "name": info.name,
            "rows": info.n_rows,
            "columns": info.n_columns,
            "classes": listed(info.class_counts),
            "source": info.source,
            "file": dataset_path(name) or "none",
            "other forms": ", ".join(dataset_variants(name)) or "none",
            "sha256 of the values": info.sha256 or "none",
            "note": info.note or "none",
        }
        print_facts(facts)


@app.command()
def fetch(
    names: Annotated[
        list[str] | None, typer.Argument(help="Names of data sets; all 28 if none is given.")
    ] = None,
) -> None:
    """Download data sets of the study into the cache, with checksums; resumes where it stopped."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with one_sentence(), Progress(*columns, console=errors) as bar:
        tasks: dict[str, TaskID] = {}

        def show(file: str, done: int, total: int | None) -> None:
            if file not in tasks:
                tasks[file] = bar.add_task(file, total=total)
            bar.update(tasks[file], completed=done, total=total)

        for path in fetch_datasets(names or None, progress=show):
            say(path)
