"""How good predictions are, in figures: of held-out samples, beside their labels or targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import precision_recall_fscore_support

from broadlearn.utils import Array, Floats

N_RESAMPLES = 200
CONFIDENCE = 0.95
# Probabilities are taken for no smaller than this in the log-loss.
LEAST_PROBABILITY = 1e-15
# A class is seldom found where less than this share of its samples is.
SELDOM = 0.6


class Judged(NamedTuple):
    """What a classifier predicts for samples that it was not fitted to, beside their labels.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Those of the model, then those that only the samples have.
    true, predicted : ndarray of shape (n_samples,)
        Positions in `classes`.
    proba : ndarray of shape (n_samples, n_known) or None
        Of the classes of the model; None where it gives no probabilities.
    n_known : int
        Number of classes of the model.
    """

    classes: NDArray[Any]
    true: NDArray[np.intp]
    predicted: NDArray[np.intp]
    proba: Floats | None
    n_known: int

    @property
    def known(self) -> NDArray[np.intp]:
        """Samples whose class the model knows."""
        return np.flatnonzero(self.true < self.n_known)


def judge_labels(
    classes: NDArray[Any], labels: NDArray[Any], predicted: NDArray[Any], proba: Floats | None
) -> Judged:
    """Find labels among the classes of a model.

    Those that differ from a class in type, case or spaces only are that class.

    Examples
    --------
    >>> import numpy as np
    >>> found = judge_labels(np.array([0, 1]), np.array(["1", "x"]), np.array([1, 0]), None)
    >>> found.classes.tolist(), found.true.tolist(), found.predicted.tolist()
    ([0, 1, 'x'], [1, 2], [1, 0])
    """
    names: list[Any] = classes.tolist()
    place = {name: code for code, name in enumerate(names)}
    as_text = {str(name): code for name, code in place.items()}
    folded = {_folded(name): code for name, code in place.items()}
    if len(folded) < len(place):
        folded = {}
    codes = np.empty(len(labels), dtype=np.intp)
    for i, label in enumerate(labels.tolist()):
        code = place.get(label, as_text.get(str(label), folded.get(_folded(label))))
        if code is None:
            code = place[label] = len(names)
            names.append(label)
        codes[i] = code
    every = classes
    if len(names) > classes.size:
        every = np.array(names, dtype=object)
    given = np.array([place[label] for label in predicted.tolist()], dtype=np.intp)
    return Judged(every, codes, given, proba, classes.size)


class Ranking:
    """Samples in the order of a score, for figures of any weights of theirs.

    Parameters
    ----------
    own : ndarray of bool of shape (n_samples,)
        Which samples are to be ranked first.
    score : ndarray of shape (n_samples,)
        The higher, the earlier.
    """

    def __init__(self, own: NDArray[np.bool_], score: Floats) -> None:
        self.order = np.argsort(-score, kind="stable")
        ranked = score[self.order]
        # Where samples of equal scores begin.
        self.starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
        self.own = own[self.order].astype(np.float64)

    def __call__(self, weight: Array) -> tuple[float, float]:
        """ROC AUC and average precision; nan where all samples, or none, are own ones."""
        ordered = weight[self.order]
        own = np.add.reduceat(ordered * self.own, self.starts)
        every = np.add.reduceat(ordered, self.starts)
        own_so_far, so_far = np.cumsum(own), np.cumsum(every)
        n_own, n_other = own_so_far[-1], so_far[-1] - own_so_far[-1]
        if n_own <= 0.0 or n_other <= 0.0:
            return np.nan, np.nan
        # Own samples before an other one, those of the same score half.
        area = (every - own) @ (own_so_far - own / 2.0) / (n_own * n_other)
        precision = np.divide(own_so_far, so_far, out=np.zeros_like(so_far), where=so_far > 0.0)
        return float(area), float(own @ precision / n_own)


def figures_of_labels(judged: Judged) -> Callable[[Array], dict[str, float]]:
    """What gives the figures of `classification_metrics` for weights of the samples."""
    n_known, known = judged.n_known, judged.known
    right = (judged.predicted == judged.true).astype(np.float64)
    losses = np.nan_to_num(sample_losses(judged))
    rankings = {}
    if judged.proba is not None:
        for code in np.unique(judged.true[known]).tolist():
            rankings[code] = Ranking(judged.true[known] == code, judged.proba[known, code])

    def figures(weight: Array) -> dict[str, float]:
        counts = np.bincount(judged.true, weight, judged.classes.size)
        present = np.flatnonzero(counts[:n_known])
        found = np.bincount(judged.true, weight * right, judged.classes.size)
        by_class = np.array([ranking(weight[known]) for ranking in rankings.values()])
        by_class = by_class.reshape(-1, 2)
        averaged = by_class
        if n_known == 2 and len(rankings) == 2:
            averaged = by_class[[int(counts[1] <= counts[0])]]
        total, n_judged = weight.sum(), weight[known].sum()
        has_proba = judged.proba is not None and n_judged > 0.0
        return {
            "accuracy": float(weight @ right / total),
            "majority_share": float(counts.max() / total),
            "balanced_accuracy": _mean(found[present] / counts[present]),
            "roc_auc": _mean(by_class[:, 0]),
            "average_precision": _mean(averaged[:, 1]),
            "log_loss": float(weight @ losses / n_judged) if has_proba else np.nan,
        }

    return figures


def classification_metrics(judged: Judged) -> dict[str, float]:
    """Figures of a classifier; nan where one is undefined.

    Returns
    -------
    dict
        ``accuracy``; ``majority_share``, the accuracy of predicting the most frequent class;
        ``balanced_accuracy``, the mean recall of the classes that the model knows; and of
        probabilities, for samples of these classes: ``roc_auc`` and ``average_precision``, means
        over the classes, each against all others (of two classes the average precision of the
        rarer one), and ``log_loss``.

    Examples
    --------
    >>> import numpy as np
    >>> true, proba = np.array([0, 0, 0, 1]), np.array([[0.9, 0.1]] * 3 + [[0.6, 0.4]])
    >>> found = classification_metrics(Judged(np.array(["a", "b"]), true, 0 * true, proba, 2))
    >>> {name: round(value, 3) for name, value in found.items()}
    {'accuracy': 0.75, 'majority_share': 0.75, 'balanced_accuracy': 0.5, 'roc_auc': 1.0,
     'average_precision': 1.0, 'log_loss': 0.308}
    """
    return figures_of_labels(judged)(np.ones(judged.true.size))


def sample_losses(judged: Judged) -> Array:
    """Log-loss of each sample; nan where the model does not know the class."""
    found = np.full(judged.true.size, np.nan)
    known = judged.known
    if judged.proba is not None:
        own = judged.proba[known, judged.true[known]].astype(np.float64)
        found[known] = -np.log(np.maximum(own, LEAST_PROBABILITY))
    return found


def class_metrics(judged: Judged) -> list[dict[str, Any]]:
    """One row for each class: how often it is found, and how often it is right where predicted.

    Returns
    -------
    list of dict
        ``label``, ``rows``, ``predicted`` (how many), ``recall``, ``precision`` and ``f1``; nan
        where there are no rows, or no predictions, to divide by.

    Examples
    --------
    >>> import numpy as np
    >>> true, predicted = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    >>> class_metrics(Judged(np.array(["a", "b"]), true, predicted, None, 2))[1]
    {'label': 'b', 'rows': 2, 'predicted': 1, 'recall': 0.5, 'precision': 1.0,
     'f1': 0.6666666666666666}
    """
    every = np.arange(judged.classes.size)
    precision, recall, f1, rows = precision_recall_fscore_support(
        judged.true, judged.predicted, labels=every, zero_division=np.nan
    )
    predicted = np.bincount(judged.predicted, minlength=every.size)
    columns = (judged.classes, rows, predicted, recall, precision, f1)
    names = ("label", "rows", "predicted", "recall", "precision", "f1")
    return [
        dict(zip(names, line, strict=True))
        for line in zip(*(column.tolist() for column in columns), strict=True)
    ]


def missed_class(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Of rows of `class_metrics`, that of the class that is found least, if that is seldom.

    Classes that are nearly as frequent as the most frequent one do not count: with these, the model
    is just weak.

    Examples
    --------
    >>> rare, other = {"label": "b", "rows": 9, "recall": 0.3}, {"rows": 990, "recall": 0.99}
    >>> missed_class([other, rare])["label"], missed_class([other]) is None
    ('b', True)
    """
    most = max(row["rows"] for row in rows)
    rare = [row for row in rows if 0 < row["rows"] < most / 2 and row["recall"] < SELDOM]
    return min(rare, key=lambda row: row["recall"]) if rare else None


def figures_of_targets(y: Array, predicted: Array) -> Callable[[Array], dict[str, float]]:
    """What gives figures of a regressor for weights of the samples.

    They are ``r2``, ``mean_absolute_error`` and ``root_mean_squared_error``.

    Examples
    --------
    >>> import numpy as np
    >>> figures_of_targets(np.array([0.0, 2.0]), np.array([0.0, 1.0]))(np.ones(2))["r2"]
    0.5
    """

    def figures(weight: Array) -> dict[str, float]:
        error = float(np.average((y - predicted) ** 2, weights=weight))
        spread = float(np.average((y - np.average(y, weights=weight)) ** 2, weights=weight))
        return {
            "r2": 1.0 - error / spread if spread > 0.0 else np.nan,
            "mean_absolute_error": float(np.average(np.abs(y - predicted), weights=weight)),
            "root_mean_squared_error": float(np.sqrt(error)),
        }

    return figures


def bootstrap(
    figures: Callable[[Array], dict[str, float]], n_samples: int, seed: int
) -> dict[str, tuple[float, float]]:
    """Interval of each figure by resampling the samples.

    Parameters
    ----------
    figures : callable
        Gives figures for weights of the samples: how often each was drawn.
    n_samples : int
    seed : int

    Returns
    -------
    dict
        Lower and upper end for each name: where the middle 95 % of 200 resamples are; nan where no
        resample has the figure.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(100.0)
    >>> low, high = bootstrap(lambda weight: {"mean": weight @ x / 100}, 100, 0)["mean"]
    >>> bool(42 < low < 49.5 < high < 57)
    True
    """
    generator = np.random.default_rng(seed)
    found: dict[str, list[float]] = {}
    for _ in range(N_RESAMPLES):
        drawn = np.bincount(generator.integers(0, n_samples, n_samples), minlength=n_samples)
        for name, value in figures(drawn.astype(np.float64)).items():
            found.setdefault(name, []).append(value)
    tail = (1.0 - CONFIDENCE) / 2.0
    intervals = {}
    for name, values in found.items():
        known = np.array(values)[~np.isnan(values)]
        low, high = np.quantile(known, [tail, 1.0 - tail]) if known.size else (np.nan, np.nan)
        intervals[name] = (float(low), float(high))
    return intervals


def _folded(label: object) -> str:
    return " ".join(str(label).split()).casefold()


def _mean(values: Array) -> float:
    """The mean of what is defined."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else np.nan
