import csv

import numpy as np
import pandas as pd
import pytest
from stub_audit import stub_audit

from broadlearn.auditing import corrections_table, read_corrections
from broadlearn.utils import safe_csv

TEXTS = [
    "plain",
    "with, comma; and\ttab",
    'with "quotes"',
    "two\nlines\r\nthree",
    "  leading and trailing ",
    "=1+1",
    "'=1+1'",
    "-",
    "@home",
    "'quoted'",
    "naïve 東京 🦜",
    "NA",
    "1.0",
    "\ttab",
    "new:x",
]
KINDS = {
    "texts": TEXTS,
    "whole numbers": [0, 1, -2, 3, 1_000_000_007],
    "booleans": [True, False],
    "categories": pd.Categorical(list("abc"), categories=list("cbaz"), ordered=True),
    "Int8": pd.array([1, 2, 3], dtype="Int8"),
    "fractions": ["0.5", "1.25", "-0.5"],
}


def make_frame(labels, n=30):
    column = pd.Series(labels).iloc[np.arange(n) % len(labels)].set_axis(range(n))
    numbers = np.arange(float(n))
    index = [f"id{i}" for i in range(n)]
    return pd.DataFrame({"x": numbers, "y": column, "z": "="}).set_axis(index)


def make_audit(frame, found):
    return stub_audit(frame[["x"]], frame["y"], found)


def write(path, table):
    path.write_bytes(safe_csv(table.set_index("row")).encode())
    return path


def test_all_rows_that_are_not_fine_are_listed_with_suggestions():
    frame = make_frame(["a", "b"], 10)
    found = {
        2: ("likely mislabelled", 0.8, "b"),
        7: ("ambiguous", 0.5, "a"),
        3: ("contradicting duplicate", 0.6, "a"),
        4: ("contradicting duplicate", 0.4),
        5: ("outlier", 0.1),
        6: ("duplicate", 0.05),
    }
    table = corrections_table(make_audit(frame, found))
    assert tuple(table)[:4] == ("row", "index", "label", "likely_label")
    assert table["row"].tolist() == [2, 3, 7, 4, 5, 6]
    assert table["index"].tolist() == [f"id{i}" for i in (2, 3, 7, 4, 5, 6)]
    assert table["action"].tolist() == ["relabel?"] * 2 + ["keep?"] * 4
    assert table["new_label"].tolist() == ["b", "a", "", "", "", ""]


def test_a_suggestion_is_no_decision(tmp_path):
    frame = make_frame(["a", "b"])
    found = make_audit(frame, {2: ("likely mislabelled", 0.8, "b"), 3: ("outlier", 0.2)})
    corrections = read_corrections(write(tmp_path / "f.csv", corrections_table(found)), frame["y"])
    assert corrections.n_undecided == 2
    pd.testing.assert_frame_equal(corrections.apply(frame, "y"), frame)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("labels", KINDS.values(), ids=KINDS)
def test_round_trip(tmp_path, labels, separator):
    frame = make_frame(labels)
    k = len(labels)
    values = frame["y"].to_numpy()
    rows = range(2 * k)
    found = make_audit(
        frame, {i: ("likely mislabelled", 1 - i / 100, values[(i + 1) % k]) for i in rows}
    )
    table = corrections_table(found)
    assert table["row"].tolist() == list(rows)
    table["action"] = ["relabel"] * (k - 1) + ["drop"] + ["KEEP "] * (k - 1) + [""]
    path = write(tmp_path / "fixes.csv", table)
    if separator != ",":  # as a spreadsheet saves it
        with path.open(newline="", encoding="utf-8") as file:
            records = list(csv.reader(file))
        with path.open("w", newline="", encoding="utf-8-sig") as file:
            csv.writer(file, delimiter=separator).writerows(records)
    corrections = read_corrections(path, frame["y"])
    before = frame.copy()
    corrected = corrections.apply(frame, "y")
    pd.testing.assert_frame_equal(frame, before)
    expected = frame["y"].copy()
    expected.iloc[: k - 1] = values[1:k]
    expected = frame.assign(y=expected).drop(index=f"id{k - 1}")
    pd.testing.assert_frame_equal(corrected, expected)
    assert corrections.kept.tolist() == list(range(k, 2 * k - 1))
    assert corrections.n_undecided == 1
    assert corrections.corrected.tolist() == expected["y"].tolist()


def test_regression_targets(tmp_path):
    frame = make_frame([0.1, 1e-300, -3.5, 1 / 3])
    audit = stub_audit(
        frame[["x"]], frame["y"], {2: ("likely mislabelled", 0.9, 1.0)}, "regression"
    )
    table = corrections_table(audit)
    assert table[["action", "new_label"]].to_numpy().tolist() == [["drop?", ""]]
    table["action"], table["new_label"] = "relabel", "-2.5"
    corrections = read_corrections(write(tmp_path / "f.csv", table), frame["y"])
    corrected = corrections.apply(frame, "y")
    assert corrected["y"].iloc[2] == -2.5
    assert corrected["y"].dtype == np.float64


def test_workbooks_are_read(tmp_path):
    frame = make_frame([1, 2])
    table = pd.DataFrame({"row": [0, 1], "label": [1, 2], "action": ["relabel", None]})
    table.assign(new_label=[2, None]).to_excel(tmp_path / "f.xlsx", index=False)
    corrections = read_corrections(tmp_path / "f.xlsx", frame["y"])
    assert corrections.apply(frame, "y")["y"].tolist()[:2] == [2, 2]
    assert corrections.n_undecided == 1


@pytest.mark.parametrize(
    ("labels", "text", "new"),
    [
        (["a", "b"], "new:spam", "spam"),
        (["a", "b"], "new:'=spam", "=spam"),
        ([1, 2], "new:7", 7),
        ([1, 2], "2.0", 2),
        ([True, False], "FALSE", False),
        (pd.Categorical(["a", "b"]), "new:c", "c"),
    ],
)
def test_new_labels(tmp_path, labels, text, new):
    frame = make_frame(labels)
    path = tmp_path / "f.csv"
    path.write_text(f"row,label,action,new_label\n0.0,{labels[0]},relabel,{text}\n")
    corrected = read_corrections(path, frame["y"]).apply(frame, "y")
    assert corrected["y"].iloc[0] == new
    assert corrected["y"].iloc[1:].tolist() == frame["y"].iloc[1:].tolist()
    if not isinstance(labels, pd.Categorical):
        assert corrected["y"].dtype == frame["y"].dtype


HEADER = "row,label,action,new_label\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "fixes.csv cannot be read as a table"),
        (HEADER, "fixes.csv has no rows"),
        ("row,label,what\n0,a,keep\n", "but has no 'action' and 'new_label'"),
        (HEADER + "0,a,,\n\nx,a,keep,\n", "row x: row must be an integer from 0 to 29"),
        (HEADER + "1.5,a,keep,\n", "row must be an integer"),
        (HEADER + "-1,a,keep,\n", "row must be an integer"),
        (HEADER + "30,a,keep,\n", "row must be an integer"),
        (HEADER + "0,a,keep,\n0,a,drop,\n", "row 0: this row is listed twice"),
        (
            HEADER + "0,b,keep,\n",
            "row 0: the label is 'a' in the table and 'b' in the file; was the table changed",
        ),
        (
            HEADER + "0,a,delete,\n",
            "row 0: action must be keep, relabel, drop, or empty, got 'delete'",
        ),
        (HEADER + "0,a,relabel,\n", "row 0: new_label '' is not a label of the table"),
        (
            HEADER + "0,a,relabel,bb\n",
            "row 0: new_label 'bb' is not a label of the table, which has 'a' and 'b'. For a new "
            "one, write 'new:bb'.",
        ),
        (HEADER + '0,"a\n', "fixes.csv cannot be read as a table: EOF inside string"),
    ],
)
def test_faults_name_file_row_and_field(tmp_path, text, message):
    path = tmp_path / "fixes.csv"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=message):
        read_corrections(path, make_frame(["a", "b"])["y"])


@pytest.mark.parametrize(
    ("labels", "text", "message"),
    [
        (["a", "b"], "new:", "new_label 'new:' is not a label"),
        ([1, 2], "new:1.5", "new_label must be an integer"),
        ([1, 2], "new:inf", "new_label must be an integer"),
        ([True, False], "new:maybe", "is not a label of the table, which has 'True' and 'False'"),
        ([0.5, 1.5], "much", "new_label must be a number, got 'much'"),
        ([0.5, 1.5], "nan", "new_label must be a number"),
    ],
)
def test_new_labels_are_of_the_kind_that_the_table_has(tmp_path, labels, text, message):
    path = tmp_path / "fixes.csv"
    path.write_text(f"{HEADER}0,{labels[0]},relabel,{text}\n")
    with pytest.raises(ValueError, match=message):
        read_corrections(path, make_frame(labels)["y"])


def test_dropping_every_row_is_refused(tmp_path):
    path = tmp_path / "fixes.csv"
    labels = make_frame(["a", "b"])["y"]
    path.write_text(HEADER + "".join(f"{i},{label},drop,\n" for i, label in enumerate(labels)))
    with pytest.raises(ValueError, match="drops every row of the table"):
        read_corrections(path, labels)


def test_other_tables_are_refused(tmp_path):
    path = tmp_path / "fixes.csv"
    path.write_text(HEADER + "0,a,,\n")
    frame = make_frame(["a", "b"])
    corrections = read_corrections(path, frame["y"])
    with pytest.raises(ValueError, match="frame must have the target column 'state'"):
        corrections.apply(frame, "state")
    with pytest.raises(ValueError, match="frame must have 30 rows, got 9"):
        corrections.apply(frame[:9], "y")
    with pytest.raises(FileNotFoundError):
        read_corrections(tmp_path / "none.csv", frame["y"])
