import numpy as np
import pytest
from scipy.sparse import csr_array

from broadlearn.random_features.sparse_rows import SparseRows


@pytest.fixture
def pair():
    """Sparse samples and the dense array that they stand for."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((8, 5)) < 0.4, rng.normal(size=(8, 5)), 0.0)
    mean, scale = rng.normal(size=5), rng.uniform(1, 2, 5)
    exponent = np.array([0, 3, 0, -2, 0], dtype=np.int32)
    constants = np.array([0.5, 1.0])
    dense = np.column_stack([(X / 2.0**exponent - mean) / scale, np.tile(constants, (8, 1))])
    return SparseRows(csr_array(X), mean, scale, exponent, constants), dense


def test_products_are_those_of_dense_samples(pair):
    rows, dense = pair
    W = np.random.default_rng(1).normal(size=(7, 3))
    assert rows.shape == dense.shape
    assert len(rows) == 8
    np.testing.assert_allclose(rows @ W, dense @ W, atol=1e-14)
    np.testing.assert_allclose(np.matmul(rows, W), dense @ W, atol=1e-14)
    out = np.zeros((8, 5))
    np.matmul(rows, W, out=out[:, 1:4])
    np.testing.assert_allclose(out[:, 1:4], dense @ W, atol=1e-14)
    assert not out[:, [0, 4]].any()


@pytest.mark.parametrize("some", [slice(2, 5), np.array([7, 0, 3])])
def test_some_samples(pair, some):
    rows, dense = pair
    np.testing.assert_allclose(rows[some] @ np.eye(7), dense[some], atol=1e-14)


def test_float32_stays(pair):
    single = pair[0].astype(np.float32, copy=False)
    assert single.dtype == np.float32
    assert (single @ np.eye(7, dtype=np.float32)).dtype == np.float32
    assert (single @ np.eye(7)).dtype == np.float64


def test_nothing_else_is_done_with_them(pair):
    rows, _ = pair
    with pytest.raises(TypeError, match="taken whole"):
        rows[:, :-1]
    with pytest.raises(TypeError):
        np.add(rows, 1.0)
    with pytest.raises(TypeError):
        np.matmul(np.eye(8), rows)
