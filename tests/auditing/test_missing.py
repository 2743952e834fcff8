import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom, mannwhitneyu

from broadlearn.auditing.missing import check_missing, find_telling
from broadlearn.auditing.rows import prepare_rows
from broadlearn.io import rank_columns


def table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    return X, rng.choice(["no", "yes"], n), rng


def findings_of(X, y, task="auto"):
    rows = prepare_rows(X, y, task)
    return check_missing(rows, rank_columns(rows.frame))


def test_nothing_missing():
    X, y, _ = table()
    (finding,) = findings_of(X, y)
    assert finding.sentence == "No value is missing."
    assert finding.penalty == 0.0


def test_values_missing_at_random():
    X, y, rng = table()
    X.loc[rng.permutation(400)[:40], "b"] = np.nan
    X.loc[5, "a"] = np.nan
    (finding,) = findings_of(X, y)
    assert finding.sentence.startswith("3.4 % of all values are missing, in 4")
    assert finding.sentence.endswith("of 400 rows and 2 of 3 columns: 'b' and 'a'.")
    assert list(finding.columns) == ["b", "a"]
    assert finding.penalty == pytest.approx(20.0 * 41 / 1200)


def test_gaps_that_tell_the_label():
    X, y, rng = table()
    X.loc[rng.random(400) < np.where(y == "yes", 0.4, 0.05), "b"] = np.nan
    X["town"] = np.where(rng.random(400) < 0.3, None, "Ulm")
    _, telling = findings_of(X, y)
    assert telling.columns == ["b"]
    assert telling.sentence.startswith("That 'b' is missing tells the target (in ")
    np.testing.assert_array_equal(telling.rows, np.flatnonzero(X["b"].isna()))
    assert 1.9 < telling.penalty <= 2.0


def test_one_class_of_many():
    X, _, rng = table(1000)
    y = rng.integers(0, 10, 1000)
    X.loc[(y == 3) & (rng.random(1000) < 0.6), "c"] = np.nan
    rows = prepare_rows(X, y)
    told = find_telling(rows, rank_columns(rows.frame))
    assert told.column.tolist() == [2]
    assert told.of_class.tolist() == [3]
    assert told.share[0] == pytest.approx(X["c"].isna()[y == 3].mean())
    assert told.share_elsewhere[0] == 0.0


def test_small_differences_do_not_count():
    X, _, rng = table(100_000)
    y = rng.integers(0, 2, 100_000)
    X.loc[rng.random(100_000) < np.where(y == 1, 0.10, 0.05), "b"] = np.nan
    assert len(findings_of(X, y)) == 1


def test_regression_target():
    X, _, rng = table()
    y = rng.normal(size=400)
    X.loc[rng.random(400) < 1.0 / (1.0 + np.exp(-2.0 * y)), "a"] = np.nan
    X.loc[rng.random(400) < 0.2, "b"] = np.nan
    _, telling = findings_of(X, y)
    assert telling.columns == ["a"]
    assert "the median target is" in telling.sentence


def test_p_values_against_scipy():
    X, y, rng = table(60)
    gaps = rng.random(60) < np.where(y == "yes", 0.75, 0.15)
    X.loc[gaps, "b"] = np.nan
    inside, n_yes = (gaps & (y == "yes")).sum(), (y == "yes").sum()
    p = 2.0 * hypergeom.sf(inside - 1, 60, gaps.sum(), n_yes)
    rows = prepare_rows(X, y)
    found = find_telling(rows, rank_columns(rows.frame)).column.size
    assert found == int(2 * p < 0.01) == 1
    target = rng.normal(size=60) + gaps
    p = mannwhitneyu(target[gaps], target[~gaps], use_continuity=False, method="asymptotic").pvalue
    rows = prepare_rows(X, target, "regression")
    assert find_telling(rows, rank_columns(rows.frame)).column.size == int(p < 0.01)


def test_false_alarms():
    alarms = 0
    X, y, rng = table(100)
    rows = prepare_rows(X.mask(rng.random((100, 3)) < 0.3), y)
    columns = rank_columns(rows.frame)
    for _ in range(200):
        shuffled = rows._replace(codes=rng.permutation(rows.codes))
        alarms += find_telling(shuffled, columns).column.size > 0
    assert alarms <= 4
