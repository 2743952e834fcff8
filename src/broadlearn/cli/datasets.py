"""`broadlearn datasets`: what there is, and how to get it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from broadlearn.cli import console
from broadlearn.cli.tables import AsJson

app = console.command_group("List and fetch data sets.")


@app.command("list")
def list_datasets(
    kind: Annotated[
        Literal["uci28", "extra", "embedded"] | None, typer.Option(help="Only these.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List all data sets that the study knows, and where each one is."""
    with console.command():
        import pandas as pd

        from broadlearn.study import dataset_names

        found = [_known(name) for name in dataset_names(kind)]
        if as_json:
            console.print_json(datasets=found)
            return
        for facts in found:
            facts["classes"] = ", ".join(map(str, facts["classes"].values()))
            unfetched = "embedded" if facts["kind"] == "embedded" else "to be fetched"
            facts["where"] = facts["file"] or unfetched
        columns = ["name", "rows", "columns", "classes", "where"]
        console.print_frame(pd.DataFrame(found)[columns], max_rows=len(found))


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


def _known(name: str) -> dict[str, Any]:
    """What is known of a data set, for machines."""
    from broadlearn.study import dataset_files, dataset_variants, describe_dataset

    info, paths = describe_dataset(name), dataset_files(name)
    return {
        "name": info.name,
        "kind": info.kind,
        "rows": info.n_rows,
        "columns": info.n_columns,
        "classes": info.class_counts,
        "source": info.source,
        "file": str(paths[0]) if paths else None,
        "other_forms": dataset_variants(name),
        "sha256": info.sha256,
        "note": info.note,
    }
