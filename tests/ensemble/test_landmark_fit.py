import numpy as np
import pytest

from broadlearn.ensemble import landmark_fit, landmark_problem
from broadlearn.ensemble.candidates import (
    KERNELS,
    PENALTIES,
    Candidate,
    Problem,
    classification_loss,
)
from broadlearn.ensemble.kernel_average import samples_in
from broadlearn.ensemble.landmark_fit import (
    MIXED,
    SECOND_KERNELS,
    choose_scores,
    fit_landmarks,
)
from broadlearn.ensemble.landmark_problem import LandmarkProblem, judge
from broadlearn.random_features import KernelBasis, SamplePairs, learn_forms, learn_units
from broadlearn.sample_scores import margin_scores, margins_of

MIX = [kernel for kernel in KERNELS if kernel.family in ("gaussian", "few_inputs", "cauchy")][::5]
CANDIDATES = [Candidate((kernel,), PENALTIES[5], 0.5) for kernel in KERNELS]


def problem(n=80, weighted=False, flipped=0.0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    codes = (X[:, 0] * X[:, 1] > 0).astype(int)
    codes = np.where(rng.random(n) < flipped, 1 - codes, codes)
    weight = rng.integers(1, 4, n).astype(float) if weighted else None

    def make_loss(some, weight):
        return classification_loss(codes[some], weight)

    def rescore(some, held_out):
        return margin_scores(margins_of(held_out, codes[some]))

    return Problem(X, 2.0 * codes[:, None] - 1, weight, make_loss, rescore)


def learnt(task):
    forms = learn_forms(task.X, task.weight)
    return forms, learn_units(samples_in(forms, task.X, KERNELS), task.weight)


def mean_kernel(task, forms, units, landmarks):
    samples, basis = samples_in(forms, task.X, MIX), samples_in(forms, landmarks, MIX)
    each = [SamplePairs(KernelBasis(basis), samples).values(kernel, units) for kernel in MIX]
    return np.mean(each, axis=0) + 1.0


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scored", [False, True])
def test_the_mean_kernel_is_fitted_and_left_out_as_by_refits(weighted, scored, monkeypatch):
    monkeypatch.setattr(landmark_problem, "BLOCK_NUMBERS", 200)
    task = problem(40, weighted)
    forms, units = learnt(task)
    score = np.linspace(0.2, 1, 40) if scored else None
    landmarks = task.X[::4]
    whole = LandmarkProblem(forms, units, task, score, landmarks)
    K = mean_kernel(task, forms, units, landmarks)
    J = mean_kernel(task._replace(X=landmarks), forms, units, landmarks)
    np.testing.assert_allclose(whole.kernel(MIX, slice(0, 40), whole.basis(MIX)), K, atol=1e-12)
    best, _, solution = judge(whole, MIX, 5)
    C, ones = PENALTIES[best], np.ones(40)
    counts = (ones if task.weight is None else task.weight) * (1.0 if score is None else score) ** 2

    def weights(counts):
        left = (K * counts[:, None]).T @ K + J / C
        return np.linalg.solve(left, (K * counts[:, None]).T @ task.T)

    np.testing.assert_allclose(K @ solution.weights, K @ weights(counts), atol=1e-6)
    found = whole.held_out(solution, MIX)
    for i in range(40):
        left = counts.copy()
        left[i] -= ones[i] if score is None else score[i] ** 2
        np.testing.assert_allclose(found[i], K[i] @ weights(left), atol=1e-6)
    single = LandmarkProblem(forms, units, task, score, landmarks, np.float32)
    np.testing.assert_allclose(single.held_out(solution, MIX), found, atol=2e-3)


def test_scores_are_judged_on_samples_that_they_were_given_without(monkeypatch):
    monkeypatch.setattr(landmark_fit, "ROUNDS", ((100, 20), (200, 30)))
    task, seen = problem(200, flipped=0.2), []

    def rescore(some, held_out):
        seen.append(set(some))
        return task.rescore(some, held_out)

    forms, units = learnt(task)
    choose_scores(task._replace(rescore=rescore), CANDIDATES[0], forms, units, np.arange(200), -1e9)
    first, second, last = seen
    assert first | second == last == set(range(200))
    assert not first & second


@pytest.mark.parametrize("gain", [np.inf, -np.inf])
def test_the_average_is_the_mean_kernel_on_landmarks(gain, monkeypatch):
    monkeypatch.setattr(landmark_fit, "MAX_PRODUCTS", 25**2 * 80)
    task, steps = problem(), []
    forms, units = learnt(task)
    generator = np.random.default_rng(3)
    fitted = fit_landmarks(task, CANDIDATES, forms, units, gain, generator, lambda: steps.append(0))
    assert len(steps) == len(CANDIDATES) + SECOND_KERNELS + 3
    average, members = fitted.average, fitted.members
    assert len(members[0].kernels) == MIXED
    assert average.basis.shape == (25, 3)
    assert [kernel for member in members for kernel in member.kernels] == average.kernels
    assert (fitted.score is None) == (fitted.calibrating is None) == (gain > 0)
    whole = LandmarkProblem(forms, units, task, fitted.score, average.basis)
    _, _, solution = judge(whole, average.kernels, PENALTIES.index(members[0].C))
    expected = whole.kernel(average.kernels, slice(0, 80), whole.basis(average.kernels))
    np.testing.assert_allclose(average(task.X), expected @ solution.weights, atol=1e-3)
    held_out = whole.held_out(solution, average.kernels)
    np.testing.assert_allclose(fitted.held_out, held_out, atol=0.01)
    if fitted.score is not None:
        plain = LandmarkProblem(forms, units, task, None, average.basis)
        _, _, solution = judge(plain, average.kernels, PENALTIES.index(members[0].C))
        held_out = plain.held_out(solution, average.kernels)
        np.testing.assert_allclose(fitted.calibrating, held_out, atol=0.01)
