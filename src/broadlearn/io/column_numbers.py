"""Numbers that are written as text: separators, signs, percent, currencies and units."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from broadlearn.utils import Array

_SPACES = dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f\u2002\u2003\t"), " ")
_SIGNS = dict.fromkeys(map(ord, "\u2212\u2013\u2014\ufe63\uff0d"), "-")
_QUOTES = dict.fromkeys(map(ord, "\u2019\u02bc`\u00b4"), "'")
_POWERS = {ord("²"): "2", ord("³"): "3"}
# Of Arabic numbers: decimals and thousands.
_ARABIC = {ord("٫"): ".", ord("٬"): ","}
_MARKS = {**_SPACES, **_SIGNS, **_QUOTES, **_POWERS, **_ARABIC}
# 1.5 × 10^3, also with raised figures, and texts that are quoted once more, as ="12.50".
_POWER = re.compile(
    r"(?<=[\d.,])\s*(?:[×x*·]\s*10\s*(?:\^\s*|\*\*?\s*)?|10[*^])([-+]?\d{1,3})(?!\d)"
)
_RAISED_TEN = re.compile("10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_QUOTED = re.compile(r"""=?(["'])(.*)\1""")
_TAGS = re.compile(r"</?[a-zA-Z]\w*>")
# Marks of footnotes behind a number.
_APOSTROPHE = re.compile(r"'(?=[-+]?[\d.,]+$)")
_FOOTNOTE = re.compile(r"(?<=[\d%])\s*(?:[*†‡§+]{1,3}|\[\w{1,3}\])$")
_PRICE_DASH = re.compile(r"(?<=\d[.,])-+")
_NUMBER = re.compile(
    r"(?P<head>[^\d,]{0,12}?)"
    r"(?P<core>(?:\d[\d.,' ]*|[.,]\d+)(?<! )(?:[eE][-+]?\d{1,3}(?![\d.,]))?)"
    r"(?P<tail>[ ]*(?:[-)]+|(?:/? ?[^\W\d_]|[%‰°\"'$]|[^\w\s.,:;()<>=#&*+/-])"
    r"[^\d]{0,18}?[23]?\)?)?)"
)
_GROUPS = re.compile(
    r"\d{1,3}(?:(?P<mark>[.,' ])\d{3})(?:(?P=mark)\d{3})*|\d{1,2}(?:,\d{2})+,\d{3}"
)
_ABOUT = re.compile(
    r"^(?:[<>≤≥=~≈±]+|(?:ca|approx|about|circa|over|under|etwa|env|ab|from|dès|desde|vanaf|max|"
    r"min|rund|cerca de|up to|bis|bis zu|environ)\b\.?)\s*"
)
# Sides of the earth before degrees, which have decimals.
_SIDES, _DEGREES = frozenset("nsew"), re.compile(r"[.,]\d{3,}$")
_CURRENCIES = (
    "usd eur gbp chf jpy cny rmb inr rub sek nok dkk pln czk huf brl mxn cad aud nzd zar krw try "
    "sgd hkd thb idr php myr vnd ils aed sar egp ngn kes ars clp cop pen uah ron bgn isk twd pkr "
    "bdt btc eth us$ r$ a$ c$ nz$ hk$ s$ fr sfr kr rs zł kč ft lei tl dm rp rm euro euros dollar "
    "dollars pound pounds yen"
)
_CODES = frozenset(_CURRENCIES.split())
# Words that multiply, and units with their size in a common one.
_MAGNITUDES = {
    **dict.fromkeys(("k", "thousand", "tsd", "mille"), 1e3),
    **dict.fromkeys(("mn", "mm$", "mio", "million", "millions", "mill"), 1e6),
    **dict.fromkeys(("b", "bn", "billion", "billions", "mrd"), 1e9),
    **dict.fromkeys(("lakh", "lakhs", "lac", "lacs"), 1e5),
    **dict.fromkeys(("cr", "crore", "crores"), 1e7),
}
_UNITS: tuple[Mapping[str, float], ...] = (
    {"mg": 1e-6, "g": 1e-3, "kg": 1.0, "t": 1e3, "oz": 0.028349523125, "lb": 0.45359237}
    | {"gram": 1e-3, "kilogram": 1.0, "pound": 0.45359237, "tonne": 1e3, "µg": 1e-9, "ug": 1e-9},
    {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3, "in": 0.0254, "ft": 0.3048, "mi": 1609.344}
    | {"meter": 1.0, "metre": 1.0, "mile": 1609.344, "inch": 0.0254, "yd": 0.9144, '"': 0.0254},
    {"ml": 1e-3, "cl": 1e-2, "dl": 0.1, "l": 1.0, "liter": 1.0, "litre": 1.0, "hl": 100.0},
    {"ms": 1e-3, "s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0, "h": 3600.0}
    | {"hr": 3600.0, "hour": 3600.0, "d": 86400.0, "day": 86400.0, "week": 604800.0}
    | {"month": 2629746.0, "year": 31556952.0, "yr": 31556952.0, "wk": 604800.0, "mo": 2629746.0},
    {"b": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "byte": 1.0},
    {"w": 1.0, "kw": 1e3, "mw": 1e6, "gw": 1e9},
    {"wh": 1.0, "kwh": 1e3, "mwh": 1e6, "gwh": 1e9},
    {"µv": 1e-6, "mv": 1e-3, "v": 1.0, "kv": 1e3},
    {"µa": 1e-6, "ma": 1e-3, "a": 1.0, "ka": 1e3},
    {"pa": 1.0, "hpa": 1e2, "kpa": 1e3, "mpa": 1e6, "mbar": 1e2, "bar": 1e5, "psi": 6894.757},
    {"ω": 1.0, "kω": 1e3, "mω": 1e6, "ohm": 1.0, "kohm": 1e3},
    {"cal": 4.184, "kcal": 4184.0, "j": 1.0, "kj": 1e3},
    {"m/s": 1.0, "km/h": 1 / 3.6, "kmh": 1 / 3.6, "mph": 0.44704, "kn": 0.514444, "kt": 0.514444},
    {"g/l": 1.0, "mg/l": 1e-3, "µg/l": 1e-6, "ug/l": 1e-6, "ng/ml": 1e-6, "mg/dl": 1e-2}
    | {"g/dl": 10.0, "mg/ml": 1.0, "µg/ml": 1e-3, "ug/ml": 1e-3, "µg/dl": 1e-5},
    {"mmol/l": 1e-3, "µmol/l": 1e-6, "umol/l": 1e-6, "nmol/l": 1e-9, "pmol/l": 1e-12},
    {"hz": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9},
    {"st": 1.0, "nd": 1.0, "rd": 1.0, "th": 1.0},
    {"n": 1.0, "s": -1.0, "°n": 1.0, "°s": -1.0, "° n": 1.0, "° s": -1.0},
    {"e": 1.0, "w": -1.0, "o": 1.0, "°e": 1.0, "°w": -1.0, "° e": 1.0, "° w": -1.0},
    {"°c": 1.0, "° c": 1.0, "c": 1.0, "°f": 5 / 9, "° f": 5 / 9, "f": 5 / 9, "k": 1.0},
)
# What is 0 in the common unit, where units of several kinds occur.
_ZERO = {"°f": 32.0, "° f": 32.0, "f": 32.0, "k": 273.15}
# High and low, behind results of a laboratory: no units.
_FLAGS = frozenset(("h", "l", "hh", "ll", "n", "high", "low", "normal", "(h)", "(l)"))
_SHORT_UNITS = ("lb", "hr", "yr", "oz", "wk", "mo")
_MAX_WORDS = 3
# Longer texts are no numbers; patterns would take long over them.
MAX_LENGTH = 100


class NumberFormat(NamedTuple):
    """How the numbers of a column are written.

    Attributes
    ----------
    decimal : str
        "." or ",": the mark of decimals where a text could be read in two ways.
    factors : dict of str to float
        Units that occur, in lower case, and what a number with that unit is multiplied by; "" for
        numbers without one.
    doubt : str
        Why the reading may be wrong, or "".
    """

    decimal: str
    factors: dict[str, float]
    doubt: str = ""


class _Parts(NamedTuple):
    negative: bool
    core: str
    unit: str
    currency: str


def learn_format(
    texts: Sequence[str], counts: Sequence[int] | None = None, decimal: str = ""
) -> NumberFormat:
    """Learn how numbers are written from some of them; other texts among them do not matter.

    Parameters
    ----------
    texts : sequence of str
        Distinct texts of a column.
    counts : sequence of int, default=None
        How often each occurs.
    decimal : {"", ".", ","}, default=""
        The mark of decimals in other columns of the table, which decides where this one does not.

    Examples
    --------
    >>> learn_format(["1.243,56 €", "12,5 €"]).decimal
    ','
    >>> learn_format(["1 kg", "350 g"]).factors
    {'kg': 1.0, 'g': 0.001, '': 1.0}
    """
    counts = [1] * len(texts) if counts is None else counts
    split = [(parts, n) for t, n in zip(texts, counts, strict=True) if (parts := _split(t))]
    mark, doubt = _decimal([parts.core for parts, _ in split], decimal)
    units: Counter[str] = Counter()
    currencies: Counter[str] = Counter()
    for parts, n in split:
        units[parts.unit] += n
        currencies[parts.currency] += n
    del currencies[""]
    if len(currencies) > 1:
        doubt = f"several currencies ({', '.join(sorted(currencies)[:3])}) are not converted"
    factors = _factors(units, bool(currencies))
    if set(factors) == {"s", "h", ""} and factors["s"] < 0 and not doubt:
        doubt = "S and H are read as debit and credit, not as seconds and hours"
    if set(factors) == {"%", ""} and units[""] and not doubt:
        shares, percents = (
            np.abs([_value(parts.core, mark) for parts, _ in split if parts.unit == unit])
            for unit in ("", "%")
        )
        doubt = "some numbers are in percent, others are not"
        if shares.max() <= 1.0 and np.nanmedian(percents) > 1.0:
            factors[""], doubt = 100.0, "numbers without % are read as shares of 1"
    return NumberFormat(mark, factors, doubt)


def read_numbers(texts: Iterable[str], form: NumberFormat) -> Array:
    """Numbers that texts stand for; nan where a text is none.

    Examples
    --------
    >>> form = learn_format(["20,791.36", "(1,200.50)", "-3"])
    >>> read_numbers(["20,791.36", "(1,200.50)", "n/a"], form).tolist()
    [20791.36, -1200.5, nan]
    """
    plain = form.factors.get("")
    found = []
    for text in texts:
        # Most texts of a number are what Python writes: ten times as fast as what follows.
        if plain == 1.0 and form.decimal == "." and "_" not in text:
            try:
                number = float(text)
                found.append(number if np.isfinite(number) else np.nan)
                continue
            except ValueError:
                pass
        parts = _split(text)
        if parts is None or parts.unit not in form.factors:
            found.append(np.nan)
            continue
        number = _value(parts.core, form.decimal) * (-1.0 if parts.negative else 1.0)
        if parts.unit in _ZERO and _are_degrees(form.factors):
            number -= _ZERO[parts.unit]
        found.append(number * form.factors[parts.unit])
    return np.array(found, dtype=np.float64)


def has_decimal_comma(texts: Iterable[str]) -> bool | None:
    """Whether texts have a comma before decimals for sure; None where they do not tell."""
    votes = Counter(_vote(parts.core) for text in texts if (parts := _split(text)))
    if not votes["."] and not votes[","]:
        return None
    return votes[","] > votes["."]


def _split(text: str) -> _Parts | None:
    """Sign, digits and unit of a text, if it is a number at all."""
    if len(text) > MAX_LENGTH:
        return None
    text = text.strip()
    if not text.isascii():
        text = "".join(str(unicodedata.digit(c)) if c.isdecimal() else c for c in text)
    if "10" in text[2:] and not text.isalnum():
        text = _POWER.sub(r"e\1", _RAISED_TEN.sub(lambda ten: ten[0].translate(_RAISED), text))
    if text[:1] == "<":
        text = _TAGS.sub("", text)
    quoted = _QUOTED.fullmatch(text)
    # A spreadsheet's mark of text.
    text = _APOSTROPHE.sub("", _FOOTNOTE.sub("", text), count=1)
    text = _PRICE_DASH.sub("", (quoted[2] if quoted else text).translate(_MARKS).strip())
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    head, core, tail = found["head"], found["core"], found["tail"].strip()
    negative = False
    if "(" in head and tail.endswith(")"):
        head, tail, negative = head.replace("(", ""), tail[:-1].strip(), True
    head = _ABOUT.sub("", head.strip().lower()).strip()
    if head.startswith(("-", "+")) or head.endswith(("-", "+")):
        negative ^= "-" in head
        head = head.strip("-+").strip()
    if tail == "-":
        negative, tail = not negative, ""
    core = core.rstrip("., '")
    if head in _SIDES and not tail.strip("° ") and _DEGREES.search(core):
        head, tail = "", head
    if head and not _is_currency(head):
        return None
    currency, unit = head.strip(". "), " ".join(tail.lower().rstrip(".").split())
    for word in unit.split():
        bare = word.strip(".")
        if _is_currency(bare):
            currency = bare
            unit = " ".join(part for part in unit.split() if part != word)
    if unit and _is_currency(unit[-1]):
        currency, unit = unit[-1], unit[:-1].strip(". ")
    unit = unit.strip(". ").removesuffix(" ago")
    if len(unit.split()) > _MAX_WORDS or any(mark in unit for mark in "-(),;"):
        return None
    plural = unit.endswith("s") and not unit.endswith("ss")
    if plural and (len(unit) > 3 or unit[:-1] in _SHORT_UNITS):
        unit = unit[:-1]
    if not core or (unit and not currency and _is_code(core)):
        return None
    return _Parts(negative, core, unit, currency)


def _are_degrees(units: Iterable[str]) -> bool:
    """Whether temperatures are in Celsius as well as in Fahrenheit or Kelvin."""
    kinds = {unit.strip("° ") for unit in units} - {""}
    return len(kinds) > 1 and kinds <= {"c", "f", "k"}


def _is_currency(word: str) -> bool:
    bare = word.strip(". ")
    return bare in _CODES or (len(bare) == 1 and unicodedata.category(bare) == "Sc")


def _is_code(core: str) -> bool:
    """Whether digits begin with a zero that numbers do not have."""
    return len(core) > 1 and core[0] == "0" and core[1].isdecimal()


def _vote(core: str) -> str:
    """The mark of decimals that a text shows, "?" where it could be read in two ways, or ""."""
    core = core.lower().partition("e")[0]
    if "." in core and "," in core:
        return max(".,", key=core.rfind)
    for mark, other in ((",", "."), (".", ",")):
        if core.count(mark) > 1:
            return other
        if mark in core:
            whole, _, decimals = core.partition(mark)
            whole = re.sub("[ ']", "", whole)
            if len(decimals) != 3 or len(whole) > 3 or whole.startswith("0") or not whole:
                return mark
            return "?"
    return ""


def _decimal(cores: Sequence[str], given: str) -> tuple[str, str]:
    """The mark of decimals, and why that may be wrong."""
    votes = Counter(map(_vote, cores))
    if votes["."] or votes[","]:
        both = votes["?"] and votes["."] and votes[","]
        doubt = "both points and commas come before decimals" if both else ""
        return ("," if votes[","] > votes["."] else "."), doubt
    if not votes["?"] or given:
        return given or ".", ""
    ambiguous = [core for core in cores if _vote(core) == "?"]
    mark = "," if "," in ambiguous[0] else "."
    plain = [core for core in cores if core.isdecimal()]
    if len(plain) >= 3 and all(len(core) <= 3 for core in plain):
        # Three decimals would be written for these too: the mark separates thousands.
        return ("." if mark == "," else ","), ""
    example = ambiguous[0]
    if mark == ",":
        return ".", f"{example!r} is read as {example.replace(',', '')}, a comma for thousands"
    return ".", f"{example!r} is read with a point before decimals"


def _value(core: str, decimal: str) -> float:
    """The number of a text of digits and marks; nan where its groups make no sense."""
    mantissa, mark, exponent = core.lower().partition("e")
    vote = _vote(mantissa)
    decimal = vote if vote in (".", ",") else decimal
    whole, _, decimals = mantissa.partition(decimal)
    if whole and not whole.isdecimal() and not _GROUPS.fullmatch(whole):
        return float("nan")
    try:
        return float(f"{re.sub('[^0-9]', '', whole) or '0'}.{decimals or '0'}{mark}{exponent}")
    except ValueError:
        return float("nan")


def _factors(units: Counter[str], currency: bool) -> dict[str, float]:
    """What numbers with each unit are multiplied by: units of one kind, the most frequent ones."""
    named = [unit for unit, _ in units.most_common() if unit]
    if not named:
        return {"": 1.0}
    if {"cr", "dr"} <= set(named):
        # Credit and debit, of which the former is crores otherwise.
        return {"cr": 1.0, "dr": -1.0, "": 1.0}
    if {"h", "l"} <= set(named) <= _FLAGS:
        return {**dict.fromkeys(named, 1.0), "": 1.0}
    if set(named) == {"s", "h"} and not units[""]:
        # Debit and credit in German, since seconds go with minutes.
        return {"s": -1.0, "h": 1.0, "": 1.0}
    magnitudes = {**_MAGNITUDES, **({"m": 1e6} if currency or "k" in named else {})}
    scaled = [unit for unit in named if unit in magnitudes]
    n_scaled = sum(units[unit] for unit in scaled)
    if n_scaled * 2 > sum(units[unit] for unit in named) and named != ["b"]:
        return {**{unit: magnitudes[unit] for unit in scaled}, "": 1.0}
    first = named[0]
    if len(named) > 1:
        sizes = max(_UNITS, key=lambda sizes: sum(units[u] for u in named if u in sizes))
        known = [unit for unit in named if unit in sizes]
        if "°f" in sizes and len(known) < len(named):
            known = []
        if first in sizes and len(known) > 1:
            return {**{unit: sizes[unit] for unit in known}, "": sizes[first]}
    return {first: 1.0, "": 1.0}
