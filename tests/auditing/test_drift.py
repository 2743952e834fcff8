import numpy as np
import pandas as pd
import pytest
from scipy.special import kolmogorov

from broadlearn.auditing.drift import MISSING, TARGET, check_drift, find_drift
from broadlearn.auditing.rows import prepare_rows
from broadlearn.io import rank_columns


def table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "count": rng.poisson(0.3, n),
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], n),
            "gaps": np.where(rng.random(n) < 0.2, np.nan, rng.lognormal(size=n)),
        }
    )
    return X, rng.choice(["no", "yes"], n, p=[0.8, 0.2]), rng


def drift_of(X, y, task="auto"):
    rows = prepare_rows(X, y, task)
    return find_drift(rows, rank_columns(rows.frame))


def findings_of(X, y, task="auto"):
    rows = prepare_rows(X, y, task)
    return check_drift(rows, rank_columns(rows.frame))


def test_rows_in_any_order():
    X, y, _ = table()
    (finding,) = findings_of(X, y)
    assert finding.penalty == 0.0
    assert finding.sentence.startswith("Nothing changes along the rows")


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_false_alarms_under_shuffles(task):
    """Of a table of all kinds of columns, some of them with rare values."""
    X, y, rng = table(150)
    X["rare"] = rng.random(150) < 0.03
    X["sorted"] = np.sort(rng.normal(size=150))
    y = np.sort(rng.normal(size=150)) if task == "regression" else np.sort(y)
    columns, alarms = rank_columns(X), 0
    rows = prepare_rows(X, y, task)
    for _ in range(200):
        order = rng.permutation(150)
        shuffled = rows._replace(labels=rows.labels[order], codes=rows.codes[order])
        order = rng.permutation(150)
        drift = find_drift(shuffled, columns._replace(ranks=columns.ranks[:, order]))
        alarms += drift.column.size > 0 or drift.is_sorted
    assert alarms <= 4


def test_change_of_a_number():
    X, y, _ = table()
    X.loc[250:, "x"] += 1.0
    drift = drift_of(X, y)
    assert drift.column.tolist() == [0]
    assert abs(drift.at[0] - 250) <= 20
    (finding,) = findings_of(X, y)
    assert finding.sentence.startswith(f"'x' changes along the rows, at row {drift.at[0]} (the med")
    assert finding.columns == ["x"]
    assert finding.penalty == 1.0


def test_change_against_a_plain_cumulative_sum():
    X, y, _ = table()
    X.loc[300:, "x"] += 0.8
    x = X["x"].to_numpy()
    ranks = np.argsort(np.argsort(x)) + 0.5
    deviation = np.abs(np.cumsum(ranks - ranks.mean()))
    at = deviation.argmax() + 1
    larger = np.mean(x[at:, None] > x[None, :at])
    assert kolmogorov(deviation.max() / (ranks.std() * 20.0)) < 1e-4
    drift = drift_of(X[["x"]], y)
    assert drift.at.tolist() == [at]
    assert drift.effect[0] == pytest.approx(2.0 * larger - 1.0)


def test_change_of_levels_and_gaps():
    X, y, rng = table()
    X.loc[300:, "town"] = rng.choice(["Ulm", "Bonn"], 100, p=[0.9, 0.1])
    X.loc[:199, "gaps"] = 1.0 + rng.random(200)
    X.loc[200:, "gaps"] = np.where(rng.random(200) < 0.5, np.nan, 1.0 + rng.random(200))
    drift = drift_of(X, y)
    assert set(drift.column) == {2, 3}
    assert drift.level[drift.column == 3].tolist() == [MISSING]
    (finding,) = findings_of(X, y)
    assert "the share of" in finding.sentence


def test_target_that_changes():
    X, y, rng = table()
    y[300:] = rng.choice(["no", "yes"], 100)
    drift = drift_of(X, y)
    assert drift.column.tolist() == [TARGET]
    (finding,) = findings_of(X, y)
    assert finding.sentence.startswith("The mix of classes changes along the rows, most at row ")
    assert "(the share of 'yes' goes from 16 % to 53 %)" in finding.sentence
    quantity = rng.normal(size=400) + np.arange(400) / 200.0
    (finding,) = findings_of(X, quantity, "regression")
    assert finding.sentence.startswith("The target changes along the rows")


def test_rows_in_groups():
    X, y, rng = table()
    X["patient"] = np.repeat(rng.normal(size=100), 4) + 0.3 * rng.normal(size=400)
    (finding,) = findings_of(X, y)
    assert finding.sentence.startswith("Neighbouring rows are more alike in 'patient' than by ch")
    y = np.repeat(rng.choice(["no", "yes"], 50), 8)
    (finding,) = findings_of(X.drop(columns="patient"), y)
    assert finding.sentence.startswith("Neighbouring rows are more alike in their targets")
    assert finding.penalty == 3.0


def test_rows_that_alternate():
    X, _, rng = table()
    X["device"] = np.tile([0.0, 1.0], 200) + 0.3 * rng.normal(size=400)
    (finding,) = findings_of(X, rng.choice(["no", "yes"], 400))
    assert finding.sentence.startswith("Neighbouring rows differ more in 'device' than by chance")


def test_rows_sorted_by_class():
    X, y, _ = table()
    y = np.sort(y)
    X["x"] += 2.0 * (y == "yes")
    (finding,) = findings_of(X, y)
    assert finding.sentence.startswith("The rows are sorted by class: shuffle them")
    X.loc[y == "no", "count"] = np.sort(X.loc[y == "no", "count"])
    assert [finding.columns for finding in findings_of(X, y)] == [(), ["count"]]
    y[[0, 399]] = y[[399, 0]]
    finding, _ = findings_of(X, y)
    assert finding.sentence.startswith("The rows are almost sorted by class (4 runs of equal label")


def test_rare_class_at_the_end():
    X, _, _ = table()
    finding, *_ = findings_of(X, np.r_[np.zeros(390), np.ones(10)].astype(int))
    assert finding.sentence.startswith("The rows are sorted by class")


def test_rows_sorted_by_a_quantity():
    X, _, rng = table()
    y = np.sort(rng.normal(size=400))
    X["x"] += y
    (finding,) = findings_of(X, y, "regression")
    assert finding.sentence.startswith("The rows are sorted by the target")
    smooth = np.sin(np.arange(400) / 15.0) + 0.01 * rng.normal(size=400)
    (finding,) = findings_of(X.drop(columns="x"), smooth, "regression")
    assert finding.sentence.startswith("Neighbouring rows are more alike in their targets")


def test_rows_sorted_by_a_column():
    X, y, _ = table()
    X["x"] = np.sort(X["x"])
    (finding,) = findings_of(X, y)
    assert finding.sentence == "The rows are sorted by 'x'."


def test_identifiers_do_not_drift():
    X, y, _ = table()
    X["nr"] = np.arange(400)
    assert drift_of(X, y).column.size == 0


def test_few_rows():
    X, y, _ = table(20)
    (finding,) = findings_of(X, y)
    assert finding.sentence == "20 rows are too few to tell drift."


def test_number_of_runs_against_shuffles():
    """What runs are compared with is their number over all orders."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=90)})
    y = rng.integers(0, 3, 90)
    sizes = np.bincount(y)
    mean = np.mean([1 + np.count_nonzero(np.diff(rng.permutation(y))) for _ in range(3000)])
    assert mean == pytest.approx((90 * 91 - (sizes**2).sum()) / 90, rel=0.005)
    blocks = np.repeat(np.tile([0, 2, 1], 10), 3)
    drift = drift_of(X, blocks)
    expected = (90 * 91 - (np.bincount(blocks) ** 2).sum()) / 90
    n_runs = 1 + np.count_nonzero(np.diff(blocks))
    assert drift.effect[drift.column == TARGET][0] == pytest.approx(
        (expected - n_runs) / (expected - 1.0)
    )
