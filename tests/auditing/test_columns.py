import numpy as np
import pandas as pd

from broadlearn.auditing.columns import check_columns
from broadlearn.io import rank_columns

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


def test_no_more_than_five_points():
    findings = found_in(**{f"c{j}": 0 for j in range(9)})
    assert sum(finding.penalty for finding in findings) == 5.0
