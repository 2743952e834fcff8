"""Data frames as files."""

from __future__ import annotations

import io
from os import PathLike
from pathlib import Path

import pandas as pd

from broadlearn.tables.sources import FORMATS, TableError
from broadlearn.utils import encoded, safe_csv, write_whole


def write_frame(frame: pd.DataFrame, path: str | PathLike[str]) -> None:
    r"""Write a table to a CSV or Parquet file, whole or not at all, without its index.

    In CSV, text that a spreadsheet would run as a formula gets an apostrophe in front.

    Parameters
    ----------
    frame : pandas.DataFrame
    path : str or path-like
        Parquet if it ends in .parquet or .pq, CSV if in .csv or .txt.

    Raises
    ------
    TableError
        If the name ends like that of a file of another format.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> from broadlearn.tables import write_frame
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "rows.csv")
    ...     write_frame(pd.DataFrame({"label": ["=1+1", "b"], "score": [0.5, -1.0]}), path)
    ...     path.read_text()
    '"label","score"\n"\'=1+1",0.5\n"b",-1.0\n'
    """
    suffix = Path(path).suffix.lower()
    if suffix in FORMATS["parquet"]:
        content = io.BytesIO()
        frame.to_parquet(content, index=False)
        write_whole(path, [content.getvalue()])
    elif suffix in ("", ".csv", ".txt"):
        write_whole(path, [encoded(safe_csv(frame, index=False))])
    else:
        raise TableError(f"{path} must end in .csv or .parquet.")
