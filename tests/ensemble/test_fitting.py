import numpy as np
import pytest

from broadlearn.ensemble import fitting
from broadlearn.ensemble.candidates import KERNELS, Problem, squared_loss
from broadlearn.ensemble.fitting import fit_ensemble


def problem(n=60, rescored=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    T = np.sin(2 * X[:, :1]) + 0.1 * rng.normal(size=(n, 1))
    rescore = (lambda some, held_out: np.linspace(0.5, 1, len(some))) if rescored else None
    return Problem(X, T - T.mean(), None, lambda some, w: squared_loss(T[some], w), rescore)


def fit(task, size=4, max_exact=1000, seed=0):
    steps = []
    fitted = fit_ensemble(task, size, max_exact, -np.inf, seed, lambda: steps.append(0))
    return fitted, len(steps)


@pytest.mark.parametrize(("size", "n_members"), [(1, 1), (5, 5), (1000, len(KERNELS))])
def test_the_best_are_averaged(size, n_members):
    fitted, _ = fit(problem(), size)
    assert len(fitted.members) == n_members
    everything, _ = fit(problem(), 1000)
    kept = sorted(member.loss for member in everything.members)[:n_members]
    np.testing.assert_allclose(sorted(member.loss for member in fitted.members), kept, atol=1e-4)


def test_all_samples_are_the_basis_up_to_the_limit():
    task = problem()
    assert fit(task, max_exact=60)[0].average.basis is task.X
    beyond = fit(task, max_exact=59)[0]
    assert len(beyond.members[0].kernels) == 3
    np.testing.assert_allclose(beyond.held_out, fit(task)[0].held_out, atol=0.4)


def test_many_samples_have_fewer_members(monkeypatch):
    task = problem()
    monkeypatch.setattr(fitting, "MAX_VALUES", 5 * 60)
    fitted = fit(task, 7)[0]
    assert len(fitted.members) == 5
    monkeypatch.setattr(fitting, "MAX_VALUES", 60)
    assert len(fit(task, 7)[0].members) == 3
