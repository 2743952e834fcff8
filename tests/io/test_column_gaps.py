import numpy as np
import pandas as pd
import pytest

from broadlearn.io import describe_columns
from broadlearn.io.column_gaps import empty_numbers, may_be_gap

rng = np.random.default_rng(0)
SIZES = rng.normal(50, 9, 200).round(1)
COUNTS = rng.integers(0, 40, 200).astype(float)


def found(numbers):
    return empty_numbers(*np.unique(numbers, return_counts=True))


@pytest.mark.parametrize("gap", [-999.0, -9999.0, -99.0, 9999.0, -999.9, -99.99, -888.0, 99999.0])
def test_numbers_far_off(gap):
    assert may_be_gap(gap)
    assert found(np.where(np.arange(200) % 9 == 0, gap, SIZES)) == (gap,)


def test_several_numbers_far_off():
    numbers = np.where(np.arange(200) % 9 == 0, -999.0, SIZES)
    numbers[1::9] = -888.0
    numbers[2::9] = 9999.0
    assert set(found(numbers)) == {-999.0, -888.0, 9999.0}


def test_minus_one_among_counts():
    assert found(np.where(np.arange(200) % 9 == 0, -1.0, COUNTS)) == (-1.0,)
    assert found(np.where(np.arange(200) % 9 == 0, -9.0, COUNTS)) == (-9.0,)
    assert found(np.where(np.arange(200) % 99 == 0, -1.0, COUNTS)) == ()
    assert found(rng.integers(-1, 2, 200).astype(float)) == ()
    assert found(np.where(np.arange(200) % 9 == 0, -1.0, SIZES)) == ()


def test_numbers_like_others():
    assert found(np.r_[SIZES, -999.0]) == ()
    assert found(rng.integers(0, 100, 500).astype(float)) == ()
    assert found(np.tile([1.0, 2.0, 999.0], 20)) == ()
    assert not may_be_gap(98.0)
    assert not may_be_gap(9.0)


def test_numbers_as_text_have_gaps_too():
    texts = np.where(np.arange(200) % 9 == 0, "-999", [f"{x:.1f} kg" for x in SIZES])
    (record,) = describe_columns(pd.DataFrame({"weight": texts}))
    assert record.use == "number; -999 in 23 rows counts as missing"
    assert record.doubt == "-999 may be a number like others"
    assert round(200 * record.missing) == 23
