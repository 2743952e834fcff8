import pytest

from broadlearn.io.csv_layout import (
    csv_layout,
    guess_separator,
    is_comment,
    split_records,
    text_encoding,
    western_encoding,
)
from broadlearn.io.sources import FileOptions, Source


def layout(tmp_path, text, name="t.csv", encoding="utf-8", **options):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    source = Source(path)
    return csv_layout(source, FileOptions(**options), text_encoding(source))


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n2,5;3,5\n", ";"),
        ("1,5;2,5\n2,5;3,5\n", ";"),
        ("1,5;2,5;a\n2,5;3,5;b\n", ";"),
        ("a\tb c\n1\t2 3\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ('a,b\n"x;y",2\n"z;u",3\n', ","),
        ('"a, b, c";"d"\n1;2\n', ";"),
        ("a b\n1 2\n", " "),
        ("  1.0   2\n 10.0  33\n", " "),
        ('18.0   8   307.0\t"chevrolet malibu"\n15.0   8   350.0\t"buick"\n', " "),
        ("15.26\t14.84\t1\n14.88\t\t14.57\t1\n14.29\t14.09\t2\n13.84\t13.94\t2\n1\t2\t3\n", " "),
        ("1.5,a b\n2.5,c d\n", ","),
        ("review\nnot good\nvery good\n", ","),
        ("# one, two; three\n1;2\n3;4\n", ";"),
        ("a\n1\n", ","),
    ],
)
def test_separators(text, separator):
    assert guess_separator(text.splitlines(keepends=True)) == separator


def test_text_in_words_is_separated_by_blanks_in_data_files_only():
    lines = ["red small\n", "blue large\n"]
    assert guess_separator(lines) == ","
    assert guess_separator(lines, ".dat") == " "


@pytest.mark.parametrize(
    ("text", "decimal"),
    [
        ("a;b\n1,5;x\n2;y\n", ","),
        ("a\tb\n1,5\tx\n2,5\ty\n", ","),
        ("a;b\n1,234.5;x\n", "."),
        ("a;b\n1,234;2.5\n", "."),
        ("a,b\n1.5,2\n", "."),
        ("a b\n1,5 2\n2,5 3\n", ","),
    ],
)
def test_decimals(tmp_path, text, decimal):
    assert layout(tmp_path, text).decimal == decimal


@pytest.mark.parametrize(
    ("text", "names", "header_line", "first_line"),
    [
        ("a,b\n1,2\n", ["a", "b"], 1, 1),
        ("\n\na,b\n1,2\n", ["a", "b"], 3, 3),
        ("# made up\n# by us\na,b\n1,2\n", ["a", "b"], 3, 3),
        ("# a,b\n1,2\n3,4\n", ["a", "b"], 1, 1),
        ("#,b\n1,2\n2,4\n", ["#", "b"], 1, 1),
        ("#id,b\n1,2\n2,4\n", ["id", "b"], 1, 1),
        ("% made up\n1,x\n3,y\n", ["f1", "f2"], 0, 2),
        ("|1x3 Cross validator\n25, x\n38, y\n", ["f1", "f2"], 0, 2),
        ("|a|b|\n|1|2|\n|3|4|\n", ["", "a", "b", ""], 1, 1),
        ("Report of 2024\n\na,b\n1,2\n3,4\n", ["a", "b"], 3, 3),
        ("Report,,\na,b,c\n1,2,3\n3,4,5\n", ["a", "b", "c"], 2, 2),
        ("1,x\n3,y\n", ["f1", "f2"], 0, 1),
        ("id,b\n#1,2\n#2,3\n#3,4\n", ["id", "b"], 1, 1),
    ],
)
def test_where_a_table_begins(tmp_path, text, names, header_line, first_line):
    found = layout(tmp_path, text)
    assert (found.names, found.header_line, found.first_line) == (names, header_line, first_line)


def test_what_may_be_otherwise_is_said(tmp_path):
    (doubt,) = layout(tmp_path, "1,x\n3,y\n").doubts
    assert "read as a table without a header" in doubt
    assert "named f1 to f2" in doubt
    assert "--no-header" in doubt
    assert layout(tmp_path, "1,x\n3,y\n", header=False).doubts == []
    (doubt,) = layout(tmp_path, "town,2021\nUlm,1.5\nBonn,1.7\n").doubts
    assert "if it is one, give --no-header" in doubt
    (doubt,) = layout(tmp_path, "Report of 2024\na,b\n1,2\n3,4\n").doubts
    assert "begin in line 2" in doubt
    assert layout(tmp_path, "1,2\n3,4\n", header=True).names == ["1", "2"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_that_name_themselves(tmp_path, encoding):
    found = layout(tmp_path, "ä,b\n1,2\n", encoding=encoding)
    assert found.names == ["ä", "b"]


def test_western_text_and_what_is_none(tmp_path):
    path = tmp_path / "t.csv"
    for content, expected in {
        "ü,€\n".encode("cp1252"): "cp1252",
        b"a\x81\n": None,
        b"a\x01\xfc\n": None,
        bytes(range(256)): None,
    }.items():
        path.write_bytes(content)
        assert western_encoding(Source(path)) == expected


def test_records_begin_at_lines():
    lines = ["a,b\n", "\n", '"two\n', 'lines",1\n', "3,4"]
    found = list(split_records(lines, ",", keep_text=True))
    assert [record.line for record in found] == [1, 2, 3, 5]
    assert found[2].text == '"two\nlines",1\n'
    assert found[2].fields == ["two\nlines", "1"]


def test_remarks_have_another_number_of_fields():
    assert is_comment(["# a"], 2)
    assert not is_comment(["#1", "2"], 2)
    assert not is_comment(["a"], 2)


def test_titles_of_two_fields_above_a_table(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{k};{k}.5;red;{k % 3};yes\n" for k in range(9))
    path.write_text("Annual report;;;;\nDate:;2024-01-01;;;\n;;;;\na;b;c;d;y\n" + rows)
    layout = csv_layout(Source(path), FileOptions(), "utf-8")
    assert (layout.header_line, layout.names) == (4, ["a", "b", "c", "d", "y"])


def test_the_line_that_names_the_mark(tmp_path):
    found = layout(tmp_path, "sep=;\na;b\n1;2\n3;4\n")
    assert (found.separator, found.names, found.first_line) == (";", ["a", "b"], 2)


def test_titles_with_a_value_above_four_columns(tmp_path):
    text = "Report,sales\nFrom,01.01.2024\n\na,b,c,d\n1,x,2,y\n3,z,4,u\n"
    assert layout(tmp_path, text).names == ["a", "b", "c", "d"]


def test_names_in_two_lines(tmp_path):
    text = "body,,,result\nage,kg,town,ill\n61,80,Ulm,yes\n70,66,Bonn,no\n"
    found = layout(tmp_path, text)
    assert (found.names, found.header_line) == (["age", "kg", "town", "ill"], 2)
    assert "named in two lines" in found.doubts[0]


def test_a_header_that_is_repeated_is_one(tmp_path):
    found = layout(tmp_path, "a,b\n1,x\na,b\n2,y\n")
    assert (found.names, found.doubts) == (["a", "b"], [])


@pytest.mark.parametrize("first", ["r{}", "{}"])
def test_rows_with_names_of_their_own(tmp_path, first):
    rows = "".join(f"{first.format(k)} {k}.5 x\n" for k in range(1, 5))
    found = layout(tmp_path, f"a b\n{rows}", sep=" ")
    assert found.names == ["", "a", "b"]
    assert "a field more than its header" in found.doubts[0]
    # What may be a measurement is no name.
    rows = "".join(f"{k}.25 {k}.5 x\n" for k in range(1, 5))
    assert layout(tmp_path, f"a b\n{rows}", sep=" ").names == ["a", "b"]


def test_rows_that_are_all_alike_below_a_title_are_no_error(tmp_path):
    assert layout(tmp_path, "a\n\tno\tUlm\n\tno\tUlm\n\tno\tUlm", "t.tsv").names == ["a"]
