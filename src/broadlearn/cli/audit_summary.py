"""What `broadlearn audit` says of what was found: for people and for machines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from broadlearn.auditing import FINE, LABEL_VERDICTS, Corrections
from broadlearn.cli.console import first_few, print_facts, printable

# Findings that are printed, and points that one costs at least.
MAX_FINDINGS = 5
MIN_PENALTY = 0.5
# Rows of a finding that machines are told.
MAX_ROWS = 100


class Suspects(NamedTuple):
    """Rows that are not fine, the most urgent first: what is said of them, and their values."""

    said: pd.DataFrame
    values: pd.DataFrame


def written_table(found: Any) -> pd.DataFrame:
    """Return the table by `row`, the position from 0, and `line` where there are lines."""
    table = found.table.reset_index(drop=found.table.index.name != "line")
    return table.rename(columns={"position": "row"}).set_index("row")


def list_suspects(found: Any, settled: Sequence[int] | NDArray[np.intp] = ()) -> Suspects:
    """Rows that are not fine, but for `settled` ones."""
    table = written_table(found).reset_index()
    table = table[(table["verdict"] != FINE) & ~table["row"].isin(settled)]
    n_own = table.columns.get_loc("likely_probability") + 1
    return Suspects(table.iloc[:, :n_own], table.iloc[:, n_own:])


def audit_facts(found: Any, suspects: Suspects) -> dict[str, Any]:
    """All that was found, for machines."""
    said, values = _records(suspects.said), _records(suspects.values)
    return {
        "rows": len(found.table),
        "task": "classification" if len(found.classes) else "regression",
        "verdicts": found.counts,
        "wrong_labels": found.n_errors._asdict(),
        "by_class": _records(found.by_class.reset_index()),
        "errors": _records(found.errors),
        "health": {
            "score": found.health.score,
            "findings": [
                {
                    "check": finding.check,
                    "sentence": finding.sentence,
                    "penalty": finding.penalty,
                    "n_rows": len(finding.rows),
                    "rows": np.asarray(finding.rows)[:MAX_ROWS].tolist(),
                    "columns": list(finding.columns),
                }
                for finding in found.health.findings
            ],
        },
        "suspects": [{**row, "values": value} for row, value in zip(said, values, strict=True)],
    }


def applied_facts(corrections: Corrections, before: Any) -> dict[str, Any]:
    """What a person decided, and what the audit was before that, for machines."""
    return {
        "dropped": int(corrections.changes.dropped.size),
        "relabelled": int(corrections.changes.relabelled.size),
        "kept": int(corrections.kept.size),
        "undecided": corrections.n_undecided,
        "before": {
            "rows": len(before.table),
            "verdicts": before.counts,
            "wrong_labels": before.n_errors._asdict(),
            "health": before.health.score,
        },
    }


def print_audit(found: Any, before: Any = None) -> None:
    """Print what was found of the whole table, and how it was before if there is a before."""
    before = found if before is None else before
    facts = {
        "rows": _change(len(before.table), len(found.table)),
        "wrong labels": _change(_about(before.n_errors), _about(found.n_errors)),
        "verdicts": ", ".join(
            f"{name}: {_change(before.counts[name], count)}"
            for name, count in found.counts.items()
            if count or before.counts[name]
        ),
        "health": f"{_change(round(before.health.score), round(found.health.score))} of 100",
    }
    flagged = found.by_class[found.by_class["flagged"] > 0].sort_values(
        "flagged", ascending=False, kind="stable"
    )
    if len(flagged):
        facts["flagged"] = first_few(
            [f"{row.flagged} of {row.rows} {str(row.Index)!r}" for row in flagged.itertuples()]
        )
    print_facts(facts)
    for finding in found.health.findings[:MAX_FINDINGS]:
        if finding.penalty >= MIN_PENALTY:
            print_facts({finding.check: f"{finding.sentence} (-{finding.penalty:.0f} points)"})


def suspects_by_list(said: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return suspect labels first, then rows of each other verdict."""
    labels = said["verdict"].isin(LABEL_VERDICTS)
    lists = {"labels": said[labels]} if labels.any() else {}
    return lists | {f"{name}s": part for name, part in said[~labels].groupby("verdict")}


def suspects_listing(name: str, said: pd.DataFrame, top: int) -> Table:
    """Return the first rows of a list as a table for a terminal."""
    numbers = [column for column in ("row", "line") if column in said]
    shown = f", the first {top}" if len(said) > top else ""
    title = f"{name.capitalize()}: {len(said):,} {'row' if len(said) == 1 else 'rows'}{shown}"
    listing = Table(*numbers, "suspicion", "label", "likely", "why", title=title)
    for row in said.head(top).to_dict("records"):
        cells = [row[name] for name in numbers]
        labels = [
            f"{label:.5g}" if isinstance(label, float) else label
            for label in (row["label"], row["likely_label"])
        ]
        cells += [f"{row['suspicion']:.2f}", *labels, row["why"]]
        listing.add_row(*(Text(printable(str(cell))) for cell in cells))
    return listing


def _change(before: object, after: object) -> str:
    return str(after) if before == after else f"{before} → {after}"


def _about(estimate: tuple[float, float, float]) -> str:
    value, low, high = estimate
    return f"about {value:.0f} ({low:.0f} to {high:.0f})"


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = json.loads(
        table.to_json(orient="records", double_precision=15, default_handler=str)
    )
    return records
