import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import NearestNeighbors

from broadlearn.auditing.coincidence import find_equal_rows
from broadlearn.auditing.near_duplicates import nearly_equal_by_column, nearly_equal_by_distance
from broadlearn.io import rank_columns


def neighbours(Z, k=8):
    distance, nearest = NearestNeighbors(n_neighbors=k).fit(Z).kneighbors()
    return nearest, distance


def equal_rows(X):
    return find_equal_rows(rank_columns(pd.DataFrame(X)))


def test_tiny_distances():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(400, 5))
    Z[30] = Z[10] + 1e-6
    Z[31] = Z[11]
    near = nearly_equal_by_distance(*neighbours(Z), equal_rows(Z))
    assert np.flatnonzero(near >= 0).tolist() == [10, 30]
    assert near[[10, 30]].tolist() == [30, 10]


def test_row_that_nearly_equals_two_copies():
    Z = np.random.default_rng(1).normal(size=(300, 4))
    Z[1] = Z[0]
    Z[2] = Z[0] + 1e-7
    near = nearly_equal_by_distance(*neighbours(Z), equal_rows(Z))
    assert set(np.flatnonzero(near >= 0)) == {0, 1, 2}
    assert near[0] == near[1] == 2


@pytest.mark.parametrize("n_columns", [1, 2, 5])
def test_no_tiny_distance_by_chance(n_columns):
    found = 0
    for seed in range(20):
        Z = np.random.default_rng(seed).lognormal(size=(1000, n_columns))
        found += (nearly_equal_by_distance(*neighbours(Z), equal_rows(Z)) >= 0).sum()
    assert found <= 4


def test_too_few_neighbours():
    Z = np.array([[0.0], [1e-9], [1.0]])
    assert nearly_equal_by_distance(*neighbours(Z, 2), equal_rows(Z)).tolist() == [-1, -1, -1]
    nearest = np.full((3, 4), -1)
    near = nearly_equal_by_distance(nearest, np.full((3, 4), np.nan), equal_rows(Z))
    assert near.tolist() == [-1, -1, -1]


def test_one_number_was_rounded():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.normal(size=200), "b": rng.normal(size=200), "c": ["x", "y"] * 100}
    )
    frame.loc[17] = [round(frame.loc[4, "a"], 3), frame.loc[4, "b"], frame.loc[4, "c"]]
    frame.loc[18] = [frame.loc[5, "a"] + 1.0, frame.loc[5, "b"], frame.loc[5, "c"]]
    columns = rank_columns(frame)
    near = nearly_equal_by_column(columns, find_equal_rows(columns))
    assert np.flatnonzero(near >= 0).tolist() == [4, 17]
    assert near[[4, 17]].tolist() == [17, 4]


def test_one_outlying_number_does_not_make_differences_tiny():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 2)))
    frame.loc[0, 0] = 1e9
    frame.loc[18] = [frame.loc[5, 0] + 1.0, frame.loc[5, 1]]
    columns = rank_columns(frame)
    assert (nearly_equal_by_column(columns, find_equal_rows(columns)) < 0).all()


def test_repeated_measurements_come_near_each_other_by_chance():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"patient": np.repeat(np.arange(20), 50), "x": rng.normal(size=1000)})
    columns = rank_columns(frame)
    assert (nearly_equal_by_column(columns, find_equal_rows(columns)) < 0).all()


def test_copies_share_their_near_duplicate():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(100, 3)))
    frame.iloc[7] = frame.iloc[2] + [0.0, 0.001, 0.0]
    frame.iloc[9] = frame.iloc[2]
    columns = rank_columns(frame)
    near = nearly_equal_by_column(columns, find_equal_rows(columns))
    assert np.flatnonzero(near >= 0).tolist() == [2, 7, 9]
    assert near[[2, 7, 9]].tolist() == [7, 2, 7]
