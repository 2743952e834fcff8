import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from broadlearn.audit.ranked import holm, mid_ranks, rank_columns, renamings


def test_columns_of_all_kinds():
    frame = pd.DataFrame(
        {
            "number": [2.5, np.nan, -0.0, 0.0],
            "whole": pd.array([3, None, 1, 3], dtype="Int64"),
            "text": ["b", None, "a", "b"],
            "category": pd.Categorical(["x", "y", None, "x"], categories=["y", "x"]),
            "boolean": [True, False, True, True],
            "objects": np.array([1, 2.5, None, 1], dtype=object),
            "mixed": np.array(["1", 1, 2, None], dtype=object),
            "empty": [np.nan] * 4,
        }
    )
    columns = rank_columns(frame)
    assert columns.ranks.tolist() == [
        [1, -1, 0, 0],
        [1, -1, 0, 1],
        [1, -1, 0, 1],
        [0, 1, -1, 0],
        [1, 0, 1, 1],
        [0, 1, -1, 0],
        [0, 0, 1, -1],
        [-1, -1, -1, -1],
    ]
    assert columns.is_number.tolist()[:6] == [True, True, False, False, False, True]
    assert columns.n_levels.tolist() == [2, 2, 2, 2, 2, 2, 2, 0]
    assert columns.values[0].tolist() == [0.0, 2.5]
    assert columns.values[4].tolist() == ["False", "True"]
    assert columns.missing.sum(axis=1).tolist() == [1, 1, 1, 1, 0, 1, 1, 4]


def test_some_columns():
    columns = rank_columns(pd.DataFrame({"a": [1, 2], "b": ["x", "x"], "c": [5, 4]}))
    kept = columns.select(np.array([True, False, True]))
    assert kept.names == ["a", "c"]
    assert kept.ranks.tolist() == [[0, 1], [1, 0]]
    assert kept.is_number.tolist() == [True, True]


def test_columns_that_say_the_same():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    level = rng.integers(0, 3, 60)
    frame = pd.DataFrame(
        {
            "x": x,
            "other": rng.normal(size=60),
            "celsius": 1.8 * x + 32.0,
            "down": -np.exp(x),
            "level": level,
            "text": np.array(["q", "a", "z"])[level],
            "fewer": level > 0,
            "name": [f"row {i}" for i in range(60)],
            "gaps": np.where(np.arange(60) < 3, np.nan, x),
        }
    )
    assert renamings(rank_columns(frame)).tolist() == [-1, -1, 0, 0, -1, 4, -1, -1, -1]


def test_renamings_keep_missing_values_apart():
    frame = pd.DataFrame(
        {"a": ["x", None, "y", "x"] * 5, "b": [1, 0, 2, 1] * 5, "c": ["x", "y"] * 10}
    )
    assert renamings(rank_columns(frame)).tolist() == [-1, 0, -1]


def test_mid_ranks():
    values = np.random.default_rng(0).integers(0, 9, 50)
    np.testing.assert_allclose(mid_ranks(values), rankdata(values))


@pytest.mark.parametrize("n", [0, 1, 20])
def test_holm(n):
    p = np.random.default_rng(n).random(n) ** 4
    order = np.argsort(p)
    slow = np.empty(n)
    for k, i in enumerate(order):
        slow[i] = min(1.0, max(p[j] * (n - m) for m, j in enumerate(order[: k + 1])))
    np.testing.assert_allclose(holm(p), slow)
