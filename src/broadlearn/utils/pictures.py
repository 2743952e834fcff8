"""Labels of pictures."""

from __future__ import annotations

from broadlearn.utils.wording import visible

# Longer names would run into their neighbours.
MAX_LABEL_LENGTH = 26


def label(name: object) -> str:
    r"""Return a name for a picture: short, on one line, never read as a formula.

    Examples
    --------
    >>> print(label("cost in $"))
    cost in \$
    >>> label("x" * 300)
    'xxxxxxxxxxxxxxxxxxxxxxxxx…'
    """
    text = " ".join(str(name).split())
    text = visible(text)
    if len(text) > MAX_LABEL_LENGTH:
        text = f"{text[: MAX_LABEL_LENGTH - 1]}…"
    # Matplotlib leaves names that begin with an underscore out of legends.
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")
