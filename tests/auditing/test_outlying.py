import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from broadlearn.auditing.neighbours import find_neighbours
from broadlearn.auditing.outlying import find_outlying
from broadlearn.auditing.rows import prepare_rows

BESIDE = Path(__file__).parents[3] / "shared" / "data"
TABLES = sorted(Path(os.environ.get("BROADLEARN_DATA", BESIDE)).glob("uci28/*.csv"))


def judged(X, y):
    rows = prepare_rows(X, y)
    return find_outlying(rows, find_neighbours(rows))


def two_classes(n, n_columns, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return 2.0 * rng.normal(size=(2, n_columns))[y] + rng.normal(size=(n, n_columns)), y


@pytest.mark.parametrize("factor", [1e2, 1e4, 1e6, 1e12, 1e300])
def test_one_enormous_row(factor):
    X, y = two_classes(200, 6)
    X[13] *= factor
    found = judged(X, y)
    assert np.isfinite(found.degree).all()
    first, second = np.argsort(-found.degree)[:2]
    assert first == 13
    assert found.degree[first] > 10.0 * found.degree[second]
    assert found.is_outlying.sum() <= 3
    np.testing.assert_allclose(found.column_shares.sum(axis=1), 1.0)


def test_one_enormous_cell_names_its_column():
    X, y = two_classes(300, 20)
    X[7, 11] = 1000.0
    found = judged(X, y)
    assert found.degree.argmax() == 7
    assert found.is_outlying[7]
    assert found.column_shares[7, 11] > 0.9
    assert found.cells[7, 11] > 1.0
    assert (found.cells > 1.0).sum() == 1


def test_rows_that_are_far_out_together():
    X, y = two_classes(1000, 5)
    X[:20, 2] += 40.0
    found = judged(X, y)
    assert found.is_outlying[:20].all()
    assert found.is_outlying[20:].mean() < 0.01
    assert (found.column_shares[:20, 2] > 0.9).all()


def test_rows_from_the_box_of_the_data():
    rng = np.random.default_rng(1)
    X, y = two_classes(1000, 20)
    X[:20] = rng.uniform(X.min(axis=0), X.max(axis=0), (20, 20))
    found = judged(X, y)
    assert found.is_outlying[:20].mean() > 0.8
    assert found.is_outlying[20:].mean() < 0.005


@pytest.mark.parametrize("kind", ["normal", "lognormal", "t"])
def test_clean_rows_are_hardly_ever_outlying(kind):
    rng = np.random.default_rng(0)
    shares = []
    for n, n_columns in [(200, 2), (200, 10), (1000, 5), (1000, 20)]:
        X = rng.normal(size=(n, n_columns)) if kind != "t" else rng.standard_t(3, (n, n_columns))
        X = np.exp(X) if kind == "lognormal" else X
        shares.append(judged(X, rng.integers(0, 2, n)).is_outlying.mean())
    assert np.mean(shares) <= 0.01


@pytest.mark.slow
@pytest.mark.skipif(not TABLES, reason="no data folder: set BROADLEARN_DATA")
def test_few_rows_of_real_tables_are_outlying():
    shares = []
    for path in TABLES:
        table = np.loadtxt(path, delimiter=",", skiprows=1)
        shares.append(judged(table[:, :-1], table[:, -1]).is_outlying.mean())
    assert np.mean(shares) <= 0.015


def test_rare_classes_are_not_outlying():
    rng = np.random.default_rng(0)
    shares = []
    for seed in range(3):
        X = np.exp(rng.normal(size=(4000, 4))) if seed else rng.normal(size=(4000, 4))
        X[:20] += 1.0
        shares.append(judged(X, np.arange(4000) < 20).is_outlying[:20].mean())
    assert np.mean(shares) <= 0.02


def test_small_classes_are_compared_with_the_table():
    X, y = two_classes(200, 3)
    y[:2], X[0], X[1] = [7, 8], 0.5, 90.0
    found = judged(X, y)
    assert found.is_outlying[:2].tolist() == [False, True]
    np.testing.assert_allclose(found.column_shares[:2].sum(axis=1), 1.0)


def test_text_counts_as_one_column():
    X = pd.DataFrame({"town": ["Ulm", "Bonn", "Kiel"] * 30, "age": np.arange(90.0)})
    found = judged(X, np.arange(90) // 45)
    assert found.column_shares.shape == found.cells.shape == (90, 2)


def test_equal_rows():
    found = judged(np.ones((30, 2)), np.arange(30) % 2)
    assert not found.is_outlying.any()
    np.testing.assert_array_equal(found.column_shares, 0.0)


def test_quantities():
    X, _ = two_classes(200, 4)
    X[3] += 60.0
    found = judged(X, X[:, 0] + 0.1)
    assert found.degree.argmax() == 3
    assert found.is_outlying[3]
