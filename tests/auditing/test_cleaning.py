import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from stub_audit import stub_audit

from broadlearn.auditing.cleaning import decide, suspect_rows


def clean(found, X, y, action="drop"):
    return found.clean(X, y, action)


FOUND = {
    3: ("likely mislabelled", 0.9, "b"),
    6: ("contradicting duplicate", 0.7, "a"),
    5: ("contradicting duplicate", 0.5, "a"),
    1: ("outlier", 0.1),
    2: ("ambiguous", 0.6, "b"),
    7: ("duplicate", 0.1),
}
Y = np.array(["a", "a", "a", "a", "b", "b", "b", "b"])
SUSPECT = [3, 6]
RELABELLED = ["a", "a", "a", "b", "b", "b", "a", "b"]


@pytest.fixture
def X():
    values = np.arange(16.0).reshape(8, 2)
    index = pd.Index([f"p{9 - i}" for i in range(8)], name="patient")
    return pd.DataFrame(values, index, ["u", "v"]).assign(
        town=pd.Categorical(["Ulm", "Bonn"] * 4), n=pd.array([1, None] * 4, dtype="Int8")
    )


@pytest.fixture
def found(X):
    return stub_audit(X, Y, FOUND)


def test_suspects_are_rows_whose_label_is_taken_to_be_wrong(found):
    assert suspect_rows(found).tolist() == SUSPECT
    expected = np.full(8, 0.98)
    for i, (_, suspicion, *_) in FOUND.items():
        expected[i] = 1 - suspicion
    np.testing.assert_allclose(found.sample_weight, expected)


def test_frames_keep_index_columns_and_types(found, X):
    y = pd.Series(Y, X.index, name="state", dtype="category").cat.add_categories("c")
    before = X.copy(), y.copy()
    kept, labels = clean(found, X, y)
    pd.testing.assert_frame_equal(kept, X.drop(index=X.index[SUSPECT]))
    pd.testing.assert_series_equal(labels, y.drop(index=X.index[SUSPECT]))
    same, labels = clean(found, X, y, action="relabel")
    assert same is X
    pd.testing.assert_series_equal(
        labels, pd.Series(RELABELLED, X.index, name="state").astype(y.dtype)
    )
    same, labels, weight = clean(found, X, y, action="weight")
    assert same is X
    assert labels is y
    np.testing.assert_array_equal(weight, found.sample_weight)
    pd.testing.assert_frame_equal(X, before[0])
    pd.testing.assert_series_equal(y, before[1])


@pytest.mark.parametrize("kind", [list, np.asarray, lambda y: np.array(y, dtype=object)])
def test_arrays_and_lists_give_arrays(found, X, kind):
    y, numbers = kind(Y), X[["u", "v"]].to_numpy()
    kept, labels = clean(found, numbers, y)
    np.testing.assert_array_equal(kept, np.delete(numbers, SUSPECT, axis=0))
    assert isinstance(labels, np.ndarray)
    assert labels.tolist() == np.delete(Y, SUSPECT).tolist()
    assert labels.dtype == np.asarray(y).dtype
    _, labels = clean(found, numbers.tolist(), y, "relabel")
    assert labels.tolist() == RELABELLED
    assert labels.dtype == np.asarray(y).dtype
    assert list(y) == Y.tolist()
    assert isinstance(clean(found, numbers.tolist(), y)[0], np.ndarray)


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint16, np.float32, bool, "Int8", "boolean", "string[pyarrow]", "str"]
)
def test_types_of_labels_are_kept(X, dtype):
    numbers = pd.Series([1, 1, 1, 1, 0, 0, 0, 0])
    y = numbers.astype(dtype)
    found = stub_audit(X, y.to_numpy(), {3: ("likely mislabelled", 0.9, y.to_numpy()[4])})
    _, labels = clean(found, X, y, "relabel")
    expected = y.copy()
    expected.iloc[3] = y.iloc[4]
    pd.testing.assert_series_equal(labels, expected)
    if isinstance(y.to_numpy(), np.ndarray):
        _, labels = clean(found, X, y.to_numpy(), "relabel")
        assert labels.dtype == y.to_numpy().dtype
        assert labels.tolist() == expected.to_numpy().tolist()


def test_polars_and_sparse_matrices(found, X):
    sparse = scipy.sparse.csr_array(X[["u", "v"]].to_numpy())
    assert (
        clean(found, sparse, Y)[0].toarray().tolist()
        == np.delete(sparse.toarray(), SUSPECT, 0).tolist()
    )
    polars = pytest.importorskip("polars")
    frame, y = polars.DataFrame({"u": range(8)}), polars.Series("y", Y, dtype=polars.Categorical)
    kept, labels = clean(found, frame, y)
    assert kept["u"].to_list() == [0, 1, 2, 4, 5, 7]
    assert labels.to_list() == np.delete(Y, SUSPECT).tolist()
    _, labels = clean(found, frame, y, "relabel")
    assert (labels.name, labels.dtype, labels.to_list()) == ("y", y.dtype, RELABELLED)


def test_confirmed_rows_are_left_alone(found):
    assert decide(found, "drop", confirmed=[3]).dropped.tolist() == [6]
    assert decide(found, "relabel", confirmed=[6]).relabelled.tolist() == [3]


def test_a_class_that_is_lost_is_named(X):
    y = np.array(["a"] * 7 + ["b"])
    found = stub_audit(X, y, {7: ("likely mislabelled", 0.9, "a")})
    with pytest.warns(UserWarning, match="removes all rows of 'b'"):
        kept, _ = clean(found, X, y)
    assert len(kept) == 7


def test_quantities_are_not_relabelled(X):
    y = np.linspace(0, 1, 8)
    found = stub_audit(X, y, {7: ("likely mislabelled", 0.9, 0.5)}, "regression")
    assert clean(found, X, y)[1].tolist() == y[:7].tolist()
    assert clean(found, X, y, "weight")[2][7] == pytest.approx(0.1)
    with pytest.raises(ValueError, match="action='relabel' needs classes"):
        clean(found, X, y, "relabel")


def test_other_rows_than_those_audited_are_refused(found, X):
    with pytest.raises(
        ValueError, match="action must be one of 'drop', 'relabel', 'weight', got 'x'"
    ):
        clean(found, X, Y, "x")
    with pytest.raises(ValueError, match="X must have the 8 audited rows, got 7"):
        clean(found, X[:7], Y)
    with pytest.raises(ValueError, match="y must have the 8 audited rows, got 7"):
        clean(found, X, Y[:7])
    other = Y.copy()
    other[[2, 4]] = "b", "a"
    with pytest.raises(ValueError, match="2 of 8 differ, first in row 2: b instead of a"):
        clean(found, X, other)
