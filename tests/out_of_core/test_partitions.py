import numpy as np
import pandas as pd
import pytest

from broadlearn.out_of_core.partitions import align, is_collection

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
dask = pytest.importorskip("dask")

X = np.arange(40.0).reshape(20, 2)
Y = np.arange(20)
ARRAY = da.from_array(X, chunks=((6, 0, 9, 5), 1))
FRAME = dd.from_pandas(pd.DataFrame(X, columns=["a", "b"]), npartitions=3)
LABELS = dd.from_pandas(pd.Series(Y), npartitions=3)
UNKNOWN = FRAME.to_dask_array()


def lengths(parts):
    return [len(part) for part in dask.compute(parts)[0]]


@pytest.mark.parametrize(
    ("rows", "targets"),
    [(ARRAY, da.from_array(Y, chunks=7)), (FRAME, LABELS), (UNKNOWN, LABELS.to_dask_array())],
)
def test_targets_are_cut_as_rows_are(rows, targets):
    parts = align(rows, targets, 2.0 * targets)
    assert lengths(parts.X) == lengths(parts.y) == lengths(parts.weight)
    np.testing.assert_array_equal(np.concatenate(dask.compute(parts.y)[0]), Y)
    np.testing.assert_array_equal(np.concatenate(dask.compute(parts.weight)[0]), 2.0 * Y)
    assert parts.head.shape == (0, 2)
    assert parts.y_dimensions == 1


@pytest.mark.parametrize(
    ("rows", "targets", "message"),
    [
        (X, Y, "X must be a Dask array or dataframe with two dimensions, got ndarray"),
        (ARRAY[:, 0], Y, "got Array with 1"),
        (LABELS, Y, "got Series with 1"),
        (ARRAY, Y, "y must be a Dask array or series, got ndarray"),
        (ARRAY, da.from_array(Y[1:], chunks=4), "y has 19 rows, but X has 20"),
        (FRAME, da.from_array(Y, chunks=10), "y has 2 partitions, but X has 3"),
        (ARRAY, None, "y must be a Dask array or series, got NoneType"),
        (ARRAY[:, ARRAY[0] > 0], Y, "X must have a known number of columns"),
    ],
)
def test_bad_input_is_named(rows, targets, message):
    with pytest.raises(ValueError, match=message):
        align(rows, targets)


def test_what_a_collection_is():
    assert is_collection(ARRAY)
    assert is_collection(FRAME)
    assert is_collection(LABELS)
    assert not is_collection(X)
    assert not is_collection(dask.delayed(1))
    assert not is_collection(None)
