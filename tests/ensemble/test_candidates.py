import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from broadlearn.ensemble.candidates import (
    PENALTIES,
    best_penalty,
    classification_loss,
    squared_loss,
)
from broadlearn.solvers import LostPenaltyError


def decisions(k, n=80):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, max(k, 2), n)
    T = 2.0 * codes[:, None] - 1 if k == 1 else np.eye(k)[codes]
    return T + rng.normal(size=T.shape), codes


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


def test_a_penalty_that_is_lost_is_never_the_best():
    def held_out(C):
        if C > PENALTIES[3]:
            raise LostPenaltyError(C)
        return np.array([abs(np.log10(C) - 4.0)])

    assert best_penalty(held_out, lambda d: float(d[0]), start=6) == (3, pytest.approx(4.0))
    assert best_penalty(held_out, lambda d: float(d[0]), start=1) == (3, pytest.approx(4.0))
    with_none = best_penalty(lambda C: held_out(1e9), lambda d: float(d[0]))
    assert with_none == (0, np.inf)
