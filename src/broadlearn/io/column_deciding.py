"""Which kind of values a column holds: from its type, or else from what its texts look like."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from broadlearn.io.column_codes import judge_codes, named_as_identifier
from broadlearn.io.column_compound import learn_compound, read_compound
from broadlearn.io.column_dates import has_clock_only, learn_order, read_dates
from broadlearn.io.column_gaps import empty_numbers
from broadlearn.io.column_levels import (
    SIGNS,
    boolean_values,
    common_spellings,
    level_order,
    spelling_key,
)
from broadlearn.io.column_numbers import learn_format, read_numbers
from broadlearn.io.column_parts import learn_parts
from broadlearn.io.column_reading import (
    DURATIONS,
    LEFT_OUT,
    MOMENTS,
    NUMBERS,
    Reading,
    as_floats,
    cell_texts,
    content_of,
)
from broadlearn.io.column_words import NO_NUMBER, NO_VALUE

if TYPE_CHECKING:
    import pandas as pd

# Distinct texts that are looked at to decide on a kind.
MAX_TEXTS = 2000
# Of more distinct texts, some are looked at first, which is enough for all but words.
MAX_DISTINCT = 10_000
# From this share of rows on, a column is one of numbers or dates with strays.
MIN_SHARE, SURE_SHARE = 0.5, 0.9
# Numbers with at most so many values and frequent words among them are categories.
MAX_FEW_NUMBERS = 12
# From this many rows on, text that hardly repeats names or describes rows.
MIN_IDENTIFIER_ROWS, IDENTIFIER_SHARE = 20, 0.9
# Times of a day, in seconds, that may be durations if none is later.
SHORT_CLOCK = 6 * 3600.0
# Different numbers that must all be a year and month, as 202401, to be months.
MIN_MONTHS = 6

_COUNTED = re.compile(r" in \d+ rows? count")
_CODE = re.compile(r"0\d+")
_NUMBERED = re.compile(r"[^\W\d_]{0,4}[-_ ]?\d{2,}")
_DATE_NAME = re.compile(r"date|datum|time|_at$|_on$|stamp|day$|tag$|fecha", re.IGNORECASE)


def decide_reading(column: pd.Series, kind: str = "", decimal: str = "") -> Reading:
    """Decide how a column is read.

    Parameters
    ----------
    column : pandas.Series
    kind : str, default=""
        The kind that a user says it has.
    decimal : {"", ".", ","}, default=""
        The mark of decimals in other columns.

    Examples
    --------
    >>> import pandas as pd
    >>> reading = decide_reading(pd.Series(["1.243,56", "12,5", "unknown"]))
    >>> reading.kind, reading.read(pd.Series(["20,5"])).tolist()
    ('number as text', [20.5])
    """
    content = content_of(column)
    if kind in LEFT_OUT:
        return Reading(kind)
    if not column.notna().any():
        return Reading("empty")
    if content in DURATIONS:
        return Reading("number", "number", remark="days")
    if content in MOMENTS:
        return Reading("date", "date")
    if content == "boolean" and kind in ("", "boolean"):
        return Reading("boolean", "words", levels=("False", "True"), codes={"false": 0, "true": 1})
    if content in NUMBERS and kind in ("", "number", "number as text", "boolean", "date"):
        return _of_numbers(column, kind)
    texts, inverse = cell_texts(column)
    counts = np.bincount(inverse[inverse >= 0], minlength=len(texts))
    if content == "categorical":
        words = [str(level) for level in column.cat.categories]
        if column.cat.ordered and kind in ("", "ordered category"):
            present = [word for word in words if word in set(texts)]
            return _of_words("ordered category", present)
    name, nominal = str(column.name), content == "categorical"
    if len(texts) > MAX_DISTINCT and not nominal and not kind:
        some = dict(_sampled(texts, counts))
        reading = _of_texts(some, name, kind, decimal, nominal, len(texts) / int(counts.sum()))
        if reading.how != "words":
            return replace(reading, remark=_COUNTED.sub(" count", reading.remark))
    found = dict(zip(texts, counts.tolist(), strict=True))
    return _of_texts(found, name, kind, decimal, nominal)


def _sampled(texts: Sequence[str], counts: NDArray[np.intp]) -> list[tuple[str, int]]:
    """Some of very many texts, with their counts: the most frequent ones, and others evenly."""
    frequent = np.argsort(-counts, kind="stable")[:MAX_TEXTS]
    spread = np.linspace(0, len(texts) - 1, 2 * MAX_TEXTS).astype(np.intp)
    return [(texts[k], int(counts[k])) for k in np.union1d(frequent, spread).tolist()]


def _of_numbers(column: pd.Series, kind: str) -> Reading:
    numbers = as_floats(column)
    present = numbers[~np.isnan(numbers)]
    distinct = np.unique(present)
    if kind == "boolean" or (not kind and set(distinct.tolist()) == {0.0, 1.0}):
        words = [f"{number:g}" for number in distinct]
        return _of_words("boolean", words)
    code, code_doubt = ("", "") if kind else judge_codes(present, str(column.name))
    if code == "identifier":
        return Reading("identifier", doubt=code_doubt)
    if code == "category":
        return _of_words("category", [f"{number:.0f}" for number in distinct], doubt=code_doubt)
    whole = bool((distinct == np.round(distinct)).all())
    if whole and kind in ("", "date") and distinct.size > 1:
        texts = [f"{number:.0f}" for number in distinct[:MAX_TEXTS]]
        days = 19000101 <= distinct[0] and distinct[-1] <= 21001231
        stamps = 19000101 <= distinct[0] // 1e6 and distinct[-1] // 1e6 <= 21001231
        if (days or stamps) and not np.isnan(read_dates(texts, "dmy")).any():
            return Reading("date", "date", remark="read as year, month and day")
        months = 190001 <= distinct[0] and distinct[-1] <= 210012
        if months and distinct.size >= MIN_MONTHS and not np.isnan(read_dates(texts, "dmy")).any():
            doubt = "may be numbers" if not kind else ""
            return Reading("date", "date", doubt=doubt, remark="read as year and month")
    named = bool(_DATE_NAME.search(str(column.name)))
    doubt = code_doubt
    if whole and distinct.size > 1 and (kind == "date" or (not kind and named)):
        unit = _since_1970(distinct)
        if unit:
            doubt = "may be numbers" if not kind else ""
            return Reading("date", "date", doubt=doubt, remark=f"read as {unit} since 1970")
    empty = () if kind else empty_numbers(*np.unique(present, return_counts=True))
    remark = ""
    if empty:
        remark, doubt = _of_empty(empty, int(np.isin(present, empty).sum()))
    elif not kind and named and whole and 20_000 <= distinct[0] and distinct[-1] <= 80_000:
        doubt = "may be days of a spreadsheet since 1900, which are a number here"
    return Reading("number", "number", empty=empty, doubt=doubt, remark=remark)


def _since_1970(distinct: NDArray[np.float64]) -> str:
    """What whole numbers, in ascending order, may count since 1970, or ""."""
    for unit, size in (("seconds", 1.0), ("milliseconds", 1e3)):
        if 1e9 * size <= distinct[0] and distinct[-1] <= 4e9 * size:
            return unit
    return ""


def _of_empty(empty: Sequence[float], n_rows: int) -> tuple[str, str]:
    """What is said of numbers that stand for missing values, and the doubt."""
    said = " and ".join(f"{number:g}" for number in empty)
    counts, are = ("counts", "a number") if len(empty) == 1 else ("count", "numbers")
    rows = "row" if n_rows == 1 else "rows"
    return f"{said} in {n_rows} {rows} {counts} as missing", f"{said} may be {are} like others"


def _of_words(kind: str, words: Sequence[str], **facts: Any) -> Reading:
    codes = {spelling_key(word): place for place, word in enumerate(words)}
    return Reading(kind, "words", levels=tuple(words), codes=codes, **facts)


def _of_texts(
    counts: dict[str, int],
    name: str,
    kind: str,
    decimal: str,
    nominal: bool,
    share: float = 0.0,
) -> Reading:
    """The reading of a column of texts with their counts, of categories if they are declared.

    Of some of the texts, `share` says how many different ones there are per row of all.
    """
    none = NO_VALUE - SIGNS if {*map(spelling_key, counts)} - {""} == SIGNS else NO_VALUE
    blank = {text: n for text, n in counts.items() if spelling_key(text) in none}
    counts = {text: n for text, n in counts.items() if text not in blank}
    if not counts:
        return Reading("empty")
    spellings = common_spellings(counts)
    rows: Counter[str] = Counter()
    for text, n in counts.items():
        rows[spelling_key(text)] += n
    words = _as_words(spellings, rows, name, kind)
    if kind in ("category", "ordered category", "boolean"):
        return words
    if words.kind in ("boolean", "ordered category") and not kind:
        return words
    if nominal and not kind:
        return words
    for found in (
        None if kind else _as_codes(words, counts, name),
        _as_numbers(counts, blank, kind, decimal),
        _as_amounts(counts, kind, name),
        _as_dates(counts, kind),
    ):
        if found is not None:
            return found
    if kind:
        raise ValueError(f"Column {name!r} cannot be read as {kind}: {next(iter(counts))[:40]!r}.")
    parts = _as_parts(counts)
    return parts or _as_names(words, spellings, rows, name, share) or words


def _as_words(spellings: dict[str, str], rows: Counter[str], name: str, kind: str) -> Reading:
    """Words as booleans, in their order, or as they are."""
    keys = list(spellings)
    telling = [key for key in keys if key not in NO_NUMBER] if len(keys) > 2 else keys
    truth = boolean_values(telling) if kind in ("", "boolean") else None
    if truth is not None:
        unknown = [spellings[key] for key in keys if key not in truth]
        doubt = f"{unknown[0]!r} counts as missing" if unknown else ""
        codes = {key: int(value) for key, value in truth.items()}
        words = [
            spellings[max((key for key in truth if codes[key] == side), key=lambda k: rows[k])]
            for side in (0, 1)
        ]
        return Reading("boolean", "words", levels=tuple(words), codes=codes, doubt=doubt)
    if kind == "boolean":
        if len(keys) != 2:
            raise ValueError(
                f"Column {name!r} must have two values to be boolean, got {len(keys)}."
            )
        return _of_words("boolean", [spellings[key] for key in sorted(keys)])
    ordered = None if kind == "category" else level_order(keys, name)
    if ordered is None and kind == "ordered category":
        ordered = sorted(keys, key=_natural)
    if ordered is not None:
        letters = all(len(key) == 1 for key in keys)
        doubt = "letters may be names instead of grades" if letters and not kind else ""
        return _of_words("ordered category", [spellings[key] for key in ordered], doubt=doubt)
    return _of_words("category", [spellings[key] for key in sorted(keys, key=_natural)])


def _natural(key: str) -> tuple[tuple[int, float, str], ...]:
    """Order of words in which "item 2" comes before "item 10"."""
    parts = re.split(r"(\d+)", key)
    return tuple((0, float(p), "") if p.isdecimal() else (1, 0.0, p) for p in parts if p)


def _as_codes(words: Reading, counts: dict[str, int], name: str) -> Reading | None:
    """Whole numbers whose name says that they are codes, with other words among them."""
    texts = [text for text in counts if spelling_key(text) not in NO_NUMBER]
    if not texts or not all(text.strip().isdecimal() and len(text) < 16 for text in texts):
        return None
    numbers = np.array([float(text) for text in texts])
    code, doubt = judge_codes(np.repeat(numbers, [counts[text] for text in texts]), name)
    if code == "identifier":
        return Reading("identifier", doubt=doubt)
    return replace(words, doubt=doubt) if code == "category" else None


def _as_numbers(
    counts: dict[str, int], blank: dict[str, int], kind: str, decimal: str
) -> Reading | None:
    texts = [text for text in counts if spelling_key(text) not in NO_NUMBER]
    if not texts:
        return None
    digits = [text.strip() for text in texts if text.strip().isdecimal()]
    if _are_codes(digits) and not kind:
        return None
    lengths = {len(text) for text in digits}
    compact = len(digits) == len(texts) and (
        lengths in ({8}, {14}) or (lengths == {6} and len(digits) >= MIN_MONTHS)
    )
    if compact and not kind and not np.isnan(read_dates(digits[:MAX_TEXTS], "dmy")).any():
        return None
    sample = sorted(texts, key=lambda text: -counts[text])[:MAX_TEXTS]
    form = learn_format(sample, [counts[text] for text in sample], decimal)
    ok = ~np.isnan(read_numbers(sample, form))
    weight = np.array([counts[text] for text in sample], dtype=np.float64)
    share = float(weight[ok].sum() / weight.sum())
    if share < MIN_SHARE and not kind.startswith("number"):
        return None
    strays = [text for text, fine in zip(sample, ok, strict=True) if not fine]
    n_numbers = int(ok.sum())
    if kind == "" and share < SURE_SHARE and n_numbers <= MAX_FEW_NUMBERS:
        return None
    if not n_numbers:
        return None
    doubt = form.doubt
    if share < SURE_SHARE:
        doubt = f"{1.0 - share:.0%} of the values are no numbers, such as {strays[0][:30]!r}"
    units = [unit for unit in form.factors if unit]
    if units and n_numbers <= 3 and len(units) == 1 and units[0].isalpha() and not doubt:
        doubt = "few values: may be names"
    counts = {**counts, **{text: n for text, n in blank.items() if text.strip()}}
    unread = strays + [text for text in counts if spelling_key(text) in NO_NUMBER]
    remark = ""
    if unread:
        n_rows = sum(counts[text] for text in unread)
        what = "row" if n_rows == 1 else "rows"
        remark = f"{unread[0].strip()[:30]!r} and the like in {n_rows} {what} count as missing"
    read = np.round(read_numbers(sample, form), 9)
    values, place = np.unique(read[ok], return_inverse=True)
    empty = () if kind else empty_numbers(values, np.bincount(place, weight[ok]))
    if empty:
        said, doubt = _of_empty(empty, int(weight[np.isin(read, empty)].sum()))
        remark = "; ".join(filter(None, (remark, said)))
    return Reading(
        "number as text",
        "number",
        form.decimal,
        dict(form.factors),
        empty,
        doubt=doubt,
        remark=remark,
    )


def _are_codes(digits: Sequence[str]) -> bool:
    """Whether texts of digits all have the same length, which takes zeros in front."""
    return any(_CODE.fullmatch(text) for text in digits) and len({*map(len, digits)}) == 1


def _as_dates(counts: dict[str, int], kind: str) -> Reading | None:
    texts = [text for text in counts if spelling_key(text) not in NO_NUMBER]
    if not texts or kind not in ("", "date"):
        return None
    if not kind and _are_codes([text.strip() for text in texts if text.strip().isdecimal()]):
        return None
    sample = sorted(texts, key=lambda text: -counts[text])[:MAX_TEXTS]
    order, doubt = learn_order(sample)
    ok = ~np.isnan(read_dates(sample, order))
    weight = np.array([counts[text] for text in sample], dtype=np.float64)
    share = float(weight[ok].sum() / weight.sum())
    few = int(ok.sum()) <= MAX_FEW_NUMBERS
    if not ok.any() or (not kind and (share < MIN_SHARE or (few and share < SURE_SHARE))):
        return None
    strays = [text for text, fine in zip(sample, ok, strict=True) if not fine]
    if share < SURE_SHARE:
        doubt = f"{1.0 - share:.0%} of the values are no dates, such as {strays[0][:30]!r}"
    unread = [text for text in counts if spelling_key(text) in NO_NUMBER] + strays
    remark = f"{unread[0].strip()[:30]!r} and the like count as missing" if unread else ""
    clock = has_clock_only([text for text, fine in zip(sample, ok, strict=True) if fine])
    if clock and not doubt and np.nanmax(read_dates(sample, order)) < SHORT_CLOCK:
        doubt = "times of a day that are all early: may be durations"
    return Reading("date", "date", order=order, clock=clock, doubt=doubt, remark=remark)


def _as_amounts(counts: dict[str, int], kind: str, name: str) -> Reading | None:
    """Durations, fractions and the like."""
    texts = [text for text in counts if spelling_key(text) not in NO_NUMBER]
    if not texts or kind not in ("", "number", "number as text"):
        return None
    sample = sorted(texts, key=lambda text: -counts[text])[:MAX_TEXTS]
    amount = learn_compound(sample, name, [counts[text] for text in sample])
    if not amount:
        return None
    ok = ~np.isnan(read_compound(sample, amount))
    unread = [text for text, fine in zip(sample, ok, strict=True) if not fine]
    unread += [text for text in counts if spelling_key(text) in NO_NUMBER]
    remarks = ["" if amount == "fraction" else f"in {amount.replace('clock', 'seconds')}"]
    remarks += [f"{unread[0].strip()[:30]!r} and the like count as missing"] if unread else []
    remark = "; ".join(filter(None, remarks))
    return Reading("number as text", "compound", amount=amount, remark=remark)


def _as_parts(counts: dict[str, int]) -> Reading | None:
    """Several numbers in each text, as in 120/80 or 10 x 20, with the same marks between them."""
    texts = [text for text in counts if spelling_key(text) not in NO_NUMBER]
    found = learn_parts(texts[:MAX_TEXTS])
    if found is None:
        return None
    remark = (
        "1 number in each text" if found.n_parts == 1 else f"{found.n_parts} numbers in each text"
    )
    return Reading(
        "number as text", "parts", n_parts=found.n_parts, doubt=found.doubt, remark=remark
    )


def _as_names(
    words: Reading, spellings: dict[str, str], rows: Counter[str], name: str, share: float
) -> Reading | None:
    """Words that name or describe rows, as they hardly repeat."""
    n_rows, n_words = sum(rows.values()), len(rows)
    if n_rows < MIN_IDENTIFIER_ROWS:
        return None
    share = share or n_words / n_rows
    texts = list(spellings.values())[:MAX_TEXTS]
    length = float(np.mean([len(text) for text in texts]))
    n_parts = float(np.mean([sum(map(_has_letters, text.split())) for text in texts]))
    prose = n_parts >= 3.5 or length > 60
    if (share > IDENTIFIER_SHARE and (n_parts >= 3 or length > 40)) or (share > 0.5 and prose):
        return Reading("free text")
    if share > IDENTIFIER_SHARE:
        codes = _are_codes([text for text in texts if text.isdecimal()])
        return Reading("identifier", doubt="digits: may be numbers" if codes else "")
    if named_as_identifier(name) and share > 0.2 and n_words > MIN_IDENTIFIER_ROWS:
        return Reading("identifier", doubt="named like an identifier, but some values repeat")
    if share > 0.5:
        return replace(words, doubt="most values occur once: may be names")
    if share > 0.1 and n_words > MIN_IDENTIFIER_ROWS and all(map(_NUMBERED.fullmatch, texts)):
        return replace(words, doubt="numbered: may name persons or things, each with some rows")
    return None


def _has_letters(word: str) -> bool:
    return any(map(str.isalpha, word))
