"""What the pictures of the audit and of the report share."""

from __future__ import annotations

LONGEST_LABEL = 26


def label(name: object) -> str:
    r"""A name as a picture can show it: short, on one line, never read as a formula.

    Examples
    --------
    >>> print(label("cost in $"))
    cost in \$
    >>> label("x" * 300)
    'xxxxxxxxxxxxxxxxxxxxxxxxx…'
    """
    text = " ".join(str(name).split())
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    if len(text) > LONGEST_LABEL:
        text = f"{text[: LONGEST_LABEL - 1]}…"
    # Matplotlib leaves names that begin with an underscore out of legends.
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")
