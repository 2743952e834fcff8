import numpy as np
import pandas as pd
import pytest

from broadlearn.io.labels import read_labels


def labels(values, task="classification"):
    return read_labels(pd.Series(values), "The target", task)


def test_spaces_are_stripped_silently():
    assert labels(["yes ", " no", "yes "]).tolist() == ["yes", "no", "yes"]


def test_labels_that_differ_in_case_or_spaces_are_one():
    with pytest.warns(UserWarning, match=r"which are one: 'Yes ', 'YES' as 'yes'"):
        found = labels(["yes", "Yes ", "no", "YES", "yes"])
    assert found.tolist() == ["yes", "yes", "no", "yes", "yes"]
    with pytest.warns(UserWarning, match="'high  risk' as 'high risk'"):
        labels(["high risk", "high  risk", "low", "high risk"])


def test_letters_to_be_recognised_keep_their_case():
    letters = list("aAbBcCdDeE") * 2
    assert labels(letters).tolist() == letters


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1", "1.0", "0 "], [1, 1, 0]),
        ([1.0, 2.0], [1, 2]),
        ([0.5, 1.25], ["0.5", "1.25"]),
        ([True, False], [True, False]),
        (["5 %", "10 %", "5 %"], ["5 %", "10 %", "5 %"]),
        (pd.Categorical(["b", "a"]), ["b", "a"]),
        (["a", 1, "a"], ["a", "1", "a"]),
    ],
    ids=str,
)
def test_kinds_of_labels(values, expected):
    assert labels(values).tolist() == expected


def test_quantities_written_as_text():
    prices = [f"${1000 + 37 * i:,}.50" for i in range(80)]
    assert labels(prices, "auto")[1] == 1037.5
    assert labels(prices[:3], "regression").tolist() == [1000.5, 1037.5, 1074.5]
    with pytest.raises(ValueError, match="looks like a regression target: 80 different"):
        labels(prices)


@pytest.mark.parametrize(
    ("values", "task", "message"),
    [
        (["a", None, " "], "auto", "has no label in 2 of 3 rows, the first of them row 1"),
        (["2024-01-02", "2024-01-03"], "auto", "holds dates, where classes are expected"),
        (pd.to_datetime(["2024-01-02"]), "auto", "holds dates, where classes"),
        (["a", "b"], "regression", "holds texts, where numbers are expected"),
        ([True, False], "regression", "holds booleans, where numbers are expected"),
        ([1.0, np.inf], "regression", "The target must hold finite numbers"),
        (["a", [1, 2]], "auto", "holds lists or records, where classes are expected"),
        ([[], []], "regression", "holds lists or records, where numbers are expected"),
    ],
)
def test_bad_targets(values, task, message):
    with pytest.raises(ValueError, match=message):
        labels(values, task)


def test_labels_are_spelt_as_the_classes_of_a_model():
    column = pd.Series(["YES ", "no", "No", "maybe", "yes."])
    with pytest.warns(UserWarning, match="another spelling, .*: 'YES ' as 'yes', 'No' as 'no', "):
        found = read_labels(column, "y", "classification", classes=np.array(["no", "yes"]))
    assert found.tolist() == ["yes", "no", "no", "maybe", "yes"]
    assert read_labels(
        pd.Series(["a", "A"]), "y", "classification", classes=np.array(["A", "a", "b"])
    ).tolist() == ["a", "A"]


@pytest.mark.parametrize(
    ("cells", "classes"),
    [([1, 2, 1], ["1", "2", "x"]), (["1.0", "2", "1"], [1, 2]), ([True, False], [False, True])],
)
def test_labels_of_another_type_are_classes_without_a_word(cells, classes):
    classes = np.array(classes)
    found = read_labels(pd.Series(cells), "y", "classification", classes=classes)
    assert found.dtype == classes.dtype
    assert set(found.tolist()) <= set(classes.tolist())


def test_classes_that_may_be_no_label_are_said():
    with pytest.warns(UserWarning, match="missing label: 'n.a.' in 1 of 4 rows"):
        assert labels(["a", "b", "n.a.", "b"]).tolist() == ["a", "b", "n.a.", "b"]


def test_a_quantity_with_a_stray_is_refused():
    with pytest.raises(ValueError, match=r"in 1 of 31 rows, such as 'soon' in row 30"):
        labels([*(f"${k}.50" for k in range(30)), "soon"], "regression")
