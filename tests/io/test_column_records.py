import pandas as pd
import pytest

from broadlearn.io import TablePreparation
from broadlearn.io.column_records import ColumnRecord, warn_of_columns


def test_facts_of_columns():
    X = pd.DataFrame({"a": ["1,5", "n/a", None, "2,5"], "b": ["x" * 50, "y", "y", "y"]})
    a, b = TablePreparation().fit(X).columns_
    assert (a.name, a.kind, a.missing, a.distinct, a.example) == (
        "a",
        "number as text",
        0.5,
        2,
        "1,5",
    )
    assert "'n/a' and the like in 1 row count as missing" in a.use
    assert b.example == "x" * 30 + "…"
    assert a.is_used


def test_warnings():
    with pytest.warns(UserWarning, match="Column 'id' is left out: names the rows"):
        warn_of_columns([ColumnRecord("id", "identifier", 0.0, 9, "1", "left out: names the rows")])
    leak = ColumnRecord(
        "z", "leak", 0.0, 2, "1", "number; alone tells 99% of the labels", "leave it"
    )
    with pytest.warns(UserWarning, match="Column 'z' alone tells 99% of the labels: leave it"):
        warn_of_columns([leak])
