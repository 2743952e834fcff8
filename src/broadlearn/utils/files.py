"""Tables as CSV that no spreadsheet runs, and texts as bytes."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")


def safe_csv(table: pd.DataFrame) -> str:
    """The table as CSV, texts quoted, and those that begin like a formula behind an apostrophe.

    Examples
    --------
    >>> import pandas as pd
    >>> print(safe_csv(pd.DataFrame({"label": ["=1+1", "b"], "score": [0.5, -1.0]})))
    "","label","score"
    0,"'=1+1",0.5
    1,"b",-1.0
    <BLANKLINE>
    """
    safe = table.copy()
    for name in safe:
        if safe[name].dtype.kind not in "biuf":
            safe[name] = safe[name].map(harmless)
    text: str = safe.rename(columns=harmless).to_csv(
        quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n"
    )
    return text


def encoded(text: str) -> bytes:
    """The text as UTF-8; lone surrogates, from names or files of another encoding, as escapes."""
    return text.encode("utf-8", "backslashreplace")


def harmless(value: Any) -> Any:
    """A text that begins like a formula behind an apostrophe; all else as it is."""
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return f"'{value}"
    return value
