"""`broadlearn inspect`: what kind of values each column of a table holds."""

from __future__ import annotations

from typing import Annotated

import typer

from broadlearn.cli.columns import As, chosen_kinds, columns_as_json, print_columns
from broadlearn.cli.console import command, print_facts, print_json, split_list
from broadlearn.cli.tables import AS_FOUND, AsJson, Data, Drop, FileFlags, with_file_flags


@with_file_flags
def inspect(
    data: Data,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Column of the labels, to find leaks of it."),
    ] = None,
    kinds: As = None,
    drop: Drop = None,
    as_json: AsJson = False,
    flags: FileFlags = AS_FOUND,
) -> None:
    """Say what kind of values each column of a table holds, and what fit would make of it.

    Exit code 0: done; 2: bad input; 130: interrupted.
    """
    with command() as notes:
        from broadlearn.io import describe_columns, read_table

        table = read_table(data, target, drop=split_list(drop), task="auto", **flags._asdict())
        chosen = chosen_kinds(kinds, list(table.X))
        records = describe_columns(table.X, table.y, kinds=chosen)
        if as_json:
            print_json(
                data=str(data),
                rows=len(table.X),
                target=table.target,
                columns=columns_as_json(records),
                notes=notes(),
            )
            return
        print_facts({"rows": len(table.X), "columns": len(records)})
        print_columns(records)
