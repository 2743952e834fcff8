import warnings

import pytest

from broadlearn.io import read_file, read_table


def test_last_rows_that_sum_up_are_left_out(tmp_path):
    path = tmp_path / "sales.csv"
    rows = "".join(f"{nr};{10 * nr},50;ja\n" for nr in range(1, 6))
    path.write_text(f"nr;umsatz;neu\n{rows}Summe;157,50;\nMittelwert:;31,50;\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="last 2 rows .* left out, as they sum up others"):
        table = read_file(path)
    assert table.frame["nr"].tolist() == [1, 2, 3, 4, 5]
    assert table.frame["umsatz"].tolist() == [10.5, 20.5, 30.5, 40.5, 50.5]
    assert list(table.lines) == [2, 3, 4, 5, 6]
    with pytest.warns(UserWarning, match="sum up"):
        assert read_table(path, "neu").y.tolist() == ["ja"] * 5


def test_rows_that_only_look_so_stay(tmp_path):
    path = tmp_path / "kinds.csv"
    for last in ("total,4,yes", "gross,,yes"):
        path.write_text(f"kind,x,y\na,1,no\nb,2,yes\n{last}\n", encoding="utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert len(read_file(path).frame) == 3
    path.write_text("kind,x,y\ntotal,1,no\npart,2,yes\ntotal,,yes\n", encoding="utf-8")
    assert len(read_file(path).frame) == 3


def test_codes_with_zeros_in_front_stay_texts(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("x,code\n1,007\n2,012\n3,044\nTotal,\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="'Total'"):
        frame = read_file(path).frame
    assert frame["x"].tolist() == [1, 2, 3]


def test_remarks_below_a_table_are_left_out(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text("x,y,z\n1,a b,2\n2,c d,3\nSumme,,5\nSource: SAP export,,\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="last 2 rows .* as they are no rows of the table"):
        assert read_file(path).frame["x"].tolist() == [1, 2]
    path.write_text("x,y,z\n1,a b,2\n2,c d,3\n,a b,\n", encoding="utf-8")
    assert len(read_file(path).frame) == 3
