"""The decision threshold of two classes that does best on held-out probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer

from broadlearn.utils import Array, Floats

# Thresholds that are tried at most.
MAX_TRIED = 200


class _Decided(ClassifierMixin, BaseEstimator):
    """What a scorer sees: "samples" are probabilities, and those from a threshold on are 1."""

    def __init__(self, threshold: float = 0.5) -> None:
        self.threshold = threshold

    classes_ = np.array([0, 1])

    def fit(self, X: Any, y: Any) -> _Decided:
        return self

    def predict(self, X: Array) -> NDArray[np.intp]:
        return (X[:, 0] >= self.threshold).astype(np.intp)


def best_threshold(
    positive: NDArray[np.bool_], proba: Floats, scoring: str = "balanced_accuracy"
) -> tuple[float, float]:
    """The threshold of a probability from which on a sample is to be called positive.

    Parameters
    ----------
    positive : ndarray of bool of shape (n_samples,)
        Which samples are.
    proba : ndarray of shape (n_samples,)
        Held-out probabilities that they are.
    scoring : str, default="balanced_accuracy"
        What is best: the name of a scorer of scikit-learn that looks at labels, such as "f1".

    Returns
    -------
    threshold, score : float
        Among equally good ones, the threshold nearest to 0.5.

    Examples
    --------
    >>> import numpy as np
    >>> best_threshold(np.array([False, False, True, True]), np.array([0.1, 0.2, 0.3, 0.4]))
    (0.25, 1.0)
    """
    scorer = get_scorer(scoring)
    values = np.unique(proba).astype(np.float64)
    between = np.r_[0.5, (values[1:] + values[:-1]) / 2.0]
    if between.size > MAX_TRIED:
        # The rarer class decides: places among the scores of either class, half for each.
        shares = np.linspace(0.0, 1.0, MAX_TRIED // 2)
        near = np.r_[np.quantile(proba[positive], shares), np.quantile(proba[~positive], shares)]
        between = np.r_[0.5, between[np.searchsorted(between[1:], np.unique(near), "left")]]
    samples, labels = proba[:, None], positive.astype(np.intp)
    tried = between[np.argsort(np.abs(between - 0.5), kind="stable")]
    try:
        scores = [scorer(_Decided(threshold), samples, labels) for threshold in tried.tolist()]
    except AttributeError as error:
        raise ValueError(
            f"scoring must look at predicted labels, as balanced_accuracy and f1 do, to choose a "
            f"threshold by; {scoring} looks at probabilities."
        ) from error
    best = int(np.argmax(scores))
    return float(tried[best]), float(scores[best])
