"""`broadlearn datasets`: the data sets that the study knows."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from broadlearn.cli import console

app = console.command_group("List data sets.")


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
                    "classes": ", ".join(map(str, info.class_counts)),
                    "where": [*paths, "embedded" if info.kind == "embedded" else "not here"][0],
                    "note": info.note,
                }
            )
        console.print_frame(pd.DataFrame(found), max_rows=len(found))
