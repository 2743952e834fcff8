"""What the charts of an evaluation show, as plain numbers between 0 and 1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta
from sklearn.metrics import precision_recall_curve, roc_curve

from broadlearn.evaluation.metrics import CONFIDENCE, Judged, Ranking
from broadlearn.utils import Array

# Points of a curve that are kept, and bins of a reliability diagram.
MAX_POINTS = 200
N_BINS = 10


class Curve(NamedTuple):
    """A line of a chart, with the figure that sums it up.

    Attributes
    ----------
    name : str
        The class.
    x, y : ndarray of shape (n_points,)
    figure : float
        Area under the curve, or average precision.
    base : float
        What guessing gives: the share of the class.
    """

    name: str
    x: Array
    y: Array
    figure: float
    base: float


class Bin(NamedTuple):
    """Samples of similar probability: their mean, how often it comes true, and its interval."""

    mean: float
    share: float
    low: float
    high: float
    n_rows: int


def class_curves(judged: Judged, codes: NDArray[np.intp]) -> tuple[list[Curve], list[Curve]]:
    """ROC and precision-recall curves of some classes, each against all others.

    Classes that no sample has, or all, have none.
    """
    roc, precision_recall = [], []
    if judged.proba is None:
        return [], []
    known = judged.known
    for code in codes.tolist():
        own, score = judged.true[known] == code, judged.proba[known, code]
        if not 0 < own.sum() < known.size:
            continue
        name, base = str(judged.classes[code]), float(own.mean())
        area, average = Ranking(own, score)(np.ones(known.size))
        false, found, _ = roc_curve(own, score)
        keep = _kept(false, found)
        roc.append(Curve(name, false[keep], found[keep], area, base))
        precision, recall, _ = precision_recall_curve(own, score)
        keep = _kept(recall, precision)
        precision_recall.append(Curve(name, recall[keep], precision[keep], average, base))
    return roc, precision_recall


def reliability(probability: Array, happened: NDArray[np.bool_]) -> list[Bin]:
    """How often what has a probability happens, in bins of a tenth; empty ones are left out.

    Intervals are Clopper and Pearson's of 95 %.

    Examples
    --------
    >>> import numpy as np
    >>> found = reliability(np.repeat([0.2, 0.8], 10), np.repeat([False, True], 10))
    >>> [(round(each.mean, 2), each.share, each.n_rows) for each in found]
    [(0.2, 0.0, 10), (0.8, 1.0, 10)]
    """
    which = np.minimum((N_BINS * probability).astype(np.intp), N_BINS - 1)
    tail = (1.0 - CONFIDENCE) / 2.0
    bins = []
    for k in np.unique(which):
        rows = which == k
        n, hits = int(rows.sum()), int(happened[rows].sum())
        low = float(beta.ppf(tail, hits, n - hits + 1)) if hits else 0.0
        high = float(beta.ppf(1.0 - tail, hits + 1, n - hits)) if hits < n else 1.0
        bins.append(Bin(float(probability[rows].mean()), hits / n, low, high, n))
    return bins


def calibration_error(bins: list[Bin]) -> float:
    """Mean distance of probabilities from how often they come true, by the number of samples.

    Examples
    --------
    >>> calibration_error([Bin(0.5, 0.25, 0.0, 0.3, 10), Bin(0.8, 0.8, 0.6, 0.9, 10)])
    0.125
    """
    counts = np.array([each.n_rows for each in bins])
    return float(np.average([abs(each.mean - each.share) for each in bins], weights=counts))


def _kept(x: Array, y: Array) -> NDArray[np.intp]:
    """Points of a monotone curve that a picture can tell apart: equal steps along it."""
    if x.size <= MAX_POINTS:
        return np.arange(x.size)
    length = np.r_[0.0, np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))]
    places = np.searchsorted(length, np.linspace(0.0, length[-1], MAX_POINTS))
    return np.unique(np.r_[0, np.minimum(places, x.size - 1), x.size - 1])
