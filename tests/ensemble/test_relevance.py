import numpy as np
import pytest

from broadlearn.ensemble.candidates import Candidate, Problem, classification_loss
from broadlearn.ensemble.relevance import (
    MIN_CLASS,
    FirstModel,
    Relevance,
    choose_course,
    first_model,
    follow_relevance,
    halves,
    honest_losses,
    learn_relevance,
    tell_alone,
)
from broadlearn.random_features import LimitKernel


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
    course = choose_course(task, task.X)
    assert course.rounds > 0
    assert not course.alone
    assert course.left < 0.98
    noise = [problem(60, 20, noise=True, seed=seed) for seed in range(5)]
    assert sum(choose_course(task, task.X) is not None for task in noise) <= 1


def test_rounds_begin_with_what_columns_tell_where_that_is_better():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 60))
    codes = (X[:, 3] + X[:, 7] > 1.5).astype(int)
    task = Problem(
        X,
        2.0 * codes[:, None] - 1.0,
        rng.uniform(0.5, 1.5, 160),
        lambda r, w: classification_loss(codes[r], w),
        None,
        False,
    )
    assert choose_course(task, X).alone
    scale = learn_relevance(task, {"standardized": X, "ranks": X})["ranks"].scale
    assert set(np.argsort(scale)[-2:]) == {3, 7}


def test_what_columns_tell_alone_against_counts_in_bins():
    rng = np.random.default_rng(1)
    Z = np.c_[rng.normal(size=(80, 3)), rng.integers(0, 3, 80), np.zeros(80)]
    codes = (Z[:, 0] + Z[:, 3] > 1.0).astype(int)
    found = np.zeros(5)
    for j in range(5):
        part = np.searchsorted(np.unique(np.quantile(Z[:, j], np.arange(1, 8) / 8)), Z[:, j])
        for p in np.unique(part):
            n, own = np.sum(part == p), codes[part == p].sum()
            q = codes.mean()
            found[j] += (own - n * q) ** 2 / (n * q * (1 - q))
        found[j] = max(found[j] - (np.unique(part).size - 1), 0.0)
    expected = np.sqrt(found / found.max())
    np.testing.assert_allclose(tell_alone(Z, 2.0 * codes[:, None] - 1.0), expected, atol=1e-7)
    np.testing.assert_array_equal(tell_alone(np.zeros((9, 2)), np.ones((9, 1))), 1.0)


def test_losses_on_a_learnt_scale_are_not_below_what_halves_say():
    def candidate(family, inputs, loss):
        return Candidate(LimitKernel(family, inputs), 1.0, loss)

    plain = [
        candidate("cauchy", "ranks", 0.1),
        candidate("gaussian", "ranks", 0.2),
        candidate("gaussian", "standardized", 0.3),
    ]
    weighted = [
        candidate("gaussian", "weighted_ranks", 0.05),
        candidate("cauchy", "weighted_ranks", 0.1),
        candidate("gaussian", "weighted_standardized", 0.29),
    ]
    relevance = {"ranks": Relevance(np.ones(1), 0.8), "standardized": Relevance(np.ones(1), 0.9)}
    found = {one.kernel: one.loss for one in honest_losses(weighted, plain, relevance)}
    np.testing.assert_allclose([found[one.kernel] for one in weighted], [0.16, 0.32, 0.29])


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
    course = choose_course(task, task.X)
    *_, (scale, _) = follow_relevance(task, task.X, course.rounds, alone=course.alone)
    np.testing.assert_array_equal(found["standardized"].scale, scale)
    assert found["standardized"].left == course.left
    one = {form: Z[:, :1] for form, Z in samples.items()}
    assert learn_relevance(task, one) == {}
    few = task.take(np.r_[np.flatnonzero(task.T > 0)[: MIN_CLASS - 1], np.flatnonzero(task.T < 0)])
    some = {form: Z[: len(few.T)] for form, Z in samples.items()}
    assert learn_relevance(few, some) == {}


def test_nothing_matters_where_all_samples_are_alike():
    task = problem(20, 2)
    for scale, _ in follow_relevance(task, np.zeros((20, 2)), 2):
        np.testing.assert_array_equal(scale, 1.0)
