"""Score candidates whose sample scores follow from their own residuals.

Every size and penalty has its own residuals, so nothing is shared but the design matrix: each
candidate is solved again and again as in `fit`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from broadlearn.models import MAX_HELD_OUT, held_out_predictions, solve_reweighted
from broadlearn.sample_scores import ResidualScorer
from broadlearn.search.cells import Cell, HeldOut, Rows
from broadlearn.solvers import LostPenaltyError, learn_slopes, solve_ridge
from broadlearn.utils import Array, Floats, spread_rows


class LeadingColumns:
    """The first columns of a design matrix; a `Design`."""

    def __init__(self, G: Array, n_columns: int) -> None:
        self.G, self.n_rows, self.n_columns = G[:, :n_columns], len(G), n_columns
        self.n_nodes = n_columns

    def __call__(self, rows: slice | Rows, out: Floats | None = None) -> Floats:
        """Return rows of the design matrix, in `out` if given."""
        if out is None:
            return self.G[rows]
        out[:] = self.G[rows]
        return out


class ResidualCell(Cell):
    """One map on one fold, for a `ResidualScorer`."""

    def scores(self) -> Array:
        """Return scores of shape (n_scorers, n_parts, n_sizes, n_Cs, n_widths)."""
        G, k = self._design(self.affine["train"]), self.data.T.shape[1]
        sizes = list(range(len(self.columns)))
        designs = [LeadingColumns(G, n) for n in self.columns]
        shape = (1, len(self.Cs), len(sizes), k, max(self.columns))
        W = np.zeros(shape)
        self.fits = [[self._fit(design, C) for design in designs] for C in self.Cs]
        for c, row in enumerate(self.fits):
            for j, (solution, _) in enumerate(row):
                W[0, c, j, :, : self.columns[j]] = (
                    np.nan if solution is None else solution.weights.T
                )
        self._score(W, [0], sizes, partial(self._held_out, designs))
        self.result[:] = self.result[:, :, :1]
        return self.result.transpose(0, 1, 4, 3, 2)

    def _fit(self, design: LeadingColumns, C: float) -> tuple[Any, Array | None]:
        """Solve a candidate as `fit` does; None if the penalty is lost."""
        scorer = self.fold.scorer
        assert isinstance(scorer, ResidualScorer)

        def solve(score: Array | None) -> Any:
            return solve_ridge(design, self.data.T, C, self.data.diagonal(score))

        try:
            return solve_reweighted(scorer, solve, design, self.data)
        except LostPenaltyError:
            return None, None

    def _held_out(self, designs: list[LeadingColumns], rows: Rows) -> Array:
        """Predict training samples by the models without each of them."""
        n_targets = self.data.T.shape[1]
        return np.stack(
            [
                [
                    np.full((rows.size, n_targets), np.nan)
                    if solution is None
                    else held_out_predictions(solution, design, self.data, score)[rows]
                    for design, (solution, score) in zip(designs, row, strict=True)
                ]
                for row in self.fits
            ]
        )

    def _slopes(self, w: int, held_out: HeldOut) -> Array:
        """Return slopes of probabilities of shape (n_Cs, n_sizes)."""
        rows = spread_rows(len(self.data.T), MAX_HELD_OUT)
        weight = None if self.data.weight is None else self.data.weight[rows]
        decisions, slopes = held_out(rows), np.ones((len(self.Cs), len(self.columns)))
        for c, j in np.ndindex(*slopes.shape):
            solution, score = self.fits[c][j]
            if solution is not None:
                own = None if score is None else score[rows]
                slopes[c, j] = learn_slopes(
                    decisions[c, j, None], self.data.codes[rows], weight, own
                )[0]
        return slopes
