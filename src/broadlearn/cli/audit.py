"""`broadlearn audit`: which rows of a table are suspect, and why; corrections made and applied."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from broadlearn.cli.columns import As, chosen_kinds, columns_as_json, print_columns
from broadlearn.cli.console import (
    command,
    note,
    print_facts,
    print_json,
    print_table,
    stage_progress,
)
from broadlearn.cli.groups import completes
from broadlearn.cli.tables import (
    AS_FOUND,
    AsJson,
    Data,
    Drop,
    FileFlags,
    Force,
    Labelled,
    Target,
    check_csv,
    open_outputs,
    read_labelled,
    with_file_flags,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from broadlearn.auditing import Corrections, RowChanges
    from broadlearn.io import ColumnRecord

ACTIONS = ("drop", "relabel")
TASKS = ("auto", "classification", "regression")


@with_file_flags
def audit_rows(
    data: Data,
    target: Target,
    page: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a page (HTML) of suspect rows.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write all rows as CSV.", callback=check_csv)
    ] = None,
    fixes: Annotated[
        Path | None,
        typer.Option(
            "--corrections",
            callback=check_csv,
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
            autocompletion=completes(*ACTIONS),
            help="What --write-clean does with suspect rows: drop or relabel. With --apply, only "
            "where this is given, and only to rows that nobody decided on.",
        ),
    ] = None,
    kinds: As = None,
    drop: Drop = None,
    task: Annotated[
        str,
        typer.Option(
            autocompletion=completes(*TASKS),
            help="What the target holds: auto, classification or regression.",
        ),
    ] = "auto",
    top: Annotated[
        int, typer.Option(min=0, help="Rows to print of each list: labels, outliers, duplicates.")
    ] = 10,
    force: Force = False,
    as_json: AsJson = False,
    flags: FileFlags = AS_FOUND,
) -> None:
    """Find rows whose label or values are suspect, and say why.

    Rows are counted from 0; lines are those of the file. Exit code 0: done; 2: bad input;
    130: interrupted.
    """
    outputs = open_outputs(
        [page, csv, fixes, clean],
        [data, *([decided] if decided else [])],
        force=force,
        as_json=as_json,
    )
    with command() as notes, outputs as write:
        from broadlearn.auditing import corrections_table, read_corrections
        from broadlearn.cli.audit_summary import (
            applied_facts,
            audit_facts,
            list_suspects,
            print_audit,
            suspects_by_list,
            suspects_listing,
            written_table,
        )
        from broadlearn.io import FileOptions, rewrite_table
        from broadlearn.utils import encoded, safe_csv

        _check_options(task, action, clean)
        table, records = _prepared(read_labelled(data, target, drop, task, flags=flags), kinds)
        if action == "relabel" and table.is_regression:
            raise ValueError("--action relabel needs classes; use --action drop for a quantity.")
        corrections = None if decided is None else read_corrections(decided, table.y)
        with stage_progress() as progress:
            if corrections is None:
                before, found = None, _audit(table, progress)
            else:
                before = _audit(table, progress, "before: ")
                found = _recheck(before, corrections, progress)
        changes = _changes(found, table.y, corrections, action)
        contents: dict[Path, bytes] = {}
        if page is not None:
            contents[page] = encoded(found.to_html(title=f"Audit of {data.name}"))
        if csv is not None:
            contents[csv] = encoded(safe_csv(written_table(found)))
        if fixes is not None:
            contents[fixes] = encoded(safe_csv(corrections_table(found).set_index("row")))
        if clean is not None:
            options = FileOptions(**flags._asdict())
            contents[clean] = rewrite_table(table.source, clean, table.target, changes, options)
        for path, content in contents.items():
            write(path, [content])
        suspects = list_suspects(found, () if corrections is None else corrections.confirmed)
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
                column_kinds=columns_as_json(records),
                applied=applied,
                written=list(map(str, contents)),
                notes=notes(),
            )
            return
        print_columns(records)
        if applied is not None:
            done = (f"{applied[what]} {what}" for what in ("dropped", "relabelled", "kept"))
            print_facts({"applied": ", ".join(done)})
        print_audit(found, before)
        for name, part in suspects_by_list(suspects.said).items():
            if top:
                print_table(suspects_listing(name, part, top))
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
        from broadlearn.io import check_rewritable

        check_rewritable(clean)
    elif action is not None:
        raise ValueError("--action says what --write-clean does; give that too.")


def _prepared(table: Labelled, kinds: list[str] | None) -> tuple[Labelled, list[ColumnRecord]]:
    """The table as its columns are read, without those that are no features by `--as`."""
    import warnings

    from broadlearn.io import TablePreparation

    chosen = chosen_kinds(kinds, list(table.X))
    prepare = TablePreparation(chosen or None)
    with warnings.catch_warnings():
        # The audit says it again.
        warnings.filterwarnings("ignore", "Column '")
        prepare.fit(table.X, table.y)
    left_out = [r.name for r in prepare.columns_ if r.name in chosen and not r.is_used]
    return table._replace(X=prepare.read(table.X).drop(columns=left_out)), prepare.columns_


def _audit(table: Labelled, progress: Callable[[str, float], None], prefix: str = "") -> Any:
    from threadpoolctl import threadpool_limits

    from broadlearn.auditing import audit

    # Products of small blocks: on a busy machine threads would mostly wait for each other.
    with threadpool_limits(1, user_api="blas"):
        return audit(
            table.X,
            table.y,
            task="regression" if table.is_regression else "classification",
            progress=lambda stage, share: progress(f"{prefix}{stage}", share),
        )


def _recheck(before: Any, corrections: Corrections, progress: Callable[[str, float], None]) -> Any:
    """Audit the rows that a person left, with the labels that they gave."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        found = before.recheck(
            corrections, progress=lambda stage, share: progress(f"after: {stage}", share)
        )
    return found


def _changes(
    found: Any, labels: NDArray[Any], corrections: Corrections | None, action: str | None
) -> Any:
    """What is written: a person's decisions, and by `action` what the audit suggests for others."""
    from broadlearn.auditing import chain_changes, decide

    if corrections is None:
        return decide(found, action or "drop")
    if action is None:
        return corrections.changes
    return chain_changes(labels, corrections.changes, decide(found, action, corrections.confirmed))


def _described(changes: RowChanges) -> str:
    return (
        f" ({changes.kept.size} of {changes.n_rows} rows, {changes.dropped.size} dropped, "
        f"{changes.relabelled.size} relabelled)"
    )
