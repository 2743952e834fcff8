import numpy as np
import pandas as pd
import pytest

from broadlearn.audit.columns import check_columns, find_copies, find_identifiers
from broadlearn.audit.ranked import rank_columns

RNG = np.random.default_rng(0)
N = 200


def found_in(**columns):
    columns = {"x": np.random.default_rng(1).normal(size=N), **columns}
    return check_columns(rank_columns(pd.DataFrame(columns)))


def test_sound_columns():
    (finding,) = found_in(town=["Ulm", "Bonn"] * 100, age=np.arange(N) % 60)
    assert finding.penalty == 0.0
    assert finding.sentence == "No column is constant, empty, an identifier or a copy."


def test_constant_columns():
    (finding,) = found_in(unit="cm", zero=0)
    assert finding.sentence == "'unit' and 'zero' have the same value in every row: drop them."
    assert finding.columns == ["unit", "zero"]
    assert finding.penalty == 2.0


def test_values_that_are_there_or_not_are_no_constant():
    (finding,) = found_in(flag=[1.0, np.nan] * 100)
    assert finding.penalty == 0.0


def test_nearly_empty_columns():
    note = np.full(N, None, dtype=object)
    note[[3, 50]] = "late", "early"
    (finding,) = found_in(note=note)
    assert finding.sentence.startswith("'note' is missing in 99 % of the rows")
    (finding,) = found_in(note=note, empty=np.nan)
    assert finding.sentence.startswith("'note' and 'empty' are missing in 99 % of the rows or")
    note[:11] = "late"
    (finding,) = found_in(note=note)
    assert finding.penalty == 0.0


@pytest.mark.parametrize(
    ("name", "values", "is_identifier"),
    [
        ("nr", np.arange(N) + 1, True),
        ("down", np.arange(N)[::-1] * 1000, True),
        ("shuffled", RNG.permutation(N), True),
        ("sparse", 10**12 + np.cumsum(RNG.integers(1, 10**9, N)), True),
        ("scattered", RNG.permutation(10**7)[:N], False),
        ("customer_id", RNG.permutation(10**7)[:N], True),
        ("rowID", RNG.permutation(10**7)[:N], True),
        ("paid", RNG.permutation(10**7)[:N], False),
        ("code", [f"A{i}" for i in range(N)], True),
        ("pairs", np.arange(N) // 2, False),
        ("sorted", np.sort(RNG.normal(size=N)), False),
        ("with gap", np.r_[np.nan, np.arange(N - 1)], False),
    ],
)
def test_identifiers(name, values, is_identifier):
    columns = rank_columns(pd.DataFrame({"x": RNG.normal(size=N), name: values}))
    assert find_identifiers(columns).tolist() == [False, is_identifier]


def test_few_rows_are_not_enough_for_an_identifier():
    assert not find_identifiers(rank_columns(pd.DataFrame({"nr": range(19)}))).any()


def test_sentence_about_identifiers():
    (finding,) = found_in(nr=np.arange(N), code=[f"A{i}" for i in range(N)])
    assert finding.sentence.startswith("'nr' and 'code' name the rows")
    assert finding.penalty == 2.0


def test_copies():
    inch = RNG.normal(70.0, 5.0, N)
    sex = RNG.choice(["f", "m"], N)
    findings = found_in(
        inch=inch,
        cm=np.round(2.54 * inch, 3),
        minus=-inch,
        near=inch + RNG.normal(size=N),
        sex=sex,
        male=sex == "m",
    )
    assert [finding.sentence for finding in findings] == [
        "'cm' and 'minus' say the same as 'inch': keep one of them.",
        "'male' says the same as 'sex': drop one of them.",
    ]
    assert findings[0].columns == ["inch", "cm", "minus"]
    assert sum(finding.penalty for finding in findings) == 3.0


def test_copies_against_pairwise_correlations():
    X = RNG.normal(size=(300, 6))
    X[:, 3] = np.exp(X[:, 1])
    X[:, 5] = np.round(X[:, 2], 4)
    expected = [-1, -1, -1, 1, -1, 2]
    assert find_copies(rank_columns(pd.DataFrame(X))).tolist() == expected


def test_no_more_than_five_points():
    findings = found_in(**{f"c{j}": 0 for j in range(9)})
    assert sum(finding.penalty for finding in findings) == 5.0
