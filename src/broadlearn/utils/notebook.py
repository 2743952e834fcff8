"""Small tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


def html_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], note: str = ""
) -> str:
    """Return an HTML table with a title and a note below, by pandas; all text is escaped.

    Floats are shown with four digits; texts are cut after 200 characters.

    Examples
    --------
    >>> html_table("Found", ["row", "why"], [(3, "<b>")]).count("&lt;b&gt;")
    1
    """
    import pandas as pd

    table = pd.DataFrame([list(row) for row in rows], columns=list(columns))
    with pd.option_context("display.max_colwidth", 200):
        body = table.to_html(
            index=False, border=0, justify="left", float_format=lambda x: f"{x:.4g}"
        )
    below = f"<p><small>{escape(note)}</small></p>" if note else ""
    return f"<div><p><b>{escape(title)}</b></p>{body}{below}</div>"
