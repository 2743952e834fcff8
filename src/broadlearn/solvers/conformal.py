"""Conformal prediction: how far held-out predictions were off says how far new ones may be.

Scores of non-conformity of held-out samples are calibration: a new sample's score is, with the
wanted probability, not above their quantile of that level, corrected for their finite number. No
model is fitted for it, and no sample is set aside, where held-out predictions follow from the fit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from broadlearn.utils import Array, Floats

# Products of a coverage and a count are exact to this share.
ROUNDING = 1e-12


def check_coverage(coverage: float) -> float:
    """The share as a number; raises unless it is between 0 and 1."""
    if not 0.0 < coverage < 1.0:
        raise ValueError(f"coverage must be a number between 0 and 1, got {coverage!r}.")
    return float(coverage)


def conformal_quantile(scores: Floats, coverage: float, weight: Array | None = None) -> float:
    """What the score of one more sample does not exceed with a probability of `coverage`.

    Of n scores, that is the one of rank ``ceil((n + 1) * coverage)``, and infinity if there is
    none: too few samples for so high a coverage.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,)
    coverage : float
        Between 0 and 1, or else it is refused.
    weight : ndarray of shape (n_samples,), default=None
        A sample of weight w counts as w copies of it.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> conformal_quantile(np.arange(1.0, 10.0), 0.9), conformal_quantile(np.arange(1.0, 9.0), 0.9)
    (9.0, inf)
    """
    coverage = check_coverage(coverage)
    order = np.argsort(scores, kind="stable")
    count = np.arange(1.0, scores.size + 1.0) if weight is None else np.cumsum(weight[order])
    total = count[-1] if scores.size else 0.0
    rank = int(np.searchsorted(count, coverage * (total + 1.0) * (1.0 - ROUNDING)))
    return float(scores[order[rank]]) if rank < scores.size else np.inf


def label_scores(proba: Floats, codes: NDArray[np.intp]) -> Floats:
    """One less the probability of each sample's own class, the score that makes sets smallest."""
    return np.asarray(1 - proba[np.arange(codes.size), codes])


def label_sets(proba: Floats, quantile: float) -> NDArray[np.bool_]:
    """Which classes have a score not above a quantile of `label_scores`.

    Examples
    --------
    >>> import numpy as np
    >>> label_sets(np.array([[0.7, 0.2, 0.1], [0.4, 0.35, 0.25]]), 0.7)
    array([[ True, False, False],
           [ True,  True, False]])
    """
    return np.asarray(1 - proba <= quantile)
