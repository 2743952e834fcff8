"""What each column of a table holds: learnt from its own cells, then read the same way.

What is learnt about a column is a plain dict, its plan:

- name, kind (a key of `KINDS`), missing, distinct, example, strays: what
  `TablePreparation.describe` shows; strays are cells among numbers or dates that count as missing;
- style of a number (see `texts.learn_number_style`), format and first day of a date, levels of a
  category or of ordered words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from broadlearn.tables.texts import (
    MIN_SHARE,
    MISSING,
    PLAIN_STYLE,
    TRUTH,
    days_of,
    learn_date_format,
    learn_number_style,
    level_key,
    read_dates,
    read_numbers,
)
from broadlearn.utils import listed

# Kinds, and whether anything is learnt from them.
KINDS = {
    "number": True,
    "boolean": True,
    "date": True,
    "ordered": True,
    "category": True,
    "text": False,
    "constant": False,
    "empty": False,
    "drop": False,
}
CHOICES = ("number", "boolean", "date", "category", "drop")
# Levels of a category that get a column of their own; the others share one. Not measured: skrub
# encodes columns of up to 40 levels so.
MAX_LEVELS = 30
MISSING_LEVEL, OTHER_LEVEL = "(missing)", "(other)"
# Kinds whose columns may hold no other words in training.
_EXPECTED = {"ordered": "the words of its order", "boolean": "yes and no, 1 and 0"}

Plan = dict[str, Any]


class ReadColumn(NamedTuple):
    """A column as it was read, and which cells are not written as in training.

    Values are numbers with NaN for missing ones (ranks of ordered words, days since 1970 of dates),
    or levels of a category.
    """

    values: NDArray[Any]
    unread: NDArray[np.bool_]


def learn_column(column: pd.Series, kind: str | None, order: Sequence[str] | None) -> Plan:
    """Learn what a column holds, unless its kind (of `CHOICES`) or the order of its words is known.

    Examples
    --------
    >>> import pandas as pd
    >>> plan = learn_column(pd.Series(["1,50 €", "n/a", "20 €", "1.000 €"]), None, None)
    >>> plan["kind"], plan["style"]
    ('number', {'decimal': ',', 'marks': ['', '.'], 'units': ['|€']})
    """
    if order is None and isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered:
        order = [str(level) for level in column.cat.categories]
    plan: Plan = {"name": str(column.name), "strays": []}
    if kind == "drop":
        plan["kind"] = kind
    elif order is not None:
        plan |= {"kind": "ordered", "levels": [level_key(str(level)) for level in order]}
    elif kind == "category" or not _is_typed(column):
        plan |= _learn_texts(column, kind)
    elif column.dtype.kind == "M":
        plan |= {"kind": "date", "format": "ISO8601"}
    elif kind == "date":
        raise ValueError(f"Column {plan['name']!r} contains numbers; expected dates.")
    else:
        truth = column.dtype.kind == "b" or kind == "boolean"
        plan |= {"kind": "boolean"} if truth else {"kind": "number", "style": PLAIN_STYLE}
    return _completed(column, plan)


def _learn_texts(column: pd.Series, kind: str | None) -> Plan:
    """Learn what a column of text holds: booleans, numbers, dates or levels of a category."""
    codes, distinct = _cells(column)
    counts = np.bincount(codes[codes >= 0], minlength=len(distinct)).tolist()
    texts: Counter[str] = Counter()
    levels: Counter[str] = Counter()
    for text, count in zip(distinct, counts, strict=True):
        key = level_key(text)
        if key not in MISSING:
            levels[key] += count
            texts[text] += count
    if not levels:
        return {"kind": "empty"}
    if kind == "boolean" or (kind is None and len(levels) > 1 and levels.keys() <= TRUTH.keys()):
        return {"kind": "boolean"}
    if kind != "category" and (found := _learn_style(texts, kind)):
        return found
    if kind == "date":
        word = next(iter(texts))
        raise ValueError(f"Column {str(column.name)!r} contains {word!r}; expected dates.")
    if kind is None and len(levels) > max(MAX_LEVELS, sum(levels.values()) // 2):
        return {"kind": "text"}
    ranked = sorted(levels, key=lambda level: (-levels[level], level))
    kept = sorted(ranked[:MAX_LEVELS])
    if len(ranked) > MAX_LEVELS:
        kept.append(OTHER_LEVEL)
    return {"kind": "category", "levels": kept}


def _learn_style(texts: dict[str, int], kind: str | None) -> Plan | None:
    """Learn how the numbers, or else the dates, of a column are written; None if neither."""
    share = 0.0 if kind else MIN_SHARE
    style = None if kind == "date" else learn_number_style(texts, share)
    if style or kind == "number":
        return {"kind": "number", "style": style or PLAIN_STYLE}
    form = learn_date_format(texts, share)
    return {"kind": "date", "format": form} if form else None


def _completed(column: pd.Series, plan: Plan) -> Plan:
    """Complete the plan with what the training rows show when they are read by it."""
    plan["example"] = next(map(_brief, column.dropna().iloc[:1]), "")
    if not KINDS[plan["kind"]]:
        plan["missing"] = int(column.isna().sum())
        plan["distinct"] = int(column.nunique())
        return plan
    values, unread = read_column(column, plan)
    if plan["kind"] in ("number", "date") and unread.any():
        strays = Counter(level_key(str(cell)) for cell in column[unread])
        plan["strays"] = [text for text, _ in strays.most_common(100)]
        values, unread = read_column(column, plan)
    if plan["kind"] in _EXPECTED and unread.any():
        word, expected = str(column[unread].iloc[0]), _EXPECTED[plan["kind"]]
        raise ValueError(f"Column {plan['name']!r} contains {word!r}; expected {expected}.")
    if plan["kind"] == "category":
        missing = values == MISSING_LEVEL
        if missing.any():
            plan["levels"] = [*plan["levels"], MISSING_LEVEL]
    else:
        missing = np.isnan(values)
    plan["missing"] = int(missing.sum())
    plan["distinct"] = len(set(values[~missing].tolist()))
    if plan["distinct"] + bool(plan["missing"]) < 2 or not plan["distinct"]:
        plan["kind"] = "constant" if plan["distinct"] else "empty"
    elif plan["kind"] == "date":
        plan["first"] = float(np.floor(np.nanmin(values)))
    return plan


def read_column(column: pd.Series, plan: Plan) -> ReadColumn:
    """Read a column as its plan says.

    Examples
    --------
    >>> import pandas as pd
    >>> plan = learn_column(pd.Series(["2020-01-31", "2020-02-01"], name="visit"), None, None)
    >>> read_column(pd.Series(["2020-02-02", "01/31/2020", None]), plan)
    ReadColumn(values=array([18294.,    nan,    nan]), unread=array([False,  True, False]))
    """
    kind = plan["kind"]
    if kind in ("number", "boolean", "date") and _is_typed(column):
        return _read_typed(column, plan)
    codes, texts = _cells(column)
    keys = [level_key(text) for text in texts]
    if kind == "category":
        levels = set(plan["levels"])
        known = [
            MISSING_LEVEL if key in MISSING else key if key in levels else OTHER_LEVEL
            for key in keys
        ]
        values = np.array(known, dtype=object)[codes]
        return ReadColumn(values, (values == OTHER_LEVEL) & (OTHER_LEVEL not in levels))
    empty = MISSING.union(plan["strays"])
    if kind == "number":
        numbers = read_numbers(texts, plan["style"])
    elif kind == "date":
        numbers = read_dates(texts, plan["format"])
    else:
        ranks = {level: float(rank) for rank, level in enumerate(plan.get("levels", ()))}
        empty -= ranks.keys()
        numbers = np.array([(ranks or TRUTH).get(key, np.nan) for key in keys])
    is_empty = np.array([key in empty for key in keys])
    numbers = np.where(is_empty, np.nan, numbers)
    return ReadColumn(numbers[codes], (np.isnan(numbers) & ~is_empty)[codes])


def _read_typed(column: pd.Series, plan: Plan) -> ReadColumn:
    """Read a column whose type says that it holds numbers, booleans or dates."""
    missing = column.isna().to_numpy(dtype=bool)
    nothing, is_date = ReadColumn(np.full(len(column), np.nan), ~missing), column.dtype.kind == "M"
    if plan["kind"] == "date":
        return ReadColumn(days_of(column), np.zeros_like(missing)) if is_date else nothing
    if is_date:
        return nothing
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.isinf(values).any():
        raise ValueError(f"Column {plan['name']!r} must contain finite numbers.")
    if plan["kind"] == "boolean":
        odd = ~missing & (values != 0.0) & (values != 1.0)
        return ReadColumn(np.where(odd, np.nan, values), odd)
    if "" not in plan["style"]["units"]:
        # A share without its percent sign may be 0.97 or 97.
        return nothing
    return ReadColumn(values, np.zeros_like(missing))


def column_use(plan: Plan) -> str:
    """Say what becomes of a column."""
    kind = plan["kind"]
    if kind == "number":
        style = plan["style"]
        marks = [f"unit {unit.strip('|')!r}" for unit in style["units"] if unit]
        marks += ["decimal comma"] if style["decimal"] == "," else []
        use = ", ".join(["number", *marks])
    elif kind == "date":
        use = f"days since the first, dates as {plan['format']}"
    elif kind == "ordered":
        use = f"ranks {' < '.join(plan['levels'])}"
    else:
        use = {
            "boolean": "1 for yes, 0 for no",
            "category": f"{len(plan.get('levels', ()))} columns of 0 and 1",
            "text": "left out: most values occur once",
            "constant": "left out: has one value",
            "empty": "left out: has no values",
            "drop": "left out as requested",
        }[kind]
    if plan.get("strays"):
        use += f"; {listed(plan['strays'], most=2)} count as missing"
    return use


def _is_typed(column: pd.Series) -> bool:
    """Return whether the type of a column says that it holds numbers, booleans or dates."""
    return column.dtype.kind in "biufM"


def _cells(column: pd.Series) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
    """Return the position of each cell among the distinct texts, -1 if missing, and the texts."""
    codes, values = pd.factorize(column.astype(object))
    return codes, np.array([*map(_text, values), ""], dtype=object)


def _text(value: Any) -> str:
    """Return a cell as text; whole numbers are the same whatever their type."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()


def _brief(value: Any) -> str:
    text = _text(value)
    return text if len(text) <= 30 else f"{text[:29]}…"
