from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom

from broadlearn.auditing.slices import check_slices, find_slices
from broadlearn.io import rank_columns


def table(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.uniform(20, 80, n),
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], n),
            "sex": rng.choice(["f", "m"], n),
            "rooms": rng.integers(1, 5, n),
            "income": np.where(rng.random(n) < 0.1, np.nan, rng.lognormal(size=n)),
        }
    )
    return X, rng


def slices_of(X, loss):
    return find_slices(rank_columns(X), np.asarray(loss, dtype=float))


def test_errors_that_are_everywhere():
    alarms = 0
    for seed in range(60):
        X, rng = table(600, seed)
        alarms += bool(slices_of(X, rng.random(600) < 0.2))
        alarms += bool(slices_of(X, rng.lognormal(size=600)))
    assert alarms <= 2


@pytest.mark.parametrize(
    ("where", "bad"),
    [
        ("town is 'Ulm'", lambda X: X["town"] == "Ulm"),
        ("rooms is 3", lambda X: X["rooms"] == 3),
        ("income is missing", lambda X: X["income"].isna()),
        ("sex is 'f' and rooms is 2", lambda X: (X["sex"] == "f") & (X["rooms"] == 2)),
    ],
)
def test_planted_slices(where, bad):
    X, rng = table()
    inside = bad(X).to_numpy()
    wrong = rng.random(2000) < np.where(inside, 0.4, 0.1)
    (found,) = slices_of(X, wrong)
    assert found.where == where
    np.testing.assert_array_equal(found.rows, np.flatnonzero(inside))
    assert found.loss == pytest.approx(wrong[inside].mean())
    assert found.p < 0.01
    (found,) = slices_of(X, rng.lognormal(size=2000) * np.where(inside, 3.0, 1.0))
    assert found.where == where


def test_quartiles():
    X, rng = table()
    wrong = rng.random(2000) < np.where(X["age"] > X["age"].quantile(0.75), 0.4, 0.1)
    (found,) = slices_of(X, wrong)
    assert found.where.startswith("age > 6")
    assert found.columns == ["age"]
    assert abs(found.rows.size - 500) <= 1
    low, high = X["age"].quantile([0.25, 0.5])
    wrong = rng.random(2000) < np.where(X["age"].between(low, high), 0.4, 0.1)
    (found,) = slices_of(X, wrong)
    assert found.where.startswith("age is in (3")


def test_two_slices_and_their_overlap():
    X, rng = table(4000)
    p = 0.05 + 0.3 * (X["town"] == "Ulm") + 0.3 * (X["rooms"] == 1)
    found = slices_of(X, rng.random(4000) < p)
    assert {one.where for one in found[:2]} == {"town is 'Ulm'", "rooms is 1"}
    assert {one.where for one in found[2:]} <= {"town is 'Ulm' and rooms is 1"}


def test_p_value_of_all_slices_tried():
    """Against all slices by one or two columns, counted one by one."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, (300, 3)), columns=list("abc"))
    wrong = rng.random(300) < np.where(X["b"] == 1, 0.5, 0.05)
    (found,) = slices_of(X, wrong)
    tried = 0
    for columns in [*combinations("abc", 1), *combinations("abc", 2)]:
        for _, part in X.groupby(list(columns)):
            tried += 20 <= len(part) <= 150
    inside = (X["b"] == 1).to_numpy()
    p = hypergeom.sf(wrong[inside].sum() - 1, 300, wrong.sum(), inside.sum())
    assert found.where == "b is 1"
    assert found.p == pytest.approx(tried * p)


def test_many_rows_are_sampled_for_pairs_only():
    X, rng = table(120_000)
    inside = ((X["sex"] == "f") & (X["rooms"] == 2)).to_numpy()
    (found,) = slices_of(X, rng.random(120_000) < np.where(inside, 0.3, 0.1))
    np.testing.assert_array_equal(found.rows, np.flatnonzero(inside))


def test_wide_tables():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(500, 80))).rename(columns=str)
    wrong = rng.random(500) < np.where((X["70"] > 0.6) & (X["7"] > 0.6), 0.9, 0.05)
    found = slices_of(X, wrong)
    assert set(found[0].columns) == {"7", "70"}


def test_nothing_to_compare():
    X, _ = table(100)
    assert slices_of(X, np.zeros(100)) == []
    assert slices_of(pd.DataFrame({"nr": range(100)}), np.arange(100) % 2) == []


def test_sentences():
    X, rng = table()
    columns = rank_columns(X)
    inside = (X["town"] == "Ulm").to_numpy()
    wrong = (rng.random(2000) < np.where(inside, 0.4, 0.1)).astype(float)
    (finding,) = check_slices(columns, wrong, False)
    assert finding.sentence.startswith(f"Where town is 'Ulm' ({inside.sum()} rows), ")
    assert " of held-out predictions are wrong, against " in finding.sentence
    assert finding.penalty == 1.0
    (finding,) = check_slices(columns, 5.0 * wrong + rng.random(2000), True)
    assert "the mean absolute error is" in finding.sentence
    (finding,) = check_slices(columns, np.zeros(2000), False)
    assert finding.penalty == 0.0
