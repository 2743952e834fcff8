"""Base class of the scorers that look at residuals of the model itself.

A model with such a scorer is solved several times on the same nodes: first with equal weights, then
with the scores of the residuals of the last solution.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from broadlearn.sample_scores.scorer import Samples, SampleScorer, Trust
from broadlearn.utils import POSITIVE, Array, quantiles
from broadlearn.utils.sklearn_compat import Interval

# Ratio of the standard deviation of a normal variable to its median absolute deviation.
MAD_TO_DEVIATION = 1.4826


class ResidualScorer(SampleScorer):
    """Base class of scorers of residuals; subclasses are frozen dataclasses.

    Residuals are those of leave-one-out predictions: a sample that determines its own prediction
    has a fitted residual of about 0, however wrong its label is.

    Attributes
    ----------
    n_iterations : int
        Number of weighted solutions after the first one.
    """

    n_iterations: int
    is_random: ClassVar[bool] = False
    constraints: ClassVar[Mapping[str, Any]] = {
        "n_iterations": [Interval(Integral, 0, None, closed="left")],
        **{name: [POSITIVE] for name in ("width", "threshold", "bandwidth")},
    }

    @abstractmethod
    def residual_scores(self, residuals: Array, weight: Array | None = None) -> Array:
        """Score samples by their residuals.

        Parameters
        ----------
        residuals : ndarray of shape (n_samples, n_outputs)
            Targets minus predictions.
        weight : ndarray of shape (n_samples,), default=None
            Positive sample weights.

        Returns
        -------
        ndarray of shape (n_samples,)
            Between 0 and 1; the squares are the weights of the samples in the ridge problem.
        """

    def score(self, samples: Samples) -> Trust:
        """Return equal scores: there are no residuals before the first solution."""
        return Trust(None)

    def why_not(self) -> str:
        """Return the reason why samples that come in batches cannot be scored."""
        return (
            f"{type(self).__name__} scores all samples several times and cannot be used with "
            'batches; use sample_scores="uniform".'
        )


def residual_norms(residuals: Array, weight: Array | None) -> tuple[Array, float]:
    """Return the length of each residual, and the scale of all: their normalised median.

    Examples
    --------
    >>> import numpy as np
    >>> residual_norms(np.array([[3.0, 4.0], [0.0, 1.0], [0.0, 0.0]]), None)
    (array([5., 1., 0.]), 1.4826)
    """
    norms = np.linalg.norm(residuals, axis=1)
    median = float(quantiles(norms[:, None], weight, [0.5])[0, 0])
    # Half of all residuals may be 0.
    scale = max(MAD_TO_DEVIATION * median, 1e-6 * float(norms.max()))
    return norms, scale or 1.0
