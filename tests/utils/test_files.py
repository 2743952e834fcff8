import csv
import io

import pandas as pd
import pytest

from broadlearn.utils.files import harmless, safe_csv


@pytest.mark.parametrize("text", ["=1+1", "+A1", "-1+1", "@x", "\tx", "\rx", "\nx", "＝1"])
def test_formulas_are_made_harmless(text):
    table = pd.DataFrame({"label": [text, "plain"], text: pd.Categorical([text, "x"])})
    heading, first, second = csv.reader(io.StringIO(safe_csv(table), newline=""))
    assert first[1:] == [f"'{text}", f"'{text}"]
    assert second[1:] == ["plain", "x"]
    assert heading[2] == f"'{text}"


def test_only_texts_are_made_harmless():
    assert harmless("=1") == "'=1"
    assert harmless("a=1") == "a=1"
    assert harmless(-1) == -1
    assert harmless(None) is None


def test_signed_numbers_are_no_formulas_and_the_index_is_looked_at():
    table = pd.DataFrame({"x": ["-1.234,56", "-5 kg", "-2+3"]}, index=["=1", "b", "c"])
    rows = list(csv.reader(io.StringIO(safe_csv(table))))
    assert rows[1:] == [["'=1", "-1.234,56"], ["b", "-5 kg"], ["c", "'-2+3"]]


def test_numbers_stay_and_missing_ones_are_empty():
    table = pd.DataFrame({"n": [-1.5, None], "k": pd.array([-2, None], dtype="Int64")})
    assert safe_csv(table).splitlines()[1:] == ["0,-1.5,-2", '1,"",""']


def test_commas_quotes_and_breaks_survive():
    texts = ['a,"b"', "c\rd", "e\nf"]
    rows = list(csv.reader(io.StringIO(safe_csv(pd.DataFrame({"t": texts})), newline="")))
    assert [row[1] for row in rows[1:]] == texts
