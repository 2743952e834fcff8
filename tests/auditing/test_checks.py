from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from broadlearn.auditing import (
    Columns,
    Drift,
    Duplicates,
    Imbalance,
    Outliers,
    Slices,
)
from broadlearn.auditing.auditing import within_limit
from broadlearn.auditing.checks.columns import id_columns
from broadlearn.auditing.findings import Health
from broadlearn.auditing.neighbours import find_neighbours
from broadlearn.auditing.rows import prepare_rows

RNG = np.random.default_rng(0)


def run(check, X, y, reference=None, loss=None, task="auto"):
    """Findings of a check without any model."""
    rows = prepare_rows(X, y, task)
    near = find_neighbours(rows.Z)
    evidence = SimpleNamespace(near=near, reference=reference, loss=lambda rows: loss)
    return within_limit(check.find(rows, evidence), check.limit)


def sentences(findings):
    return "\n".join(finding.sentence for finding in findings)


@pytest.mark.parametrize("check", [Columns(), Drift(), Duplicates(), Imbalance(), Outliers()])
@pytest.mark.parametrize("regression", [False, True])
def test_nothing_is_wrong_with_random_numbers(check, regression):
    X = RNG.normal(size=(200, 4))
    y = X[:, 0] + RNG.normal(size=200) if regression else RNG.integers(0, 2, 200)
    findings = run(check, X, y)
    assert sum(finding.penalty for finding in findings) == 0
    assert sentences(findings) or regression


def test_a_table_pasted_twice_with_contradicting_labels_is_not_healthy():
    X = RNG.normal(size=(300, 4)).round(2)
    y = RNG.integers(0, 2, 300)
    found = run(Duplicates(), np.vstack([X, X]), np.r_[y, 1 - y])
    contradicting = found[0]
    assert contradicting.check == "contradicting duplicates"
    assert contradicting.rows.size == 600
    assert contradicting.penalty == 10.0
    assert "find out which label is right" in contradicting.sentence


@pytest.mark.parametrize("values", [2, 10**6])
def test_contradictions_are_said_also_where_equal_rows_are_expected(values):
    X = pd.DataFrame({"a": RNG.integers(0, values, 200), "b": list("uv") * 100})
    X.iloc[7] = X.iloc[3]
    y = np.where(X["b"] == "u", 0, 1)
    y[7] = 1 - y[3]
    findings = run(Duplicates(), X, y)
    assert 7 in findings[0].rows
    assert findings[0].verdict == "contradicting duplicate"
    assert ("few values" in sentences(findings)) == (values == 2)


def test_copies_are_listed_once_and_ids_do_not_hide_them():
    X = pd.DataFrame(RNG.normal(size=(50, 2)), columns=["a", "b"])
    X = pd.concat([X, X.iloc[[4, 4, 9]]], ignore_index=True).assign(id=range(53))
    y = [*([0, 1] * 25), 0, 0, 1]
    (finding,) = run(Duplicates(), X, y)
    assert finding.rows.tolist() == [50, 51, 52]
    assert finding.verdict == "duplicate"
    assert "3 of 53 rows are copies of others with the same label" in finding.sentence


def test_equal_rows_with_different_quantities():
    X = RNG.normal(size=(60, 2))
    X[1] = X[0]
    X[3] = X[2]
    y = RNG.normal(size=60)
    y[:4] = [0.0, 9.0, 0.5, 0.51]
    first, *_ = run(Duplicates(), X, y)
    assert first.rows.tolist() == [0, 1]


def test_ids_constants_empty_columns_and_copies():
    n = 60
    X = pd.DataFrame(
        {
            "x": RNG.normal(size=n),
            "id": RNG.permutation(n) + 1000,
            "key": [f"k{i}" for i in range(n)],
            "constant": "a",
            "empty": [1.0, 2.0] + [None] * (n - 2),
            "income": RNG.permutation(np.arange(n) ** 2 * 37 % 100_003),
            "town": RNG.choice(["Ulm", "Bonn"], n),
        }
    )
    X["minus x"] = -2.0 * X["x"]
    X["place"] = X["town"].map({"Ulm": "U", "Bonn": "B"})
    assert id_columns(X) == ["id", "key"]
    text = sentences(run(Columns(), X, X["x"] > 0))
    assert "'constant' has the same value" in text
    assert "'empty' missing in at least 97 %" in text
    assert "'id' and 'key' look like IDs" in text
    assert "'minus x' repeats 'x'" in text
    assert "'place' repeats 'town'" in text
    assert "income" not in text


def test_missing_values_are_counted():
    X = pd.DataFrame(RNG.normal(size=(200, 2)), columns=["a", "b"])
    X.loc[:59, "b"] = np.nan
    *_, finding = run(Columns(), X, RNG.integers(0, 2, 200))
    assert finding.sentence == (
        "15 % of all values are missing, in 60 of 200 rows and 1 of 2 columns: 'b'."
    )
    assert finding.rows.tolist() == list(range(60))
    assert finding.penalty == pytest.approx(3.0)


def test_imbalance():
    X = RNG.normal(size=(120, 1))
    findings = run(Imbalance(), X, ["a"] * 110 + ["b"] * 8 + ["c"] * 2)
    assert findings[0].rows.tolist() == [118, 119]
    assert "The largest class, 'a', has 110 rows" in sentences(findings)
    assert findings[1].penalty == pytest.approx(1.5 * np.log10(110 / 8))
    assert sentences(run(Imbalance(), X, ["a", "b"] * 60)) == "All classes have 60 rows."


def test_drift_from_a_reference_and_sorted_rows():
    X = pd.DataFrame(RNG.normal(size=(300, 3)), columns=list("abc"))
    X["town"] = RNG.choice(["Ulm", "Bonn", "Kiel"], 300)
    y = RNG.integers(0, 2, 300)
    assert "sorted by the target" in sentences(run(Drift(), X, np.sort(y)))
    new = X.copy()
    new["b"] *= 1.5
    new["town"] = new["town"].replace("Kiel", "Ulm")
    new.loc[RNG.random(300) < 0.4, "c"] = np.nan
    order, *findings = run(Drift(), new, y, reference=X)
    assert order.check == "row order"
    assert {finding.columns[0] for finding in findings} == {"b", "c", "town"}
    assert "'town' has drifted from the reference: '" in sentences(findings)
    assert run(Drift(), X, y, reference=X)[1].penalty == 0.0


def test_slices():
    X = pd.DataFrame({"age": RNG.uniform(20, 80, 600), "sex": RNG.choice(["f", "m"], 600)})
    loss = (RNG.random(600) < np.where(X["age"] > 65, 0.6, 0.1)).astype(float)
    findings = run(Slices(), X, RNG.integers(0, 2, 600), loss=loss)
    assert findings[0].columns == ["age"]
    assert "of out-of-sample predictions are wrong, elsewhere" in findings[0].sentence
    assert run(Slices(), X, RNG.integers(0, 2, 600), loss=np.ones(600))[0].penalty == 0.0


def test_outliers_far_out_together_and_by_category():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    X[[5, 6, 7]] += 30.0
    (finding,) = run(Outliers(), X, rng.integers(0, 2, 300))
    assert set(finding.rows) == {5, 6, 7}
    frame = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"]).assign(town="Ulm")
    frame.loc[3, "town"] = "Bonn"
    assert run(Outliers(), frame, rng.integers(0, 2, 300))[0].penalty == 0.0
    assert run(Outliers(), np.zeros((30, 1)) + [[1.0], [2.0]] * 15, [0, 1] * 15)[0].penalty == 0.0


def test_a_gross_value_does_not_hide_other_outliers():
    X = RNG.normal(size=(200, 3))
    X[0, 0], X[1, 1] = 1e12, 20.0
    (finding,) = run(Outliers(), X, RNG.integers(0, 2, 200))
    assert {0, 1} <= set(finding.rows)
    assert "column 0 is 1e+12, usual is" in finding.reasons[finding.rows.tolist().index(0)]


def test_health_is_printed():
    findings = run(Columns(), pd.DataFrame({"a": [1, 1], "b": [1, 2]}), [0, 1])
    assert str(Health(findings)).startswith("Health 99 of 100\n  -1  constant columns: 'a'")
