import numpy as np
import pandas as pd
import pytest

from broadlearn.auditing.cells import CellTexts, outlying_cells
from broadlearn.auditing.rows import prepare_rows


def table(X):
    return prepare_rows(X, np.arange(len(X)) % 2)


@pytest.mark.parametrize("factor", [1e2, 1e6, 1e300])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_one_enormous_cell(factor, sign):
    X = np.random.default_rng(0).normal(size=(200, 4))
    X[9, 2] = sign * factor
    degree = outlying_cells(table(X))
    assert np.argwhere(degree > 1.0).tolist() == [[9, 2]]
    assert np.isfinite(degree).all()


@pytest.mark.parametrize("n", [200, 20_000])
def test_long_tails_are_not_outlying(n):
    rng = np.random.default_rng(0)
    X = np.c_[
        rng.normal(size=n),
        np.exp(rng.normal(size=n)),
        rng.exponential(size=n),
        rng.poisson(0.3, n),
        rng.random(n) < 0.01,
        rng.standard_t(3, n),
    ]
    shares = (outlying_cells(table(X)) > 1.0).mean(axis=0)
    assert (shares[[0, 2, 3, 4]] == 0.0).all()
    assert shares[1] <= max(0.0005, 1 / n)
    assert shares[5] <= max(0.001, 2 / n)


def test_only_numbers_have_outlying_cells():
    X = pd.DataFrame({"town": ["a", "b", "c"] * 20 + ["d"], "age": [*range(60), 10_000]})
    rows = table(X)
    degree = outlying_cells(rows)
    assert degree.shape == (61, 2)
    assert (degree[:, rows.columns.index("town")] == 0.0).all()
    assert degree[60, rows.columns.index("age")] > 1.0


def test_few_values_on_a_side_do_not_tell():
    X = np.zeros((50, 1))
    X[:3, 0] = [1.0, 2.0, 1e9]
    assert (outlying_cells(table(X)) == 0.0).all()


@pytest.fixture
def texts():
    frame = pd.DataFrame(
        {
            "age": [*range(40, 139), np.nan],
            "price": [*np.linspace(0.5, 9.5, 99), -1e8],
            "town": ["Ulm"] * 97 + ["Bonn", "Bonn", None],
            "member": [True] * 60 + [False] * 40,
        }
    )
    return CellTexts(table(frame))


@pytest.mark.parametrize(
    ("position", "column", "text"),
    [
        (98, "age", "age is 138, larger than all others; usual is 45 to 133"),
        (97, "age", "age is 137, larger than 97.98 % of all; usual is 45 to 133"),
        (50, "age", "age is 90, usual is 45 to 133"),
        (99, "age", "age is missing, as in 1 of 100 rows"),
        (99, "price", "price is -1e+08, smaller than all others; usual is 0.8673 to 9.041"),
        (97, "town", "town is 'Bonn', as in 2 of 100 rows"),
        (99, "town", "town is missing, as in 1 of 100 rows"),
        (0, "member", "member is 'True', as in 60 of 100 rows"),
    ],
)
def test_texts(texts, position, column, text):
    assert texts.describe(position, column) == text


def test_one_text():
    frame = pd.DataFrame({"age": [*range(50), 999]}, index=[f"row {i}" for i in range(51)])
    text = CellTexts(table(frame)).describe(50, "age")
    assert text.startswith("age is 999, larger than all others")
