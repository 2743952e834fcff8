"""`broadlearn datasets`: what there is, and how to get it."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from broadlearn.cli import console

app = console.command_group("List and fetch data sets.")


@app.command("list")
def list_datasets(
    kind: Annotated[
        Literal["uci28", "extra", "embedded"] | None, typer.Option(help="Only these.")
    ] = None,
) -> None:
    """List all data sets that the study knows, and where each one is."""
    with console.command():
        import pandas as pd

        from broadlearn.study import dataset_files, dataset_names, describe_dataset

        found = []
        for name in dataset_names(kind):
            info, paths = describe_dataset(name), dataset_files(name)
            found.append(
                {
                    "name": name,
                    "rows": info.n_rows,
                    "columns": info.n_columns,
                    "classes": ", ".join(map(str, info.class_counts.values())),
                    "where": [*paths, "embedded" if info.kind == "embedded" else "not fetched"][0],
                    "note": info.note,
                }
            )
        console.print_frame(pd.DataFrame(found), max_rows=len(found))


@app.command()
def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Names of data sets, also with commas; all 28 if none is given."),
    ] = None,
) -> None:
    """Download data sets of the study, and check all values."""
    with console.command(console.CONTINUES):
        from broadlearn.study import dataset_names, fetch_datasets

        for name in console.split_list(names) or dataset_names("uci28"):
            console.waiting(f"fetching {name}")
            for path in fetch_datasets([name]):
                console.say(path)
