import numpy as np

from broadlearn.sample_scores._distinct import distinct_rows


def test_merges_copies_of_the_same_class_only():
    X = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [0.0, 0.0]])
    codes = np.array([1, 0, 1, 0])
    found = distinct_rows(X, codes, np.array([1.0, 2.0, 0.5, 4.0]))
    assert found.first.size == 3
    np.testing.assert_array_equal(np.diff(codes[found.first]) >= 0, True)
    np.testing.assert_array_equal(X[found.first][found.inverse], X)
    np.testing.assert_array_equal(codes[found.first][found.inverse], codes)
    np.testing.assert_array_equal(found.weight[found.inverse], [1.5, 2.0, 1.5, 4.0])


def test_minus_zero_is_zero():
    found = distinct_rows(np.array([[0.0], [-0.0]]), np.zeros(2, dtype=int), np.ones(2))
    np.testing.assert_array_equal(found.weight, [2.0])


def test_float32_rows_merge():
    X = np.array([[0.1], [0.1], [0.2]], dtype=np.float32)
    assert distinct_rows(X, np.zeros(3, dtype=int), np.ones(3)).first.size == 2
