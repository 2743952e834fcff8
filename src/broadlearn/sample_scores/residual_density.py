"""Density of residuals: samples with unusual residuals count less."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from broadlearn.sample_scores.parameters import document
from broadlearn.sample_scores.residuals import MAD_TO_DEVIATION, ResidualScorer
from broadlearn.utils import Array, quantiles, row_slices

# Residuals are rounded to this share of the kernel width, to limit time. Weights change by less
# than 0.01.
ROUNDING = 0.02


@document
@dataclass(frozen=True)
class ResidualDensityScorer(ResidualScorer):
    r"""Scores by the density of residuals (weighted BLS), :math:`s^2 = f(e) / \max f`.

    f is a kernel estimate from all residuals, so neither a centre nor a form of their distribution
    is assumed. With several outputs, the least of their weights counts.

    Parameters
    ----------
    bandwidth : float, default=1.0
        Width of the Gaussian kernel, in multiples of Silverman's rule (1.06 robust standard
        deviations over the fifth root of the total weight).
    {n_iterations}

    References
    ----------
    F. Chu, T. Liang, C. L. P. Chen, X. Wang, X. Ma, "Weighted broad learning system and its
    application in nonlinear industrial process modeling", IEEE TNNLS 31 (2020).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> y[0] = 2
    >>> model = BLSClassifier(sample_scores="residual_density", random_state=0).fit(X, y)
    >>> bool(model.sample_scores_[0] < 0.5)
    True
    """

    bandwidth: float = 1.0
    n_iterations: int = 3

    def residual_scores(self, residuals: Array, weight: Array | None = None) -> Array:
        """Return the roots of relative densities, the least of all outputs."""
        weight = np.ones(len(residuals)) if weight is None else weight
        median = quantiles(residuals, weight, [0.5])
        spread = quantiles(np.abs(residuals - median), weight, [0.5])[0]
        widths = self.bandwidth * 1.06 * MAD_TO_DEVIATION * spread * weight.sum() ** -0.2
        densities = [
            relative_density(column, weight, width) if width > 0.0 else np.ones(len(column))
            for column, width in zip(residuals.T, widths, strict=True)
        ]
        return np.asarray(np.sqrt(np.min(densities, axis=0)))


def relative_density(values: Array, weight: Array, width: float) -> Array:
    """Return the kernel density of values at themselves, over its maximum.

    Examples
    --------
    >>> import numpy as np
    >>> relative_density(np.array([0.0, 0.0, 9.0]), np.ones(3), 1.0)
    array([1. , 1. , 0.5])
    """
    step = ROUNDING * width
    cells, where = np.unique(np.round(values / step), return_inverse=True)
    mass = np.bincount(where, weights=weight)
    scaled = ROUNDING * cells
    blocks = row_slices(cells.size, cells.size)
    kernels = (np.exp(-0.5 * (scaled[rows, None] - scaled) ** 2) for rows in blocks)
    density = np.concatenate([kernel @ mass for kernel in kernels])
    return np.asarray((density / density.max())[where])
