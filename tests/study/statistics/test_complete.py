import numpy as np
import pandas as pd
import pytest

from broadlearn.study.statistics import compare_pairs, friedman, nemenyi, ranks
from broadlearn.study.statistics.complete import complete_rows

RESULTS = [ranks, friedman, compare_pairs, nemenyi]


@pytest.fixture
def accuracies():
    values = np.random.default_rng(0).integers(70, 90, (8, 4)).astype(float)
    return pd.DataFrame(values, index=[f"d{i}" for i in range(8)], columns=list("ABCD"))


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_rows_with_a_missing_cell_are_named(accuracies, missing):
    holes = accuracies.astype(object)
    holes.loc["d1", "B"] = missing
    holes.loc["d6", ["A", "D"]] = missing
    complete, left_out = complete_rows(holes, at_least=2)
    assert left_out == ("d1", "d6")
    pd.testing.assert_frame_equal(complete, accuracies.drop(index=["d1", "d6"]))


@pytest.mark.parametrize("function", RESULTS)
def test_every_result_says_what_was_left_out(accuracies, function):
    holes = accuracies.copy()
    holes.loc["d2", "C"] = np.nan
    with_holes, without = function(holes), function(accuracies.drop(index="d2"))
    assert with_holes.left_out == ("d2",)
    assert without.left_out == ()
    for name, value in vars(without).items():
        if name != "left_out":
            assert np.all(getattr(with_holes, name) == value)


@pytest.mark.parametrize("function", RESULTS)
def test_input_stays_as_it_was(accuracies, function):
    before = accuracies.copy()
    function(accuracies)
    pd.testing.assert_frame_equal(accuracies, before)


def test_nullable_columns_and_pairs_of_keys(accuracies):
    noisy = accuracies.set_axis(pd.MultiIndex.from_product([["x", "y"], [5, 10, 15, 20]]))
    noisy = noisy.astype("Float64")
    noisy.loc[("y", 10), "A"] = pd.NA
    complete, left_out = complete_rows(noisy, at_least=1)
    assert left_out == (("y", 10),)
    assert (complete.dtypes == np.dtype(float)).all()


def test_means_that_differ_by_rounding_tie():
    sums = pd.DataFrame({"A": [0.1 + 0.2 + 0.3], "B": [0.3 + 0.2 + 0.1]})
    assert sums.loc[0, "A"] != sums.loc[0, "B"]
    assert ranks(sums).mean.to_list() == [1.5, 1.5]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a.to_numpy(), "must be a pandas DataFrame .* got ndarray"),
        (lambda a: a[["A"]], "at least 2 models as columns, got 1"),
        (lambda a: a.set_axis(list("ABCA"), axis=1), "every model once, got 'A' twice"),
        (lambda a: pd.concat([a, a]), "every data set once, got 'd0' twice"),
        (lambda a: a.assign(C="high"), "numbers only, column 'C' does not"),
        (lambda a: a.assign(C=np.inf), "finite, column 'C' holds an infinite value"),
        (lambda a: a.iloc[:0], r"at least 2 data set\(s\) .* got 0\.$"),
        (lambda a: a.assign(C=np.nan), r"got 0; missing are 'C' on 8\.$"),
    ],
)
@pytest.mark.parametrize("function", [friedman, compare_pairs, nemenyi])
def test_bad_input_is_named(accuracies, change, message, function):
    with pytest.raises(ValueError, match=message):
        function(change(accuracies))
