import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.class_weight import compute_sample_weight

from broadlearn import BLSClassifier, BLSRegressor, BroadEnsembleRegressor, BroadFeatures
from broadlearn.utils.checks import MAX_VALUE, check_labels, check_range, check_weights


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([0.0, 0.0], "sample_weight is zero for every sample"),
        ([1.0, -1.0], "sample_weight"),
        ([1.0, np.nan], "sample_weight contains NaN"),
        ([1.0], "sample_weight"),
        ([], "sample_weight"),
        (["1", "much"], "^sample_weight must contain numbers, got 'much'"),
        ([1.0, 1j], r"^sample_weight must contain numbers, got '"),
        ({"a": 1}, "^sample_weight must contain numbers"),
        ([1.0, np.inf], "sample_weight contains infinity"),
        ([1.0, 1e200], r"must be 0 or lie between 1e-60 and 1e\+60, got 1 to 1e\+200"),
        ([1.0, 1e-200], r"must be 0 or lie between 1e-60 and 1e\+60, got 1e-200 to 1"),
        (np.array(["2020", "2021"], dtype="datetime64"), "^sample_weight must contain numbers"),
    ],
)
def test_bad_weights_are_named(weight, message):
    with pytest.raises(ValueError, match=message):
        check_weights(weight, np.ones((2, 1)))


def test_class_weights_of_zero_are_named():
    with pytest.raises(ValueError, match="class_weight is zero for every sample"):
        check_weights(None, np.ones((2, 1)), {"a": 0.0}, np.array(["a", "a"]))


def test_values_whose_squares_overflow_are_refused():
    X = np.array([[-MAX_VALUE, 0.0]])
    assert check_range(X) is X
    with pytest.raises(ValueError, match=r"X contains values beyond 1e\+140.*standardize=True"):
        check_range(X * 1.01)


LABELS = np.array(["a", "b", "a", "a", "b", "c"])


def test_balanced_weights_are_those_of_scikit_learn():
    found = check_weights(None, np.ones((6, 1)), "balanced", LABELS)
    np.testing.assert_array_equal(found, compute_sample_weight("balanced", LABELS))


def test_balanced_weights_count_samples_by_their_weights():
    weight = np.array([1, 3, 0, 2, 1, 0])
    copies = np.repeat(np.arange(6), weight)
    of_copies = check_weights(None, np.ones((len(copies), 1)), "balanced", LABELS[copies])
    found = check_weights(weight, np.ones((6, 1)), "balanced", LABELS)
    kept = weight > 0
    first = np.unique(copies, return_index=True)[1]
    np.testing.assert_allclose(found[kept], weight[kept] * of_copies[first], rtol=1e-15)
    np.testing.assert_array_equal(found[~kept], 0.0)


def test_classes_that_a_dict_does_not_name_have_weight_one():
    found = check_weights([1, 2, 3, 4, 5, 6], np.ones((6, 1)), {"b": 10.0}, LABELS)
    np.testing.assert_array_equal(found, [1, 20, 3, 4, 50, 6])


@pytest.mark.parametrize("labels", [["1", "2"], [1, 2], [1.0, 2.0], [True, False], [0.5, 1.5]])
def test_labels_of_any_kind_name_classes(labels):
    y = np.array(labels)
    np.testing.assert_array_equal(
        check_weights(None, np.ones((2, 1)), {labels[0]: 3.0}, y), [3.0, 1.0]
    )


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        (
            {"q": 2.0},
            r"class_weight contains unknown classes \['q'\]; the classes are \['a', 'b', 'c'\]",
        ),
        ({"a": 2.0, "b": 1.0, "q": 2.0}, "class_weight contains unknown"),
        ({"a": -1.0}, r"\(times class_weight\) must be 0 or lie between"),
        ({"a": np.nan}, r"\(times class_weight\) must be 0 or lie between"),
    ],
)
def test_bad_class_weights_are_named(class_weight, message):
    with pytest.raises(ValueError, match=message):
        check_weights(None, np.ones((6, 1)), class_weight, LABELS)


def test_a_dict_that_names_all_classes_may_name_more():
    every = {"a": 2.0, "b": 3.0, "c": 4.0, "q": 5.0}
    found = check_weights(None, np.ones((6, 1)), every, LABELS)
    np.testing.assert_array_equal(found, compute_sample_weight(every, LABELS))


def test_known_classes_may_be_absent_from_a_batch():
    found = check_weights(None, np.ones((1, 1)), {"c": 4.0}, LABELS[:1], np.array(list("abc")))
    np.testing.assert_array_equal(found, [1.0])


def test_one_column_holds_classes():
    np.testing.assert_array_equal(check_labels(np.array(["b", "a"])), ["b", "a"])
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        np.testing.assert_array_equal(check_labels(np.array([["b"], ["a"]])), ["b", "a"])


@pytest.mark.parametrize("model", [BLSClassifier(), BroadEnsembleRegressor(), BroadFeatures()])
def test_text_is_named_at_prediction_and_in_arrays_too(model):
    X, y = load_iris(return_X_y=True)
    X, y = X[::10], y[::10]
    table = pd.DataFrame(X, columns=list("abcd"))
    model.fit(table, y)
    call = model.transform if hasattr(model, "transform") else model.predict
    with pytest.raises(ValueError, match=r"^Column 'c' is not numeric \(found 'red'\)"):
        call(table.assign(c="red"))
    with pytest.raises(ValueError, match=r"^Column 'c' is not numeric \(found '2020-01-01 .*'\)"):
        call(table.assign(c=pd.date_range("2020", periods=15)))
    cells = X.astype(object)
    cells[3, 1] = "red"
    with pytest.raises(ValueError, match=r"^Column 1 is not numeric \(found 'red'\)"):
        model.fit(cells, y)


@pytest.mark.parametrize("y", [["a", "b"] * 5, [1, "a"] * 5, pd.date_range("2020", periods=10)])
@pytest.mark.parametrize("model", [BLSRegressor(), BroadEnsembleRegressor()])
def test_targets_that_are_no_numbers_are_named(model, y):
    with pytest.raises(ValueError, match=r"^y must contain numbers, got '"):
        model.fit(np.arange(10.0)[:, None], np.array(y))
