import numpy as np
import pandas as pd
import pytest

from broadlearn.io import read_table
from broadlearn.io.csv_thousands import thousands_as_text


def kept_as_text(**columns):
    texts = pd.DataFrame(columns, dtype=str)
    frame = texts.copy()
    for name in texts:
        if not texts[name].str.contains(",").any():
            frame[name] = texts[name].astype(float)
    found = thousands_as_text(frame, lambda: texts)
    return {name: found[name].dtype.kind != "f" for name in texts}


@pytest.mark.parametrize(
    ("fields", "is_text"),
    [
        (["1.250", "980", "12.000", "7", "61"], True),
        (["1.250", "980", "12.5", "7", "61"], False),
        (["1.250", "980", "12.000", "7", "1061"], False),
        (["0.250", "980", "12.000", "7", "61"], False),
        (["1.250", "2.375", "3.125", "4.500", "6.750"], False),
        (["1", "2", "3", "4", "5"], False),
    ],
)
def test_columns_alone(fields, is_text):
    assert kept_as_text(x=fields) == {"x": is_text}


def test_commas_before_decimals_elsewhere():
    found = kept_as_text(x=["1.250", "2.375"], price=["1,5", "2,25"])
    assert found["x"]


def test_in_a_file(tmp_path):
    rows = [f"{n};{n / 7:.2f}".replace(".", ",") for n in range(2, 40)]
    people = [f"{1000 + 37 * k:,}".replace(",", ".") if k % 2 else f"{100 + k}" for k in range(38)]
    lines = [f"{row};{who}" for row, who in zip(rows, people, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["n;share;people", *lines]))
    table = read_table(tmp_path / "t.csv")
    assert table.X["people"].tolist() == people
    numbers = read_table(tmp_path / "t.csv", decimal=".").X["people"]
    assert np.isclose(numbers[1], 1.037)
