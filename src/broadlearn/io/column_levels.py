"""Words of a column: which spellings are the same, which are yes and no, which have an order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from unicodedata import normalize

from broadlearn.io.column_dates import month_number
from broadlearn.io.column_opinions import opinion_order
from broadlearn.io.column_words import FALSE, SCALES, TRUE

# Letters that say yes or no only together with their counterparts.
_PAIRS = ({"y", "n"}, {"t", "f"}, {"j", "n"}, {"o", "n"}, {"s", "n"}, {"1", "0"})
_LETTERS = frozenset("ytjosnf")
# Signs that say yes and no together, where "-" alone stands for no value.
SIGNS = frozenset("+-")

_DENIALS = (
    "not ",
    "non ",
    "non-",
    "non",
    "no ",
    "un",
    "nicht ",
    "nicht-",
    "pas ",
    "keine ",
    "kein ",
)

_GRADE_NAME = re.compile(r"grade|rating|score|note|class|tier|rank|quality|band|level", re.I)
_SIZE_NAME = re.compile(r"size|größe|groesse|taille|talla|tamanho|taglia|maat|shirt|cloth", re.I)
_STEP_NAME = (
    r"(stage|grade|level|lvl|tier|phase|step|rank|class|quarter|q|year|week|day|month|score|"
    r"stufe|grad|grado|grau|niveau|nivel|nível|livello|poziom|stadium|stade|estadio|fase|"
    r"semester|term|trimester|floor|ecog|asa|nyha|tanner|ckd|figo|sev|severity|prio|priority|"
    r"priorität|triage|bi-?rads|pi-?rads|gleason|pt|t|n)"
)
_STEP = re.compile(rf"{_STEP_NAME}[ ._-]*(\d+|[ivx]+)([a-d]?)")
# Letters and a number are a step where the name of the column says so.
_NAMED_STEP = re.compile(r"([a-z]{1,4})[ ._-]*(\d+|[ivx]+)([a-d]?)")
_STEP_COLUMN = re.compile(r"grad|prior|sever|stage|stadi|stade|urgen|triage|level|tier|rank", re.I)
_LED = re.compile(r"\(?(\d{1,2})\)?\s*[-:.=)(–]\s*[^\W\d].*|(\d{1,2})")
_REMARK = re.compile(r" ?\([^()]*\)$")
_PADDED = re.compile(r"(?:^|\D)0\d{3}")
_ROMAN = {"i": 1, "v": 5, "x": 10}
_END = r"(?:[$€£¥]|rs\.?|usd|eur|gbp)?\s*(\d[\d,.' ]*?)\s*(%|[$€£¥]|[^\W\d_]{1,12}\.?)?"
_BETWEEN = re.compile(
    rf"(?:from |between |von |de |da |entre |zwischen |tra )?{_END}"
    rf"\s*(?:-|–|—|~|to|bis|und|and|y|et|e|à|a|\.\.|to <|- ?<|to (?:under|below|less than)|"
    rf"bis (?:unter|zu)|à moins de|a menos de|tot)\s*{_END}"
)
_INTERVAL = re.compile(r"[\[(]([^,;]+)[,;]\s*([^,;]+)[\])]")
_BELOW = re.compile(
    rf"(?:<|<=|≤|under|below|less than|fewer than|up to|at most|unter|bis|bis zu|weniger als|"
    rf"höchstens|moins de|jusqu'à|menos de|hasta|até|fino a|meno di|minder dan|tot)\s*{_END}"
    rf"|{_END}\s*(?:or less|or fewer|or under|or below|or younger|and under|and below|and younger|"
    r"and less|oder weniger|und weniger|et moins|o menos|ou menos|o meno)"
)
_ABOVE = re.compile(
    rf"(?:>|>=|≥|over|above|more than|at least|über|ab|mehr als|mindestens|plus de|au moins|más de|"
    rf"mayor de|mais de|acima de|oltre|più di|meer dan)\s*{_END}"
    rf"|{_END}\s*(?:\+ ?(?:[^\W\d_]{{1,12}}\.?)?|plus|more|or more|or older|or over|or above|"
    r"(?:and|&) (?:over|above|more|older|up)|u\. mehr|u\. älter|und mehr|oder mehr|und älter|"
    r"et plus|ou plus|y más|o más|ou mais|e più|en meer)"
)
_COUNTED = re.compile(_END)
_MARKED = {mark: re.compile(rf"\d+(?:\{mark}\d+)+") for mark in ".,"}
_THOUSANDS = {mark: re.compile(rf"[1-9]\d{{0,2}}(?:\{mark}\d{{3}})+") for mark in ".,"}
# Ranges of a column that has more of them are no categories.
MAX_RANGES = 60
# With so few levels, a single range among plain numbers makes ranges of all.
MAX_FEW = 12
# Words that there are at least, so that what they share says nothing.
MIN_REST = 3
# Longer words are no ranges or steps; patterns would take long over them.
MAX_LENGTH = 64


def spelling_key(text: str) -> str:
    """What spellings of the same word share: no case, single spaces, no decimals of whole numbers.

    Examples
    --------
    >>> spelling_key("  New   York ") == spelling_key("new york"), spelling_key("3.0")
    (True, '3')
    """
    key = normalize("NFC", " ".join(text.split()).casefold())
    head, mark, tail = key.partition(".")
    return head if mark and head.lstrip("-").isdecimal() and not tail.strip("0") and tail else key


def common_spellings(counts: Mapping[str, int]) -> dict[str, str]:
    """The most frequent spelling, without outer spaces, of each key.

    Examples
    --------
    >>> common_spellings({"yes": 3, "Yes ": 2, "no": 4})
    {'yes': 'yes', 'no': 'no'}
    """
    spellings: dict[str, Counter[str]] = {}
    for text, count in counts.items():
        spellings.setdefault(spelling_key(text), Counter())[" ".join(text.split())] += count
    return {
        key: max(sorted(found), key=lambda text: found[text]) for key, found in spellings.items()
    }


def boolean_values(keys: Iterable[str]) -> dict[str, float] | None:
    """1 and 0 for words of yes and no, if keys are nothing else and both occur.

    Examples
    --------
    >>> boolean_values(["yes", "n", "no"])
    {'yes': 1.0, 'n': 0.0, 'no': 0.0}
    >>> boolean_values(["smoker", "non-smoker"])
    {'smoker': 1.0, 'non-smoker': 0.0}
    >>> boolean_values(["f", "m"]), boolean_values(["s", "f"])
    (None, None)
    """
    # The last is a mark that colours the sign before it.
    found = {key: key.strip(". \ufe0f") for key in keys}
    if set(found) == SIGNS:
        return {key: float(key == "+") for key in found}
    words = set(found.values())
    if len(words) == 2 and (affirmed := _affirmed(*sorted(words, key=len))):
        return {key: float(word == affirmed) for key, word in found.items()}
    if not words <= TRUE | FALSE or not words & TRUE or not words & FALSE:
        return None
    if words <= _LETTERS and words not in _PAIRS:
        return None
    return {key: float(word in TRUE) for key, word in found.items()}


def _affirmed(word: str, other: str) -> str:
    """Of two words the first, if the other denies it; or ""."""
    pairs = (("mit", "ohne"), ("with", "without"), ("avec", "sans"))
    denied = any(other == f"{no}{word}" for no in _DENIALS) or (word, other) in pairs
    return word if denied else ""


def level_order(keys: Sequence[str], name: str = "") -> list[str] | None:
    """Words in their order, from the least on, if they have a known one.

    Parameters
    ----------
    keys : sequence of str
        From `spelling_key`.
    name : str, default=""
        Name of the column, which tells grades from other letters.

    Examples
    --------
    >>> level_order(["high", "low", "medium"])
    ['low', 'medium', 'high']
    >>> level_order(["10-20", "<10", "65+"])
    ['<10', '10-20', '65+']
    >>> level_order(["ulm", "bonn", "kiel"]) is None
    True
    """
    if len(keys) < 2:
        return None
    months = {key: month_number(key.strip(".")) for key in keys}
    if len(set(months.values())) > 2 and all(months.values()):
        return sorted(keys, key=lambda key: (months[key], key))
    opinions = opinion_order(keys)
    if opinions is not None:
        return opinions
    plain = {key: key.replace("_", " ").replace("-", " ").strip() for key in keys}
    for words in SCALES:
        if all(key in words or plain[key] in words for key in keys):
            ranks = {key: words.get(key, words.get(plain[key], 0)) for key in keys}
            if len(set(ranks.values())) < 2 or not _is_scale(keys, name):
                continue
            return sorted(keys, key=lambda key: (ranks[key], key))
    if len(keys) > MAX_RANGES:
        return None
    n_ranges = sum(map(_is_range, keys))
    rankings: list[Callable[[str], Any]] = [_step_rank, _led_rank, _symbol_rank]
    if 2 * n_ranges >= len(keys) or (n_ranges and len(keys) <= MAX_FEW):
        rankings.insert(0, _range_rank)
    if _STEP_COLUMN.search(name):
        rankings.append(_named_step_rank)
    written = _plain_marks(keys)
    for rank in rankings:
        found = {key: rank(written[key]) for key in keys}
        if rank is _named_step_rank and len({step[0] for step in found.values() if step}) > 1:
            continue
        if rank is _led_rank and all(map(str.isdecimal, keys)):
            continue
        if None not in found.values():
            return sorted(keys, key=lambda key: (found[key], key))
    return _order_of_rest(keys, name)


def _order_of_rest(keys: Sequence[str], name: str) -> list[str] | None:
    """The order of words without what is in brackets, or without a word that all have."""
    if len(keys) < MIN_REST:
        return None
    common = set.intersection(*(set(key.split()) for key in keys))
    for rest in (
        {key: _REMARK.sub("", key) for key in keys},
        {key: " ".join(w for w in key.split() if w not in common) for key in keys},
    ):
        texts = list(rest.values())
        if texts != list(keys) and all(texts) and len({*texts}) == len(keys):
            # Numbers behind a word count, but need not mean more.
            numbers = all(map(_COUNTED.fullmatch, texts)) or {*"".join(texts)} <= {*_ROMAN}
            found = None if numbers else level_order(texts, name)
            if found is not None:
                return sorted(keys, key=lambda key: found.index(rest[key]))
    return None


def _is_scale(keys: Sequence[str], name: str) -> bool:
    """Whether words, most of which are single letters, are no mere labels."""
    letters = [key for key in keys if len(key) == 1 and key.isascii()]
    if len(letters) < len(keys):
        return True
    if set(letters) <= set("sml"):
        return len(letters) == 3 or bool(_SIZE_NAME.search(name))
    if set(letters) <= set("pmg"):
        return len(letters) == 3 and bool(_SIZE_NAME.search(name))
    if set(letters) <= set("lmh"):
        return len(letters) == 3
    if set(letters) <= set("ivx"):
        return {"i", "v"} <= set(letters)
    return bool(_GRADE_NAME.search(name))


def _number(text: str, unit: str | None) -> float | None:
    digits = re.sub("[,' ]", "", text)
    factor = {"k": 1e3, "m": 1e6}.get(unit or "", 1.0)
    try:
        return float(digits) * factor
    except ValueError:
        return None


def _range_rank(key: str) -> tuple[float, float] | None:
    """Where a range begins, and which side it is open to."""
    if len(key) > MAX_LENGTH or _PADDED.search(key):
        return None
    found = _BETWEEN.fullmatch(_INTERVAL.sub(r"\1-\2", key))
    if found:
        low, high = _number(found[1], found[2] or found[4]), _number(found[3], found[4])
        return (low, 0.0) if low is not None and high is not None and low < high else None
    found = _BELOW.fullmatch(key)
    if found:
        low = _number(found[1] or found[3], found[2] or found[4])
        return None if low is None else (low, -1.0)
    found = _ABOVE.fullmatch(key)
    if found:
        low = _number(found[1] or found[3], found[2] or found[4])
        return None if low is None else (low, 1.0)
    if key in ("more", "many", "mehr"):
        return (float("inf"), 1.0)
    found = _COUNTED.fullmatch(key)
    plain = _number(found[1], found[2]) if found else None
    return None if plain is None else (plain, 0.0)


def _is_range(key: str) -> bool:
    if len(key) > MAX_LENGTH:
        return False
    forms = (_INTERVAL, _BETWEEN, _BELOW, _ABOVE)
    return key == "more" or any(form.fullmatch(key) for form in forms)


def _plain_marks(keys: Sequence[str]) -> dict[str, str]:
    """Texts with a point before decimals, if any, and no marks of thousands.

    A mark before three digits in every number separates thousands, any other comes before decimals.
    """
    found = {key: key for key in keys}
    for mark in ".,":
        numbers = [n for key in keys if len(key) <= MAX_LENGTH for n in _MARKED[mark].findall(key)]
        # Of intervals such as [0,18), a comma is between both ends.
        if not numbers or (mark == "," and any(key[:1] in "[(" for key in keys)):
            continue
        new = "" if all(map(_THOUSANDS[mark].fullmatch, numbers)) else "."
        pattern = re.compile(rf"(?<=\d)\{mark}(?=\d)")
        found = {key: pattern.sub(new, text) for key, text in found.items()}
    return found


def _step_rank(key: str) -> tuple[str, float, str] | None:
    """The word of a step such as "stage 2", its number, and the letter behind it."""
    return _of_step(_STEP.fullmatch(key) if len(key) <= MAX_LENGTH else None)


def _named_step_rank(key: str) -> tuple[str, float, str] | None:
    """The same of any letters."""
    return _of_step(_NAMED_STEP.fullmatch(key) if len(key) <= MAX_LENGTH else None)


def _of_step(found: re.Match[str] | None) -> tuple[str, float, str] | None:
    if found is None:
        return None
    if found[2].isdecimal():
        return found[1], float(found[2]), found[3]
    values = [_ROMAN[letter] for letter in found[2]]
    number = float(sum(-v if v < max(values[i:]) else v for i, v in enumerate(values)))
    return found[1], number, found[3]


def _led_rank(key: str) -> float | None:
    found = _LED.fullmatch(key)
    return None if found is None else float(found[1] or found[2])


def _symbol_rank(key: str) -> int | None:
    """How often a mark stands there, as in ★★★ or +++."""
    marks = key.rstrip("☆○·-") if key[0] in "★●" else key
    return len(marks) if marks and len(set(marks)) == 1 and marks[0] in "★☆●*+$€£⭐" else None
