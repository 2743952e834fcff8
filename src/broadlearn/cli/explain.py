"""`broadlearn explain`: why rows are predicted as they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from broadlearn.cli import console, tables
from broadlearn.cli.predict import check_columns, is_prepared, load_model

if TYPE_CHECKING:
    import pandas as pd

    from broadlearn.evaluation import Explanation


@tables.with_table_options
def explain(
    model: tables.ModelFile,
    data: tables.Data,
    row: Annotated[
        int | None, typer.Option(min=0, help="Row to explain, counted from 0; all if not given.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="CSV or Parquet file of contributions to write."),
    ] = None,
    background: Annotated[
        Path | None,
        typer.Option(help="Table of rows to compare with; by default the same table."),
    ] = None,
    force: tables.ForceRead = False,
    as_json: tables.AsJson = False,
    options: Any = None,
) -> None:
    """Show how much each column contributes to predictions.

    Contributions are Shapley values. Those of a row sum to its prediction minus the mean prediction
    of the rows that it is compared with. Without --row, the importance of columns is shown: their
    mean absolute contribution to the difference between two rows. Exit code 0: done; 2: bad input;
    130: interrupted.
    """
    with console.command():
        from broadlearn.evaluation import explain as explain_rows
        from broadlearn.evaluation import importances
        from broadlearn.tables import read_frame, write_frame

        inputs = [model, data, *([background] if background else [])]
        tables.check_outputs([output], inputs, force=force)
        fitted, read = load_model(model, force=force), tables.file_options(options)

        def read_rows(path: Path) -> pd.DataFrame:
            frame = read_frame(path, read, as_text=is_prepared(fitted))
            return check_columns(fitted, frame, path)

        X = read_rows(data)
        others = X if background is None else read_rows(background)
        if row is not None and row >= len(X):
            raise ValueError(f"--row must be below the number of rows, {len(X)}; got {row}.")
        console.waiting("explaining")
        if row is None:
            facts: dict[str, Any] = {"rows": len(X)}
            shown = importances(fitted, X).rename_axis("column").reset_index()
        if row is not None or output is not None:
            rows = X if row is None else X.iloc[[row]]
            found = explain_rows(fitted, rows, others)
        if row is not None:
            facts = {"row": row} | ({} if found.label is None else {"class": found.label[0]})
            facts |= {found.unit: found.output[0], f"mean {found.unit}": found.base[0]}
            shown = found.row(0)
        if output is not None:
            tables.write_outputs(
                {output: lambda path: write_frame(_contributions(found, row or 0), path)}
            )
        if as_json:
            console.print_json(**facts, columns=console.records(shown))
            return
        console.print_facts(facts)
        console.print_frame(shown.assign(bar=_bars(shown.iloc[:, 1 if row is None else 2])))


def _bars(values: pd.Series[float]) -> list[str]:
    """Return a bar of + or - per value, 20 characters for the largest."""
    most = values.abs().max() or 1.0
    return [("-" if v < 0 else "+") * round(20 * abs(v) / most) for v in values]


def _contributions(found: Explanation, first: int) -> pd.DataFrame:
    """Return one line per row: its position, output, background and contributions."""
    table = found.contributions.add_prefix("contribution_").reset_index(drop=True)
    table.insert(0, f"mean_{found.unit}", found.base)
    table.insert(0, found.unit, found.output)
    if found.label is not None:
        table.insert(0, "class", found.label)
    table.insert(0, "row", range(first, first + len(table)))
    return table
