"""Suspects as the page of an audit lists them: in short, and their values beside their likes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.auditing.corrections import index_heading
from broadlearn.auditing.plots import thinned
from broadlearn.io import import_pandas
from broadlearn.utils import FORMULA_STARTS, Array

if TYPE_CHECKING:
    import pandas as pd

    from broadlearn.auditing.result import Audit

# Nearest rows of a class that a suspect is shown beside.
N_LIKES = 3
# Of a wider table the page holds the columns that say most of the suspects.
MAX_COLUMNS = 60
MAX_TEXT_LENGTH = 200
# Whole numbers beyond this are not exact in JavaScript.
MAX_WHOLE = 2**53


class Card(NamedTuple):
    """What the list says of a row before it is opened."""

    position: int
    name: str
    verdict: str
    suspicion: float
    label: str
    likely: str
    why: str


def list_cards(audit: Audit, listed: pd.DataFrame) -> list[Card]:
    """A card for each row of `listed`, which is a part of the audit's table."""
    show = short_number if audit.evidence.rows.is_regression else str
    columns = ["position", "verdict", "suspicion", "label", "likely_label", "why"]
    return [
        Card(position, str(name), verdict, suspicion, show(label), show(likely), why)
        for name, position, verdict, suspicion, label, likely, why in listed[columns].itertuples(
            name=None
        )
    ]


def row_data(audit: Audit, listed: pd.DataFrame) -> dict[str, Any]:
    """What the page's script shows of the rows in `listed`, and saves as corrections."""
    rows = audit.evidence.rows
    index, labels = rows.frame.index, rows.labels if rows.is_regression else rows.codes
    columns, shares = _speaking_columns(audit, listed["position"].to_numpy())
    suspects = _suspects(audit, listed)
    for suspect, share in zip(suspects, shares, strict=True):
        suspect["shares"] = {j: round(s, 3) for j, s in enumerate(share.tolist()) if s >= 0.001}
    shown = sorted({i for s in suspects for i in (s["row"], *s["own"], *s["other"])})
    values = [_cells(rows.frame[name].iloc[shown]) for name in columns]
    return {
        "classes": [str(name) for name in rows.classes],
        "labels_are_numbers": rows.labels.dtype.kind in "iuf",
        "index_is_numbers": index.dtype.kind in "iuf",
        "index_heading": index_heading(index),
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


def short_number(value: float) -> str:
    """A number in six digits."""
    return f"{value:.6g}"


def _suspects(audit: Audit, listed: pd.DataFrame) -> list[dict[str, Any]]:
    rows, near = audit.evidence.rows, audit.evidence.near
    code = {name: c for c, name in enumerate(rows.classes.tolist())}
    columns = ["position", "suspicion", "verdict", "likely_label"]
    numbers = ["own_probability", "likely_probability", "value"]
    suspects = []
    for i, suspicion, verdict, likely, *rest in listed[columns + numbers].itertuples(
        index=False, name=None
    ):
        others = near.other[i][near.other[i] >= 0]
        if code:
            likely = code[likely]
            of_likely = others[rows.codes[others] == likely]
            others = of_likely if of_likely.size else others
        suspect = {"row": i, "suspicion": round(suspicion, 4), "verdict": verdict, "likely": likely}
        suspect["own"] = near.own[i][near.own[i] >= 0][:N_LIKES].tolist()
        suspect["other"] = others[:N_LIKES].tolist()
        for name, number in zip(numbers, rest, strict=True):
            suspect[name] = None if math.isnan(number) else float(short_number(number))
        suspects.append(suspect)
    return suspects


def _speaking_columns(audit: Audit, positions: NDArray[np.intp]) -> tuple[list[str], Array]:
    """Columns that the page holds, in their order, and how much each says of each row."""
    rows = audit.evidence.rows
    names = rows.frame.columns.tolist()
    shares = np.zeros((positions.size, len(names)))
    places = [names.index(name) for name in rows.columns]
    shares[:, places] = audit.evidence.column_shares[positions]
    held = np.sort(np.argsort(-shares.sum(axis=0), kind="stable")[:MAX_COLUMNS])
    return [names[j] for j in held], shares[:, held]


def _is_quantity(column: pd.Series) -> bool:
    types = import_pandas().api.types
    return types.is_numeric_dtype(column) and not types.is_bool_dtype(column)


def _cells(column: pd.Series) -> list[Any]:
    """Values as the page shows them: numbers, text, or None where one is missing."""
    show = _number if _is_quantity(column) else _text
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
    """Standard deviation of a column as its middle half has it; None for text."""
    if not _is_quantity(column):
        return None
    values = column.iloc[thinned(len(column))].to_numpy(dtype=float, na_value=np.nan)
    values = values[np.isfinite(values)]
    if not values.size:
        return 0.0
    low, high = np.quantile(values, [0.25, 0.75])
    # Quartiles of a normal distribution are 1.349 standard deviations apart.
    return float(short_number((high - low) / 1.349 if high > low else values.std()))
