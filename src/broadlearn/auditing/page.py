"""An audit as one self-contained HTML page, on which rows can be kept, relabelled or dropped."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from broadlearn.auditing.checks.outliers import column_shares
from broadlearn.auditing.findings import FINE, LABEL_VERDICTS, MAX_LINES, Finding
from broadlearn.auditing.plots import draw_audit
from broadlearn.auditing.rows import Rows, is_quantity
from broadlearn.utils import (
    FORMULA_STARTS,
    page_environment,
    page_frame,
    spread_rows,
    whole,
)

if TYPE_CHECKING:
    from broadlearn.auditing.result import Audit

# Rows that a finding names, and nearest rows of a class that a suspect is shown beside: two groups
# of them fit a screen.
MAX_NAMED, N_LIKES = 5, 3
# Limits for wide tables and long texts, so that browsers can open the page: columns that set the
# suspects apart most are kept.
MAX_COLUMNS, MAX_TEXT_LENGTH = 60, 200
# Whole numbers beyond this are not exact in JavaScript.
MAX_WHOLE = 2**53


def render_page(audit: Audit, title: str, max_rows: int | None) -> str:
    """Return the page, with at most `max_rows` rows in each list, or all if that is None."""
    environment = page_environment("broadlearn.auditing")
    suspects = audit.table[audit.table["verdict"] != FINE]
    in_list = suspects["verdict"].map(_list_of)
    # Labels come first, by suspicion; other lists by themselves, each with its own limit.
    lists = sorted(in_list.unique(), key=lambda name: name != "labels")
    parts = [suspects[in_list == name][:max_rows] for name in lists]
    listed = pd.concat(parts) if parts else suspects
    sizes = {name: int((in_list == name).sum()) for name in lists}
    rows = audit.rows
    page: str = environment.get_template("audit.html.j2").render(
        title=title,
        summary=_summary(audit),
        counts=audit.counts,
        score=round(audit.health.score),
        findings=[
            _finding(finding, rows, set(listed["position"])) for finding in audit.health.findings
        ],
        cards=_cards(rows, listed),
        sizes=sizes,
        n_suspects=len(suspects),
        n_rows=len(audit.table),
        n_columns=rows.frame.shape[1],
        max_columns=MAX_COLUMNS,
        is_regression=rows.is_regression,
        errors=audit.errors.to_dict("records"),
        by_class=audit.by_class.reset_index(names="label").to_dict("records"),
        max_lines=MAX_LINES,
        matrix=_matrix(audit.noise_matrix),
        picture=_picture(audit),
        data=_json(_row_data(audit, listed)),
        **page_frame("broadlearn.auditing", ["audit.css"], ["audit.js", "sort.js"]),
    )
    return page


def _list_of(verdict: str) -> str:
    """Return the name of the list that rows of a verdict are in."""
    return "labels" if verdict in LABEL_VERDICTS else f"{verdict}s"


def _json(data: dict[str, Any]) -> Any:
    """Return data as JSON that cannot end the element it stands in, with a name of its own."""
    from markupsafe import Markup

    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # Marks that reverse the text around them are written as escapes.
    text = "".join(mark if mark.isprintable() else json.dumps(mark)[1:-1] for mark in text)
    name = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]
    return Markup(f'{{"name":"{name}",{text[1:]}'.replace("<", "\\u003c"))


def _picture(audit: Audit) -> str:
    buffer = io.BytesIO()
    draw_audit(audit).savefig(buffer, format="png", dpi=110)
    return base64.b64encode(buffer.getvalue()).decode()


def _summary(audit: Audit) -> str:
    """Return what was found, in a sentence."""
    n_rows, wrong = whole(len(audit.table)), audit.n_errors
    things = "target values" if audit.rows.is_regression else "labels"
    interval = f"(90 % interval {whole(wrong.low)} to {whole(wrong.high)})"
    return f"About {whole(wrong.value)} of {n_rows} {things} are wrong {interval}."


def _finding(finding: Finding, rows: Rows, listed: set[int]) -> dict[str, Any]:
    """Return what a check says, and rows that can be opened."""
    index = rows.frame.index
    return {
        "check": finding.check,
        "sentence": finding.sentence,
        "penalty": finding.penalty,
        "rows": [(int(i), str(index[i]), i in listed) for i in finding.rows[:MAX_NAMED]],
        "n_rows": len(finding.rows),
    }


def _matrix(noise: pd.DataFrame) -> dict[str, Any] | None:
    """Return the noise matrix with the shade of each cell, unless it does not fit the page."""
    if noise.empty or len(noise) > MAX_LINES:
        return None
    p = noise.to_numpy()
    shade = np.minimum(1.0, 2.0 * np.sqrt(p))
    cells = [list(zip(*row, strict=True)) for row in zip(p.tolist(), shade.tolist(), strict=True)]
    return {"names": [str(name) for name in noise.columns], "cells": cells}


def _cards(rows: Rows, listed: pd.DataFrame) -> list[dict[str, Any]]:
    """Return what the page says of each listed row before it is opened."""
    show = short_number if rows.is_regression else str
    columns = ["position", "verdict", "suspicion", "label", "likely_label", "why"]
    cards = []
    for name, card in zip(listed.index, listed[columns].to_dict("records"), strict=True):
        labels = {key: show(card[key]) for key in ("label", "likely_label")}
        cards.append({**card, **labels, "name": str(name)})
    return cards


def short_number(value: float) -> str:
    """Return a number in six digits."""
    return f"{value:.6g}"


def _row_data(audit: Audit, listed: pd.DataFrame) -> dict[str, Any]:
    """Return what the page's script shows of the listed rows, and saves as corrections."""
    rows = audit.rows
    index, labels = rows.frame.index, rows.labels if rows.is_regression else rows.codes
    positions = listed["position"].to_numpy()
    columns, shares = _speaking_columns(audit, positions)
    suspects = _suspects(audit, listed)
    for suspect, share in zip(suspects, shares, strict=True):
        suspect["list"] = _list_of(suspect["verdict"])
        suspect["shares"] = {j: round(s, 3) for j, s in enumerate(share.tolist()) if s >= 0.001}
    shown = sorted({i for s in suspects for i in (s["row"], *s["own"], *s["other"])})
    values = [_cells(rows.frame[name].iloc[shown]) for name in columns]
    return {
        "classes": [str(name) for name in rows.classes],
        "labels_are_numbers": rows.labels.dtype.kind in "iuf",
        "index_is_numbers": index.dtype.kind in "iuf",
        "formula_starts": "".join(FORMULA_STARTS),
        "columns": columns,
        "scales": [_scale(rows.frame[name]) for name in columns],
        # Of each row: its name in the index, its label, and its values.
        "rows": {
            i: [str(index[i]), labels[i].item(), *cells]
            for i, *cells in zip(shown, *values, strict=True)
        },
        "suspects": suspects,
    }


def _suspects(audit: Audit, listed: pd.DataFrame) -> list[dict[str, Any]]:
    rows, positions = audit.rows, listed["position"].to_numpy()
    likely = audit.evidence.likely[positions]
    # The nearest rows of another class: of the likely one, if that is not the given one.
    wanted = np.where(likely == rows.codes[positions], -1, likely)
    own = _nearest(rows, positions, rows.codes[positions])
    other = _nearest(rows, positions, wanted) if rows.classes.size else [[]] * positions.size
    numbers = ["own_probability", "likely_probability"]
    suspects = []
    for place, card in enumerate(listed.to_dict("records")):
        guess = card["likely_label"] if rows.is_regression else int(likely[place])
        suspect = {
            "row": card["position"],
            "suspicion": round(card["suspicion"], 4),
            "verdict": card["verdict"],
            "likely": guess,
            "own": own[place],
            "other": other[place],
        }
        for name in numbers:
            suspect[name] = None if math.isnan(card[name]) else float(short_number(card[name]))
        suspects.append(suspect)
    return suspects


def _nearest(rows: Rows, positions: NDArray[np.intp], wanted: NDArray[np.intp]) -> list[list[int]]:
    """Return the nearest rows of the wanted class of each row; of any other class, for -1."""
    found: list[list[int]] = [[] for _ in positions]
    codes = rows.codes[positions]
    for own, c in set(zip(codes.tolist(), wanted.tolist(), strict=True)):
        members = np.flatnonzero(rows.codes == c if c >= 0 else rows.codes != own)
        which = np.flatnonzero((wanted == c) & (codes == own))
        search = NearestNeighbors(n_neighbors=min(N_LIKES + 1, members.size)).fit(rows.Z[members])
        near = members[search.kneighbors(rows.Z[positions[which]], return_distance=False)]
        for place, others in zip(which.tolist(), near.tolist(), strict=True):
            found[place] = [i for i in others if i != positions[place]][:N_LIKES]
    return found


def _speaking_columns(audit: Audit, positions: NDArray[np.intp]) -> tuple[list[str], Any]:
    """Return the columns that the page holds, and how much each says of each row."""
    rows = audit.rows
    names = rows.frame.columns.tolist()
    shares = np.zeros((positions.size, len(names)))
    places = [names.index(name) for name in rows.columns]
    shares[:, places] = column_shares(rows, audit.evidence.near, positions)
    held = np.sort(np.argsort(-shares.sum(axis=0), kind="stable")[:MAX_COLUMNS])
    return [names[j] for j in held], shares[:, held]


def _cells(column: pd.Series) -> list[Any]:
    """Return values as the page shows them: numbers, text, or None where one is missing."""
    show = _number if is_quantity(column) else _text
    return [
        None if missing else show(value)
        for value, missing in zip(column, column.isna(), strict=True)
    ]


def _text(value: Any) -> str:
    text = str(value).removesuffix(" 00:00:00")
    return text if len(text) <= MAX_TEXT_LENGTH else f"{text[: MAX_TEXT_LENGTH - 1]}…"


def _number(value: Any) -> int | float | str:
    if not math.isfinite(value) or abs(value) > MAX_WHOLE:
        return str(value)
    return int(value) if value == int(value) else float(short_number(value))


def _scale(column: pd.Series) -> float | None:
    """Return the standard deviation of a column by its quartiles; None for text."""
    if not is_quantity(column):
        return None
    values = column.iloc[spread_rows(len(column), 4000)].to_numpy(dtype=float, na_value=np.nan)
    values = values[np.isfinite(values)]
    if not values.size:
        return 0.0
    low, high = np.quantile(values, [0.25, 0.75])
    # Quartiles of a normal distribution are 1.349 standard deviations apart.
    return float(short_number((high - low) / 1.349 if high > low else values.std()))
