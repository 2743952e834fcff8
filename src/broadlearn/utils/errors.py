"""What errors of other libraries say, as the end of a sentence."""

from __future__ import annotations


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
