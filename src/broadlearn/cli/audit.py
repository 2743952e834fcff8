"""`broadlearn audit`: which rows of a table are suspect, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.table import Table
from rich.text import Text
from threadpoolctl import threadpool_limits

from broadlearn.audit import audit
from broadlearn.cli.console import command, console, print_facts, print_json, printable
from broadlearn.cli.tables import AsJson, Data, Drop, Target, check_outputs, read_labelled
from broadlearn.utils import write_whole


def audit_rows(
    data: Data,
    target: Target,
    page: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a page (HTML) of suspect rows.")
    ] = None,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write all rows as CSV.")] = None,
    drop: Drop = None,
    top: Annotated[int, typer.Option(min=0, help="Suspect rows to print.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Find rows whose label or values are suspect, and say why. Rows are counted from 0.

    Exit code 0: done; 2: bad input; 130: interrupted.
    """
    with command() as notes:
        check_outputs([page, csv], [data])
        table = read_labelled(data, target, drop)
        # Products of small blocks: on a busy machine threads would mostly wait for each other.
        with threadpool_limits(1, user_api="blas"):
            found = audit(table.X, table.y)
        texts: dict[Path, str | None] = {}
        if page is not None:
            texts[page] = found.to_html(title=f"Audit of {data.name}")
        if csv is not None:
            texts[csv] = found.to_csv()
        for path, text in texts.items():
            write_whole(path, str(text))
        suspects = found.table[found.table["verdict"] != "fine"].reset_index()
        if as_json:
            print_json(
                data=str(data),
                rows=len(found.table),
                verdicts=found.counts,
                kernel_width=found.kernel_width,
                neighborhood_radius=found.neighborhood_radius,
                suspects=json.loads(suspects.to_json(orient="records")),
                written=list(map(str, texts)),
                notes=notes(),
            )
            return
        print_facts({"rows": len(found.table), **found.counts})
        if top and len(suspects):
            console.print(_listing(suspects.head(top)))
        print_facts({"written": ", ".join(map(str, texts))} if texts else {})


def _listing(suspects: pd.DataFrame) -> Table:
    listing = Table("row", "suspicion", "label", "likely", "why")
    for row in suspects.itertuples():
        cells = (row.row, f"{row.suspicion:.2f}", row.label, row.likely_label, row.why)
        listing.add_row(*(Text(printable(str(cell))) for cell in cells))
    return listing
