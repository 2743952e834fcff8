from itertools import pairwise

import numpy as np
import pytest

from broadlearn.ensemble.candidates import (
    KERNELS,
    PENALTIES,
    TIE,
    Candidate,
    Problem,
    classification_loss,
    gain_of_scores,
)
from broadlearn.ensemble.exact import (
    compare_kernels,
    fit_exactly,
    kernel_ridge,
)
from broadlearn.ensemble.kernel_average import samples_in
from broadlearn.random_features import (
    KernelBasis,
    LimitKernel,
    SamplePairs,
    learn_forms,
    learn_units,
)
from broadlearn.solvers import LostPenaltyError, solve_gram

MEANS = [KERNELS[i : i + 1 + i % 3] for i in range(0, len(KERNELS), 3)]
MEMBERS = [Candidate(kernels, PENALTIES[4 + i % 4], 0.0) for i, kernels in enumerate(MEANS)]


def refit(gram, T, C, counts):
    """Predictions of kernel ridge on the samples that count, for all."""
    kept = counts > 0
    left = gram[np.ix_(kept, kept)] + np.diag(1 / (C * counts[kept]))
    return gram[:, kept] @ np.linalg.solve(left, T[kept])


def fitted_on(forms, units):
    """What `gain_of_scores` calls to fit the members."""

    def fit(part, score):
        fitted = fit_exactly(part, MEMBERS, forms, units, score, lambda: None)
        return fitted.held_out, fitted.average

    return fit


def plain_held_out(gram, T, C, score, weight):
    """Predictions for each sample by a model that is fitted without it, or one of its copies."""
    n = len(T)
    score, weight = (np.ones(n) if given is None else given for given in (score, weight))
    out = np.empty_like(T)
    for i in range(n):
        left = weight.copy()
        left[i] -= min(1.0, weight[i])
        out[i] = refit(gram, T, C, left * score**2)[i]
    return out


def classes(n=30, k=3, weighted=False, rescore=None):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    codes = (X[:, 0] + 0.5 * rng.normal(size=n) > 0) * 1 + (X[:, 1] > 0.5) * (k == 3)
    T = np.eye(k)[codes] if k > 2 else 2.0 * codes[:, None] - 1
    weight = rng.integers(1, 4, n).astype(float) if weighted else None

    def make_loss(some, weight):
        return classification_loss(codes[some], weight)

    return Problem(X, T, weight, make_loss, rescore)


def learnt(problem):
    forms = learn_forms(problem.X, problem.weight)
    samples = samples_in(forms, problem.X, KERNELS)
    return forms, samples, learn_units(samples, problem.weight)


def grams(members, samples, units):
    pairs = SamplePairs(KernelBasis(samples))
    return [np.mean([pairs.values(k, units) for k in m.kernels], axis=0) + 1.0 for m in members]


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scored", [False, True])
def test_held_out_decisions_of_the_average_equal_refits(k, weighted, scored):
    problem = classes(k=k, weighted=weighted)
    score = np.random.default_rng(1).uniform(0.05, 1, 30) if scored else None
    forms, samples, units = learnt(problem)
    fitted = fit_exactly(problem, MEMBERS, forms, units, score, lambda: None)
    expected = [
        plain_held_out(gram, problem.T, member.C, score, problem.weight)
        for member, gram in zip(MEMBERS, grams(MEMBERS, samples, units), strict=True)
    ]
    np.testing.assert_allclose(fitted.held_out, np.mean(expected, axis=0), atol=1e-8)
    assert fitted.score is score


def test_every_kernel_has_its_best_penalty():
    problem = classes()
    _, samples, units = learnt(problem)
    steps, loss = [], problem.make_loss(np.arange(30), problem.weight)
    found = compare_kernels(problem, MEMBERS, samples, units, lambda: steps.append(0))
    assert len(steps) == len(MEANS)
    assert {candidate.kernels for candidate in found} == set(MEANS)
    assert all(a.loss <= b.loss + TIE for a, b in pairwise(found))
    for candidate, gram in zip(found, grams(found, samples, units), strict=True):
        at = PENALTIES.index(candidate.C)
        near = [
            loss(kernel_ridge(gram, problem.T, C, None, None)[1])
            for C in PENALTIES[max(at - 1, 0) : at + 2]
        ]
        assert min(near) >= candidate.loss - TIE
        assert loss(plain_held_out(gram, problem.T, candidate.C, None, None)) == pytest.approx(
            candidate.loss, abs=1e-8
        )


def test_scores_are_judged_on_the_half_that_they_were_given_without():
    seen = []

    def rescore(some, held_out):
        seen.append(set(some))
        return np.linspace(0.1, 1, 30)[some]

    problem = classes(rescore=rescore)
    forms, samples, units = learnt(problem)
    found = gain_of_scores(problem, fitted_on(forms, units))
    first, second = seen
    assert first | second == set(range(30))
    assert not first & second
    gains = []
    for train, test in ((first, second), (second, first)):
        train, test = sorted(train), sorted(test)
        loss = problem.make_loss(np.array(test), None)
        outputs = []
        for score in (np.ones(30), np.linspace(0.1, 1, 30)):
            output = np.zeros((len(test), problem.T.shape[1]))
            for i, gram in enumerate(grams(MEMBERS, samples, units)):
                s = score[train]
                scaled = s[:, None] * gram[np.ix_(train, train)] * s
                penalty = np.eye(len(train)) / MEMBERS[i].C
                dual = np.linalg.solve(scaled + penalty, s[:, None] * problem.T[train])
                output += gram[np.ix_(test, train)] @ (s[:, None] * dual) / len(MEMBERS)
            outputs.append(output)
        gains.append(loss(outputs[0]) - loss(outputs[1]))
    assert found == pytest.approx(np.mean(gains), abs=1e-8)


def test_rows_far_away_may_lose_a_penalty_but_not_the_fit():
    X = np.random.default_rng(0).normal(size=(300, 3))
    codes = (X[:, 0] > 0).astype(int)
    X[:3] *= 10**7.5
    T = 2.0 * codes[:, None] - 1.0
    problem = Problem(X, T, None, lambda r, w: classification_loss(codes[r], w), None)
    kernel = LimitKernel("spherical_cauchy", "standardized", 4.0)
    member = Candidate((kernel,), PENALTIES[-1], 0.0)
    forms = learn_forms(X)
    samples = samples_in(forms, X, [kernel])
    units = learn_units(samples)
    gram = SamplePairs(KernelBasis(samples)).values(kernel, units) + 1.0
    with pytest.raises(LostPenaltyError):
        solve_gram(gram, None, T, member.C)
    fitted = fit_exactly(problem, [member], forms, units, None, lambda: None)
    assert fitted.members[0].C < member.C
    assert np.isfinite(fitted.held_out).all()
