import warnings

import pandas as pd
import pytest

from broadlearn.io import read_file


def read(tmp_path, first, rows="20.5,red,3,yes\n21.5,blue,4,no\n19.5,red,5,yes\n"):
    path = tmp_path / "log.csv"
    path.write_text(f"temp,colour,paid,label\n{first}\n{rows}", encoding="utf-8")
    return read_file(path)


@pytest.mark.parametrize("first", ["°C,,EUR,", "[°C],[-],[EUR],[-]", "°C,-,,-", "(C),(name),(m2),"])
def test_a_row_of_units_is_left_out(tmp_path, first):
    with pytest.warns(UserWarning, match="as it holds units"):
        table = read(tmp_path, first)
    assert table.frame["temp"].tolist() == [20.5, 21.5, 19.5]
    assert list(table.lines) == [3, 4, 5]


@pytest.mark.parametrize(
    "first", ["18.5,red,2,no", "error,,2,", "n/a,red,,no", "broken,red,,", ",,2,"]
)
def test_other_rows_stay(tmp_path, first):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read(tmp_path, first).frame) == 4


def test_a_line_of_dashes(tmp_path):
    path = tmp_path / "table.txt"
    path.write_text("| a | b |\n|---|:--|\n| 1 | x |\n| 2 | y |\n", encoding="utf-8")
    assert read_file(path).frame["a"].tolist() == [1, 2]


def test_units_in_a_sheet(tmp_path):
    path = tmp_path / "log.xlsx"
    pd.DataFrame({"v": ["mV", 1.5, 2.5, 3.5], "w": [None, "a", "b", "a"]}).to_excel(
        path, index=False
    )
    with pytest.warns(UserWarning, match="units: mV"):
        assert read_file(path).frame["v"].tolist() == [1.5, 2.5, 3.5]
