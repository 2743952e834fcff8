from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from broadlearn.io.column_deciding import decide_reading
from broadlearn.io.column_reading import as_floats, cell_texts, content_of


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ([1, 2, 4], [1, 2, 4]),
        (pd.array([1, None, 4], dtype="Int64"), [1, np.nan, 4]),
        ([Decimal("1.5"), None, Decimal(2)], [1.5, np.nan, 2]),
        (["1.5", 2, None], [1.5, 2, np.nan]),
        (pd.array(["2 %", "1 %"], dtype="string"), [2, 1]),
    ],
    ids=str,
)
def test_numbers(column, expected):
    series = pd.Series(column)
    np.testing.assert_array_equal(decide_reading(series).read(series), expected)


def test_words_are_places_and_new_ones_are_told_from_missing_ones():
    reading = decide_reading(pd.Series(["blue", "red", "Red "]))
    new = pd.Series([" RED", "blue", None, "green", ""])
    np.testing.assert_array_equal(reading.read(new), [1, 0, np.nan, -1, np.nan])
    assert reading.not_understood(new) == (1, 3, "green")


def test_booleans_of_other_words():
    reading = decide_reading(pd.Series([0, 1]))
    np.testing.assert_array_equal(reading.read(pd.Series([True, False])), [1, 0])
    np.testing.assert_array_equal(reading.read(pd.Series(["yes", "0.0", None])), [1, 0, np.nan])


def test_cells_that_cannot_be_read():
    reading = decide_reading(pd.Series(["1,5", "2,5"]))
    new = pd.Series(["3,5", "three", "n/a"])
    np.testing.assert_array_equal(reading.read(new), [3.5, np.nan, np.nan])
    assert reading.not_understood(new) == (1, 1, "three")
    assert reading.not_understood(pd.Series([1.0, 2.0])) == (0, -1, "")


def test_several_numbers():
    column = pd.Series([f"{i}/{i + 9}" for i in range(30)])
    reading = decide_reading(column)
    assert reading.read(column)[:2].tolist() == [[0, 9], [1, 10]]
    assert np.isnan(reading.read(pd.Series(["1/2/3", "4"]))).all()


def test_what_columns_hold():
    assert content_of(pd.Series(["a", None])) == "string"
    assert cell_texts(pd.Series(["a", None, "b", "a"]))[1].tolist() == [0, -1, 1, 0]
    with pytest.raises(ValueError, match="Column 'z' must hold finite numbers"):
        as_floats(pd.Series([1.0, np.inf], name="z"))
    with pytest.raises(ValueError, match="Column 'z' must hold numbers: could not convert"):
        as_floats(pd.Series(["one"], name="z"))
