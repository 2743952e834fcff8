"""An audit as one self-contained HTML page, on which rows can be kept, relabelled or dropped."""

from __future__ import annotations

import hashlib
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from broadlearn.auditing.findings import FINE
from broadlearn.auditing.page_rows import MAX_COLUMNS, list_cards, row_data
from broadlearn.auditing.plots import (
    N_BINS,
    Group,
    map_places,
    row_groups,
    suspicion_counts,
    thinned,
)
from broadlearn.utils import page_environment, page_frame, whole

if TYPE_CHECKING:
    import pandas as pd

    from broadlearn.auditing.result import Audit

# Of more classes only the most frequent errors are shown at first, and of many more nothing else.
MAX_MATRIX = 12
MAX_HIDDEN_MATRIX = 40
# Lines of a table before the rest is folded away.
MAX_LINES = 12
MAP_WIDTH, MAP_HEIGHT = 800, 500
# Rows that a finding names.
MAX_NAMED = 5


def render_page(audit: Audit, title: str, max_rows: int | None) -> str:
    """The page as text, with the most suspect rows listed, or all if `max_rows` is None."""
    environment = page_environment("broadlearn.auditing")
    suspects = audit.table[audit.table["verdict"] != FINE]
    listed = suspects[:max_rows]
    rows = audit.evidence.rows
    groups = row_groups(audit)
    page: str = environment.get_template("audit.html.j2").render(
        title=title,
        summary=_summary(audit),
        counts=audit.counts,
        score=round(audit.health.score),
        findings=_findings(audit, set(listed["position"])),
        cards=list_cards(audit, listed),
        n_suspects=len(suspects),
        n_rows=len(audit.table),
        in_lines=rows.frame.index.name == "line",
        n_columns=rows.frame.shape[1],
        max_columns=MAX_COLUMNS,
        is_regression=rows.is_regression,
        errors=audit.errors.to_dict("records"),
        by_class=audit.by_class.reset_index(names="label").to_dict("records"),
        max_lines=MAX_LINES,
        matrix=_matrix(audit.noise_matrix),
        shows_matrix=rows.classes.size <= MAX_MATRIX,
        strips=_strips(audit, groups),
        map=_map(audit, groups, listed),
        data=_json(row_data(audit, listed)),
        **page_frame("broadlearn.auditing", ["audit.css"], ["audit.js", "sort.js"]),
    )
    return page


def _json(data: dict[str, Any]) -> Any:
    """Data as JSON that cannot end the element it stands in, with a name of their own."""
    from markupsafe import Markup

    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    name = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]
    return Markup(f'{{"name":"{name}",{text[1:]}'.replace("<", "\\u003c"))


def _summary(audit: Audit) -> str:
    """What was found, in a sentence."""
    n_rows, wrong = whole(len(audit.table)), audit.n_errors
    things = "target values" if audit.evidence.rows.is_regression else "labels"
    interval = f"(90 % interval {whole(wrong.low)} to {whole(wrong.high)})"
    if round(wrong.value):
        start = f"About {whole(wrong.value)} of {n_rows} {things} are wrong {interval}"
    else:
        start = f"Hardly any of {n_rows} {things} is wrong {interval}"
    parts: list[str] = []
    for verdict, count in audit.counts.items():
        if count and verdict != FINE:
            verb = "" if parts else " row is" if count == 1 else " rows are"
            plural = "s" if verdict.endswith("duplicate") and count > 1 else ""
            parts.append(f"{whole(count)}{verb} {verdict}{plural}")
    if not parts:
        return f"{start}; no row stands out."
    return f"{start}; {', '.join(parts[:-1])}{' and ' if parts[1:] else ''}{parts[-1]}."


def _findings(audit: Audit, listed: set[int]) -> list[dict[str, Any]]:
    """What the checks of the whole table say, the costliest first, and rows that can be opened."""
    index = audit.evidence.rows.frame.index
    return [
        {
            "check": finding.check,
            "sentence": finding.sentence,
            "penalty": finding.penalty,
            "rows": [(int(i), str(index[i]), i in listed) for i in finding.rows[:MAX_NAMED]],
            "n_rows": len(finding.rows),
        }
        for finding in sorted(audit.health.findings, key=lambda finding: -finding.penalty)
    ]


def _matrix(noise: pd.DataFrame) -> dict[str, Any] | None:
    """The noise matrix with the shade of each cell, and its largest entries off the diagonal."""
    if noise.empty:
        return None
    names = [str(name) for name in noise.columns]
    p = noise.to_numpy()
    off = np.where(np.eye(len(p), dtype=bool), 0.0, p)
    shade = np.minimum(1.0, 2.0 * np.sqrt(off))
    order = np.argsort(-off, axis=None)[:MAX_LINES]
    largest = [
        (names[i], names[j], off[i, j])
        for i, j in zip(*np.unravel_index(order, p.shape), strict=True)
    ]
    cells = [list(zip(*row, strict=True)) for row in zip(p.tolist(), shade.tolist(), strict=True)]
    return {
        "names": names,
        "cells": cells if len(p) <= MAX_HIDDEN_MATRIX else [],
        "largest": [line for line in largest if line[2] >= 0.001],
    }


def _strips(audit: Audit, groups: list[Group]) -> list[dict[str, Any]]:
    """Histograms of suspicion, one for each group, heights on one logarithmic scale."""
    counts = [suspicion_counts(audit, group) for group in groups]
    top = math.log1p(max(max(every) for every, _ in counts))
    return [
        {
            "name": group.name,
            "n_rows": sum(every),
            "n_flagged": sum(flagged),
            "bars": [
                (k / N_BINS, n, m, math.log1p(n) / top, math.log1p(m) / top)
                for k, (n, m) in enumerate(zip(every, flagged, strict=True))
                if n
            ],
        }
        for group, (every, flagged) in zip(groups, counts, strict=True)
    ]


def _map(audit: Audit, groups: list[Group], listed: pd.DataFrame) -> dict[str, Any]:
    """Places of rows by group, as paths of dots, and of the listed ones, each by itself."""
    places = map_places(audit.evidence.projection) * [MAP_WIDTH, -MAP_HEIGHT] + [0, MAP_HEIGHT]
    whole = np.rint(places).astype(int)
    drawn = thinned(len(whole))
    of_row = np.zeros(len(whole), dtype=np.intp)
    for g, group in enumerate(groups):
        of_row[group.members] = g
    paths = [
        "".join(
            f"M{x} {y}h0" for x, y in np.unique(whole[drawn[of_row[drawn] == g]], axis=0).tolist()
        )
        for g in range(len(groups))
    ]
    suspects = [(i, *whole[i].tolist(), int(of_row[i])) for i in listed["position"].tolist()]
    return {
        "width": MAP_WIDTH,
        "height": MAP_HEIGHT,
        "names": [group.name for group in groups],
        "paths": paths,
        # The most urgent last, so that they are on top.
        "suspects": suspects[::-1],
        "is_thinned": drawn.size < len(whole),
    }
