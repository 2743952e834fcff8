"""Counts, shares, names and errors as sentences, pages and pictures show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# Spaces that are shown as they are; Python does not call them printable.
SPACES = "\n\t\xa0\u202f"


def listed(names: Sequence[Any], most: int = 4) -> str:
    """Return quoted names as a list; a long list ends in the number of further names.

    Examples
    --------
    >>> listed(["age"]), listed(["age", "town", "sex"])
    ("'age'", "'age', 'town' and 'sex'")
    >>> listed(range(9), most=3)
    "'0', '1', '2' and 6 more"
    """
    quoted = [f"'{name}'" for name in names[:most]]
    if len(names) > most:
        quoted.append(f"{len(names) - most} more")
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def counted(count: int, noun: str, verb: str = "") -> str:
    """Return a number with its noun and verb, which are given in the singular.

    Examples
    --------
    >>> counted(1, "column", "is"), counted(0, "class", "has"), counted(2000, "row", "equals")
    ('1 column is', '0 classes have', '2,000 rows equal')
    """
    if count != 1:
        noun += "es" if noun.endswith("s") else "s"
        verb = {"is": "are", "has": "have"}.get(verb, verb.removesuffix("s"))
    return f"{count:,} {noun} {verb}".rstrip()


def out_of(count: int, total: int, noun: str, verb: str = "") -> str:
    """Return "3 of 200 rows are", with a verb given in the singular.

    Examples
    --------
    >>> out_of(3, 200, "row", "is"), out_of(1, 200, "row", "is")
    ('3 of 200 rows are', '1 of 200 rows is')
    """
    agreeing = counted(count, noun, verb).split(" ", 2)[2:]
    return " ".join([f"{count:,} of {counted(total, noun)}", *agreeing])


def percent(share: float) -> str:
    """Return a share in percent, with one decimal if it is small or near the whole.

    Examples
    --------
    >>> [percent(share) for share in (0.0, 0.00001, 0.0123, 0.0999, 0.612, 0.995, 0.9999, 1.0)]
    ['0 %', 'under 0.1 %', '1.2 %', '10 %', '61 %', '99.5 %', 'over 99.9 %', '100 %']
    """
    if 0.0 < share < 0.001:
        return "under 0.1 %"
    if 0.999 < share < 1.0:
        return "over 99.9 %"
    exact = 0.0 < share < 0.0995 or 0.99 < share < 1.0
    return f"{100.0 * share:.{int(exact)}f} %"


def visible(text: str) -> str:
    r"""Return the text with unprintable characters written as escapes.

    They could steer a terminal, or reverse the text around them.

    Examples
    --------
    >>> print(visible("a\x1b[2J"), visible("b\u202ec"))
    a\x1b[2J b\u202ec
    """
    if text.isprintable():
        return text
    return "".join(
        mark if mark.isprintable() or mark in SPACES else mark.encode("unicode_escape").decode()
        for mark in text
    )


def label(name: object) -> str:
    r"""Return a name for a picture: short, on one line, never read as a formula.

    Examples
    --------
    >>> print(label("cost in $"))
    cost in \$
    >>> label("_" + "x" * 300), label("a\nb")
    (' _xxxxxxxxxxxxxxxxxxxxxxxx…', 'a b')
    """
    text = " ".join(str(name).split())
    text = visible(text)
    # Longer names would run into their neighbours.
    if len(text) > 26:
        text = f"{text[:25]}…"
    # Matplotlib leaves names that begin with an underscore out of legends.
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")


def reason(error: Exception) -> str:
    r"""Return the first line of an error, printable and without a full stop.

    Examples
    --------
    >>> reason(ValueError("Bad \x1b[2J header.\nSee below."))
    'Bad ?[2J header'
    """
    try:
        text = str(error).strip()
    except TypeError:  # SciPy's ArffException takes a "%" of the file for its own.
        text = ""
    text = text.removeprefix("Error tokenizing data. C error: ")
    line = (text.splitlines() or [type(error).__name__])[0][:200]
    return "".join(mark if mark.isprintable() else "?" for mark in line).rstrip(". ")
