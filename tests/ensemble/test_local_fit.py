import numpy as np
import pytest

from broadlearn.ensemble import local_fit
from broadlearn.ensemble.candidates import KERNELS, Candidate, Problem, classification_loss
from broadlearn.ensemble.kernel_average import samples_in
from broadlearn.ensemble.landmark_problem import LandmarkProblem, judge
from broadlearn.ensemble.local_fit import CellProblem, FirstModel, fit_cells, local_kernel
from broadlearn.random_features import LimitKernel, learn_forms, learn_units
from broadlearn.solvers import solve_landmarks

MIX = list(KERNELS[:9:4])
NARROW = LimitKernel("cauchy", "ranks", 4.0)


def landmark_problem(X, codes, weight, landmarks, like=None):
    def make_loss(some, weight):
        return classification_loss(codes[some], weight)

    T = 2.0 * codes[:, None] - 1
    task = Problem(X, T, weight, make_loss, None, copies=False)
    forms = learn_forms(X) if like is None else like.forms
    units = learn_units(samples_in(forms, X, KERNELS)) if like is None else like.units
    return LandmarkProblem(forms, units, task, None, landmarks)


def table(n, cells=2):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(n, 2))
    return X, (np.floor(cells * X).sum(axis=1) % 2).astype(int)


@pytest.mark.parametrize("weighted", [False, True])
def test_both_models_are_left_out_as_by_refits(weighted):
    X, codes = table(40)
    weight = np.random.default_rng(1).uniform(0.5, 3, 40) if weighted else None
    counts = np.ones(40) if weight is None else weight
    whole = landmark_problem(X, codes, weight, X[::4])
    solution = solve_landmarks(whole.sums(MIX), 10.0)
    rows = np.arange(5, 40)
    first_model = FirstModel(whole, solution, MIX)
    cell = CellProblem(first_model, NARROW, rows, *first_model(rows))
    weights, found = cell.fit(3.0)
    K = whole.kernel(MIX, slice(0, 40), whole.basis(MIX))

    def refit(kept):
        part = landmark_problem(X[kept], codes[kept], counts[kept], X[::4], whole)
        first = K @ solve_landmarks(part.sums(MIX), 10.0).weights
        inner = np.flatnonzero(np.isin(rows, kept))
        known = rows[inner]
        left = cell.gram[np.ix_(inner, inner)] + np.diag(1 / (3.0 * counts[known]))
        second = np.linalg.solve(left, (whole.T - first)[known])
        return second, first[rows] + cell.gram[:, inner] @ second

    np.testing.assert_allclose(weights, refit(np.arange(40))[0], atol=1e-6)
    for i, row in enumerate(rows):
        expected = refit(np.delete(np.arange(40), row))[1][i]
        np.testing.assert_allclose(found[i], expected, atol=1e-6)


def test_cells_learn_what_landmarks_leave(monkeypatch):
    monkeypatch.setattr(local_fit, "CELL_SIZE", 150)
    X, codes = table(900, cells=4)
    train, new = np.arange(600), np.arange(600, 900)
    whole = landmark_problem(X[train], codes[train], None, X[:12])
    _, _, solution = judge(whole, MIX, 5)
    generator = np.random.default_rng(0)
    models, held_out = fit_cells(whole, solution, MIX, NARROW, generator)
    K = whole.kernel(MIX, slice(0, 600), whole.basis(MIX))
    before = np.mean((K @ solution.weights > 0)[:, 0] == codes[train])
    after = np.mean((held_out > 0)[:, 0] == codes[train])
    assert after > before + 0.1
    landmarks = landmark_problem(X[new], codes[new], None, X[:12], whole)
    first = landmarks.kernel(MIX, slice(0, 300), landmarks.basis(MIX)) @ solution.weights
    both = first + models(X[new], whole.forms, whole.units)
    assert np.mean((both > 0)[:, 0] == codes[new]) == pytest.approx(after, abs=0.06)


def test_cells_that_do_not_help_are_left_out():
    X, _ = table(300)
    codes = np.random.default_rng(3).integers(0, 2, 300)
    whole = landmark_problem(X, codes, None, X[:5])
    _, _, solution = judge(whole, MIX, 0)
    assert fit_cells(whole, solution, MIX, NARROW, np.random.default_rng(0)) is None


def test_the_form_of_the_columns_is_that_of_the_best_narrow_kernel():
    wide, narrow = NARROW._replace(width=1.0), NARROW._replace(inputs="ranks")
    candidates = [Candidate((kernel,), 1.0, 0.5) for kernel in (wide, narrow, NARROW)]
    assert local_kernel(candidates) == narrow
    assert local_kernel(candidates[:1]).inputs == "standardized"
