import pytest

from broadlearn.io.headers import FieldKinds, judge_header, merged_header


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # Text over numbers, numbers over text.
        ("a,b;1,2;3,4", True),
        ("a,b;1,?;3,4", True),
        ("1,2;3,x;4,y", True),
        ("town,when;Ulm,2024-01-02;Bonn,2024-02-03", True),
        ("price,share;$5,72.7%;$7,80%", True),
        # Numbers where all have numbers.
        ("5.1,3.5,setosa;4.9,3.0,setosa;7.0,3.2,versicolor", False),
        ("1,2.5;3,4", False),
        ("1,2,3;4,5,6;7,8,9", False),
        ("?,2.5,a;3,4,b", False),
        ("39,State-gov,77516;50,Private,83311", False),
        ("1;2;3", False),
        # First lines of the UCI repository.
        ("A11,6,A34,1169,1;A12,48,A32,5951,2;A14,12,A34,2096,1", False),
        ("M,0.455,0.365,15;M,0.35,0.265,7;F,0.53,0.42,9", False),
        (
            "vhigh,vhigh,2,2,small,low,unacc;vhigh,vhigh,2,2,small,med,unacc;med,low,4,more,big,low,acc",
            False,
        ),
        ("aardvark,1,0,0,1;antelope,1,0,0,1;bass,0,0,1,4", False),
        ("republican,n,y,n,?,y;republican,n,y,n,y,?;democrat,?,y,y,?,y;democrat,n,n,n,y,y", False),
        ("Recency (months),Frequency (times);2,50;0,13", True),
        # Numbers that count on are names, or may be.
        ("region,2019,2020,2021;north,1.5,1.7,1.1;south,2.5,2.1,2.0", True),
        ("0,1,2,3;0.5,0.1,7,2.5;9.5,3,1,8", None),
        ("400,402,404;0.5,0.1,7;9.5,3,1", None),
        ("town,2021;Ulm,1.5;Bonn,1.7", None),
        (",0,1;0,0.5,0.7;1,0.1,0.2", True),
        # Text only.
        ("p,x,s;e,x,s;p,y,s;e,x,y", False),
        ("usual,proper,complete,usual;usual,proper,x,usual;great,y,z,usual", False),
        ("colour,size;red,small;blue,large;red,large", True),
        ("name,town,x,x;red,small,x,x;blue,large,x,x", False),
        ("name,town,x;red,small,x;blue,town,x", None),
        # Nothing to compare with.
        ("a,b", True),
        ("1,2", False),
        (",,;1,2,3;4,5,7", True),
    ],
)
def test_first_rows(lines, expected):
    first, *others = (line.split(",") for line in lines.split(";"))
    assert judge_header(first, others) is expected


def test_data_files_have_no_header_unless_it_is_seen():
    rows = [["EI", "donor", "ccagc"], ["IE", "acceptor", "ggtca"]]
    assert judge_header(*_split(rows), ".csv") is True
    assert judge_header(*_split(rows), ".data") is False
    assert judge_header(["age", "town"], [["61", "Ulm"], ["70", "Bonn"]], ".data") is True


def test_rows_of_another_length_are_passed_over():
    assert judge_header(["a", "b"], [["1"], ["1", "2"], ["1", "2", "3"]]) is True


@pytest.mark.parametrize(
    ("field", "is_number"),
    [
        ("1e-5", True),
        ("-.5", True),
        ("1.243,56", True),
        ("12:30", True),
        ("a1", False),
        ("", False),
    ],
)
def test_what_is_a_number(field, is_number):
    assert FieldKinds.is_number(field) is is_number


def _split(rows):
    return rows[0], rows[1:]


def test_patterns_are_linear_by_construction():
    # No part of the pattern can be matched by two neighbours: no digit is tried twice.
    assert FieldKinds.is_number("1" * 200_000)
    assert not FieldKinds.is_number("1" * 200_000 + "x")
    assert judge_header(["9" * 100_000 + "x", "b"], [["1", "2"]]) is True


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        ("body,,,result;age,kg,town,ill;61,80,Ulm,yes;70,66,Bonn,no", ["age", "kg", "town", "ill"]),
        ("nr,body,,ill;,age,kg,;1,61,80,yes;2,70,66,no", ["nr", "age", "kg", "ill"]),
        ("A,A,B,B;a,b,c,d;1,2,3,x;4,5,6,y", ["a", "b", "c", "d"]),
        ("Q1,,Q2,;lo,hi,lo,hi;1,2,3,4;4,5,6,7", ["Q1 lo", "Q1 hi", "Q2 lo", "Q2 hi"]),
        # The first row names all columns, or the second is a row.
        ("a,b,c;x,y,z;1,2,3;4,5,6", None),
        ("a,,c;1,2,3;4,5,6;7,8,9", None),
        ("a,,c;x,y,z;u,v,w;r,s,t", None),
        ("a,a,b;x,1,2;y,3,4;z,5,6", None),
    ],
)
def test_names_in_two_rows(lines, names):
    first, second, *others = [line.split(",") for line in lines.split(";")]
    assert merged_header(first, second, others) == names
