"""Tables as CSV that no spreadsheet runs, and texts as bytes."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")
# No operator, bracket or reference that a spreadsheet could act on.
_SIGNED = re.compile(r"[+-][€$£¥ ]?\d[\w .,'%€$£¥°]*")


def safe_csv(table: pd.DataFrame, *, index: bool = True) -> str:
    """Return a table as CSV; an apostrophe precedes texts that begin like a formula.

    Signed numbers written as text, such as "-1.234,56" or "-5 kg", are no formulas.

    Examples
    --------
    >>> import pandas as pd
    >>> print(safe_csv(pd.DataFrame({"label": ["=1+1", "-5 %"], "score": [0.5, -1.0]})))
    "","label","score"
    0,"'=1+1",0.5
    1,"-5 %",-1.0
    <BLANKLINE>
    """
    safe = table.copy()
    if index:
        safe = table.reset_index()
        safe.columns = [*(name or "" for name in table.index.names), *table.columns]
    for j, dtype in enumerate(safe.dtypes):
        if dtype.kind not in "biuf":
            safe.isetitem(j, safe.iloc[:, j].astype(object).map(_harmless_cell))
    text: str = safe.rename(columns=harmless).to_csv(
        index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n"
    )
    return text


def encoded(text: str) -> bytes:
    """Return text as UTF-8; lone surrogates, from names of another encoding, become escapes."""
    return text.encode("utf-8", "backslashreplace")


def _harmless_cell(value: Any) -> Any:
    return value if isinstance(value, str) and _SIGNED.fullmatch(value) else harmless(value)


def harmless(value: Any) -> Any:
    """Return a value with an apostrophe before a text that begins like a formula."""
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return f"'{value}"
    return value
