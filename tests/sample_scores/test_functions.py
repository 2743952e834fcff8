import numpy as np
import pytest

from broadlearn.sample_scores import (
    FuzzyScorer,
    IntuitionisticScorer,
    fuzzy_membership,
    intuitionistic_scores,
)

PARTS = ("membership", "nonmembership", "heterogeneity", "score")
FUNCTIONS = [
    (fuzzy_membership, FuzzyScorer()),
    (
        lambda *a, **k: intuitionistic_scores(*a, kernel_width=2.0, **k).score,
        IntuitionisticScorer(2),
    ),
    (
        lambda *a, **k: intuitionistic_scores(*a, kernel_width="auto", **k).score,
        IntuitionisticScorer(),
    ),
]
NAMES = ["fuzzy", "intuitionistic", "intuitionistic, auto"]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.normal(size=(80, 5)), rng.integers(0, 4, 80)


@pytest.mark.parametrize(("function", "scorer"), FUNCTIONS, ids=NAMES)
def test_labels_of_any_kind_lists_and_float32(table, function, scorer):
    X, y = table
    expected = function(X, y)
    named = np.array(["d", "c", "b", "a"])[y]
    np.testing.assert_allclose(function(X.tolist(), named.tolist()), expected, atol=1e-12)
    single = function(X.astype(np.float32), named)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, expected, atol=1e-4)


@pytest.mark.parametrize(("function", "scorer"), FUNCTIONS, ids=NAMES)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sample_weight": np.zeros(80)}, "sample_weight is zero for every sample"),
        ({"sample_weight": -np.ones(80)}, "[Nn]egative"),
        ({"X": np.full((80, 5), 1e200)}, "X contains values beyond"),
        ({"X": np.full((80, 5), np.nan)}, "X contains NaN"),
        ({"y": np.zeros(79)}, "inconsistent numbers of samples"),
    ],
)
def test_bad_samples_are_named(table, function, scorer, change, message):
    arguments = {"X": table[0], "y": table[1], **change}
    with pytest.raises(ValueError, match=message):
        function(arguments.pop("X"), arguments.pop("y"), **arguments)


def test_one_width_gives_vectors_and_several_a_leading_axis(table):
    X, y = table
    one = intuitionistic_scores(X, y, kernel_width=2.0)
    several = intuitionistic_scores(X, y, kernel_width=(2.0, 0.7))
    assert isinstance(one.radius, float)
    assert one.kernel_width == 2.0
    assert several.radius.shape == several.kernel_width.shape == (2,)
    for part in PARTS:
        assert getattr(one, part).shape == (80,)
        assert getattr(several, part).shape == (2, 80)
        np.testing.assert_allclose(getattr(several, part)[0], getattr(one, part), atol=1e-12)


def test_auto_width_is_reported_and_used(table):
    X, y = table
    auto = intuitionistic_scores(X, y, kernel_width="auto")
    named = intuitionistic_scores(X, y, kernel_width=auto.kernel_width)
    np.testing.assert_array_equal(auto.score, named.score)


@pytest.mark.parametrize(
    "change", [{"kernel_width": [1.0, np.inf]}, {"landmarks": 1}, {"delta": -1.0}], ids=str
)
def test_bad_parameters_are_named(table, change):
    X, y = table
    with pytest.raises(ValueError, match=f"The '{next(iter(change))}' parameter"):
        intuitionistic_scores(X, y, **{"kernel_width": 1.0, **change})
