"""`broadlearn inspect`: how the columns of a table are read."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from broadlearn.cli import console, tables


@tables.with_table_options
def inspect(
    data: tables.Data,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Column to predict, to show its task.")
    ] = None,
    kinds: tables.As = None,
    drop: tables.Drop = None,
    as_json: tables.AsJson = False,
    options: Any = None,
) -> None:
    """Show how each column of a table would be read and encoded.

    Exit code 0: done; 2: bad input; 130: interrupted.
    """
    with console.command():
        from broadlearn.tables import TablePreparation, read_table

        table = read_table(
            data, target, drop=console.split_list(drop), options=tables.file_options(options)
        )
        columns = TablePreparation(*tables.parse_kinds(kinds)).fit(table.X).describe()
        facts: dict[str, Any] = {"rows": len(table.X), "columns": len(columns)}
        if target is not None:
            facts |= {"target": table.target, "task": table.task}
        if as_json:
            console.print_json(data=str(data), **facts | {"columns": console.records(columns)})
            return
        console.print_facts(facts)
        console.print_frame(columns)
