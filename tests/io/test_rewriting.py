import gzip

import numpy as np
import pandas as pd
import pytest

from broadlearn.io import read_frame
from broadlearn.io.rewriting import (
    chain_changes,
    check_rewritable,
    replace_labels,
    rewrite_table,
    row_changes,
)

LABELS = np.array(["a", "b", "a, b", "b", "a"])
ROWS = [
    '1.10,"x, ""y""",a,00:10\r\n',
    '1e3, "two\nlines" ,b,1\r\n',
    "\r\n",
    '+0.50,,"a, b",NA\r\n',
    "?,z,  b,3\r\n",
    "7,ü,a,4",
]
SOURCE = "\ufeffnumber,text, y ,more\r\n" + "".join(ROWS)


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(SOURCE.encode())
    return path


def rewritten(source, name, changes, target="y"):
    path = source.with_name(name)
    path.write_bytes(rewrite_table(source, path, target, changes))
    return path


def test_nothing_changes_where_nothing_is_to_be_changed(source):
    changes = row_changes(LABELS)
    assert rewritten(source, "new.csv", changes).read_bytes() == SOURCE.encode()
    packed = rewritten(source, "new.csv.gz", changes)
    assert gzip.decompress(packed.read_bytes()) == SOURCE.encode()
    assert rewritten(packed, "again.csv", changes).read_bytes() == SOURCE.encode()


def test_records_are_copied_but_for_labels(source):
    changes = row_changes(LABELS, [1], {0: "a, b", 3: " new\nlabel", 4: "b"})
    text = rewritten(source, "new.csv", changes).read_bytes().decode()
    assert text == (
        "\ufeffnumber,text, y ,more\r\n"
        '1.10,"x, ""y""","a, b",00:10\r\n'
        '\r\n+0.50,,"a, b",NA\r\n'
        '?,z," new\nlabel",3\r\n'
        "7,ü,b,4"
    )
    frame = read_frame(source.with_name("new.csv"))
    assert frame["y"].tolist() == ["a, b", "a, b", " new\nlabel", "b"]


def test_another_separator(source):
    path = rewritten(source, "new.tsv", row_changes(LABELS, [1]))
    assert path.read_bytes().decode().splitlines()[1] == '1.10\t"x, ""y"""\ta\t00:10'
    expected = read_frame(source).drop(index=1)
    pd.testing.assert_frame_equal(read_frame(path), expected.reset_index(drop=True))


def test_row_numbers_and_decimal_commas(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(";x;y\n0;1,50;2,5\n1;2,00;3,5\n2;3,25;4\n")
    changes = row_changes(np.array([2.5, 3.5, 4.0]), [0], {1: 4.0, 2: 7.25})
    new = rewritten(path, "new.csv", changes)
    assert new.read_text() == ";x;y\n1;2,00;4\n2;3,25;7,25\n"
    assert read_frame(new)["y"].tolist() == [4.0, 7.25]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
@pytest.mark.parametrize("new", ["n.csv", "n.tsv", "n.parquet", "n.pq"])
def test_formats(tmp_path, name, new):
    frame = pd.DataFrame({"x": [1, 2, 3], "b": [True, False, True], "y": ["u", "v", "u"]})
    source = tmp_path / name
    frame.to_csv(source, index=False) if name == "t.csv" else frame.to_parquet(source)
    changes = row_changes(frame["y"].to_numpy(dtype=str), [1], {0: "v", 2: "w"})
    found = read_frame(rewritten(source, new, changes))
    expected = pd.DataFrame({"x": [1, 3], "b": [True, True], "y": ["v", "w"]})
    pd.testing.assert_frame_equal(found, expected)


def test_the_schema_of_parquet_is_kept(tmp_path):
    frame = pd.DataFrame(
        {
            "small": np.array([1, 2, 3], dtype=np.int8),
            "gaps": pd.array([1, None, 3], dtype="Int64"),
            "when": pd.to_datetime(["2024-01-02"] * 3).tz_localize("Europe/Berlin"),
            "list": [[1], [], [2, 3]],
            "y": pd.Categorical(["u", "v", "u"], categories=["v", "u", "w"]),
        },
        index=pd.Index([7, 8, 9], name="id"),
    )
    source = tmp_path / "t.parquet"
    frame.to_parquet(source)
    labels = np.array(["u", "v", "u"])
    new = rewritten(source, "n.parquet", row_changes(labels, [1], {2: "v"}))
    expected = frame.copy()
    expected.loc[9, "y"] = "v"
    found = pd.read_parquet(new)
    pd.testing.assert_frame_equal(
        found, expected.drop(index=8), check_categorical=False, check_dtype=True
    )
    assert set(found["y"].cat.categories) <= {"u", "v", "w"}
    new = rewritten(source, "n.parquet", row_changes(labels, [], {2: "x"}))
    assert pd.read_parquet(new)["y"].tolist() == ["u", "v", "x"]


def test_arff_is_written_in_another_format(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text("@relation r\n@attribute a real\n@attribute y {u,v}\n@data\n1,u\n2,v\n")
    new = rewritten(path, "n.csv", row_changes(np.array(["u", "v"]), [0]))
    assert new.read_text() == "a,y\n2.0,v\n"


def test_whole_numbers_make_room_for_fractions():
    column = pd.Series([1, 2, 3])
    changes = row_changes(np.array([1.0, 2.0, 3.0]), (), {0: 1.5})
    assert replace_labels(column, changes).tolist() == [1.5, 2.0, 3.0]
    changes = row_changes(np.array([1.0, 2.0, 3.0]), (), {0: 9.0})
    assert replace_labels(column, changes).dtype == np.int64


def test_two_changes_as_one():
    labels = np.array(list("abcdef"))
    first = row_changes(labels, [1, 4], {0: "z", 2: "f"})  # leaves z f d f
    both = chain_changes(labels, first, row_changes(np.array(list("zfdf")), [1], {0: "d", 3: "z"}))
    assert both.kept.tolist() == [0, 3, 5]
    assert dict(zip(both.relabelled.tolist(), both.labels, strict=True)) == {0: "d", 5: "z"}
    assert both.like.tolist() == [3, -1]


def test_faults(source):
    for name, message in {"t.arff": "must end in .csv", "t.pq.gz": "compressed already"}.items():
        with pytest.raises(ValueError, match=message):
            check_rewritable(source.with_name(name))
    with pytest.raises(ValueError, match="had 9 rows and has 5 now"):
        rewrite_table(source, source, "y", row_changes(np.arange(9)))


def test_units_and_totals_stay_as_they_are(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n[m],[-]\n1,a\n2,b\n3,a\nTotal,\n", encoding="utf-8")
    new = rewritten(path, "new.csv", row_changes(np.array(["a", "b", "a"]), [1], {2: "b"}))
    assert new.read_text(encoding="utf-8") == "x,y\n[m],[-]\n1,a\n3,b\nTotal,\n"
