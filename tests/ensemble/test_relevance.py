import numpy as np
import pytest

from broadlearn.ensemble.candidates import Problem, classification_loss
from broadlearn.ensemble.relevance import (
    MIN_CLASS,
    FirstModel,
    count_rounds,
    first_model,
    follow_relevance,
    halves,
    learn_relevance,
)


def problem(n=120, n_columns=8, noise=False, k=1, seed=0):
    """Classes by the product of two of the columns, or by none."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_columns))
    score = rng.normal(size=n) if noise else X[:, 1] * X[:, -1] + 0.1 * rng.normal(size=n)
    codes = np.digitize(score, [0.0] if k == 1 else [-0.4, 0.4])
    T = 2.0 * codes[:, None] - 1.0 if k == 1 else np.eye(3)[codes]
    weight = rng.uniform(0.5, 1.5, n)
    return Problem(X, T, weight, lambda r, w: classification_loss(codes[r], w), None, False)


@pytest.mark.parametrize("k", [1, 3])
def test_slopes_are_those_of_the_model(k):
    task = problem(30, 3, k=k)
    model = first_model(task, task.X)
    step, expected = 1e-5, np.zeros(3)
    for j in range(3):
        away = step * np.eye(3)[j]
        slopes = (model(task.X + away) - model(task.X - away)) / (2 * step)
        expected[j] = np.mean((slopes**2).sum(axis=1))
    found = model.squared_slopes()
    np.testing.assert_allclose(found / found.sum(), expected / expected.sum(), rtol=1e-5)


def test_a_first_model_predicts_by_its_kernel():
    rng = np.random.default_rng(0)
    Z, new, a = rng.normal(size=(5, 2)), rng.normal(size=(4, 2)), rng.normal(size=(5, 1))
    K = np.exp(-0.3 * ((new[:, None] - Z) ** 2).sum(axis=2))
    np.testing.assert_allclose(FirstModel(Z, 0.3, a)(new), (K + 1) @ a, atol=1e-12)


@pytest.mark.parametrize("k", [1, 3])
def test_columns_that_matter_are_found(k):
    task = problem(k=k)
    *_, (scale, _) = follow_relevance(task, task.X, 3)
    assert scale.max() == 1.0
    assert set(np.argsort(scale)[-2:]) == {1, 7}
    assert np.delete(scale, [1, 7]).max() < 0.5 * scale[[1, 7]].min()


def test_rounds_where_columns_differ_and_none_where_all_is_noise():
    task = problem()
    assert count_rounds(task, task.X) > 0
    noise = [problem(60, 20, noise=True, seed=seed) for seed in range(5)]
    assert sum(count_rounds(task, task.X) > 0 for task in noise) <= 1


def test_halves_have_all_classes():
    T = np.eye(3)[np.repeat([0, 1, 2], [31, 10, 4])]
    one, other = halves(T)
    np.testing.assert_array_equal(np.sort(np.r_[one, other]), np.arange(45))
    assert np.abs(T[one].sum(axis=0) - T[other].sum(axis=0)).max() <= 1


def test_forms_that_it_helps_in():
    task = problem()
    samples = {"standardized": task.X, "ranks": np.tanh(task.X), "normal_scores": task.X}
    found = learn_relevance(task, samples)
    assert set(found) == {"standardized", "ranks"}
    *_, (scale, _) = follow_relevance(task, task.X, count_rounds(task, task.X))
    np.testing.assert_array_equal(found["standardized"], scale)
    one = {form: Z[:, :1] for form, Z in samples.items()}
    assert learn_relevance(task, one) == {}
    few = task.take(np.r_[np.flatnonzero(task.T > 0)[: MIN_CLASS - 1], np.flatnonzero(task.T < 0)])
    some = {form: Z[: len(few.T)] for form, Z in samples.items()}
    assert learn_relevance(few, some) == {}


def test_nothing_matters_where_all_samples_are_alike():
    task = problem(20, 2)
    for scale, _ in follow_relevance(task, np.zeros((20, 2)), 2):
        np.testing.assert_array_equal(scale, 1.0)
