"""Whether nodes of a graph may be computed in float32, which is two to four times faster.

Columns are standardised, and nodes added up, in float64 in any case. In float32 every node errs by
some 2⁻²⁴ times the length of its weights, and a decision by the length of the output weights times
that: what models of a large C, whose weights are large and cancel, do not allow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from broadlearn.random_features import BroadMap

# Wanted largest error of a probability among many rows, and by how much the largest error exceeds
# what is expected of a row.
MAX_ERROR, LARGEST = 3e-6, 2.0
# Size of standardised values that nodes are computed for: beyond it these are flat, where their
# activation is bounded and monotone.
REACH = {"tanh": 1.0, "sigmoid": 1.0}
FURTHER = 3.0


def single_error(fitted: Any) -> float:
    """Largest error of a probability to expect from float32; infinite where that is not known.

    Parameters
    ----------
    fitted : estimator
        A model with a map, or an average of kernels.
    """
    broad_map = getattr(fitted, "_map", None)
    if type(broad_map) is not BroadMap or not broad_map.affine:
        return np.inf
    if not hasattr(fitted, "classes_") or not getattr(fitted, "standardize", True):
        return np.inf
    W = fitted.output_weights_[broad_map.settings.n_features :].astype(np.float64)
    reach = REACH.get(broad_map.settings.activation, FURTHER)
    lengths = 1.0 + reach * np.linalg.norm(broad_map.enhancement_weights, axis=0)
    decision = np.sqrt((W**2).T @ lengths**2)
    # A probability moves by at most a quarter of the slope times what a decision does.
    slope = np.max(fitted.proba_slope_) / 4.0
    return float(LARGEST * 2.0**-24 * slope * decision.max() * broad_map.strength)


def single_suffices(fitted: Any, rows: Any) -> bool:
    """Whether nodes in float32 keep probabilities to `MAX_ERROR`; not for rows in float64.

    `rows` is the type of the graph's input, as skl2onnx has it.
    """
    from skl2onnx.common.data_types import DoubleTensorType

    return not isinstance(rows, DoubleTensorType) and single_error(fitted) <= MAX_ERROR
