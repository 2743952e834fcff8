"""Conformal prediction: errors of held-out predictions bound those of new ones.

The non-conformity score of a new sample does not exceed the quantile of the held-out scores with
the probability of its level, corrected for their finite number. Held-out predictions follow from
the fit, so no extra model is fitted and no sample is set aside.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from broadlearn.utils import Array, Floats


def conformal_quantile(scores: Floats, coverage: float, weight: Array | None = None) -> float:
    """Return the bound that the score of a new sample keeps with probability `coverage`.

    For n scores it is the one of rank ``ceil((n + 1) * coverage)``, or infinity if n is too small
    for that coverage. A sample of weight w counts as w copies.

    Examples
    --------
    >>> import numpy as np
    >>> conformal_quantile(np.arange(1.0, 10.0), 0.9), conformal_quantile(np.arange(1.0, 9.0), 0.9)
    (9.0, inf)
    """
    if not 0.0 < coverage < 1.0:
        raise ValueError(f"coverage must be a number between 0 and 1, got {coverage!r}.")
    order = np.argsort(scores, kind="stable")
    count = np.arange(1.0, scores.size + 1.0) if weight is None else np.cumsum(weight[order])
    total = count[-1] if scores.size else 0.0
    # Slightly less, as sums of weights round.
    rank = int(np.searchsorted(count, coverage * (total + 1.0) * (1.0 - 1e-12)))
    return float(scores[order[rank]]) if rank < scores.size else np.inf


def label_scores(proba: Floats, codes: NDArray[np.intp]) -> Floats:
    """Return one minus the probability of each sample's class, the score of the smallest sets."""
    return np.asarray(1 - proba[np.arange(codes.size), codes])


def label_sets(proba: Floats, quantile: float) -> NDArray[np.bool_]:
    """Return a mask of the classes whose score is at most a quantile of `label_scores`.

    Examples
    --------
    >>> import numpy as np
    >>> label_sets(np.array([[0.7, 0.2, 0.1], [0.4, 0.35, 0.25]]), 0.7)
    array([[ True, False, False],
           [ True,  True, False]])
    """
    return np.asarray(1 - proba <= quantile)
