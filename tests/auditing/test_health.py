import numpy as np
import pandas as pd
import pytest

from broadlearn.auditing.duplicates import find_duplicates
from broadlearn.auditing.health import check_table
from broadlearn.auditing.penalties import LIMITS
from broadlearn.auditing.result import Estimate
from broadlearn.auditing.rows import prepare_rows

CHECKS = {
    "label errors",
    "leaking columns",
    "duplicates",
    "slices",
    "outlying rows",
    "columns",
    "missing values",
    "class balance",
    "row order",
}


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"x": rng.normal(size=n), "z": rng.normal(size=n), "town": rng.choice(["Ulm", "Bonn"], n)}
    )
    y = np.where(X["x"] + rng.normal(size=n) > 0, "yes", "no")
    return X, y, rng


def health_of(X, y, n_errors=(0.0, 0.0, 2.0), task="auto", **parts):
    rows = prepare_rows(X, y, task)
    if rows.is_regression:
        proba = np.full((len(y), 1), np.mean(y))
    else:
        proba = np.eye(rows.classes.size)[rows.codes]
    suspicion = np.linspace(0.0, 1.0, len(y))
    duplicates = find_duplicates(rows)
    return check_table(rows, proba, suspicion, Estimate(*n_errors), duplicates, **parts)


def test_sound_table():
    health = health_of(*table()[:2])
    assert health.score == 100.0
    assert {finding.check for finding in health.findings} == CHECKS
    assert all(finding.sentence.endswith(".") for finding in health.findings)


def test_label_errors():
    health = health_of(*table()[:2], n_errors=(12.2, 8.0, 18.0))
    worst = health.findings[0]
    assert worst.check == "label errors"
    assert worst.sentence.startswith(
        "About 12 of 300 labels (4.1 %) are estimated to be wrong, 8 to"
    )
    assert worst.penalty == pytest.approx(1.5 * 100.0 * 12.2 / 300)
    assert worst.rows.tolist() == list(range(299, 287, -1))
    assert health.score == pytest.approx(100.0 - worst.penalty)


def test_outlying_rows():
    health = health_of(*table()[:2], outlying=[7, 2, 9])
    worst = health.findings[0]
    assert worst.sentence.startswith("3 of 300 rows are far from all others")
    assert worst.rows.tolist() == [7, 2, 9]
    assert health.score == pytest.approx(99.0)


def test_everything_at_once():
    X, y, rng = table()
    X["code"] = np.where(y == "yes", "closed", "open")
    X["unit"] = "cm"
    X.loc[200:, "z"] += 3.0
    X.loc[y == "no", "gap"] = rng.normal(size=int((y == "no").sum()))
    X.loc[50:70] = X.loc[0:20].to_numpy()
    X["nr"] = np.arange(300)
    X = X.astype({"x": float, "z": float, "gap": float})
    y[50:61] = np.where(y[0:11] == "yes", "no", "yes")
    health = health_of(X, y, n_errors=(150.0, 140.0, 160.0), outlying=range(60))
    assert 0.0 <= health.score < 50.0
    penalties = [finding.penalty for finding in health.findings]
    assert penalties == sorted(penalties, reverse=True)
    assert max(f.penalty for f in health.findings if f.check == "label errors") == 35.0
    found = {finding.check for finding in health.findings if finding.penalty > 0}
    assert {
        "contradicting duplicates",
        "constant columns",
        "telling gaps",
        "row order",
        "identifiers",
    } <= found


def test_no_check_exceeds_its_limit():
    X, y, _ = table()
    health = health_of(X, y, n_errors=(300.0, 300.0, 300.0), outlying=np.arange(300))
    for finding in health.findings:
        assert finding.penalty <= LIMITS.get(finding.check, 5.0)


def test_regression_target():
    X, _, rng = table()
    y = X["x"].to_numpy() + rng.normal(size=300)
    health = health_of(X, y, task="regression", n_errors=(3.0, 1.0, 5.0))
    assert health.findings[0].sentence.startswith("About 3 of 300 targets (1.0 %)")
    assert "target" in {finding.check for finding in health.findings}
    y[X["town"] == "Ulm"] *= 4.0
    health = health_of(X, y, task="regression")
    assert any(f.check == "slices" and "'Ulm'" in f.sentence for f in health.findings)


def test_small_table():
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "t": ["a", "b", "a", "c"]})
    health = health_of(X, ["u", "v", "u", "v"])
    assert 0.0 <= health.score <= 100.0
