"""Cells written for people: missing values, yes and no, numbers with marks and units, dates."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.tseries.api import guess_datetime_format

from broadlearn.utils import Array

MISSING = frozenset(("missing", "unknown", "not available")) | frozenset(
    ("", "?", ".", "-", "--", "na", "n/a", "#n/a", "<na>", "n.a.", "nan", "nat", "none", "null")
)
TRUTH = dict.fromkeys(("yes", "y", "true", "t", "1", "1.0"), 1.0) | dict.fromkeys(
    ("no", "n", "false", "f", "0", "0.0"), 0.0
)
# A column is one of numbers or dates if this share of its cells are; the others count as missing.
# Not measured.
MIN_SHARE = 0.8

_SPACES = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "−": "-", "’": "'"})
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+")
_BELOW_THOUSAND = re.compile(r"[+-]?\d{1,3}")
_CURRENCY = r"(?:[A-Z]{3}|[A-Za-z]{0,2}[$€£¥₹₩₽₺₪฿]\.?)?"


def _number_pattern(decimal: str) -> re.Pattern[str]:
    marks = r"[., ']".replace(decimal, "")
    whole = rf"[1-9]\d{{0,2}}(?P<mark>{marks})(?:\d{{2,3}}(?P=mark))*\d{{3}}|\d+"
    body = rf"(?:(?:{whole})(?:[{decimal}]\d*)?|[{decimal}]\d+)"
    return re.compile(
        rf"(?P<open>\()?(?P<sign>[+-])?\s*(?P<before>{_CURRENCY})\s*(?P<inner>[+-])?"
        rf"(?P<body>{body})(?P<power>[eE][+-]?\d+)?\s*(?P<after>[^\d()+\s-][^\d()+-]*)?"
        r"(?P<close>\))?(?P<last>-)?"
    )


_PATTERNS = {decimal: _number_pattern(decimal) for decimal in ".,"}


def level_key(text: str) -> str:
    """Return a text without case and superfluous spaces."""
    return " ".join(text.split()).casefold()


def parse_number(text: str, decimal: str) -> tuple[float, str, str] | None:
    """Return the value of a number, its thousands mark and its unit; None if it is no number.

    Examples
    --------
    >>> parse_number("€ 1.234,50", ","), parse_number("(12 kg)", "."), parse_number("1,5", ".")
    ((1234.5, '.', '€|'), (-12.0, '', '|kg'), None)
    """
    match = _PATTERNS[decimal].fullmatch(text.strip().translate(_SPACES))
    if match is None or bool(match["open"]) != bool(match["close"]):
        return None
    signs = [match["open"], match["sign"] == "-", match["inner"] == "-", match["last"]]
    if sum(map(bool, signs)) > 1:
        return None
    body = match["body"].replace(match["mark"] or " ", "").replace(decimal, ".")
    value = float(body + (match["power"] or ""))
    unit = f"{match['before']}|{(match['after'] or '').strip().casefold()}"
    return -value if any(signs) else value, match["mark"] or "", "" if unit == "|" else unit


def points_group_thousands(texts: Iterable[str]) -> bool:
    """Return whether numbers are like 1.250 beside 980: whole, with points between thousands."""
    cells = [text.strip() for text in texts]
    pointed = [cell for cell in cells if "." in cell]
    return (
        0 < len(pointed) < len(cells)
        and all(_GROUPED.fullmatch(cell) for cell in pointed)
        and all(_BELOW_THOUSAND.fullmatch(cell) for cell in cells if "." not in cell)
    )


def learn_number_style(
    counts: dict[str, int], min_share: float = MIN_SHARE
) -> dict[str, Any] | None:
    """Learn how the numbers of a column are written; None if fewer than a share are numbers.

    `counts` are the rows of each text that is not missing. The decimal mark is the one that more
    cells can be read with; if both can, a point unless points group thousands.

    Examples
    --------
    >>> learn_number_style({"1.234 €": 2, "7,5 €": 1, "k.A.": 0})
    {'decimal': ',', 'marks': ['', '.'], 'units': ['|€']}
    """
    enough = min_share * sum(counts.values())
    best: dict[str, Any] | None = None
    most = 0
    for decimal in ",." if points_group_thousands(counts) else ".,":
        parsed = {text: parse_number(text, decimal) for text in counts}
        units: Counter[str] = Counter()
        for text, number in parsed.items():
            if number is not None:
                units[number[2]] += counts[text]
        named = [unit for unit, _ in units.most_common() if unit][:1]
        kept = {"", *named}
        read = sum(count for unit, count in units.items() if unit in kept)
        if read > most and read >= enough:
            most = read
            cells = [number for number in parsed.values() if number and number[2] in kept]
            best = {
                "decimal": decimal,
                "marks": sorted({mark for _, mark, _ in cells}),
                "units": sorted({unit for _, _, unit in cells}),
            }
    return best


PLAIN_STYLE: dict[str, Any] = {"decimal": ".", "marks": [""], "units": [""]}


def read_numbers(texts: NDArray[np.object_], style: dict[str, Any]) -> Array:
    """Return the numbers of texts that are written in a style, and NaN for others."""
    if style["decimal"] == "." and "" in style["units"]:
        converted = pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce")
        numbers = converted.to_numpy(dtype=float, copy=True)
        rest = np.flatnonzero(~np.isfinite(numbers))
        numbers[rest] = np.nan
    else:
        numbers, rest = np.full(len(texts), np.nan), np.arange(len(texts))
    for i in rest:
        number = parse_number(str(texts[i]), style["decimal"])
        if number and number[1] in ("", *style["marks"]) and number[2] in style["units"]:
            numbers[i] = number[0]
    return numbers


def read_number_column(texts: pd.Series) -> Array | None:
    """Return the numbers of a column in which all cells are numbers in one style, or None."""
    codes, unique = pd.factorize(texts)
    style = learn_number_style(dict(zip(unique, np.bincount(codes).tolist(), strict=True)))
    if style is None:
        return None
    numbers = read_numbers(np.asarray(unique, dtype=object), style)[codes]
    return None if np.isnan(numbers).any() else numbers


def learn_date_format(counts: dict[str, int], min_share: float = MIN_SHARE) -> str | None:
    """Learn the one format of a column of dates; None if most cells are no dates.

    Where day and month could be exchanged in all cells, dates with points begin with the day and
    others with the month.

    Examples
    --------
    >>> learn_date_format({"01/02/2020": 1, "01/13/2020": 1}), learn_date_format({"1.2.2020": 1})
    ('%m/%d/%Y', '%d.%m.%Y')
    >>> learn_date_format({"may": 3, "june": 2})
    """
    texts = list(counts)
    # Fifty cells, as a guess takes long; dates with points begin with the day.
    guesses = [
        _guess_format(text, day_first)
        for text in texts[:50]
        for day_first in ("." in text, "." not in text)
    ]
    formats = dict.fromkeys(guess for guess in guesses if guess)
    rows = np.fromiter(counts.values(), dtype=float)
    best, most = None, 0.0
    enough = min_share * rows.sum()
    for candidate in formats:
        read = float(rows[~np.isnan(read_dates(np.array(texts, dtype=object), candidate))].sum())
        if read > most and read >= enough:
            best, most = candidate, read
    return best


def _guess_format(text: str, dayfirst: bool) -> str | None:
    """Return the format of a date with a year and more, as pandas guesses it."""
    if len(text) > 40:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        guess = guess_datetime_format(text, dayfirst=dayfirst)
    dated = guess and re.search("%[Yy]", guess) and re.search("%[mbBdj]", guess)
    return guess if dated else None


def read_dates(texts: NDArray[np.object_] | pd.Series, form: str) -> Array:
    """Return days since 1970 of texts in a format, and NaN for others."""
    return days_of(pd.to_datetime(pd.Series(texts), format=form, errors="coerce", utc=True))


def days_of(moments: pd.Series) -> Array:
    """Return days since 1970 of datetimes, and NaN for missing ones."""
    if moments.dt.tz is not None:
        moments = moments.dt.tz_convert(None)
    return np.asarray((moments - pd.Timestamp(0)) / pd.Timedelta(days=1), dtype=float)
