import csv
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import average_precision_score

from broadlearn.audit import Audit, audit
from broadlearn.sample_scores import intuitionistic_scores

COLUMNS = [
    "suspicion",
    "verdict",
    "why",
    "label",
    "likely_label",
    "own_probability",
    "score",
    "membership",
    "nonmembership",
    "foreign_share",
    "nearest_own",
    "nearest_own_distance",
    "nearest_other",
    "nearest_other_distance",
    "far_columns",
]


def clouds(n_rows=120, n_classes=2, flips=8, seed=0):
    """Well-separated classes with some labels changed."""
    X, y = make_blobs(n_rows, n_features=4, centers=n_classes, random_state=seed)
    flipped = np.random.default_rng(seed).permutation(n_rows)[:flips]
    labels = y.copy()
    labels[flipped] = (labels[flipped] + 1) % n_classes
    return X, labels, y, flipped


@pytest.mark.parametrize("n_classes", [2, 4])
def test_changed_labels_come_first(n_classes):
    X, labels, y, flipped = clouds(n_classes=n_classes)
    found = audit(X, labels)
    assert isinstance(found, Audit)
    top = found.table.head(flipped.size)
    assert set(top.index) == set(flipped)
    assert set(top["verdict"]) <= {"among another class", "both"}
    assert top["likely_label"].tolist() == y[top.index].tolist()


def test_table():
    X, labels, _, _ = clouds()
    found = audit(X, labels)
    table = found.table
    assert list(table) == COLUMNS
    assert table.index.name == "row"
    assert sorted(table.index) == list(range(120))
    assert table["suspicion"].is_monotonic_decreasing
    in_order = table.sort_index()
    np.testing.assert_array_equal(in_order["label"], labels)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    scores = intuitionistic_scores(Z, labels, kernel_width="auto")
    np.testing.assert_allclose(in_order["score"], scores.score, atol=1e-9)
    np.testing.assert_allclose(in_order["foreign_share"], scores.heterogeneity, atol=1e-9)
    assert found.kernel_width == pytest.approx(scores.kernel_width)
    assert found.neighborhood_radius == pytest.approx(scores.radius)
    assert (labels[in_order["nearest_own"].to_numpy(int)] == labels).all()
    assert (labels[in_order["nearest_other"].to_numpy(int)] != labels).all()
    assert sum(found.counts.values()) == 120
    assert found.projection.shape == (120, 2)


def test_an_outlying_row_is_far_and_the_column_named():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.loc[3, "petal width (cm)"] = 25.0
    row = audit(X, y).table.loc[3]
    assert row["verdict"] in {"far from its class", "both"}
    assert row["far_columns"].startswith("petal width (cm) (")
    assert "petal width (cm)" in row["why"]


def test_mixed_columns():
    rng = np.random.default_rng(0)
    town = rng.choice(["Ulm", "Bonn", "Kiel"], 150)
    X = pd.DataFrame({"town": town, "age": rng.normal(50, 9, 150), "member": rng.random(150) < 0.5})
    X.loc[::11, "age"] = np.nan
    y = np.where(town == "Ulm", "yes", "no")
    y[40] = "yes" if y[40] == "no" else "no"
    found = audit(X.set_index(X.index + 1000), y)
    assert found.table.index[0] == 40


def test_better_than_outlier_detection_on_flipped_labels():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    flipped = np.zeros(150, dtype=bool)
    flipped[rng.permutation(150)[:30]] = True
    labels = np.where(flipped, (y + rng.integers(1, 3, 150)) % 3, y)
    suspicion = audit(X, labels).table["suspicion"].sort_index()
    assert average_precision_score(flipped, suspicion) > 0.9


def test_the_same_table_gives_the_same_audit():
    X, labels, _, _ = clouds()
    first, again = (audit(X, labels).table for _ in range(2))
    pd.testing.assert_frame_equal(first, again)


def test_units_do_not_matter():
    X, labels, _, _ = clouds()
    plain, scaled = audit(X, labels).table, audit(X * [1e-6, 1.0, 1e9, 1e200], labels).table
    np.testing.assert_allclose(scaled["suspicion"], plain["suspicion"], atol=1e-6)


@pytest.mark.parametrize(
    "X",
    [
        np.arange(12.0)[:, None],
        np.ones((12, 3)),
        np.random.default_rng(0).normal(size=(12, 2000)),
        np.repeat(np.eye(2), 6, axis=0),
    ],
    ids=["one column", "constant", "wide", "copies"],
)
def test_odd_tables(X):
    found = audit(X, [0] * 5 + [1] * 6 + [2])
    assert found.table[["suspicion", "score", "own_probability"]].notna().all(axis=None)
    lone = found.table.loc[11]
    assert "the only row of class 2" in lone["why"]
    assert pd.isna(lone["nearest_own"])
    found.plot()
    assert "the only row of class 2" in found.to_csv()


def test_landmarks_are_drawn_for_many_rows(monkeypatch):
    X, labels, _, _ = clouds(400)
    module = sys.modules["broadlearn.audit.auditing"]
    exact = audit(X, labels).table.sort_index()
    monkeypatch.setattr(module, "MAX_EXACT_ROWS", 300)
    monkeypatch.setattr(module, "LANDMARKS", 50)
    estimated = audit(X, labels).table.sort_index()
    difference = np.abs(exact["membership"] - estimated["membership"])
    assert 0.0 < difference.mean() < 0.1


def test_csv_file(tmp_path):
    X, labels, _, _ = clouds()
    found = audit(X, np.where(labels == 0, "=1+1", "b"))
    assert found.to_csv(tmp_path / "a.csv") is None
    with (tmp_path / "a.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["label"] for row in rows} == {"'=1+1", "b"}
    assert [int(row["row"]) for row in rows] == found.table.index.tolist()
    assert (tmp_path / "a.csv").read_text("utf-8") == found.to_csv()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be"),
        ({"landmarks": "many"}, "landmarks must be"),
        ({"landmarks": 1}, "landmarks must be"),
        ({"kernel_width": -1.0}, "kernel_width must be"),
        ({"kernel_width": [1.0, 2.0]}, "kernel_width must be"),
        ({"neighborhood_radius": -1.0}, "neighborhood_radius must be"),
    ],
)
def test_bad_parameters(changes, message):
    X, labels, _, _ = clouds(20, flips=0)
    with pytest.raises(ValueError, match=message):
        audit(X, labels, **changes)


def test_repr():
    X, labels, _, _ = clouds(flips=0)
    assert repr(audit(X, labels)).startswith("<Audit of 120 rows: ")


def test_importing_brings_in_neither_matplotlib_nor_jinja2():
    code = (
        "import sys, broadlearn.audit.auditing\n"
        "print([m for m in ('matplotlib', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
