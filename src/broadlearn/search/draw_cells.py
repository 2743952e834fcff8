"""All penalties and kernel widths of one map on one fold, where no other size shares its nodes.

At small kernel widths samples have tiny scores, and with small C every problem is nearly diagonal:
a few products with the design matrix then solve for all widths together. The rest is factorised.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from broadlearn.search.cells import Cell
from broadlearn.solvers import krylov_path
from broadlearn.utils import Array

# Fewer widths, fewer rows, or many more rows than columns are factorised as fast.
MIN_WIDTHS, MIN_ROWS, MAX_ROWS_PER_COLUMN = 4, 100, 2
MAX_STEPS = 32
# Of the error of predictions that is allowed, the part that residuals may have.
SAFETY = 1e-3


class DrawCell(Cell):
    """One map of one size on one fold."""

    def _solve(self, result: Array) -> None:
        n_rows, n = self.data.X.shape[0], self.map.n_columns
        pays = len(self.left) >= MIN_WIDTHS and MIN_ROWS <= n_rows <= MAX_ROWS_PER_COLUMN * n
        if pays and not self._as_in_fit and self.data.T.shape[1] == 1:
            self._solve_together(result)
        super()._solve(result)

    def _solve_together(self, result: Array) -> None:
        """File the penalties that a short Krylov space has solutions for; leave the others."""
        blocks = list(self._designs("train"))
        if len(blocks) > 1:
            return
        widths, G, t = list(self.left), blocks[0][1], self.data.T[:, 0]
        S = np.stack([self._diagonal(w) for w in widths])
        product = self._product(G, S)
        x, solved = krylov_path(
            product,
            S * t,
            self.axes.Cs,
            tolerance=SAFETY * self.axes.tolerance,
            max_steps=MAX_STEPS,
        )
        x *= S[:, :, None]
        W = G.T @ x.transpose(1, 0, 2).reshape(len(G), -1)
        penalties = range(len(self.axes.Cs))
        for i, part in enumerate(("test", "train")[: 1 + self.axes.train]):
            outputs = np.concatenate([D @ W for _, D in self._designs(part)])
            outputs = outputs.reshape(-1, len(widths), len(penalties), 1, 1)
            self._file(outputs, part, None, result[:, i], widths, [0], penalties)
        unsolved = {w: np.flatnonzero(~of).tolist() for w, of in zip(widths, solved, strict=True)}
        self.left = {w: Cs for w, Cs in unsolved.items() if Cs}

    def _diagonal(self, w: int) -> Array:
        s = self.diagonals[w]
        return np.ones(self.data.X.shape[0]) if s is None else s

    def _product(self, G: Array, S: Array) -> Callable[[Array, NDArray[np.intp]], Array]:
        """``S G Gᵗ S v`` for vectors of some widths, in rows."""
        if len(G) >= G.shape[1]:
            return lambda V, some: S[some] * (((S[some] * V) @ G) @ G.T)
        K = self._kept["pairs"] = G @ G.T
        return lambda V, some: S[some] * ((S[some] * V) @ K)
