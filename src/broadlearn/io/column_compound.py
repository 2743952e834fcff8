"""Amounts that are written in several parts: durations, fractions, angles, feet and inches."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from broadlearn.utils import Array

# From this share of the texts on, a column is one of durations or fractions.
MIN_SHARE = 0.9
# Denominators that people use; any other must be the same in all texts.
DENOMINATORS = frozenset((2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 32, 64, 100, 1000))

_SECONDS = {
    **dict.fromkeys(["ms", "msec", "millisecond", "milliseconds"], 1e-3),
    **dict.fromkeys(["s", "sec", "secs", "second", "seconds", "sek", "sekunde", "sekunden"], 1.0),
    **dict.fromkeys(["m", "min", "mins", "minute", "minutes", "minuten"], 60.0),
    **dict.fromkeys(
        ["h", "hr", "hrs", "hour", "hours", "std", "stunde", "stunden", "heure", "heures"], 3600.0
    ),
    **dict.fromkeys(["d", "day", "days", "tag", "tage", "tagen", "jour", "jours"], 86400.0),
    **dict.fromkeys(["w", "wk", "wks", "week", "weeks", "woche", "wochen"], 604800.0),
    **dict.fromkeys(["mo", "mos", "mon", "month", "months", "monat", "monate", "mois"], 2629746.0),
    **dict.fromkeys(["y", "yr", "yrs", "year", "years", "jahr", "jahre", "an", "ans"], 31556952.0),
}
_METRES = {
    **dict.fromkeys(("'", "ft", "feet", "foot", "′"), 0.3048),
    **dict.fromkeys(('"', "in", "inch", "inches", "″", "''"), 0.0254),
}
_METRES |= {"km": 1000.0, "m": 1.0, "cm": 0.01, "mm": 0.001, "yd": 0.9144}
_KILOGRAMS = {
    **dict.fromkeys(("st", "stone"), 6.35029318),
    **dict.fromkeys(("lb", "lbs", "pound", "pounds"), 0.45359237),
    **dict.fromkeys(("oz", "ounce", "ounces"), 0.028349523125),
    **{"kg": 1.0, "g": 0.001},
}
_FAMILIES = {"seconds": _SECONDS, "metres": _METRES, "kilograms": _KILOGRAMS}
# What amounts of several parts may be.
AMOUNTS = (*_FAMILIES, "degrees", "clock", "fraction")
# Longer texts are no amounts, and their figures no numbers.
MAX_LENGTH = 100
_PART = re.compile(r"(\d+(?:[.,]\d+)?)\s*([^\W\d_]+|['\"′″]+)\.?")
_BETWEEN = re.compile(r"(?:\s|,|and|und|et)*")
_ISO = re.compile(
    r"p(?:(\d+)y)?(?:(\d+)m)?(?:(\d+)w)?(?:(\d+(?:[.,]\d+)?)d)?"
    r"(?:t(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:[.,]\d+)?)s)?)?"
)
_ISO_SECONDS = (31556952.0, 2629746.0, 604800.0, 86400.0, 3600.0, 60.0, 1.0)
_CLOCK = re.compile(r"(?:(\d+)\s*d(?:ays?)?,?\s+)?(\d+):([0-5]\d)(?::([0-5]\d(?:[.,]\d+)?))?")
# Hours and minutes, as in 2h15.
_HOURS = re.compile(r"\d+ ?h ?[0-5]\d")
_CLOCK_NAME = re.compile(
    r"durat|elaps|length|runtime|dauer|laufzeit|durée|took|spent|wait|warte|talk|handl|session|lap|"
    r"pace|delay|downtime|uptime|worked|tempo|turnaround|finish|zeit$|duraci|durata",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"([-+]?)(?:(\d+)[\s-]+)?(\d+)\s*(?:/|out of|von|sur)\s*(\d+)")
_DEGREES = re.compile(
    r"(-?)(\d{1,3}(?:[.,]\d+)?)\s*°\s*(?:(\d{1,2}(?:[.,]\d+)?)\s*['′’]\s*)"
    r"(?:(\d{1,2}(?:[.,]\d+)?)\s*(?:\"|″|”|'')\s*)?([nsewo])?"
)
_WHOLE = re.compile(r"[-+]?\d+(?:[.,]\d+)?")
# Zeros in front, which names of cases have.
_NUMBERED = re.compile(r"\s*0\d")


def learn_compound(
    texts: Sequence[str], name: str = "", counts: Sequence[int] | None = None
) -> str:
    """What amounts of several parts mean: "seconds", "metres", "degrees", "clock", "fraction", ...

    Parameters
    ----------
    texts : sequence of str
        Distinct texts of a column.
    name : str, default=""
        Name of the column, which tells durations from times of a day.
    counts : sequence of int, default=None
        How often each text occurs.

    Returns
    -------
    str
        "" where most texts are no such amounts.

    Examples
    --------
    >>> learn_compound(["1h 20min", "45 min"]), learn_compound(["75:30", "9:05"])
    ('seconds', 'clock')
    >>> learn_compound(["3/8", "1 1/2", "2"]), learn_compound(["120/80", "135/85"])
    ('fraction', '')
    """
    for what in ("seconds", "metres", "kilograms"):
        several = any(_n_parts(text) > 1 or _HOURS.fullmatch(_plain(text)) for text in texts)
        if several and _share(texts, what, counts) >= MIN_SHARE:
            return what
    if _share(texts, "degrees", counts) >= MIN_SHARE:
        return "degrees"
    clocks = [found for text in texts if (found := _CLOCK.fullmatch(_plain(text)))]
    if clocks and _share(texts, "clock", counts) >= MIN_SHARE:
        long = any(found[1] or int(found[2]) > 24 for found in clocks)
        return "clock" if long or _CLOCK_NAME.search(name) else ""
    below = {int(found[4]) for text in texts if (found := _FRACTION.fullmatch(_plain(text)))}
    usual = below and 0 not in below and (len(below) == 1 or below <= DENOMINATORS)
    usual = usual and not any(map(_NUMBERED.match, texts))
    return "fraction" if usual and _share(texts, "fraction", counts) >= MIN_SHARE else ""


def read_compound(texts: Iterable[str], what: str) -> Array:
    """Amounts in seconds, metres or kilograms, or as numbers; nan where a text is none.

    Examples
    --------
    >>> read_compound(["1h 20min", "PT90S", "soon"], "seconds").tolist()
    [4800.0, 90.0, nan]
    >>> read_compound(["1 1/2", "¾"], "fraction").tolist()
    [1.5, 0.75]
    """
    read = {"clock": _read_clock, "degrees": _read_degrees, "fraction": _read_fraction}.get(what)
    found = [read(_plain(t)) if read else _read_parts(_plain(t), what) for t in texts]
    return np.array([np.nan if number is None else number for number in found], dtype=np.float64)


def _share(texts: Sequence[str], what: str, counts: Sequence[int] | None) -> float:
    return float(np.average(~np.isnan(read_compound(texts, what)), weights=counts))


def _plain(text: str) -> str:
    """A text in lower case, with fractions of one letter written out; nothing of a long one."""
    if len(text) > MAX_LENGTH:
        return ""
    text = " ".join(text.strip().lower().split())
    if not text.isascii():
        text = re.sub(r"(?<=\d)(?=[¼-¾⅐-⅞])", " ", text)
        text = unicodedata.normalize("NFKC", text).replace("⁄", "/")
    return text


def _n_parts(text: str) -> int:
    text = _plain(text)
    return 2 if len(text) > 1 and _ISO.fullmatch(text) else len(_PART.findall(text))


def _read_parts(text: str, what: str) -> float | None:
    sizes = _FAMILIES[what]
    if what == "seconds" and len(text) > 2 and (iso := _ISO.fullmatch(text)):
        parts = zip(iso.groups(), _ISO_SECONDS, strict=True)
        return sum(float(n.replace(",", ".")) * size for n, size in parts if n)
    total, end, last = 0.0, 0, np.inf
    sign = -1.0 if text.startswith("-") else 1.0
    text = text.lstrip("-+ ")
    for part in _PART.finditer(text):
        size = sizes.get(part[2])
        # Units go from large to small.
        if size is None or size >= last or not _BETWEEN.fullmatch(text[end : part.start()]):
            return None
        total, end, last = total + float(part[1].replace(",", ".")) * size, part.end(), size
    rest = text[end:].strip()
    if end and what == "metres" and last == 0.3048 and rest.isdecimal():
        return sign * (total + 0.0254 * int(rest))
    if end and last == 3600.0 and len(rest) == 2 and rest.isdecimal():
        return sign * (total + 60.0 * int(rest))
    return sign * total if end and not rest else None


def _read_clock(text: str) -> float | None:
    """Hours, minutes and seconds; minutes and seconds where there are two figures."""
    found = _CLOCK.fullmatch(text)
    if found is None:
        return None
    days, first, second, third = (float((part or "0").replace(",", ".")) for part in found.groups())
    if found[4] is None:
        return 86400.0 * days + 60.0 * first + second
    return 86400.0 * days + 3600.0 * first + 60.0 * second + third


def _read_degrees(text: str) -> float | None:
    """Degrees, minutes and seconds of an angle, negative in the south and west."""
    found = _DEGREES.fullmatch(text)
    if found is None:
        return None
    parts = (float((part or "0").replace(",", ".")) for part in found.group(2, 3, 4))
    degrees, minutes, seconds = parts
    sign = -1.0 if found[1] or found[5] in ("s", "w") else 1.0
    return sign * (degrees + minutes / 60.0 + seconds / 3600.0)


def _read_fraction(text: str) -> float | None:
    if _WHOLE.fullmatch(text):
        return float(text.replace(",", "."))
    found = _FRACTION.fullmatch(text)
    if found is None or not int(found[4]):
        return None
    number = int(found[2] or 0) + Fraction(int(found[3]), int(found[4]))
    return float(-number if found[1] == "-" else number)
