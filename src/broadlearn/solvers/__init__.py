"""Weighted ridge problems: G, S, T -> W, whole grids of them, and what they predict held out."""

from broadlearn.solvers.calibration import (
    MIN_SHARE,
    bounded,
    learn_link,
    learn_offsets,
    learn_slope,
    learn_slopes,
    link_probabilities,
    probabilities,
)
from broadlearn.solvers.conformal import (
    check_coverage,
    conformal_quantile,
    label_scores,
    label_sets,
)
from broadlearn.solvers.gram import KernelDesign, solve_gram, solve_kernel
from broadlearn.solvers.krylov import krylov_path
from broadlearn.solvers.landmarks import (
    LandmarkSolution,
    LandmarkSums,
    solve_landmarks,
    sum_landmarks,
)
from broadlearn.solvers.path import (
    Doubts,
    Inverse,
    dual_inverse_diagonals,
    dual_path,
    primal_leverages,
    primal_path,
)
from broadlearn.solvers.removal import landmark_removal_effects, removal_effects
from broadlearn.solvers.ridge import (
    Block,
    Design,
    DualSolution,
    LostPenaltyError,
    PrimalSolution,
    design_blocks,
    dual_remainder,
    dual_residual,
    leave_one_out,
    normal_equations,
    rows_residual,
    solve_dual,
    solve_ridge,
    weighted_ridge,
)
from broadlearn.solvers.rounding import prediction_error, residuals_of_sums
from broadlearn.solvers.spectrum import Spectrum
from broadlearn.solvers.updates import add_rows, append_sums, remove_rows, solve_sums

__all__ = [
    "MIN_SHARE",
    "Block",
    "Design",
    "Doubts",
    "DualSolution",
    "Inverse",
    "KernelDesign",
    "LandmarkSolution",
    "LandmarkSums",
    "LostPenaltyError",
    "PrimalSolution",
    "Spectrum",
    "add_rows",
    "append_sums",
    "bounded",
    "check_coverage",
    "conformal_quantile",
    "design_blocks",
    "dual_inverse_diagonals",
    "dual_path",
    "dual_remainder",
    "dual_residual",
    "krylov_path",
    "label_scores",
    "label_sets",
    "landmark_removal_effects",
    "learn_link",
    "learn_offsets",
    "learn_slope",
    "learn_slopes",
    "leave_one_out",
    "link_probabilities",
    "normal_equations",
    "prediction_error",
    "primal_leverages",
    "primal_path",
    "probabilities",
    "removal_effects",
    "remove_rows",
    "residuals_of_sums",
    "rows_residual",
    "solve_dual",
    "solve_gram",
    "solve_kernel",
    "solve_landmarks",
    "solve_ridge",
    "solve_sums",
    "sum_landmarks",
    "weighted_ridge",
]
