import csv
import io
import os

import pandas as pd
import pytest

from broadlearn.utils.files import encoded, harmless, safe_csv, write_whole


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\nx", "＝1"])
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


def test_lone_surrogates_become_escapes():
    assert encoded("ü") == "ü".encode()
    assert encoded("a\udcff") == rb"a\udcff"


def test_bytes_are_written_in_parts(tmp_path):
    write_whole(tmp_path / "model", (part for part in (b"a", b"b")))
    assert (tmp_path / "model").read_bytes() == b"ab"


def test_numbers_stay_and_missing_ones_are_empty():
    table = pd.DataFrame({"n": [-1.5, None], "k": pd.array([-2, None], dtype="Int64")})
    assert safe_csv(table).splitlines()[1:] == ["0,-1.5,-2", '1,"",""']


def test_commas_quotes_and_breaks_survive():
    texts = ['a,"b"', "c\rd", "e\nf"]
    rows = list(csv.reader(io.StringIO(safe_csv(pd.DataFrame({"t": texts})), newline="")))
    assert [row[1] for row in rows[1:]] == texts


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    write_whole(path, "old \udcff")
    assert path.read_text("utf-8") == r"old \udcff"

    def full(descriptor):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        write_whole(path, "new")
    assert path.read_text("utf-8") == r"old \udcff"
    assert list(tmp_path.iterdir()) == [path]
