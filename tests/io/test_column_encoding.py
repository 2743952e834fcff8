import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import TargetEncoder

from broadlearn.io.column_deciding import decide_reading
from broadlearn.io.column_encoding import MAX_LEVELS, encode, is_informative, learn_encoding
from broadlearn.io.column_table import as_target

RNG = np.random.default_rng(0)


def learn(values, y=None):
    column = pd.Series(values)
    reading = decide_reading(column)
    encoding, numbers = learn_encoding(reading, reading.read(column), as_target(y))
    return reading, encoding, numbers


def new(reading, encoding, *values):
    return encode(reading, encoding, reading.read(pd.Series(values, dtype=object))).tolist()


def test_words_are_columns_of_0_and_1():
    reading, encoding, numbers = learn(["b", "a", None, "c"])
    assert encoding.names == ("a", "b", "c", "missing")
    np.testing.assert_array_equal(numbers, np.eye(4)[[1, 0, 3, 2]])
    assert new(reading, encoding, "new") == [[0, 0, 0, 0]]


@pytest.mark.parametrize(("values", "names"), [(["m", "f"], ("m",)), (["x", None], ("missing",))])
def test_two_levels_are_one_column(values, names):
    reading, encoding, numbers = learn(values * 3)
    assert encoding.names == names
    assert numbers.shape == (6, 1)
    assert new(reading, encoding, "new") == [[0]]


def test_rare_levels_share_a_column_where_there_is_no_target():
    reading, encoding, numbers = learn([f"level{i}" for i in range(80)] * 2 + ["level7"] * 9)
    assert numbers.shape == (169, 50)
    assert encoding.names[-1] == "rare"
    assert new(reading, encoding, "new")[0][-1] == 1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_many_levels_are_encoded_by_the_target_of_other_rows(n_classes):
    words = RNG.choice([f"w{i}" for i in range(40)], 400)
    y = RNG.integers(0, n_classes, 400)
    reading, encoding, numbers = learn(words, y)
    assert len(reading.levels) > MAX_LEVELS
    encoder = TargetEncoder()
    codes = reading.read(pd.Series(words))[:, None]
    for train, rest in StratifiedKFold(5, shuffle=True, random_state=0).split(codes, y):
        expected = encoder.fit(codes[train], y[train]).transform(codes[rest])
        np.testing.assert_allclose(numbers[rest], expected)
    encoder.fit(codes, y)
    again = encode(reading, encoding, codes[:, 0])
    np.testing.assert_allclose(again, encoder.transform(codes))
    np.testing.assert_allclose(new(reading, encoding, "new")[0], encoder.target_mean_, atol=0.05)


def test_missing_numbers_become_the_median_and_count_where_they_are_informative():
    values = RNG.normal(size=100)
    values[:40] = np.nan
    assert learn(values)[1].names == ("",)
    assert learn(values, np.arange(100) % 2)[1].names == ("",)
    _, encoding, numbers = learn(values, (np.arange(100) < 50).astype(int))
    assert encoding.names == ("", "missing")
    np.testing.assert_array_equal(numbers[:40], [[np.nanmedian(values), 1.0]] * 40)
    assert is_informative(np.isnan(values), as_target(np.arange(100.0)))


def test_ordered_words_and_booleans():
    reading, encoding, numbers = learn(["low", "high", "medium", None])
    assert numbers.ravel().tolist() == [0, 2, 1, 1]
    assert new(reading, encoding, "HIGH", "new") == [[2], [1]]
    assert learn(["yes", "no", "no", None])[2].ravel().tolist() == [1, 0, 0, 1 / 3]


def test_dates():
    reading, encoding, numbers = learn(["3.1.2024", "17.1.2024", None])
    assert encoding.names == ("day", "elapsed")
    np.testing.assert_array_equal(numbers, [[3, 0], [17, 14], [10, 7]])
    assert new(reading, encoding, "4.1.2024") == [[4, 1]]
    assert learn(["10:30", "12:00"])[2].ravel().tolist() == [10.5, 12]


def test_parts_of_dates_that_tell_the_target():
    days = pd.Series(pd.date_range("2022-01-01", periods=400))
    assert learn(days)[1].names == ("year", "month", "day", "weekday", "elapsed")
    weekend = (days.dt.day_of_week > 4).to_numpy()
    assert learn(days, weekend)[1].names == ("weekday", "elapsed")
    assert learn(days, weekend + RNG.normal(0, 0.1, 400))[1].names == ("weekday", "elapsed")
    assert learn(days, RNG.integers(0, 2, 400))[1].names == ("elapsed",)
