import numpy as np
import pytest

from broadlearn.audit.neighbours import find_neighbours
from broadlearn.audit.rows import prepare_rows
from broadlearn.audit.verdicts import VERDICTS, judge


def judged(X, y, p):
    rows = prepare_rows(X, y)
    near = find_neighbours(rows.Z, rows.codes, rows.classes.size)
    return judge(rows, p, near)


def two_clouds():
    """Rows 0 to 29 are "a", 30 to 59 "b"; row 0 lies far out by its second column."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (30, 3)), rng.normal(4, 1, (30, 3))])
    X[0, 1] = -30.0
    return X, np.repeat(["a", "b"], 30)


def certain(y):
    return np.column_stack([y == "a", y == "b"]) * 0.8 + 0.1


def test_verdicts_and_reasons():
    X, y = two_clouds()
    p = certain(y)
    p[[1, 0]] = [0.2, 0.8]
    p[0] = [0.9, 0.1]
    p[2] = [0.3, 0.7]
    p[3] = [0.4, 0.6]
    result = judged(X, y, p)
    assert [VERDICTS[v] for v in result.verdict[:5]] == [
        "far from its class",
        "among another class",
        "among another class",
        "fine",
        "fine",
    ]
    assert result.far_columns[0].startswith("column 1 (")
    assert "column 1" in result.why[0]
    assert result.why[1].startswith("Held out, it looks like b (80 %) and not like its label a")
    assert "has a probability of 90 %" in result.why[4]
    assert result.likely[1] == 1
    np.testing.assert_allclose(result.suspicion[:5], [0.5, 0.8, 0.7, 0.6, 0.1])
    assert all(w[0].isupper() and w.endswith(".") and w.count(". ") == 0 for w in result.why)


def test_both():
    X, y = two_clouds()
    p = certain(y)
    p[0] = [0.01, 0.99]
    result = judged(X, y, p)
    assert VERDICTS[result.verdict[0]] == "both"
    assert "looks like b" in result.why[0]
    assert "its distance from the nearest rows of class a" in result.why[0]


def test_a_normal_cloud_has_hardly_a_far_row():
    X = np.random.default_rng(1).normal(size=(400, 2))
    y = np.repeat(["a", "b"], 200)
    assert judged(X, y, certain(y)).verdict.astype(bool).sum() <= 1


@pytest.mark.parametrize("n_copies", [3, 20])
def test_copies_are_not_far(n_copies):
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], n_copies, axis=0)
    y = np.repeat(["a", "b"], n_copies)
    result = judged(X, y, certain(y))
    assert not result.verdict.any()
    assert set(result.far_columns) == {""}


def test_the_only_row_of_a_class_is_far():
    y = np.array(["a", "a", "a", "b"])
    result = judged(np.arange(8.0).reshape(4, 2), y, certain(y))
    assert VERDICTS[result.verdict[3]] == "far from its class"
    assert result.why[3] == "It is the only row of class b."


def test_long_names_are_cut():
    X, y = two_clouds()
    y = np.where(y == "a", "l" * 500, "m")
    p = np.full((60, 2), 0.5)
    assert max(map(len, judged(X, y, p).why)) < 400
