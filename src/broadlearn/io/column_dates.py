"""Dates and times that are written as text, and the numbers that are made of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from broadlearn.utils import Array

# What a moment is turned into, as far as it varies.
PARTS = ("year", "month", "day", "weekday", "hour", "elapsed")
# Orders in which days, months and years of figures alone may be written.
ORDERS = ("dmy", "mdy", "ymd")
DAY = 86400.0
# Seconds since 1970 beyond which no moment can be written.
MAX_SECONDS = 9.2e18
# Longer texts are no dates; patterns would take long over them.
MAX_LENGTH = 100
# The year of dates that stand for none.
NEVER = 9999

_EPOCH = datetime(1970, 1, 1)
_MONTHS = (
    "jan janv enero januar january januari janvier janeiro gennaio ene gen stycznia styczeń "
    "января январь ocak|"
    "feb fév fev febr févr februar february februari février fevereiro febrero febbraio lutego "
    "luty февраля февраль şubat|"
    "mar mär mrz mrt mars marz märz march marzo março marts maart marca marzec марта март mart|"
    "apr avr abr april avril abril aprile kwietnia kwiecień апреля апрель nisan|"
    "may mai maj mei mayo maio maggio mag maja мая май mayıs|"
    "jun juin junio junho juni june giugno giu czerwca czerwiec июня июнь haziran|"
    "jul juil juillet julio julho juli july luglio lug lipca lipiec июля июль temmuz|"
    "aug août aout ago agosto august augusti augustus sierpnia sierpień "
    "августа август ağustos|"
    "sep sept septembre septiembre september settembre setembro set września "
    "wrzesień сентября сентябрь eylül|"
    "oct okt out octobre octubre october oktober ottobre ott outubro października "
    "październik октября октябрь ekim|"
    "nov novembre noviembre november novembro listopada listopad ноября ноябрь kasım|"
    "dec dez des déc dic décembre diciembre december dezember desember dezembro dicembre grudnia "
    "grudzień декабря декабрь aralık"
)
_MONTH = {name: m for m, names in enumerate(_MONTHS.split("|"), 1) for name in names.split()}
_WEEKDAY = re.compile(
    r"^(?:mon|tue|wed|thu|fri|sat|sun)(?:day|s|sday|nesday|rs|rsday|urday)?\b[,.]?\s+|"
    r"^(?:mo|di|mi|do|fr|sa|so|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|"
    r"lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|"
    r"sábado|domingo|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|maandag|dinsdag|"
    r"woensdag|donderdag|vrijdag|zaterdag|zondag|(?:segunda|terça|quarta|quinta|sexta)-feira"
    r")\b[,.]?\s+"
)
_ZONE = (
    r"(?:z|utc|gmt|uhr|h|[cew]es?t|me[sz]z?|[ecmp][sd]t|bst|ist|jst|msk|[a-z]{2,10}/[a-z_]{2,20})?"
    r"\s*(?P<zone>[-+]\d{2}(?::?\d{2})?)?"
)
_TIME = (
    r"(?:(?:\s*,?\s+|t|:)(?P<H>\d{1,2})(?::(?P<M>\d{2})(?::(?P<S>\d{2})(?:[.,]\d+)?)?)?\s*"
    rf"(?P<half>[ap]\.?m\.?)?\s*{_ZONE})?"
)
_FORMS = [
    re.compile(form + _TIME)
    for form in (
        r"(?P<y>\d{4})(?P<s>[-/. _])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})",
        r"(?P<a>\d{1,2})(?P<s>[-/. ])(?P<b>\d{1,2})(?P=s)(?P<y>\d{4}|\d{2})",
        r"(?P<d>\d{1,2})(?:st|nd|rd|th|er|º)?[-/. ]+(?:de )?(?P<name>[^\W\d_]{3,10})[-/., ]+"
        r"(?:de )?(?P<y>\d{4}|\d{2})",
        r"(?P<d>\d{1,2})(?P<name>[^\W\d_]{3})(?P<y>\d{4})",
        r"(?P<name>[^\W\d_]{3,10})[-. ]+(?P<d>\d{1,2})(?:st|nd|rd|th)?,? +(?P<y>\d{4})",
        r"(?P<y>\d{4})[-/. ](?P<name>[^\W\d_]{3,10})[-/. ](?P<d>\d{1,2})",
        r"(?P<y>(?:19|20)\d{2})(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])",
        r"(?P<name>[^\W\d_]{3,10})[-. /]+(?P<y>\d{4})",
        r"(?P<y>(?:19|20)\d{2})[-/](?P<m>\d{1,2})",
        r"(?P<m>\d{1,2})[-/.](?P<y>(?:19|20)\d{2})",
        r"(?P<y>(?:19|20)\d{2})(?P<m>0[1-9]|1[0-2])",
        r"(?P<name>[^\W\d_]{3,10})(?:-| ?['’])(?P<y>\d{2})",
        r"(?P<y>(?:19|20)\d{2})[- /]?q(?P<q>[1-4])",
        r"q(?P<q>[1-4])(?:[- /]?(?P<y>(?:19|20)\d{2})|[-/ '’]+(?P<y2>\d{2}))",
        r"(?P<q>[1-4])(?:q|\. ?quartal|(?:st|nd|rd|th) quarter) ?(?P<y>(?:19|20)\d{2}|\d{2})",
        r"t(?P<q>[1-4])[- /]+(?P<y>(?:19|20)\d{2})",
        r"(?:h|hj ?)(?P<hy>[12])[- /]*(?P<y>(?:19|20)\d{2})",
        r"(?P<y>(?:19|20)\d{2})[- /]*(?:h|hj ?)(?P<hy>[12])",
        r"(?P<y>(?:19|20)\d{2})[- ]?(?:w|kw)[- ]?(?P<w>\d{1,2})(?:-(?P<wd>[1-7]))?",
        r"(?:kw|cw|wk|week|w) ?(?P<w>\d{1,2})[-/ .]+(?P<y>(?:19|20)\d{2})",
        r"(?P<y>\d{4}) ?[年년] ?(?P<m>\d{1,2}) ?[月월](?: ?(?P<d>\d{1,2}) ?[日일])?",
        r"(?P<y>\d{4})\. (?P<m>\d{1,2})\. (?P<d>\d{1,2})\.?",
    )
]
# As C writes moments: the year stands behind the time.
_FORMS.append(
    re.compile(
        r"(?P<name>[^\W\d_]{3}) (?P<d>\d{1,2}) (?P<H>\d{1,2}):(?P<M>\d{2}):(?P<S>\d{2})"
        r"(?P<half>)(?: [a-z]{3,4})? (?P<y>\d{4})"
    )
)
# Seconds since 1970, or thousandths of them, have so many digits.
_UNIX = {10: 1.0, 13: 1e-3}
_STAMP = re.compile(r"((?:19|20)\d\d)(\d\d)(\d\d)t?(\d\d)(\d\d)(\d\d)z?")
# Other ways to write moments, and how they are written usually.
_USUAL = (
    (re.compile(r"(\d{4}-\d\d-\d\d)[- ](\d\d)\.(\d\d)\.(\d\d)(?:\.\d+)?"), r"\1 \2:\3:\4"),
    (re.compile(r"(\d{1,2}:\d\d(?::\d\d)?),? (.*\d{4}.*)"), r"\2 \1"),
    (re.compile(r"(\d{1,2})\. (\d{1,2})\. (\d{4})"), r"\1.\2.\3"),
)
_CLOCK = re.compile(
    r"(?P<H>\d{1,2})(?::(?P<M>\d{2})(?::(?P<S>\d{2})(?:[.,]\d+)?)?)?\s*(?P<half>[ap]\.?m\.?)?\s*(?:uhr)?"
)


def learn_order(texts: Iterable[str]) -> tuple[str, str]:
    """Whether days or months come first in dates of figures, and why that may be wrong.

    Examples
    --------
    >>> learn_order(["03/04/2024", "17/04/2024"])
    ('dmy', '')
    >>> learn_order(["03/04/2024"])[0]
    'mdy'
    """
    firsts, seconds, lasts, marks = [], [], [], set()
    for text in texts:
        found = _FORMS[1].fullmatch(_plain(text))
        if found:
            firsts.append(int(found["a"]))
            seconds.append(int(found["b"]))
            lasts.append(found["y"])
            marks.add(found["s"])
    large = sum(first > 12 for first in firsts), sum(second > 12 for second in seconds)
    if large[0] or large[1]:
        mixed = "days and months come first in turn" if all(large) else ""
        short = all(len(last) == 2 and int(last) <= 31 for last in lasts)
        if short and len({*lasts}) > 12 and len({*firsts}) < len({*lasts}) / 2:
            return "ymd", "years of two digits are read first, which may be days"
        return ("dmy" if large[0] >= large[1] else "mdy"), mixed
    if not firsts:
        return "dmy", ""
    if marks == {"/"}:
        return "mdy", "no day is above 12: read as month/day, which may be day/month"
    return "dmy", "" if marks == {"."} else "no day is above 12: read as day first"


def read_dates(texts: Iterable[str], order: str) -> Array:
    """Seconds since 1970 of dates, or since midnight of times; nan where a text is neither.

    Examples
    --------
    >>> read_dates(["2.1.1970", "1970-01-01 00:01", "1:30 pm", "soon"], "dmy").tolist()
    [86400.0, 60.0, 48600.0, nan]
    """
    return np.array([_seconds(_plain(text), order) for text in texts], dtype=np.float64)


def has_clock_only(texts: Iterable[str]) -> bool:
    """Whether texts are times of a day without a date."""
    return all(":" in text and _CLOCK.fullmatch(_plain(text)) for text in texts)


def month_number(word: str) -> int:
    """The month that a word names in one of several languages, counted from 1; 0 for any other.

    Examples
    --------
    >>> month_number("mrz"), month_number("août"), month_number("soon")
    (3, 8, 0)
    """
    return _MONTH.get(word, 0)


def date_parts(seconds: Array, start: float) -> Array:
    """Year, month, day, weekday (Monday is 0), hour of the day and days since `start`.

    Examples
    --------
    >>> date_parts(np.array([86400.0 * 59.5]), 0.0).tolist()
    [[1970.0, 3.0, 1.0, 6.0, 12.0, 59.5]]
    """
    parts = np.full((seconds.size, len(PARTS)), np.nan)
    known = np.isfinite(seconds)
    whole = np.clip(seconds[known], -MAX_SECONDS, MAX_SECONDS).astype(np.int64)
    moments: NDArray[np.datetime64] = whole.astype("datetime64[s]")
    days, months = moments.astype("datetime64[D]"), moments.astype("datetime64[M]")
    parts[known, 0] = moments.astype("datetime64[Y]").astype(np.int64) + 1970
    parts[known, 1] = months.astype(np.int64) % 12 + 1
    parts[known, 2] = (days - months.astype("datetime64[D]")).astype(np.int64) + 1
    parts[known, 3] = (days.astype(np.int64) + 3) % 7
    parts[known, 4] = (seconds[known] % DAY) / 3600.0
    parts[known, 5] = (seconds[known] - start) / DAY
    return parts


def varying_parts(seconds: Array, clock: bool) -> list[str]:
    """Parts that are not the same in all rows; of times of a day the hour alone."""
    if clock:
        return ["hour"]
    parts = date_parts(seconds[np.isfinite(seconds)], 0.0)
    varies = [name for name, part in zip(PARTS, parts.T, strict=True) if np.unique(part).size > 1]
    return varies or ["elapsed"]


def _plain(text: str) -> str:
    """In lower case, with single spaces and no weekday; nothing of a text too long for a date."""
    if len(text) > MAX_LENGTH:
        return ""
    text = _WEEKDAY.sub("", " ".join(text.lower().split()))
    digits = text.removesuffix(".0")
    if digits[:8].isdecimal():
        # Of numbers, and of numbers among which one is missing.
        stamp = _STAMP.fullmatch(digits)
        return stamp.expand(r"\1-\2-\3 \4:\5:\6") if stamp else digits
    for form, usual in _USUAL:
        if found := form.fullmatch(text):
            return found.expand(usual)
    return text


def _seconds(text: str, order: str) -> float:
    if len(text) in _UNIX and text.isdecimal():
        return int(text) * _UNIX[len(text)]
    for form in _FORMS:
        found = form.fullmatch(text)
        if found is None:
            continue
        groups = found.groupdict()
        date = _date(groups, order)
        if date is None:
            continue
        clock = _clock(groups)
        return float("nan") if clock is None else (date - _EPOCH).total_seconds() + clock
    found = _CLOCK.fullmatch(text)
    if found and (found["M"] or found["half"]):
        clock = _clock(found.groupdict())
        return float("nan") if clock is None else clock
    return float("nan")


def _date(groups: dict[str, str | None], order: str) -> datetime | None:
    written = groups["y"] or groups.get("y2") or "0"
    year = int(written)
    if year == NEVER:
        return None
    if len(written) == 2:
        year += 2000 if year < 70 else 1900
    if groups.get("name"):
        month = _MONTH.get(str(groups["name"]), 0)
    elif groups.get("q"):
        month = 3 * int(str(groups["q"])) - 2
    elif groups.get("hy"):
        month = 6 * int(str(groups["hy"])) - 5
    else:
        month = int(groups.get("m") or 0)
    day = int(groups.get("d") or 1)
    if groups.get("w"):
        try:
            return datetime.fromisocalendar(year, int(str(groups["w"])), int(groups.get("wd") or 1))
        except ValueError:
            return None
    if groups.get("a") and order == "ymd" and len(written) == 2:
        first = int(str(groups["a"]))
        year, month, day = (
            first + (2000 if first < 70 else 1900),
            int(str(groups["b"])),
            int(written),
        )
    elif groups.get("a"):
        a, b = int(str(groups["a"])), int(str(groups["b"]))
        # A figure above 12 is a day, whatever the order of the column is.
        day, month = (b, a) if (order == "mdy" and a <= 12) or b > 12 else (a, b)
    try:
        return datetime(year, month, day)
    except ValueError:
        return None


def _clock(groups: dict[str, str | None]) -> float | None:
    """Seconds since midnight of a time; 0 where there is none, None where it is impossible."""
    if groups["H"] is None:
        return 0.0
    hour, minute, second = (int(groups[part] or 0) for part in "HMS")
    if groups["M"] is None and groups["half"] is None:
        return None
    if groups["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if groups["half"][0] == "p" else 0)
    if hour > 24 or minute > 59 or second > 60:
        return None
    return 3600.0 * hour + 60.0 * minute + second
