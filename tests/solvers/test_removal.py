import numpy as np
import pytest

from broadlearn.solvers import (
    landmark_removal_effects,
    removal,
    removal_effects,
    solve_landmarks,
    sum_landmarks,
)


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    X[7] = X[6]
    X[11] *= 6.0
    T = np.c_[np.sin(X[:, 0]), rng.normal(size=40)]
    return X, T, rng.uniform(0.2, 2.0, 40)


def loss_by_refits(gram, C, T, s, judged, rows):
    """Squared errors for `judged` samples of models fitted to `rows` without each of them."""
    total = 0.0
    for j in judged:
        kept = rows[rows != j]
        a = s[kept]
        M = a[:, None] * gram[np.ix_(kept, kept)] * a + np.eye(len(kept)) / C
        coefficients = a[:, None] * np.linalg.solve(M, a[:, None] * T[kept])
        total += s[j] ** 2 * ((T[j] - gram[j, kept] @ coefficients) ** 2).sum()
    return total


def effects_by_refits(gram, C, T, s):
    every, effects = np.arange(len(T)), []
    for i in every:
        others = np.delete(every, i)
        without = loss_by_refits(gram, C, T, s, others, others)
        effects.append(without - loss_by_refits(gram, C, T, s, others, every))
    return np.array(effects)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("C", [0.1, 30.0])
def test_against_refits(problem, C, weighted):
    X, T, weight = problem
    gram = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 4.0)
    s = np.sqrt(weight) if weighted else np.ones(len(X))
    wanted = effects_by_refits(gram, C, T, s)
    before = gram.copy()
    np.testing.assert_allclose(removal_effects(gram, T, C, s if weighted else None), wanted)
    np.testing.assert_array_equal(gram, before)


def test_a_sample_of_weight_zero_is_worth_nothing(problem):
    X, T, _ = problem
    s = np.ones(len(X))
    s[3] = 0.0
    gram = X @ X.T + 1.0
    effects = removal_effects(gram, T, 1.0, s)
    assert effects[3] == 0.0
    rest = np.delete(np.arange(len(X)), 3)
    without = removal_effects(gram[np.ix_(rest, rest)], T[rest], 1.0)
    np.testing.assert_allclose(effects[rest], without)


@pytest.fixture
def landmarks(problem):
    """A model on five landmarks, and the Gram matrix of what is the same model in the dual."""
    X, T, weight = problem
    K = np.exp(-((X[:, None] - X[:5]) ** 2).sum(axis=2) / 4.0)
    s, C = np.sqrt(weight), 10.0
    sums = sum_landmarks([(K.copy(), T, s)], K[:5], 2)
    return solve_landmarks(sums, C), K, K @ np.linalg.solve(K[:5], K.T), C, s


def test_landmarks_against_refits(problem, landmarks):
    solution, K, gram, C, s = landmarks
    T = problem[1]
    effects = landmark_removal_effects(solution, lambda rows: K[rows].copy(), T, s)
    np.testing.assert_allclose(effects, effects_by_refits(gram, C, T, s), rtol=1e-6)


def test_landmarks_with_few_leading_samples(problem, landmarks, monkeypatch):
    solution, K, gram, C, s = landmarks
    T = problem[1]
    monkeypatch.setattr(removal, "MAX_LEADING", 6)
    wanted = removal_effects(gram, T, C, s)
    effects = landmark_removal_effects(solution, lambda rows: K[rows].copy(), T, s)
    assert np.abs(effects - wanted).max() < 0.05 * np.abs(wanted).max()
    single = landmark_removal_effects(solution, lambda rows: K[rows].astype(np.float32), T, s)
    np.testing.assert_allclose(single, effects, rtol=1e-3, atol=1e-4)


def test_many_samples_are_taken_block_by_block(problem, landmarks, monkeypatch):
    solution, K, _, _, s = landmarks
    T = problem[1]
    at_once = landmark_removal_effects(solution, lambda rows: K[rows].copy(), T, s)
    monkeypatch.setattr(removal, "BLOCK_NUMBERS", 35)
    in_blocks = landmark_removal_effects(solution, lambda rows: K[rows].copy(), T, s)
    np.testing.assert_allclose(in_blocks, at_once)
