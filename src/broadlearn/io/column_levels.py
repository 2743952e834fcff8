"""Words of a column: which spellings are the same, which are yes and no, which have an order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

# Texts that stand for no value in a column of numbers or dates; in one of words, the shorter list.
_NO_VALUE = (
    "|na|n/a|n.a.|n.a|nan|null|nil|-|--|---|?|??|.|..|#n/a|#na|#value!|#div/0!|#ref!|#null!|"
    "missing|(missing)|<na>|nat|k.a.|k. a.|n/d|s/d|n.d.|nd|(null)|(blank)|blank|empty"
)
NO_VALUE = frozenset(_NO_VALUE.split("|"))
_NO_NUMBER = (
    "none|unknown|unk|unkn|not available|not applicable|not known|not recorded|not measured|"
    "not reported|no data|no answer|no value|tbd|tba|pending|error|err|invalid|refused|undefined|"
    "keine angabe|keine|unbekannt|fehlt|inconnu|non renseigné|nc|n.c.|n.r.|nr|desconocido|"
    "sin dato|sin datos|no disponible|sconosciuto|inf|x|xx|xxx|*|**|/|see notes|see note|"
    "below detection|bdl|lod|<lod|declined|withheld|absent|not done|void|"
    "0000-00-00|0000-00-00 00:00:00|00.00.0000|00/00/0000|9999-12-31|31.12.9999|12/31/9999|"
    "31/12/9999|9999-12-31 00:00:00|9999-12-31 23:59:59|not disclosed|not specified|undisclosed"
)
NO_NUMBER = NO_VALUE | frozenset(_NO_NUMBER.split("|"))
_TRUE = (
    "yes y true t 1 ja j wahr oui o vrai sí si s verdadero sim да on positive pos present "
    "checked active enabled aktiv actif activo ✓ ✔ ☑ ✅ wahr richtig"
)
TRUE = frozenset(_TRUE.split())
_FALSE = (
    "no n false f 0 nein falsch non faux falso não nao нет off negative neg absent "
    "unchecked inactive disabled inaktiv inactif inactivo ✗ ✘ ☐ ☒ ❌"
)
FALSE = frozenset(_FALSE.split())
# Letters that say yes or no only together with their counterparts.
_PAIRS = ({"y", "n"}, {"t", "f"}, {"j", "n"}, {"o", "n"}, {"s", "n"}, {"1", "0"})
_LETTERS = frozenset("ytjosnf")

# Words in their order; those with "|" between them are of one rank.
_SCALES = (
    "none|no|nil, very low|vlow|extremely low|minimal|lowest, low|lower|lo, medium low|"
    "below average|moderately low, medium|med|moderate|middle|mid|average|normal|"
    "intermediate, medium high|above average|moderately high, high|higher|hi|elevated, "
    "very high|vhigh|extremely high|"
    "highest, critical|extreme|maximal",
    "niedrig|gering|tief, mittel|normal, hoch, sehr hoch",
    "sehr niedrig|sehr gering, niedrig|gering, mittel, hoch, sehr hoch",
    "faible|bas, moyen|moyenne, élevé|haut|fort, très élevé|très fort",
    "bajo|baja, medio|media, alto|alta, muy alto|muy alta",
    "xxxs|3xs, xxs|2xs, xs, s, m, l, xl, xxl|2xl, xxxl|3xl, xxxxl|4xl, 5xl",
    "tiny|extra small|very small, small, medium|med|mid|midsize, large|big, extra large|very large|"
    "huge, giant|enormous",
    "klein, mittel, groß|gross, sehr groß",
    "petit, moyen, grand",
    "terrible|very bad|very poor|awful, poor|bad, fair|average|ok|okay|acceptable|satisfactory, "
    "good, very good, excellent|great|ideal|perfect|outstanding, superb",
    "fair, good, very good, premium, ideal",
    "ungenügend, mangelhaft, ausreichend, befriedigend, gut, sehr gut",
    "sehr schlecht, schlecht, mittel|mittelmäßig, gut, sehr gut",
    "never, almost never|very rarely, rarely|seldom, occasionally, sometimes, often|frequently, "
    "usually|very often|mostly, always",
    "nie, selten, manchmal, oft|häufig, immer",
    "strongly disagree, disagree, somewhat disagree, neutral|neither agree nor disagree, "
    "somewhat agree, agree, strongly agree",
    "very dissatisfied, dissatisfied, neutral, satisfied, very satisfied",
    "very unlikely, unlikely, neutral|possible, likely, very likely",
    "none|no|absent, trace|minimal, mild|slight|minor, moderate, severe|major|serious, "
    "very severe|critical, fatal",
    "not important, slightly important, moderately important, important, very important",
    "bronze, silver, gold, platinum, diamond",
    "free, basic, standard, plus, premium|pro, enterprise",
    "beginner|novice|basic, intermediate, advanced, expert|professional, master",
    "intern|trainee, junior, mid|middle|intermediate, senior, lead|staff, principal|manager, "
    "director, vp, executive",
    "freshman, sophomore, junior, senior",
    "first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth",
    "l, m, h",
    "zero|none|no, one, two, three, four, five, six, seven, eight, nine, ten",
    "freezing, cold, cool, mild, warm, hot, very hot",
    "very slow, slow, medium|moderate|average, fast|quick, very fast",
    "very short, short, medium|average, tall|long, very tall|very long",
    "very weak, weak, medium|moderate|average, strong, very strong",
    "very light, light, medium, heavy|dark, very heavy",
    "narrow, medium, wide",
    "thin, medium, thick",
    "shallow, medium, deep",
    "dry, normal, wet",
    "near|close, medium, far|distant",
    "young, middle|middle aged|middle-aged, old|elderly",
    "infant|baby, toddler, child, teen|teenager|adolescent, young adult, adult, middle aged, "
    "senior|elderly",
    "morning, noon, afternoon, evening, night",
    "early, mid|middle, late",
    "daily, weekly, biweekly, monthly, quarterly, yearly|annually",
    "new, like new, very good, good, acceptable|fair, poor, for parts",
    "new, used, worn, broken",
    "no education|none, primary|elementary|primary school|elementary school|preschool, "
    "middle school|lower secondary, secondary|high school|hs|secondary school|hs-grad|ged, "
    "some college|vocational|diploma, associate|associates|associate degree|assoc, "
    "bachelor|bachelors|bachelor's|college|undergraduate|university|tertiary|bsc|ba, "
    "master|masters|master's|graduate|postgraduate|msc|ma|mba, phd|doctorate|doctoral|ph.d.",
    "mon|monday, tue|tues|tuesday, wed|wednesday, thu|thur|thurs|thursday, fri|friday, "
    "sat|saturday, sun|sunday",
    "mo|montag, di|dienstag, mi|mittwoch, do|donnerstag, fr|freitag, sa|samstag, so|sonntag",
    "jan|january|januar, feb|february|februar, mar|march|märz|mär, apr|april, may|mai, "
    "jun|june|juni, jul|july|juli, aug|august, sep|sept|september, oct|october|okt|oktober, "
    "nov|november, dec|december|dez|dezember",
    "d, c, b, a, aa, aaa",
    "d, c, cc, ccc, b, bb, bbb, a, aa, aaa",
    "f, e-, e, e+, d-, d, d+, c-, c, c+, b-, b, b+, a-, a, a+",
    "i, ii, iii, iv, v, vi, vii, viii, ix, x, xi, xii",
    "ia, ib, iia, iib, iiia, iiib, iva, ivb",
    "low risk, medium risk|moderate risk, high risk",
    "below, within|at, above",
    "decreasing|down|falling, stable|flat|unchanged, increasing|up|rising",
)
_SCALE_WORDS = [
    {word.strip(): rank for rank, step in enumerate(scale.split(",")) for word in step.split("|")}
    for scale in _SCALES
]
_GRADE_NAME = re.compile(r"grade|rating|score|note|class|tier|rank|quality|band|level", re.I)
_SIZE_NAME = re.compile(r"size|größe|groesse|taille|talla|shirt|cloth", re.I)
_STEP_NAME = (
    r"(stage|grade|level|lvl|tier|phase|step|rank|class|quarter|q|year|week|day|month|score|"
    r"stufe|grad|niveau|nivel|semester|term|floor|ecog|asa|nyha|tanner|pt|t|n)"
)
_STEP = re.compile(rf"{_STEP_NAME}[ ._-]*(\d+|[ivx]+)")
_LED = re.compile(r"\(?(\d{1,2})\)?\s*[-:.=)–]\s*[^\W\d].*")
_ROMAN = {"i": 1, "v": 5, "x": 10}
_END = r"(?:[$€£]?\s*)(\d[\d,.' ]*?)\s*(%|[^\W\d_]{1,6}\.?)?"
_BETWEEN = re.compile(rf"{_END}\s*(?:-|–|—|to|bis|à|a|\.\.)\s*{_END}")
_INTERVAL = re.compile(r"[\[(]([^,;]+)[,;]\s*([^,;]+)[\])]")
_BELOW = re.compile(rf"(?:<|<=|≤|under|below|less than|up to|unter|bis|moins de|menos de)\s*{_END}")
_ABOVE = re.compile(
    rf"(?:>|>=|≥|over|above|more than|at least|über|ab|plus de|más de)\s*{_END}"
    rf"|{_END}\s*(?:\+|plus|more|or more|and over|and above|and more|and older|or older|u\. mehr|"
    r"und mehr|und älter|et plus|y más)"
)
# Ranges of a column that has more of them are no categories.
MAX_RANGES = 60
# With so few levels, a single range among plain numbers makes ranges of all.
MAX_FEW = 12
# Longer words are no ranges or steps; patterns would take long over them.
MAX_LENGTH = 64


def spelling_key(text: str) -> str:
    """What spellings of the same word share: no case, single spaces, no decimals of whole numbers.

    Examples
    --------
    >>> spelling_key("  New   York ") == spelling_key("new york"), spelling_key("3.0")
    (True, '3')
    """
    key = " ".join(text.split()).casefold()
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
    >>> boolean_values(["f", "m"]), boolean_values(["s", "f"])
    (None, None)
    """
    found = list(keys)
    if not all(key in TRUE or key in FALSE for key in found):
        return None
    if not any(key in TRUE for key in found) or not any(key in FALSE for key in found):
        return None
    words = set(found)
    if words <= _LETTERS and words not in _PAIRS:
        return None
    return {key: float(key in TRUE) for key in found}


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
    plain = {key: key.replace("_", " ").replace("-", " ").strip() for key in keys}
    for words in _SCALE_WORDS:
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
    for rank in rankings:
        found = {key: rank(key) for key in keys}
        if None not in found.values():
            return sorted(keys, key=lambda key: (found[key], key))
    return None


def _is_scale(keys: Sequence[str], name: str) -> bool:
    """Whether words, most of which are single letters, are no mere labels."""
    letters = [key for key in keys if len(key) == 1]
    if len(letters) < len(keys):
        return True
    if set(letters) <= set("sml"):
        return len(letters) == 3 or bool(_SIZE_NAME.search(name))
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
    if len(key) > MAX_LENGTH:
        return None
    found = _BETWEEN.fullmatch(_INTERVAL.sub(r"\1-\2", key))
    if found:
        low, high = _number(found[1], found[2] or found[4]), _number(found[3], found[4])
        return (low, 0.0) if low is not None and high is not None and low < high else None
    found = _BELOW.fullmatch(key)
    if found:
        low = _number(found[1], found[2])
        return None if low is None else (low, -1.0)
    found = _ABOVE.fullmatch(key)
    if found:
        low = _number(found[1] or found[3], found[2] or found[4])
        return None if low is None else (low, 1.0)
    if key in ("more", "many", "mehr"):
        return (float("inf"), 1.0)
    plain = _number(key, None)
    return None if plain is None else (plain, 0.0)


def _is_range(key: str) -> bool:
    if len(key) > MAX_LENGTH:
        return False
    forms = (_INTERVAL, _BETWEEN, _BELOW, _ABOVE)
    return key == "more" or any(form.fullmatch(key) for form in forms)


def _step_rank(key: str) -> tuple[str, float] | None:
    """The word of a step such as "stage 2", and its number."""
    found = _STEP.fullmatch(key) if len(key) <= MAX_LENGTH else None
    if found is None:
        return None
    if found[2].isdecimal():
        return found[1], float(found[2])
    values = [_ROMAN[letter] for letter in found[2]]
    return found[1], float(sum(-v if v < max(values[i:]) else v for i, v in enumerate(values)))


def _led_rank(key: str) -> float | None:
    found = _LED.fullmatch(key)
    return None if found is None else float(found[1])


def _symbol_rank(key: str) -> int | None:
    """How often a mark stands there, as in ★★★ or +++."""
    marks = key.rstrip("☆○·-") if key[0] in "★●" else key
    return len(marks) if marks and len(set(marks)) == 1 and marks[0] in "★☆●*+$€£⭐" else None
