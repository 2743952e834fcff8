"""Huber's loss: large residuals count by their size, not by their square."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from broadlearn.sample_scores.parameters import document
from broadlearn.sample_scores.residuals import ResidualScorer, residual_norms
from broadlearn.utils import Array


@document
@dataclass(frozen=True)
class HuberScorer(ResidualScorer):
    r"""Scores by Huber's loss, :math:`s^2 = \min(1, k / |e|)` in robust standard deviations.

    Iteratively reweighted least squares: the influence of a sample stops growing at k deviations,
    but never falls.

    Parameters
    ----------
    threshold : float, default=0.7
        k, in robust standard deviations of the residuals (1.4826 times the median of their absolute
        values). 1.345 is 95 % as efficient as least squares for normal residuals, such as those of
        real targets often are; those of labels are not.
    {n_iterations}

    References
    ----------
    P. J. Huber, "Robust estimation of a location parameter", Annals of Mathematical Statistics 35
    (1964).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> y[0] = 2
    >>> model = BLSClassifier(sample_scores="huber", random_state=0).fit(X, y)
    >>> int(model.sample_scores_.argmin())
    0
    """

    threshold: float = 0.7
    n_iterations: int = 3

    def residual_scores(self, residuals: Array, weight: Array | None = None) -> Array:
        """Return the roots of Huber's weights."""
        norms, scale = residual_norms(residuals, weight)
        bound = self.threshold * scale
        return np.asarray(np.sqrt(bound / np.maximum(norms, bound)))
