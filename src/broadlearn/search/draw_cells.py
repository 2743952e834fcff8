"""All penalties and kernel widths of one map on one fold, where no other size shares its nodes.

Widths at which many samples have score 0 are solved through the others, whose products serve all of
these widths: with small C, a few steps with the products solve for all of them together. The rest
is factorised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from broadlearn.search.cells import SAFETY, Cell
from broadlearn.solvers import krylov_path
from broadlearn.utils import Array

# Fewer widths or fewer rows are factorised as fast.
MIN_WIDTHS, MIN_ROWS = 2, 100
MAX_STEPS = 32


class DrawCell(Cell):
    """One map of one size on one fold."""

    def _solve(self, result: Array) -> None:
        if not (self._as_in_fit or self.in_blocks) and self.data.T.shape[1] == 1:
            counted = {w: self._counted(w) for w in self.left}
            dual = [w for w, rows in counted.items() if self._dual_is_cheaper(0, w, rows.size)]
            if len(dual) >= MIN_WIDTHS:
                rows = np.unique(np.concatenate([counted[w] for w in dual]))
                if rows.size >= MIN_ROWS:
                    self._solve_together(dual, rows, result)
        super()._solve(result)

    def _solve_together(self, widths: Sequence[int], rows: NDArray[np.intp], result: Array) -> None:
        """File the penalties that a short Krylov space has solutions for; leave the others.

        `rows` are all of the samples that count at the widths.
        """
        G, t = self._some_rows(rows), self.data.T[rows, 0]
        K = G @ G.T
        self._pairs = rows, G, K
        S = np.stack([self._diagonal(w)[rows] for w in widths])
        x, solved = krylov_path(
            _product(K, S),
            S * t,
            self.axes.Cs,
            tolerance=SAFETY * self.axes.tolerance,
            max_steps=MAX_STEPS,
        )
        penalties = np.flatnonzero(solved.any(axis=0)).tolist()
        if not penalties:
            return
        x = x[:, :, penalties] * S[:, :, None]
        W = G.T @ x.transpose(1, 0, 2).reshape(len(G), -1)
        for i, part in enumerate(("test", "train")[: 1 + self.axes.train]):
            outputs = np.concatenate([D @ W for _, D in self._designs(part)])
            outputs = outputs.reshape(-1, len(widths), len(penalties), 1, 1)
            self._file(outputs, part, None, result[:, i], widths, [0], penalties)
        for w, of_width in zip(widths, solved, strict=True):
            self.left[w] = np.flatnonzero(~of_width).tolist()
        self.left = {w: Cs for w, Cs in self.left.items() if Cs}

    def _diagonal(self, w: int) -> Array:
        s = self.diagonals[w]
        return np.ones(self.data.X.shape[0]) if s is None else s


def _product(K: Array, S: Array) -> Callable[[Array, NDArray[np.intp]], Array]:
    """``S K S v`` for vectors of some widths, in rows."""
    return lambda V, some: S[some] * ((S[some] * V) @ K)
