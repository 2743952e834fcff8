"""Labels of pictures."""

from __future__ import annotations

from broadlearn.utils.wording import visible


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
