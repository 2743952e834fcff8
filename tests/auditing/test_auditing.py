import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_blobs, make_classification
from sklearn.metrics import average_precision_score

from broadlearn.auditing import VERDICTS, Audit, audit, probabilities

COLUMNS = [
    "position",
    "suspicion",
    "verdict",
    "why",
    "label",
    "likely_label",
    "own_probability",
    "likely_probability",
    "nearest_own",
    "nearest_other",
    "columns",
    "value",
]


def clouds(n_rows=120, n_classes=2, flips=8, seed=0):
    """Well-separated classes with some labels changed."""
    X, y = make_blobs(n_rows, n_features=4, centers=n_classes, random_state=seed)
    flipped = np.random.default_rng(seed).permutation(n_rows)[:flips]
    labels = y.copy()
    labels[flipped] = (labels[flipped] + 1) % n_classes
    return X, labels, y, flipped


def in_order(found):
    """The table in the order of X."""
    return found.table.sort_values("position")


@pytest.mark.parametrize("n_classes", [2, 4])
def test_changed_labels_come_first(n_classes):
    X, labels, y, flipped = clouds(n_classes=n_classes)
    found = audit(X, labels)
    assert isinstance(found, Audit)
    top = found.table.head(flipped.size)
    assert set(top.index) == set(flipped)
    assert set(top["verdict"]) == {"likely mislabelled"}
    assert top["likely_label"].tolist() == y[top.index].tolist()
    assert found.n_errors.low <= flipped.size <= found.n_errors.high
    assert found.n_errors.value == pytest.approx(flipped.size, rel=0.35)
    assert found.by_class["flagged"].sum() == flipped.size
    assert found.errors["flagged"].sum() == flipped.size


def test_table():
    X, labels, _, _ = clouds()
    found = audit(X, labels)
    table = found.table
    assert list(table) == [*COLUMNS, *(f"column {j}" for j in range(4))]
    assert table.index.name == "row"
    assert sorted(table["position"]) == list(range(120))
    assert table["position"].tolist() == table.index.tolist()
    assert table["suspicion"].between(0, 1).all()
    assert set(table["verdict"]) <= set(VERDICTS)
    ordered = in_order(found)
    np.testing.assert_array_equal(ordered["label"], labels)
    np.testing.assert_array_equal(ordered["column 2"], X[:, 2])
    np.testing.assert_allclose(found.sample_weight, 1 - ordered["suspicion"])
    assert sum(found.counts.values()) == 120


def test_the_frame_keeps_its_index_columns_and_values():
    X, labels, _, flipped = clouds()
    frame = pd.DataFrame(X, columns=["a", "b", "label", "town"])
    frame["town"] = pd.Categorical(np.where(X[:, 3] > 0, "Ulm", "Bonn"))
    frame.index = [f"patient {i}" for i in range(120)]
    before = frame.copy()
    found = audit(frame, pd.Series(labels, index=frame.index))
    pd.testing.assert_frame_equal(frame, before)
    assert set(found.table.index[: flipped.size]) == {f"patient {i}" for i in flipped}
    assert list(found.table.columns[-4:]) == ["a", "b", "X: label", "town"]
    # What people do with suspects.
    suspects = found.table.index[found.table["verdict"] == "likely mislabelled"]
    assert len(frame.drop(index=suspects)) == 120 - len(suspects)
    pd.testing.assert_series_equal(
        found.table.loc[frame.index, "town"], frame["town"], check_names=False
    )
    assert found.table["nearest_own"].isin(frame.index).all()


def test_arrays_frames_and_polars_agree():
    polars = pytest.importorskip("polars")
    X, labels, _, _ = clouds(n_rows=60)
    names = [f"column {j}" for j in range(4)]
    expected = in_order(audit(X, labels))["suspicion"].to_numpy()
    for given in (pd.DataFrame(X, columns=names), polars.DataFrame(X, schema=names)):
        found = in_order(audit(given, labels))["suspicion"].to_numpy()
        np.testing.assert_allclose(found, expected)


def test_same_seed_same_result():
    X, labels, _, _ = clouds(n_rows=80)
    first, second = (audit(X, labels, random_state=3).table for _ in range(2))
    pd.testing.assert_frame_equal(first, second)


def test_suspicion_ranks_better_than_probability_where_noise_has_a_direction():
    X, y = make_classification(500, 8, n_informative=5, class_sep=1.0, flip_y=0, random_state=1)
    rng = np.random.default_rng(0)
    flipped = rng.permutation(np.flatnonzero(y == 1))[:90]
    labels = y.copy()
    labels[flipped] = 0
    wrong = labels != y
    table = in_order(audit(X, labels))
    by_suspicion = average_precision_score(wrong, table["suspicion"])
    by_probability = average_precision_score(wrong, 1 - table["own_probability"])
    assert by_suspicion > by_probability + 0.05


def test_clean_and_rare_classes_are_left_in_peace():
    X, y = load_iris(return_X_y=True)
    assert audit(X, y).counts["likely mislabelled"] <= 6
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1206, 4)), np.repeat([0, 1], [1200, 6])
    X[y == 1, :2] += 1.8
    found = audit(X, y)
    assert found.counts["likely mislabelled"] <= 4
    assert found.by_class.loc[1, "flagged"] <= 3


@pytest.mark.parametrize("factor", [1e2, 1e4, 1e6, 1e12])
def test_a_row_multiplied_comes_first(factor):
    X, y = make_blobs(200, n_features=4, centers=[[2] * 4, [6] * 4], random_state=0)
    X[17] *= factor
    found = audit(X, y)
    assert found.table.index[0] == 17
    assert found.table.loc[17, "verdict"] == "outlying"
    assert "column" in found.table.loc[17, "columns"]


def test_contradicting_duplicates_leaks_and_drift_are_found():
    rng = np.random.default_rng(0)
    X, labels, _, _ = clouds(n_rows=150, flips=0)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.loc[140] = frame.loc[10]
    labels[140] = 1 - labels[10]
    frame["late"] = rng.normal(size=150) + np.where(np.arange(150) < 75, 0.0, 3.0)
    frame.loc[140] = frame.loc[10]
    found = audit(frame, labels)
    ends = found.table.loc[[10, 140], "verdict"]
    assert (ends == "contradicting duplicate").any()
    sentences = {finding.check: finding for finding in found.health.findings if finding.penalty}
    assert "contradicting duplicates" in sentences
    assert any("late" in finding.columns for finding in found.health.findings)
    assert found.health.score < 98


def test_a_leak_is_named():
    rng = np.random.default_rng(1)
    X, y = make_classification(300, 5, class_sep=0.5, flip_y=0.2, random_state=0)
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["outcome"] = y + rng.normal(0, 0.01, 300)
    found = audit(frame, y)
    leaks = [f for f in found.health.findings if f.check == "leaking columns"]
    assert list(leaks[0].columns) == ["outcome"]


def test_regression_targets():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = X @ [1.0, 2.0, 0.0] + 0.2 * rng.normal(size=150)
    y[[7, 80]] += 12.0
    found = audit(X, y)
    assert set(found.table.index[:2]) == {7, 80}
    assert found.classes.size == 0
    assert found.n_errors.value == pytest.approx(2, abs=1.5)
    assert len(found.errors) == len(found.by_class) == 0
    assert abs(found.table.loc[7, "likely_label"] - (y[7] - 12.0)) < 2.0
    whole = audit(X, np.round(3 * y).astype(int), task="regression")
    assert whole.classes.size == 0


def test_new_rows_are_judged_by_a_reference():
    X, labels, y, _ = clouds(n_rows=160, flips=10)
    known, new = slice(0, 120), slice(120, 160)
    reference = audit(X[known], labels[known])
    given = y[new].copy()
    given[[3, 11]] = 1 - given[[3, 11]]
    rows = X[new].copy()
    rows[5] *= 1e5
    found = audit(rows, given, reference=reference)
    assert len(found.table) == 40
    assert set(found.table.index[:3]) == {3, 5, 11}
    assert found.table.loc[5, "verdict"] == "outlying"
    assert found.table["position"].max() == 39
    # One row is enough.
    one = audit(X[130:131], 1 - y[130:131], reference=reference)
    assert one.table["verdict"].tolist() == ["likely mislabelled"]


def test_a_second_audit_of_the_cleaned_table_finds_less():
    X, labels, _, flipped = clouds(flips=12)
    first = audit(X, labels)
    second = audit(*first.clean(X, labels, "relabel"))
    assert first.counts["likely mislabelled"] == flipped.size
    assert second.counts["likely mislabelled"] == 0
    assert second.n_errors.value < 2


def test_progress_is_told_from_the_beginning():
    X, labels, _, _ = clouds(n_rows=40)
    seen = []
    audit(X, labels, progress=lambda stage, share: seen.append((stage, share)))
    shares = [share for _, share in seen]
    assert shares[0] == 0.0
    assert shares == sorted(shares)
    assert shares[-1] < 1.0
    assert len({stage for stage, _ in seen}) == len(seen) > 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": ["a"] * 20}, "at least two classes"),
        ({"y": [np.nan, *range(19)]}, "y must have a label for every row"),
        ({"y": np.array(["a", 1] * 10, dtype=object)}, "labels of one kind"),
        ({"y": [0, 1] * 9}, "inconsistent numbers of samples"),
        ({"X": np.full((20, 2), np.inf)}, "infinity"),
        ({"X": pd.DataFrame(np.ones((20, 2)), columns=["a", "a"])}, "name of its own"),
        ({"task": "clustering"}, "task must be one of"),
        ({"task": "regression", "y": ["a", "b"] * 10}, "finite numbers"),
        ({"task": "regression", "y": [1.5] * 20}, "y must vary"),
    ],
)
def test_bad_input_gets_one_sentence(change, message):
    rng = np.random.default_rng(0)
    given = {"X": rng.normal(size=(20, 2)), "y": [0, 1] * 10} | change
    with pytest.raises(ValueError, match=message):
        audit(given.pop("X"), given.pop("y"), **given)


def test_new_rows_must_fit_the_reference():
    X, labels, _, _ = clouds(n_rows=40, flips=0)
    reference = audit(pd.DataFrame(X, columns=list("abcd")), labels)
    with pytest.raises(ValueError, match="labels of the reference, got 7 in row 0"):
        audit(pd.DataFrame(X[:2], columns=list("abcd")), [7, 0], reference=reference)
    with pytest.raises(ValueError, match="columns of the reference, got none named 'd'"):
        audit(pd.DataFrame(X[:2, :3], columns=list("abc")), [0, 1], reference=reference)


def test_classes_of_one_and_two_rows():
    X, labels, _, _ = clouds(n_rows=60, flips=0)
    labels[0], labels[1:3] = 8, 9
    found = audit(X, labels)
    assert len(found.table) == 60
    assert {8, 9} <= set(found.by_class.index)


def test_many_rows_are_judged_by_samples(monkeypatch):
    monkeypatch.setattr(probabilities, "MAX_EXACT_ROWS", 1000)
    monkeypatch.setattr(probabilities, "SAMPLED_ROWS", 500)
    X, y = make_blobs(1500, n_features=3, centers=3, cluster_std=0.5, random_state=0)
    labels = y.copy()
    labels[::50] = (labels[::50] + 1) % 3
    found = audit(X, labels)
    assert average_precision_score(labels != y, in_order(found)["suspicion"]) > 0.95
    assert found.n_errors.value == pytest.approx(30, rel=0.3)


def test_matplotlib_and_jinja_are_not_needed_for_an_audit():
    script = (
        "import sys; sys.modules['matplotlib'] = None; sys.modules['jinja2'] = None\n"
        "import numpy as np\nfrom broadlearn import audit\n"
        "audit(np.random.default_rng(0).normal(size=(30, 2)), [0, 1] * 15)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
