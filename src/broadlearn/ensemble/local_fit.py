"""Models of cells that learn the residuals of a model on landmarks.

Landmarks learn the coarse structure of a table, and all samples of a cell the fine structure. The
leave-one-out predictions of their sum are exact. H is the matrix that maps targets to the fitted
values of the first model, and r_i its leave-one-out residual of sample i. Without sample i, its
residual of sample j grows by ``h_ji r_i``, and the prediction of the cell's model for i is linear
in these residuals. Samples are left out with all their weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import get_blas_funcs
from scipy.linalg.blas import dsymv
from scipy.linalg.lapack import dpotri, dtrtri

from broadlearn.ensemble.candidates import PENALTIES, TIE, Candidate, best_penalty
from broadlearn.ensemble.cells import SPLIT_FORM, LocalModels, split_cells
from broadlearn.ensemble.exact import at_kept_penalty
from broadlearn.ensemble.landmark_problem import LandmarkProblem
from broadlearn.random_features import KernelBasis, LimitKernel, SamplePairs
from broadlearn.solvers import LandmarkSolution, leave_one_out, solve_gram
from broadlearn.utils import Array, Floats

# Width of the kernel of cells; largest number of samples of a cell.
LOCAL_WIDTH, CELL_SIZE = 4.0, 500
# Number of cells on which the penalty is chosen; number of neighbouring cells that share work.
JUDGED_CELLS, SHARED_CELLS = 2, 16


def local_kernel(candidates: Sequence[Candidate]) -> LimitKernel:
    """Return the best narrow kernel of independent Cauchy weights among the candidates."""
    kernels = (candidate.kernels[0] for candidate in candidates)
    narrow = (k for k in kernels if k.family == "cauchy" and k.width == LOCAL_WIDTH)
    return next(narrow, LimitKernel("cauchy", "standardized", LOCAL_WIDTH))


class FirstModel:
    """A model on landmarks that gives fitted values and the matrix H."""

    def __init__(
        self,
        whole: LandmarkProblem,
        solution: LandmarkSolution,
        kernels: Sequence[LimitKernel],
    ) -> None:
        self.whole, self.kernels = whole, kernels
        self.basis = whole.basis(kernels)
        self.weights: Floats = solution.weights.astype(whole.precision)
        # Products with the inverse are faster than solving for every cell.
        self.inverse = dtrtri(solution.factor, lower=1)[0].astype(whole.precision)
        self._multiply, self._square = get_blas_funcs(("trmm", "syrk"), dtype=whole.precision)

    def __call__(self, rows: NDArray[np.intp]) -> tuple[Array, Floats]:
        """Return predictions for samples, and F of shape (n_samples, n_landmarks) with H = F Fᵗ."""
        K = self.whole.kernel(self.kernels, rows, self.basis)
        fitted = np.asarray(K @ self.weights, dtype=np.float64)
        return fitted, self._multiply(1.0, self.inverse, K.T, lower=1, overwrite_b=1).T

    def hat(self, root: Floats) -> Floats:
        """Return the lower triangle of H between samples, from their rows of F."""
        return np.asarray(self._square(1.0, root.T, trans=1, lower=1))


class CellProblem:
    """The ridge problem of one cell, on the residuals of a model on landmarks.

    `fitted` and `root` are what the first model returns for the samples.
    """

    def __init__(
        self,
        first: FirstModel,
        kernel: LimitKernel,
        rows: NDArray[np.intp],
        fitted: Array,
        root: Floats,
    ) -> None:
        whole = first.whole
        T = whole.T[rows]
        self.hat = first.hat(root)
        self.residual = T - fitted
        self.s = np.ones(len(rows)) if whole.s is None else whole.s[rows]
        remainder = 1.0 - self.s**2 * np.diagonal(self.hat).astype(np.float64)
        # Leave-one-out predictions of the landmark model, and how targets change by leaving out.
        self.first = leave_one_out(T, self.residual, remainder)
        self.gone = (T - self.first) * self.s[:, None] ** 2
        X = whole.X[rows].astype(np.float64, copy=False)
        basis = KernelBasis({kernel.inputs: whole.forms(X, kernel.inputs)})
        self.gram = np.asarray(SamplePairs(basis).values(kernel, whole.units), dtype=np.float64)

    def fit(self, C: float) -> tuple[Array, Array]:
        """Return coefficients of the samples, and leave-one-out predictions of both models."""
        solution = solve_gram(self.gram, self.s, self.residual, C)
        inverse = dpotri(solution.factor, lower=1, overwrite_c=1)[0]
        diagonal = np.diagonal(inverse).copy()
        # A sample with score 0 is not learnt from, so it cannot be left out.
        s = np.maximum(self.s, np.finfo(np.float64).tiny ** 0.25)
        left = self.residual - solution.alpha / (diagonal * s)[:, None]
        # Only the lower triangles of both matrices are known.
        inverse *= self.hat
        np.fill_diagonal(inverse, 0.0)
        change = dsymv(1.0, inverse, self.s, lower=1) / (diagonal * s)
        second = left - change[:, None] * self.gone
        unseen = self.s <= 0.0
        second[unseen] = (self.gram @ solution.weights)[unseen]
        return solution.weights, self.first + second


def fit_cells(
    whole: LandmarkProblem,
    solution: LandmarkSolution,
    kernels: Sequence[LimitKernel],
    kernel: LimitKernel,
    generator: np.random.Generator,
) -> tuple[LocalModels, Array] | None:
    """Return models of cells and held-out predictions of both models, or None if they do not help.

    Parameters
    ----------
    whole : LandmarkProblem
    solution : LandmarkSolution
        The model on landmarks.
    kernels : list of LimitKernel
        The kernels of its mean.
    kernel : LimitKernel
        The kernel of cells.
    generator : Generator
    """
    Z = whole.forms(whole.X.astype(np.float64, copy=False), SPLIT_FORM)
    cells, members = split_cells(Z, CELL_SIZE, generator)
    first = FirstModel(whole, solution, kernels)

    def problems_of(chosen: NDArray[np.intp]) -> Iterator[CellProblem]:
        for start in range(0, len(chosen), SHARED_CELLS):
            cells_rows = [members[cell][0] for cell in chosen[start : start + SHARED_CELLS]]
            union = np.unique(np.concatenate(cells_rows))
            fitted, root = first(union)
            for rows in cells_rows:
                place = np.searchsorted(union, rows)
                yield CellProblem(first, kernel, rows, fitted[place], root[place])

    judged = np.unique(np.linspace(0, len(members) - 1, JUDGED_CELLS).astype(np.intp))
    problems = list(problems_of(judged))
    insides = [members[cell][1] for cell in judged]
    some = np.concatenate([members[cell][0][members[cell][1]] for cell in judged])
    loss = whole.make_loss(some, None if whole.counted is None else whole.counted[some])

    def held_out(of: Callable[[CellProblem], Array]) -> Array:
        return np.concatenate([of(p)[i] for p, i in zip(problems, insides, strict=True)])

    best, value = best_penalty(lambda C: held_out(lambda p: p.fit(C)[1]), loss)
    if value >= loss(held_out(lambda p: p.first)) - TIE:
        return None
    out = np.empty_like(whole.T)
    coefficients = []
    every = problems_of(np.arange(len(members)))
    for problem, (rows, inside) in zip(every, members, strict=True):
        _, weights, both = at_kept_penalty(problem.fit, PENALTIES[best])
        coefficients.append(weights)
        out[rows[inside]] = both[inside]
    starts = np.cumsum([0, *(len(rows) for rows, _ in members)])
    basis = whole.X[np.concatenate([rows for rows, _ in members])]
    return LocalModels(cells, kernel, basis, starts, np.concatenate(coefficients)), out
