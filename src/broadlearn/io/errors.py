"""What errors of other libraries say, as the end of a sentence of ours."""

from __future__ import annotations


def reason(error: Exception) -> str:
    r"""The first line of what an error says, safe to print and without a full stop.

    Examples
    --------
    >>> reason(ValueError("Bad \x1b[2J header.\nSee below."))
    'Bad ?[2J header'
    """
    try:
        text = str(error).strip()
    except TypeError:  # ArffException takes a "%" of the file for its own.
        text = ""
    line = (text.splitlines() or [type(error).__name__])[0][:300]
    return "".join(mark if mark.isprintable() else "?" for mark in line).rstrip(".")
