"""Weighted ridge problems: G, S, T -> W, whole grids of them, and held-out predictions."""

from broadlearn.solvers.calibration import (
    MIN_SHARE,
    bounded,
    combine,
    evidence_of,
    learn_link,
    learn_offsets,
    learn_slopes,
    link_probabilities,
    probabilities,
    shares,
)
from broadlearn.solvers.conformal import (
    conformal_quantile,
    label_scores,
    label_sets,
)
from broadlearn.solvers.gram import solve_gram
from broadlearn.solvers.landmarks import (
    LandmarkSolution,
    LandmarkSums,
    solve_landmarks,
    sum_landmarks,
)
from broadlearn.solvers.path import (
    dual_inverse_diagonals,
    dual_path,
    primal_leverages,
    primal_path,
)
from broadlearn.solvers.ridge import (
    Block,
    LostPenaltyError,
    PrimalSolution,
    design_blocks,
    dual_remainder,
    dual_residual,
    leave_one_out,
    left_out_share,
    normal_equations,
    rows_residual,
    solve_ridge,
)
from broadlearn.solvers.rounding import prediction_error, propagated_error
from broadlearn.solvers.spectrum import Spectrum
from broadlearn.solvers.updates import remove_rows, solve_sums

__all__ = [
    "MIN_SHARE",
    "Block",
    "LandmarkSolution",
    "LandmarkSums",
    "LostPenaltyError",
    "PrimalSolution",
    "Spectrum",
    "bounded",
    "combine",
    "conformal_quantile",
    "design_blocks",
    "dual_inverse_diagonals",
    "dual_path",
    "dual_remainder",
    "dual_residual",
    "evidence_of",
    "label_scores",
    "label_sets",
    "learn_link",
    "learn_offsets",
    "learn_slopes",
    "leave_one_out",
    "left_out_share",
    "link_probabilities",
    "normal_equations",
    "prediction_error",
    "primal_leverages",
    "primal_path",
    "probabilities",
    "propagated_error",
    "remove_rows",
    "rows_residual",
    "shares",
    "solve_gram",
    "solve_landmarks",
    "solve_ridge",
    "solve_sums",
    "sum_landmarks",
]
