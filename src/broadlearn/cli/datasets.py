"""`broadlearn datasets`: what there is, and how to get it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from broadlearn.cli.console import (
    listed,
    one_sentence,
    print_facts,
    print_json,
    print_table,
    say,
    split_list,
    waiting,
)
from broadlearn.cli.groups import CommandGroup, completes
from broadlearn.cli.tables import AsJson

app = CommandGroup("List, fetch and describe data sets.")


@app.command("list")
def list_datasets(
    kind: Annotated[
        str | None,
        typer.Option(
            autocompletion=completes("uci28", "extra", "embedded"),
            help="Only these: uci28, extra or embedded.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List all data sets that the study knows, and where each one is."""
    with one_sentence():
        from rich.table import Table

        from broadlearn.study import dataset_names

        found = [_known(name) for name in dataset_names(kind)]
        if as_json:
            print_json(datasets=found)
            return
        table = Table("name", "rows", "columns", "classes", "where")
        for facts in found:
            where = facts["file"] or (
                "embedded" if facts["kind"] == "embedded" else "to be fetched"
            )
            counts = ", ".join(map(str, facts["classes"].values()))
            table.add_row(facts["name"], str(facts["rows"]), str(facts["columns"]), counts, where)
        print_table(table)


@app.command()
def describe(
    name: Annotated[str, typer.Argument(help="Name of a data set.")], as_json: AsJson = False
) -> None:
    """Show what is known of a data set: size, source, and what is odd about it."""
    with one_sentence():
        facts = _known(name)
        if as_json:
            print_json(**facts)
            return
        facts["classes"] = listed(facts["classes"])
        facts["other forms"] = ", ".join(facts.pop("other_forms"))
        facts["sha256 of the values"] = facts.pop("sha256")
        print_facts({key: value or "none" for key, value in facts.items()})


@app.command()
def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Names of data sets, also with commas; all 28 if none is given."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Download data sets of the study into the cache, and check all values."""
    with one_sentence():
        from broadlearn.study import dataset_names, fetch_datasets

        paths = []
        for name in split_list(names) or dataset_names("uci28"):
            waiting(f"fetching {name}")
            paths += fetch_datasets([name])
        if as_json:
            print_json(written=list(map(str, paths)))
            return
        for path in paths:
            say(path)


def _known(name: str) -> dict[str, Any]:
    """What is known of a data set, for machines."""
    from broadlearn.study import dataset_files, dataset_variants, describe_dataset

    info, paths = describe_dataset(name), dataset_files(name)
    return {
        "name": info.name,
        "kind": info.kind,
        "rows": info.n_rows,
        "columns": info.n_columns,
        "classes": {str(label): int(count) for label, count in info.class_counts.items()},
        "source": info.source,
        "file": str(paths[0]) if paths else None,
        "other_forms": list(dataset_variants(name)),
        "sha256": info.sha256 or None,
        "note": info.note or None,
    }
