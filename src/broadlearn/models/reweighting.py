"""Ridge problems whose sample scores follow from their own residuals.

Such a problem is solved with equal weights first, then again and again on the same design matrix
with the scores of the residuals of the last solution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from broadlearn.models.training_data import TrainingData
from broadlearn.sample_scores import ResidualScorer
from broadlearn.utils import BLOCK_NUMBERS, Array, row_slices


def solve_reweighted(
    scorer: ResidualScorer,
    solve: Callable[[Array | None], Any],
    design: Any,
    data: TrainingData,
) -> tuple[Any, Array | None]:
    """Return the last solution and its scores, None if there are no iterations.

    `solve` takes scores (None for all ones) and returns a `PrimalSolution` or `DualSolution` of the
    design matrix.
    """
    score, solution = None, solve(None)
    for _ in range(scorer.n_iterations):
        residuals = data.T - held_out_predictions(solution, design, data, score)
        score = scorer.residual_scores(residuals, data.weight)
        solution = solve(score)
    return solution, score


def held_out_predictions(
    solution: Any, design: Any, data: TrainingData, score: Array | None
) -> Array:
    """Predict every sample by the model without it, in blocks if the problem is primal."""
    n_rows, s, share = len(data.T), data.diagonal(score), data.left_out_share()
    if solution.form == "dual":
        return np.asarray(solution.held_out(design, data.T, s, share, slice(0, n_rows)))
    blocks = row_slices(n_rows, design.n_columns, BLOCK_NUMBERS)
    return np.concatenate([solution.held_out(design, data.T, s, share, rows) for rows in blocks])
