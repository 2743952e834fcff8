import numpy as np
import pytest

from broadlearn.auditing.duplicates import find_duplicates
from broadlearn.auditing.neighbours import find_neighbours
from broadlearn.auditing.noise_model import flag
from broadlearn.auditing.opinions import Opinion
from broadlearn.auditing.outlying import find_outlying
from broadlearn.auditing.rows import prepare_rows
from broadlearn.auditing.verdicts import column_texts, judge, short


def judged(X, y, suspicion):
    """Verdicts on rows of which models doubt some labels."""
    rows = prepare_rows(X, y)
    near = find_neighbours(rows, 15)
    n, k = len(rows.Z), max(rows.classes.size, 1)
    if rows.is_regression:
        proba, posterior = rows.labels[:, None] - 1.0, np.empty((n, 0))
    else:
        posterior = np.repeat(suspicion[:, None] / (k - 1), k, axis=1)
        posterior[np.arange(n), rows.codes] = 1 - suspicion
        proba = posterior
    flagged = flag(suspicion, rows.codes, k)
    likely = rows.codes if rows.is_regression else np.where(flagged, 1 - rows.codes, rows.codes)
    opinion = Opinion(proba, posterior, suspicion, flagged, likely, None, {})
    copies = find_duplicates(rows, near.nearest, near.distance)
    return judge(rows, opinion, near, find_outlying(rows, near), copies)


@pytest.fixture
def two_clouds():
    """Rows 0 to 29 are "a", 30 to 59 "b"; row 0 lies far out by its second column."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (30, 3)), rng.normal(6, 1, (30, 3))])
    X[0, 1] = -300.0
    return X, np.repeat(["a", "b"], 30)


def test_verdicts_and_reasons(two_clouds):
    X, y = two_clouds
    X[10] = X[40] + 0.1
    X[20] = X[21]
    X[50] = X[5]
    suspicion = np.full(60, 0.01)
    suspicion[[10, 11]] = [0.9, 0.26]
    found = judged(X, y, suspicion)
    assert found.verdict[[0, 5, 10, 50]].tolist() == [
        "outlying",
        "contradicting duplicate",
        "likely mislabelled",
        "contradicting duplicate",
    ]
    assert found.verdict[21] == "duplicate"
    assert found.verdict[15] == "fine"
    assert "column 1" in found.why[0]
    assert found.columns[0].startswith("column 1 (")
    assert found.why[10].startswith("Held out, it looks like b (90 %) more than like its label a")
    assert "equals 1 other row, which has another label" in found.why[5]
    assert "copy of another row" in found.why[21]
    assert all(w[0].isupper() and w.endswith(".") for w in found.why)
    assert found.urgency.argmax() == 0
    assert found.urgency[5] == 0.5


def test_ambiguous_rows_are_below_the_threshold_of_their_class(two_clouds):
    X, y = two_clouds
    suspicion = np.full(60, 0.001)
    suspicion[30:36] = [0.95, 0.95, 0.95, 0.95, 0.95, 0.3]
    found = judged(X, y, suspicion)
    assert found.verdict[30] == "likely mislabelled"
    assert found.verdict[35] == "ambiguous"


def test_a_far_row_among_the_likely_class_is_mislabelled_not_outlying(two_clouds):
    X, y = two_clouds
    y[45] = "a"
    suspicion = np.full(60, 0.001)
    suspicion[45] = 0.99
    assert judged(X, y, suspicion).verdict[45] == "likely mislabelled"


def test_what_is_far_from_all_is_outlying_whatever_its_label(two_clouds):
    X, y = two_clouds
    suspicion = np.full(60, 0.001)
    suspicion[0] = 0.99
    assert judged(X, y, suspicion).verdict[0] == "outlying"


def test_targets_have_a_sentence(two_clouds):
    X, _ = two_clouds
    found = judged(X, X[:, 0] * 1.5, np.full(60, 0.01))
    assert "is expected, held out" in found.why[7]


def test_columns_by_share():
    rows = prepare_rows(np.random.default_rng(0).normal(size=(4, 3)), [0, 1, 0, 1])
    shares = np.array([[0.2, 0.75, 0.05], [0, 0, 0], [0.005, 0.995, 0], [0.4, 0.3, 0.3]])
    assert column_texts(rows, shares) == [
        "column 1 (75 %), column 0 (20 %)",
        "",
        "column 1 (99.5 %)",
        "column 0 (40 %), column 1 (30 %), column 2 (30 %)",
    ]


def test_long_names_are_cut():
    assert short("x" * 60 + "y") == "x" * 19 + "…" + "x" * 19 + "y"


def test_parts(two_clouds):
    found = judged(*two_clouds, np.full(60, 0.01))
    assert found.after(58).why == found.why[58:]
