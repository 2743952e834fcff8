import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import NearestNeighbors

from broadlearn.auditing.duplicates import check_duplicates, find_duplicates
from broadlearn.auditing.rows import prepare_rows
from broadlearn.io import rank_columns

DATA = Path(os.environ.get("BROADLEARN_DATA", Path(__file__).parents[3] / "shared" / "data"))


def table(n=200, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "income": rng.integers(0, 9999, n).astype(float),
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], n),
        }
    )
    frame.loc[::10, "income"] = np.nan
    return frame, rng.choice(["no", "yes"], n)


def test_agreeing_and_contradicting_copies():
    X, y = table()
    for copies, labels in [
        ((3, 50), ["no", "no"]),
        ((10, 60, 70), ["yes", "yes", "no"]),
        ((20, 80), ["no", "yes"]),
        ((30, 90, 91, 92), ["no", "yes", "no", "yes"]),
    ]:
        X.loc[list(copies)] = X.loc[copies[0]].to_numpy()
        y[list(copies)] = labels
    found = find_duplicates(prepare_rows(X.astype({"x": float, "income": float}), y))
    assert found.group[[3, 50]].tolist() == [0, 0]
    assert found.group[[10, 60, 70]].tolist() == [1, 1, 1]
    assert found.group[[20, 80]].tolist() == [2, 2]
    assert found.group[[30, 90, 91, 92]].tolist() == [3, 3, 3, 3]
    assert (found.group >= 0).sum() == found.n_equal == 11
    assert np.flatnonzero(found.copy).tolist() == [50]
    assert np.flatnonzero(found.contradicting).tolist() == [20, 30, 70, 80, 90, 91, 92]
    assert (found.near < 0).all()


def test_findings():
    X, y = table()
    X.loc[[5, 6, 7]] = X.loc[[1, 2, 3]].to_numpy()
    X = X.astype({"x": float, "income": float})
    y[[5, 6, 7]] = y[[1, 2, 3]]
    rows = prepare_rows(X, y)
    (finding,) = check_duplicates(rows, find_duplicates(rows))
    assert finding.check == "duplicates"
    assert finding.sentence.startswith("3 of 200 rows are copies of others, with the same label")
    assert finding.rows.tolist() == [5, 6, 7]
    assert finding.penalty == pytest.approx(0.75)

    y[5] = "yes" if y[1] == "no" else "no"
    X.loc[9] = [X.loc[8, "x"] + 1e-5, X.loc[8, "income"], X.loc[8, "town"]]
    y[[8, 9]] = ["no", "yes"]
    rows = prepare_rows(X, y)
    contradicting, copies, near = check_duplicates(rows, find_duplicates(rows))
    assert contradicting.sentence.startswith(
        "2 of 200 rows have another label than rows that are equal to them (1 group of equal rows)"
    )
    assert contradicting.rows.tolist() == [1, 5]
    assert contradicting.penalty == pytest.approx(2.0)
    assert copies.rows.tolist() == [6, 7]
    assert near.rows.tolist() == [8, 9]
    assert "2 of them with another label" in near.sentence


def test_nothing_found():
    X, y = table()
    rows = prepare_rows(X, y)
    (finding,) = check_duplicates(rows, find_duplicates(rows))
    assert finding.sentence == "No two rows are equal."
    assert finding.penalty == 0.0


def test_equal_rows_of_few_values_are_no_error():
    rng = np.random.default_rng(0)
    cabin = rng.choice(["1st", "2nd", "3rd", "crew"], 2000)
    X = pd.DataFrame(
        {
            "class": cabin,
            "sex": np.where(cabin == "crew", "m", rng.choice(["m", "f"], 2000)),
            "adult": rng.random(2000) < 0.9,
        }
    )
    rows = prepare_rows(X, rng.choice(["no", "yes"], 2000))
    found = find_duplicates(rows)
    assert found.n_equal == 2000
    assert (found.group < 0).all()
    assert not (found.copy | found.contradicting).any()
    (finding,) = check_duplicates(rows, found)
    assert finding.penalty == 0.0
    assert finding.sentence.startswith("2,000 of 2,000 rows equal another. With so few values")


@pytest.mark.parametrize("seed", range(3))
def test_columns_that_depend_on_each_other_are_no_error(seed):
    """As in blood: counts of donations, their volume, and months since the first and the last."""
    rng = np.random.default_rng(seed)
    number = rng.geometric(0.2, 700)
    first = number * 3 + rng.integers(0, 12, 700)
    X = pd.DataFrame({"number": number, "volume": 250 * number, "first": first})
    X["last"] = np.minimum(first, rng.choice([2, 4, 11, 14, 16], 700))
    found = find_duplicates(prepare_rows(X, rng.integers(0, 2, 700)))
    assert found.n_equal > 200
    assert (found.group >= 0).sum() <= 6


def test_copies_in_a_table_of_many_whole_numbers():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 10, (500, 12))
    X[450:] = X[:50]
    found = find_duplicates(prepare_rows(X, np.r_[np.arange(450) % 2, np.arange(50) % 2]))
    assert found.copy[450:].all()
    assert not found.copy[:450].any()


def test_false_alarms_in_whole_numbers():
    """Tables of every grain, in which equal rows are there by chance only."""
    wrong = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.binomial(4 + seed // 3, 0.5, (300, 2 + seed % 6))
        wrong.append((find_duplicates(prepare_rows(X, rng.integers(0, 2, 300))).group >= 0).sum())
    assert np.mean(np.array(wrong) > 0) <= 0.2
    assert np.mean(wrong) / 300 <= 0.003


def test_regression_targets():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), rng.normal(size=100)
    X[[50, 51, 52, 53]] = X[[0, 1, 2, 2]]
    y[[50, 51]] = y[0], y[1] + 5.0
    y[[2, 52, 53]] = 0.0, 0.1, 9.0
    rows = prepare_rows(X, y, "regression")
    found = find_duplicates(rows)
    assert np.flatnonzero(found.copy).tolist() == [50]
    assert np.flatnonzero(found.contradicting).tolist() == [1, 51, 53]
    assert len(check_duplicates(rows, found)) == 2


def test_near_duplicates_by_distance():
    X, y = table()
    X["z"] = np.random.default_rng(5).normal(size=len(X))
    X.loc[40, ["x", "z"]] = X.loc[39, ["x", "z"]].astype(float) + 1e-6
    X.loc[40, ["income", "town"]] = X.loc[39, ["income", "town"]]
    rows = prepare_rows(X, y)
    distance, nearest = NearestNeighbors(n_neighbors=8).fit(rows.Z).kneighbors()
    assert (find_duplicates(rows).near < 0).all()
    columns = rank_columns(rows.frame)
    found = find_duplicates(rows, nearest, distance, columns=columns)
    assert np.flatnonzero(found.near >= 0).tolist() == [39, 40]


def test_identifiers_do_not_tell_copies_apart():
    X, y = table()
    X.loc[50] = X.loc[3].to_numpy()
    X = X.astype({"x": float, "income": float})
    y[50] = y[3]
    X["nr"] = np.arange(len(X))
    X["code"] = [f"A{i}" for i in range(len(X))]
    rows = prepare_rows(X, y)
    assert np.flatnonzero(find_duplicates(rows).copy).tolist() == [50]
    rows = prepare_rows(X[["nr"]], y)
    assert find_duplicates(rows).n_equal == 0


def test_index_and_order_do_not_matter():
    X, y = table()
    X.loc[50] = X.loc[3].to_numpy()
    X = X.astype({"x": float, "income": float})
    y[50] = y[3]
    order = np.random.default_rng(1).permutation(len(X))
    found = find_duplicates(prepare_rows(X.set_axis(["i"] * len(X)), y))
    shuffled = find_duplicates(prepare_rows(X.iloc[order], y[order]))
    np.testing.assert_array_equal((found.group >= 0)[order], shuffled.group >= 0)


@pytest.mark.parametrize(
    ("name", "n_found"), [("titanic", 0), ("haberman_survival", 0), ("mammographic", 0)]
)
def test_published_tables_of_few_values(name, n_found):
    path = DATA / "uci28" / f"{name}.csv"
    if not path.is_file():
        pytest.skip(f"{name}.csv is not in the folder of BROADLEARN_DATA")
    frame = pd.read_csv(path)
    found = find_duplicates(prepare_rows(frame.iloc[:, :-1], frame.iloc[:, -1]))
    assert found.n_equal > 40
    assert (found.group >= 0).sum() == n_found
