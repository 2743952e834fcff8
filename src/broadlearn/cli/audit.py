"""`broadlearn audit`: which rows of a table are suspect, and why; corrections made and applied."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from broadlearn.cli import console, tables

if TYPE_CHECKING:
    from broadlearn.auditing import Audit, RowChanges

SHOWN = ["row", "suspicion", "label", "likely_label", "why"]


@tables.with_table_options
def audit_rows(
    data: tables.Data,
    target: tables.Target,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Page of suspect rows (HTML) to write.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="CSV or Parquet file to write, with all rows.")
    ] = None,
    corrections: Annotated[
        Path | None,
        typer.Option(
            "--corrections",
            help="CSV file to write, with suspect rows and suggestions. Decide on each row by "
            "writing keep, relabel or drop, without the question mark.",
        ),
    ] = None,
    decided: Annotated[
        Path | None,
        typer.Option("--apply", help="Corrections file to apply first; shows what it changed."),
    ] = None,
    clean: Annotated[
        Path | None,
        typer.Option(
            "--write-clean",
            help="CSV or Parquet file to write: the table without suspect rows, or as corrected by "
            "--apply.",
        ),
    ] = None,
    action: Annotated[
        Literal["drop", "relabel"],
        typer.Option(help="What --write-clean does with suspect rows, without --apply."),
    ] = "drop",
    task: tables.Task = None,
    kinds: tables.As = None,
    drop: tables.Drop = None,
    top: Annotated[int, typer.Option(min=0, help="Rows of each kind to print.")] = 10,
    force: tables.Force = False,
    as_json: tables.AsJson = False,
    options: Any = None,
) -> None:
    """Find rows whose label or values are suspect, and say why.

    Rows are counted from 0. Exit code 0: done; 2: bad input; 130: interrupted.
    """
    with console.command():
        from broadlearn.auditing import audit, decide, read_corrections
        from broadlearn.tables import TablePreparation, read_frame, read_table, write_frame

        inputs = [data, *([decided] if decided else [])]
        tables.check_outputs([output, csv, corrections, clean], inputs, force=force)
        read = tables.file_options(options)
        table = read_table(data, target, task=task, drop=console.split_list(drop), options=read)
        prepare = TablePreparation(*tables.parse_kinds(kinds))
        assert table.y is not None
        chosen = None if decided is None else read_corrections(decided, table.y)
        with console.stage_progress() as progress:
            found = before = audit(
                table.X,
                table.y,
                task=table.task or "auto",
                preparation=prepare,
                progress=progress,
            )
            if chosen is not None:
                found = before.recheck(chosen, progress=progress)
        columns = before.rows.preparation.describe()
        changes = decide(found, action) if chosen is None else chosen.changes
        outputs: dict[Path, Callable[[Path], object]] = {}
        if output is not None:
            title = f"Audit of {data.name}"
            outputs[output] = lambda path: found.to_html(path, title=title)
        if csv is not None:
            outputs[csv] = lambda path: write_frame(_row_table(found), path)
        if corrections is not None:
            outputs[corrections] = lambda path: write_frame(found.corrections(), path)
        if clean is not None:
            as_text = clean.suffix.lower() == ".csv"
            rows = changes.apply(read_frame(data, read, as_text=as_text), target)
            outputs[clean] = lambda path: write_frame(rows, path)
        tables.write_outputs(outputs)
        if chosen is not None and chosen.n_undecided:
            console.note(
                f"{chosen.n_undecided} rows of {decided} are left as they are: their action is "
                'empty or a suggestion that ends with "?".'
            )
        if as_json:
            console.print_json(
                data=str(data),
                target=target,
                task=table.task,
                **_facts(found),
                columns=console.records(columns),
                before=None if chosen is None else _facts(before),
            )
            return
        console.print_frame(columns)
        console.print_facts({"task": f"{table.task} (--task changes it)"})
        _print_audit(found, before, top)
        if clean is not None:
            console.print_facts({"clean table": _described(changes)})


def _row_table(found: Audit, rows: Any = None) -> Any:
    """Return the rows of an audit by position, called `row`."""
    table = (found.table if rows is None else rows).reset_index(drop=True)
    return table.rename(columns={"position": "row"})


def _facts(found: Audit) -> dict[str, Any]:
    """Return the audit for machines."""
    return {
        "rows": len(found.table),
        "verdicts": found.counts,
        "wrong_labels": found.n_errors._asdict(),
        "by_class": console.records(found.by_class.rename_axis("label").reset_index()),
        "errors": console.records(found.errors),
        "health": {
            "score": found.health.score,
            "findings": [
                {"check": finding.check, "sentence": finding.sentence, "penalty": finding.penalty}
                for finding in found.health.findings
            ],
        },
        "suspects": {
            verdict: console.records(_row_table(found, rows))
            for verdict, rows in found.lists.items()
        },
    }


def _print_audit(found: Audit, before: Audit, top: int) -> None:
    """Print what was found, what corrections changed in it, and the first rows of each list."""

    def change(was: object, now: object) -> str:
        return str(now) if str(was) == str(now) else f"{was} → {now}"

    what = "wrong targets" if found.rows.is_regression else "wrong labels"
    console.print_facts(
        {
            "rows": change(len(before.table), len(found.table)),
            what: change(f"about {before.n_errors}", f"about {found.n_errors}"),
            "verdicts": ", ".join(
                f"{name}: {change(before.counts.get(name, 0), count)}"
                for name, count in found.counts.items()
                if count or before.counts.get(name)
            ),
        }
    )
    console.say(found.health)
    for verdict, rows in found.lists.items() if top else ():
        table = _row_table(found, rows)[SHOWN].head(top)
        console.print_frame(table, f"{verdict}: {len(rows):,}")


def _described(changes: RowChanges) -> str:
    return (
        f"{changes.kept.size} of {changes.n_rows} rows, {changes.dropped.size} dropped, "
        f"{changes.relabelled.size} relabelled"
    )
