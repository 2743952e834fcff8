"""Maximum correntropy: the weight of a sample falls with its residual as a Gaussian."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from broadlearn.sample_scores.parameters import document
from broadlearn.sample_scores.residuals import ResidualScorer, residual_norms
from broadlearn.utils import Array


@document
@dataclass(frozen=True)
class CorrentropyScorer(ResidualScorer):
    r"""Scores by the maximum correntropy criterion (C-BLS), :math:`s^2 = \exp(-e^2 / 2 \sigma^2)`.

    Half-quadratic optimisation of the correntropy of targets and predictions: each step solves a
    ridge problem with these weights. A gross residual has no influence at all.

    Parameters
    ----------
    width : float, default=1.0
        :math:`\sigma` in robust standard deviations of the residuals (1.4826 times the median of
        their absolute values).
    {n_iterations}

    References
    ----------
    Y. Zheng, B. Chen, S. Wang, W. Wang, "Broad learning system based on maximum correntropy
    criterion", IEEE TNNLS 32 (2021).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> y[0] = 2
    >>> model = BLSClassifier(sample_scores="correntropy", random_state=0).fit(X, y)
    >>> int(model.sample_scores_.argmin())
    0
    """

    width: float = 1.0
    n_iterations: int = 3

    def residual_scores(self, residuals: Array, weight: Array | None = None) -> Array:
        """Return the roots of the Gaussian weights."""
        norms, scale = residual_norms(residuals, weight)
        return np.asarray(np.exp(-0.25 * (norms / (self.width * scale)) ** 2))
