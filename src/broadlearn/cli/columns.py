"""What the commands on tables say of columns, and how users overrule it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from broadlearn.cli.console import print_table, printable, say

if TYPE_CHECKING:
    from broadlearn.io import ColumnRecord

As = Annotated[
    list[str] | None,
    typer.Option(
        "--as",
        help="Kind of a column, as column=kind: number, category, ordered, boolean, date, or "
        "identifier to leave it out; several with commas.",
    ),
]
# Columns that are printed one by one; of more, those of the same kind and use in one line.
MAX_LISTED = 40
# Columns that such a line names.
MAX_NAMED = 3
HEADINGS = ("column", "kind", "missing", "distinct", "example", "what becomes of it")


def chosen_kinds(texts: Sequence[str] | None, columns: Sequence[str]) -> dict[str, str]:
    """Kinds by column, of an option that may be repeated or hold commas."""
    kinds: dict[str, str] = {}
    for text in texts or ():
        parts = [text] if text.count("=") == 1 else text.split(",")
        for part in filter(str.strip, parts):
            name, mark, kind = part.rpartition("=")
            if not mark or not name.strip() or not kind.strip():
                raise ValueError(f"--as must be like column=kind, got {part.strip()!r}.")
            if name.strip() not in columns:
                raise ValueError(f"--as names a column {name.strip()!r}, which the table lacks.")
            kinds[name.strip()] = kind.strip()
    return kinds


def print_columns(records: Sequence[ColumnRecord]) -> None:
    """Print a table of columns: wrapped to a terminal, whole lines elsewhere."""
    from rich.markup import escape
    from rich.table import Table

    table = Table()
    for heading in HEADINGS:
        right = heading in ("missing", "distinct")
        table.add_column(
            heading, justify="right" if right else "left", no_wrap=right, overflow="fold"
        )
    for row in _lines(records):
        table.add_row(*(escape(printable(text)) for text in row))
    print_table(table)
    doubtful = [record.name for record in records if record.doubt]
    if doubtful:
        say(f"{len(doubtful)} doubtful; --as column=kind overrules, --drop leaves out.")


def _lines(records: Sequence[ColumnRecord]) -> list[tuple[str, ...]]:
    if len(records) <= MAX_LISTED:
        return [_row(record) for record in records]
    rows, done = [], set()
    alike = Counter((record.kind, record.use, record.doubt) for record in records)
    for record in records:
        key = (record.kind, record.use, record.doubt)
        if alike[key] == 1:
            rows.append(_row(record))
        elif key not in done:
            done.add(key)
            same = [r for r in records if (r.kind, r.use, r.doubt) == key]
            names = ", ".join(r.name for r in same[:MAX_NAMED])
            more = f" and {len(same) - MAX_NAMED} more" if len(same) > MAX_NAMED else ""
            row = _row(record)
            missing = f"≤ {max(r.missing for r in same):.1%}"
            rows.append((f"{names}{more}", row[1], missing, "", row[4], row[5]))
    left = len(rows) - MAX_LISTED
    if left > 0:
        rows = [*rows[:MAX_LISTED], (f"{left} more; --json has all", "", "", "", "", "")]
    return rows


def _row(record: ColumnRecord) -> tuple[str, ...]:
    use = f"{record.use}; doubtful: {record.doubt}" if record.doubt else record.use
    return (
        record.name,
        record.kind,
        f"{record.missing:.1%}" if record.missing else "0",
        str(record.distinct),
        record.example,
        use,
    )


def columns_as_json(records: Sequence[ColumnRecord]) -> list[dict[str, Any]]:
    """Columns for machines."""
    from dataclasses import asdict

    return [{**asdict(r), "used": r.is_used, "doubtful": bool(r.doubt)} for r in records]
