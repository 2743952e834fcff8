"""Small tables for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def html_table(title: str, table: pd.DataFrame, note: str) -> str:
    """Return an HTML table with a title and a note below, by pandas; all text is escaped.

    Floats are shown with four digits; texts are cut after 200 characters.

    Examples
    --------
    >>> import pandas as pd
    >>> html_table("Found", pd.DataFrame({"why": ["<b>"]}), "One row.").count("&lt;b&gt;")
    1
    """
    from pandas import option_context

    with option_context("display.max_colwidth", 200):
        body = table.to_html(
            index=False, border=0, justify="left", float_format=lambda x: f"{x:.4g}"
        )
    return f"<div><p><b>{escape(title)}</b></p>{body}<p><small>{escape(note)}</small></p></div>"
