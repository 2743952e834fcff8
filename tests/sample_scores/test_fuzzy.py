import numpy as np
import pytest
from plain import plain_fuzzy_membership

from broadlearn.sample_scores import fuzzy_membership


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.normal(size=(80, 5)), rng.integers(0, 4, 80)


def test_equals_the_equation(table):
    X, y = table
    np.testing.assert_allclose(
        fuzzy_membership(X, y), plain_fuzzy_membership(X, y), rtol=0, atol=1e-13
    )


def test_weight_equals_copies(table):
    X, y = table
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weight)
    weighted = fuzzy_membership(X, y, sample_weight=weight)
    np.testing.assert_allclose(
        weighted[copies], fuzzy_membership(X[copies], y[copies]), rtol=0, atol=1e-13
    )
    assert ((weighted >= 0) & (weighted <= 1)).all()


def test_rows_alike_belong_fully():
    X = np.full((3, 2), 0.1)
    np.testing.assert_array_equal(fuzzy_membership(X, [0, 0, 1], sample_weight=[0.1, 0.7, 1]), 1.0)


def test_float32_stays(table):
    X, y = table
    assert fuzzy_membership(X.astype(np.float32), y).dtype == np.float32


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"delta": 0.0}, "delta must be a positive number"),
        ({"sample_weight": np.zeros(80)}, "sample_weight is zero for every row"),
        ({"sample_weight": -np.ones(80)}, "[Nn]egative"),
        ({"X": np.full((80, 5), 1e200)}, "X holds values beyond"),
        ({"X": np.full((80, 5), np.nan)}, "X contains NaN"),
        ({"y": np.zeros(79)}, "inconsistent numbers of samples"),
    ],
)
def test_bad_input_is_named(table, change, message):
    arguments = {"X": table[0], "y": table[1], **change}
    with pytest.raises(ValueError, match=message):
        fuzzy_membership(**arguments)
