"""`broadlearn audit`: which rows of a table are suspect, and why; corrections made and applied."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from broadlearn.audit import Corrections, audit, corrections_table, decide, read_corrections
from broadlearn.cli.audit_summary import (
    applied_facts,
    audit_facts,
    list_suspects,
    print_audit,
    suspects_listing,
)
from broadlearn.cli.console import (
    command,
    console,
    note,
    print_facts,
    print_json,
    stage_progress,
)
from broadlearn.cli.tables import (
    AsJson,
    Data,
    Drop,
    Labelled,
    Target,
    check_outputs,
    count_classes,
    read_labelled,
)
from broadlearn.io import RowChanges, chain_changes, check_rewritable, rewrite_table, row_lines
from broadlearn.utils import encoded, safe_csv, write_whole

ACTIONS = ("drop", "relabel")
TASKS = ("auto", "classification", "regression")


def audit_rows(
    data: Data,
    target: Target,
    page: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a page (HTML) of suspect rows.")
    ] = None,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write all rows as CSV.")] = None,
    fixes: Annotated[
        Path | None,
        typer.Option(
            "--corrections",
            help="Write the rows that are not fine as CSV, with suggestions: decide there on each, "
            "by keep, relabel or drop without the question mark.",
        ),
    ] = None,
    decided: Annotated[
        Path | None,
        typer.Option(
            "--apply",
            help="Apply a corrections file first, and show what that changed. All rows are then "
            "those of the corrected table.",
        ),
    ] = None,
    clean: Annotated[
        Path | None,
        typer.Option(
            "--write-clean",
            help="Write the table (CSV, TSV or Parquet) without suspect rows, or with --apply as "
            "corrected.",
        ),
    ] = None,
    action: Annotated[
        str | None,
        typer.Option(
            help="What --write-clean does with suspect rows: drop or relabel. With --apply, only "
            "where this is given, and only to rows that nobody decided on."
        ),
    ] = None,
    drop: Drop = None,
    task: Annotated[
        str, typer.Option(help="What the target holds: auto, classification or regression.")
    ] = "auto",
    top: Annotated[int, typer.Option(min=0, help="Suspect rows to print.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Find rows whose label or values are suspect, and say why. Rows are counted from 0.

    Exit code 0: done; 2: bad input; 130: interrupted.
    """
    with command() as notes:
        _check_options(task, action, clean)
        check_outputs([page, csv, fixes, clean], [data, *([decided] if decided else [])])
        table = read_labelled(data, target, drop, task)
        if action == "relabel" and table.is_regression:
            raise ValueError("--action relabel needs classes; use --action drop for a quantity.")
        corrections = None if decided is None else read_corrections(decided, table.y)
        with stage_progress() as progress:
            if corrections is None:
                before, found = None, _audit(table, progress)
            else:
                corrected = _corrected(table, corrections, f"{data} with {decided} applied")
                before = _audit(table, progress, "before: ")
                found = _audit(corrected, progress, "after: ")
        changes = _changes(found, table.y, corrections, action)
        contents: dict[Path, bytes] = {}
        if page is not None:
            contents[page] = encoded(found.to_html(title=f"Audit of {data.name}"))
        if csv is not None:
            contents[csv] = encoded(found.to_csv())
        if fixes is not None:
            contents[fixes] = encoded(safe_csv(corrections_table(found).set_index("row")))
        if clean is not None:
            contents[clean] = rewrite_table(data, clean, target, changes)
        for path, content in contents.items():
            write_whole(path, [content])
        if corrections is None:
            suspects = list_suspects(found, lines=row_lines(data))
        else:
            suspects = list_suspects(found, settled=_settled(corrections))
        if corrections is not None and corrections.n_undecided:
            note(
                f"Left as they are, since nobody decided: {corrections.n_undecided} rows of "
                f'{decided}, whose action is empty or a suggestion that ends with "?".'
            )
        applied = None if corrections is None else applied_facts(corrections, before)
        if as_json:
            print_json(
                data=str(data),
                **audit_facts(found, suspects),
                applied=applied,
                written=list(map(str, contents)),
                notes=notes(),
            )
            return
        if applied is not None:
            done = (f"{applied[what]} {what}" for what in ("dropped", "relabelled", "kept"))
            print_facts({"applied": ", ".join(done)})
        print_audit(found, before)
        if top and len(suspects.said):
            console.print(suspects_listing(suspects.said.head(top)))
        for path in contents:
            print_facts({"written": f"{path}{_described(changes) if path == clean else ''}"})


def _check_options(task: str, action: str | None, clean: Path | None) -> None:
    """Raise before any work where options make no sense."""
    for name, value, choices in (("--task", task, TASKS), ("--action", action, (None, *ACTIONS))):
        if value not in choices:
            raise ValueError(
                f"{name} must be one of {', '.join(filter(None, choices))}, got {value!r}."
            )
    if clean is not None:
        check_rewritable(clean)
    elif action is not None:
        raise ValueError("--action says what --write-clean does; give that too.")


def _audit(table: Labelled, progress: Callable[[str, float], None] | None, prefix: str = "") -> Any:
    def show(stage: str, share: float) -> None:
        if progress is not None:
            progress(f"{prefix}{stage}", share)

    # Products of small blocks: on a busy machine threads would mostly wait for each other.
    with threadpool_limits(1, user_api="blas"):
        return audit(
            table.X,
            table.y,
            task="regression" if table.is_regression else "classification",
            progress=show,
        )


def _corrected(table: Labelled, corrections: Corrections, what: str) -> Labelled:
    """The rows that a person left, with the labels that they gave."""
    y = corrections.corrected
    X = table.X.iloc[corrections.changes.kept].reset_index(drop=True)
    classes = {} if table.is_regression else count_classes(y, what)
    return Labelled(X, y, classes)


def _settled(corrections: Corrections) -> NDArray[np.intp]:
    """Rows of the corrected table that a person has decided on."""
    rows = np.r_[corrections.kept, corrections.changes.relabelled]
    return np.flatnonzero(np.isin(corrections.changes.kept, rows))


def _changes(
    found: Any, labels: NDArray[Any], corrections: Corrections | None, action: str | None
) -> RowChanges:
    """What is written: a person's decisions, and by `action` what the audit suggests for others."""
    if corrections is None:
        return decide(found, action or "drop")
    if action is None:
        return corrections.changes
    return chain_changes(
        labels, corrections.changes, decide(found, action, settled=_settled(corrections))
    )


def _described(changes: RowChanges) -> str:
    return (
        f" ({changes.kept.size} of {changes.n_rows} rows, {changes.dropped.size} dropped, "
        f"{changes.relabelled.size} relabelled)"
    )
