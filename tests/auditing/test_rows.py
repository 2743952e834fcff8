import numpy as np
import pandas as pd
import pytest

from broadlearn.auditing.rows import join_rows, prepare_rows


def test_arrays_are_standardised():
    X = np.random.default_rng(0).normal(5.0, 3.0, (30, 2))
    rows = prepare_rows(X, np.arange(30) % 3)
    np.testing.assert_allclose(rows.Z.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(rows.Z.std(axis=0), 1.0)
    assert rows.columns == ["column 0", "column 1"]
    assert rows.classes.tolist() == [0, 1, 2]


def test_numbers_of_a_frame_belong_to_its_columns():
    X = pd.DataFrame(
        {
            "town": ["Ulm", "Bonn", None, "Ulm"],
            "age": [1.0, np.nan, 3.0, 4.0],
            "sex": ["f", "m", "f", "f"],
            "town_Ulm": [True, True, False, True],
            7: [1, 2, 3, 4],
        }
    )
    rows = prepare_rows(X, ["a", "b", "a", "b"])
    widths = np.diff([*rows.starts, rows.Z.shape[1]])
    expected = {"town": 3, "age": 1, "sex": 1, "town_Ulm": 1, "7": 1}
    assert dict(zip(rows.columns, widths.tolist(), strict=True)) == expected


@pytest.mark.parametrize(
    "y",
    [["a", "b", "a"], [1, 0, 1], [True, False, True], pd.Series(["x", "y", "x"], dtype="category")],
)
def test_kinds_of_labels(y):
    rows = prepare_rows(np.eye(3), y)
    assert rows.classes[rows.codes].tolist() == list(y)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.eye(3), ["a", "a", "a"], "y must hold at least two classes.*'a'"),
        (np.eye(3), [1, 1, 1], "every label is 1"),
        (np.eye(3), ["a", None, "b"], "y must have a label for every row; 1 of 3.*row 1"),
        (np.eye(3), [0.0, np.nan, 1.0], "y must have a label for every row"),
        (np.eye(3), pd.Series(["a", pd.NA, "b"], dtype="string"), "y must have a label"),
        (np.eye(3), np.array(["a", 1, "b"], dtype=object), "one kind"),
        (np.eye(3), ["a", "b"], "inconsistent numbers of samples"),
        (np.array([[np.inf], [1.0]]), ["a", "b"], "X contains infinity"),
        (
            pd.DataFrame([[1, 2], [3, 4]], columns=["u", "u"]),
            ["a", "b"],
            "got 'u' twice",
        ),
        (pd.DataFrame({"x": []}), [], "X must have rows and columns"),
        (pd.DataFrame({"d": ["x", "x"]}), ["a", "b"], "no column to learn from: 'd'"),
    ],
)
def test_bad_input(X, y, message):
    with pytest.raises(ValueError, match=message):
        prepare_rows(X, y)


def test_identifier_columns_are_left_out():
    frame = pd.DataFrame(
        {"id": [f"row {i}" for i in range(40)], "nr": np.arange(40.0), "kind": ["a", "b"] * 20}
    )
    rows = prepare_rows(frame, np.repeat([0, 1], 20))
    assert rows.columns == ["kind"]


def test_text_is_read_as_numbers_and_dates():
    frame = pd.DataFrame({"paid": ["1,200.50", "$3", "-"], "day": ["3.1.2024", "17.1.2024", None]})
    rows = prepare_rows(frame, ["a", "b", "a"])
    assert rows.frame["paid"].tolist()[:2] == [1200.5, 3.0]
    assert rows.frame["day"].dtype.kind == "M"
    new = join_rows(rows, pd.DataFrame({"paid": ["7"], "day": ["4.1.2024"]}), ["b"])
    assert new.frame["paid"].iloc[3] == 7.0


def test_missing_numbers_of_an_array_are_filled_in():
    rows = prepare_rows(np.array([[np.nan], [1.0], [3.0]]), ["a", "b", "a"])
    assert rows.numbers.ravel().tolist() == [2.0, 1.0, 3.0]
    assert np.isnan(rows.frame.iloc[0, 0])


def test_a_rare_level_is_not_far_away():
    rng = np.random.default_rng(0)
    town = np.array(["Ulm"] * 116 + ["Bonn"] * 2 + ["Kiel"] * 2)
    frame = pd.DataFrame({"size": rng.normal(size=120), "town": town, "ill": np.arange(120) == 7})
    rows = prepare_rows(frame, rng.integers(0, 2, 120))
    ends = dict(zip(rows.columns, np.r_[rows.starts[1:], rows.Z.shape[1]], strict=True))
    starts = dict(zip(rows.columns, rows.starts, strict=True))
    for name, first, second in (("town", 0, -1), ("town", -1, -3), ("ill", 7, 8)):
        numbers = rows.Z[:, starts[name] : ends[name]]
        assert np.linalg.norm(numbers[first] - numbers[second]) == pytest.approx(np.sqrt(2.0))


def test_new_rows_join_on_the_scale_of_the_reference():
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0], "town": ["Ulm", "Bonn", "Ulm"]})
    known = prepare_rows(frame, [0, 1, 0])
    joined = join_rows(known, pd.DataFrame({"town": ["Ulm"], "size": [2.0]}), [1])
    assert len(joined.Z) == 4
    np.testing.assert_array_equal(joined.Z[:3], known.Z)
    assert joined.Z[3, 0] == known.Z[1, 0]
    assert joined.after(3).frame["town"].tolist() == ["Ulm"]
    assert joined.first(3).labels.tolist() == [0, 1, 0]


def test_quantities():
    rows = prepare_rows(np.eye(3), [0.25, 0.5, 0.1])
    assert rows.is_regression
    assert rows.labels.tolist() == [0.25, 0.5, 0.1]
    assert not prepare_rows(np.eye(3), [3.0, 2.0, 3.0]).is_regression
