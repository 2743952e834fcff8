import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from broadlearn.ensemble.candidates import (
    KERNELS,
    PENALTIES,
    TIE,
    Candidate,
    Problem,
    best_first,
    best_penalty,
    classification_loss,
    squared_loss,
)
from broadlearn.random_features import METRICS
from broadlearn.solvers import LostPenaltyError


def decisions(k, n=80):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, max(k, 2), n)
    T = 2.0 * codes[:, None] - 1 if k == 1 else np.eye(k)[codes]
    return T + rng.normal(size=T.shape), codes


def test_kernels_are_all_different_and_of_every_family():
    assert len(set(KERNELS)) == len(KERNELS)
    assert {kernel.family for kernel in KERNELS} == set(METRICS)
    assert {kernel.inputs for kernel in KERNELS} == {"standardized", "ranks", "normal_scores"}
    for kernel in KERNELS:
        assert kernel.width > 0
        assert kernel.n_inputs in ((2, 4, 8) if kernel.family == "few_inputs" else (0,))
        # Their features are polynomials on an interval, which other forms can leave.
        assert kernel.inputs == "ranks" or kernel.family != "few_inputs"


def test_penalties_are_half_powers_of_ten():
    np.testing.assert_allclose(np.diff(np.log10(PENALTIES)), 0.5)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_loss_of_classes_is_the_log_loss_at_the_best_slope(k, weighted):
    held_out, codes = decisions(k)
    n = codes.size
    weight = np.random.default_rng(1).uniform(0.5, 2, n) if weighted else np.ones(n)
    limited = held_out / np.sqrt(1 + held_out**2)
    full = np.hstack([-limited, limited]) / 2 if k == 1 else limited
    classes, total = full.shape[1], weight.sum()
    target = (total * np.eye(classes)[codes] + 1) / (total + classes)

    def smoothed(slope):
        return -weight @ (target * log_softmax(slope * full, axis=1)).sum(axis=1)

    slope = minimize_scalar(smoothed, bounds=(0.01, 100), method="bounded").x
    own = log_softmax(slope * full, axis=1)[np.arange(n), codes]
    loss = classification_loss(codes, weight if weighted else None)(held_out)
    assert loss == pytest.approx(-weight @ own / total, abs=1e-5)


def test_the_loss_of_targets_is_in_units_of_their_variance():
    rng = np.random.default_rng(0)
    T = rng.normal(size=(50, 2))
    T -= T.mean(axis=0)
    found, weight = T + rng.normal(size=T.shape), rng.integers(1, 4, 50)
    shares = [((found[:, j] - T[:, j]) ** 2).mean() / T[:, j].var() for j in range(2)]
    loss = squared_loss(T, None)
    assert loss(found) == pytest.approx(np.mean(shares))
    assert loss(T) == 0.0
    assert loss(np.zeros_like(T)) == pytest.approx(1.0)
    for size in (1e300, 1e-300):
        assert squared_loss(size * T, None)(size * found) == pytest.approx(np.mean(shares))
    copies = np.repeat(np.arange(50), weight)
    expected = squared_loss(T[copies], None)(found[copies])
    assert squared_loss(T, weight.astype(float))(found) == pytest.approx(expected)
    assert squared_loss(np.zeros((5, 1)), None)(np.zeros((5, 1))) == 0.0


def test_a_problem_on_some_samples():
    rng = np.random.default_rng(0)
    X, T, weight = rng.normal(size=(20, 2)), rng.normal(size=(20, 1)), rng.uniform(1, 2, 20)
    problem = Problem(X, T, weight, lambda some, w: squared_loss(T[some], w), None)
    rows, some = np.arange(3, 17), np.arange(0, 14, 2)
    part = problem.take(rows)
    np.testing.assert_array_equal(part.X, X[rows])
    np.testing.assert_array_equal(part.weight, weight[rows])
    found = rng.normal(size=(7, 1))
    expected = squared_loss(T[rows][some], weight[rows][some])(found)
    assert part.make_loss(some, part.weight[some])(found) == expected
    assert part.copies
    np.testing.assert_array_equal(part.counted, part.weight)
    other = problem._replace(copies=False).take(rows, np.full(14, 2.0))
    np.testing.assert_array_equal(other.weight, 2.0 * weight[rows])
    np.testing.assert_array_equal(other.counted, 2.0)
    assert not other.copies
    both = problem._replace(copies=False, loss_weight=weight**2).take(rows)
    np.testing.assert_array_equal(both.counted, weight[rows] ** 2)
    assert problem._replace(weight=None).take(rows).weight is None


@pytest.mark.parametrize("start", [0, 5, len(PENALTIES) - 1])
@pytest.mark.parametrize("wanted", [0, 3, len(PENALTIES) - 1])
def test_the_best_penalty_is_found_from_any_start(start, wanted):
    asked = []

    def held_out(C):
        asked.append(C)
        return C

    found = best_penalty(held_out, lambda C: abs(np.log(C / PENALTIES[wanted])), start)
    assert found == (wanted, 0.0)
    assert len(set(asked)) == len(asked)


def test_next_to_nothing_does_not_move_the_penalty():
    assert best_penalty(lambda C: C, lambda C: -np.log10(C) * TIE, 4)[0] == 4
    assert best_penalty(lambda C: C, lambda C: 1.0, 4) == (4, 1.0)


def test_candidates_with_equal_losses_keep_their_order():
    losses = [0.5, 0.3, 0.3 + TIE / 100, 0.3 - TIE / 100, 0.1]
    candidates = [Candidate(KERNELS[i], 1.0, loss) for i, loss in enumerate(losses)]
    found = best_first(candidates)
    assert [KERNELS.index(candidate.kernel) for candidate in found] == [4, 1, 2, 3, 0]


def test_a_penalty_that_is_lost_is_never_the_best():
    def held_out(C):
        if C > PENALTIES[3]:
            raise LostPenaltyError(C)
        return np.array([abs(np.log10(C) - 4.0)])

    assert best_penalty(held_out, lambda d: float(d[0]), start=6) == (3, pytest.approx(4.0))
    assert best_penalty(held_out, lambda d: float(d[0]), start=1) == (3, pytest.approx(4.0))
    with_none = best_penalty(lambda C: held_out(1e9), lambda d: float(d[0]))
    assert with_none == (0, np.inf)
