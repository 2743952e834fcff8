import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from broadlearn.io import ranked_columns
from broadlearn.io.ranked_columns import (
    find_copies,
    find_identifiers,
    identifier_evidence,
    mid_ranks,
    rank_columns,
    renamings,
)


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


RNG = np.random.default_rng(0)
N = 200


@pytest.mark.parametrize(
    ("name", "values", "is_identifier"),
    [
        ("nr", np.arange(N) + 1, True),
        ("down", np.arange(N)[::-1] * 1000, True),
        ("shuffled", RNG.permutation(N), True),
        ("sparse", 10**12 + np.cumsum(RNG.integers(1, 10**9, N)), True),
        ("scattered", RNG.permutation(10**7)[:N], False),
        ("customer_id", RNG.permutation(10**7)[:N], True),
        ("rowID", RNG.permutation(10**7)[:N], True),
        ("paid", RNG.permutation(10**7)[:N], False),
        ("code", [f"A{i}" for i in range(N)], True),
        ("pairs", np.arange(N) // 2, False),
        ("sorted", np.sort(RNG.normal(size=N)), False),
        ("with gap", np.r_[np.nan, np.arange(N - 1)], False),
    ],
)
def test_identifiers(name, values, is_identifier):
    columns = rank_columns(pd.DataFrame({"x": RNG.normal(size=N), name: values}))
    assert find_identifiers(columns).tolist() == [False, is_identifier]


def test_few_rows_are_not_enough_for_an_identifier():
    assert not find_identifiers(rank_columns(pd.DataFrame({"nr": range(19)}))).any()


def test_copies_against_pairwise_correlations():
    X = RNG.normal(size=(300, 6))
    X[:, 3] = np.exp(X[:, 1])
    X[:, 5] = np.round(X[:, 2], 4)
    expected = [-1, -1, -1, 1, -1, 2]
    assert find_copies(rank_columns(pd.DataFrame(X))).tolist() == expected


@pytest.mark.parametrize(
    ("values", "name", "evidence"),
    [
        (RNG.permutation(N), "x", "dense"),
        (RNG.permutation(10**7)[:N], "invoice_no", "named"),
        (np.cumsum(RNG.integers(1, 10**6, N)), "x", "in order"),
        (RNG.normal(size=N), "id", ""),
        (np.arange(N) // 2, "id", ""),
    ],
)
def test_evidence_of_identifiers(values, name, evidence):
    assert identifier_evidence(np.asarray(values, dtype=float), name) == evidence


def test_dates_are_days_since_the_first():
    days = pd.to_datetime(["2024-01-03", None, "2024-01-01"])
    columns = rank_columns(pd.DataFrame({"day": days}))
    assert columns.values[0].tolist() == [0.0, 2.0]
    assert columns.ranks.tolist() == [[1, -1, 0]]


def test_first_alike_compares_all_pairs():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(90, 200))
    vectors[40] = -3.0 * vectors[7]
    vectors[70] = vectors[7] + 1e-3 * rng.normal(size=200)
    vectors[80] = vectors[60] + 0.1 * rng.normal(size=200)
    vectors[85] = 0.0
    vectors /= np.maximum(np.sqrt((vectors**2).sum(axis=1)), 1e-300)[:, None]
    alike = np.tril(np.abs(vectors @ vectors.T) > 0.9999, -1)
    expected = np.where(alike.any(axis=1), alike.argmax(axis=1), -1)
    assert set(np.flatnonzero(expected >= 0)) == {40, 70}
    for block in (512, 7):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ranked_columns, "BLOCK", block)
            np.testing.assert_array_equal(ranked_columns.first_alike(vectors, 0.9999), expected)
