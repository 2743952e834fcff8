import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from broadlearn.auditing.leaks import check_leaks, find_leaks
from broadlearn.auditing.rows import prepare_rows
from broadlearn.io import rank_columns


def leaks_of(frame, y, task="auto"):
    rows = prepare_rows(frame, y, task)
    columns = rank_columns(rows.frame)
    return {columns.names[j]: skills for j, skills in find_leaks(rows, columns).items()}


def problem(n=400, n_classes=2, seed=0, share=0.5):
    """Columns that tell something about the classes, as they should."""
    rng = np.random.default_rng(seed)
    p = np.r_[np.full(n_classes - 1, share / (n_classes - 1)), 1.0 - share]
    y = rng.choice(n_classes, n, p=p)
    X = rng.normal(size=(n, 3))
    X[:, 0] += y
    return pd.DataFrame(X, columns=["a", "b", "c"]), y, rng


def noisy(y, n_classes, rng, share=0.02):
    flips = rng.random(y.size) < share
    return np.where(flips, (y + rng.integers(1, n_classes, y.size)) % n_classes, y)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_good_features_are_no_leaks(load):
    data = load(as_frame=True)
    assert leaks_of(data.data, data.target) == {}


def test_a_class_that_every_feature_tells_is_no_leak():
    data = load_iris(as_frame=True)
    assert leaks_of(data.data, data.target == 0) == {}


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_copy_of_the_target_with_noise(n_classes, seed):
    X, y, rng = problem(n_classes=n_classes, seed=seed)
    code = noisy(y, n_classes, rng)
    X["status"] = np.array(list("qxams"))[code]
    X["number"] = code * 100 + 7
    assert set(leaks_of(X, y)) == {"status", "number"}
    assert leaks_of(X.drop(columns=["status", "number"]), y) == {}


def test_copy_of_the_target_in_iris():
    data = load_iris(as_frame=True)
    code = noisy(data.target.to_numpy(), 3, np.random.default_rng(0))
    assert set(leaks_of(data.data.assign(code=code), data.target)) == {"code"}


def test_rare_class():
    X, y, rng = problem(n=3000, share=0.03)
    X["closed"] = noisy(y, 2, rng)
    assert set(leaks_of(X, y)) == {"closed"}


def test_quantity_that_separates_the_classes():
    X, y, rng = problem()
    X["score"] = y + rng.normal(0.0, 0.2, y.size)
    assert set(leaks_of(X, y)) == {"score"}


def test_levels_finer_than_the_classes():
    X, y, rng = problem(n_classes=3)
    X["ward"] = [f"{label}{rng.integers(4)}" for label in y]
    assert set(leaks_of(X, y)) == {"ward"}


def test_rows_sorted_by_class_are_no_leak():
    y = np.repeat([0, 1], 200)
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"few": rng.integers(0, 90, 400), "binary": rng.integers(0, 2, 400)})
    assert leaks_of(X, y) == {}


@pytest.mark.parametrize(
    "transform", [lambda y: y, lambda y: -np.exp(y / 100.0), lambda y: np.log(y)]
)
def test_transforms_of_a_quantity(transform):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    rng = np.random.default_rng(0)
    leak = transform(y + rng.normal(0.0, 0.02 * y.std(), y.size).clip(1 - y.min()))
    assert leaks_of(X, y, "regression") == {}
    assert set(leaks_of(X.assign(leak=leak, again=leak * 2.0), y, "regression")) == {
        "leak",
        "again",
    }


def test_sentences():
    X, y, rng = problem()
    X["code"] = y
    X["score"] = y + rng.normal(0.0, 0.2, y.size)
    rows = prepare_rows(X, y)
    code, score = check_leaks(rows, rank_columns(rows.frame))
    assert code.sentence.startswith("'code' alone tells 100 % of the labels, with one value for ea")
    assert "all other columns together" in score.sentence
    assert code.penalty + score.penalty == pytest.approx(20.0)
    rows = prepare_rows(X[["a", "b"]], y)
    (finding,) = check_leaks(rows, rank_columns(rows.frame))
    assert finding.penalty == 0.0
