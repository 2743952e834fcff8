"""From samples and targets as users give them to training data, and their scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.random_features import Standardization, StandardizedRows, learn_standardization
from broadlearn.sample_scores import (
    IntuitionisticScorer,
    ResidualScorer,
    Samples,
    SampleScorer,
    Trust,
    UniformScorer,
    untrusted,
)
from broadlearn.solvers import left_out_share
from broadlearn.utils import (
    BLOCK_NUMBERS,
    Array,
    Floats,
    check_classes,
    check_labels,
    check_range,
    check_targets,
    check_weights,
    encode_targets,
    read_rows,
    row_slices,
)


class TrainingData(NamedTuple):
    """Validated training samples of positive weight, with encoded targets.

    `keep` says which of the samples that were given are kept; `given` has X, codes and weights of
    all. Integer weights are numbers of `copies`, unless class weights are among them.
    """

    X: Floats
    T: Array
    codes: NDArray[np.intp]  # class of each sample; zeros for regression
    weight: Array | None
    standardization: Standardization
    classes: NDArray[Any]  # empty for regression
    keep: NDArray[np.bool_] | slice
    given: tuple[Floats, NDArray[np.intp], Array | None]
    copies: bool = True

    def diagonal(self, score: Array | None) -> Array | None:
        """Return the diagonal of S: scores of the kept samples times the roots of their weights."""
        if self.weight is None:
            return score
        return np.sqrt(self.weight) * (1.0 if score is None else score)

    def left_out_share(self) -> Array | None:
        """Return the share of each sample's weight that is left out with it; None for all of it."""
        return left_out_share(self.weight) if self.copies and self.weight is not None else None

    def kept(self, score: Array | None) -> Array | None:
        """Return the scores of the kept samples."""
        return None if score is None else score[self.keep]

    def as_given(self, score: Array | None) -> Array | None:
        """Return the scores of all given samples from those of the kept ones; 0 for the others."""
        if score is None:
            return None
        scores = np.zeros(len(self.given[1]))
        scores[self.keep] = score
        return scores


def read_labelled(
    model: Any, X: Any, y: Any, sample_weight: Any, **how: Any
) -> tuple[Floats, NDArray[Any], Array | None]:
    """Validate samples, labels and weights (times class weights) of a classifier's `fit`.

    `how` is `READ` or `READ_SPARSE`.
    """
    rows, labels = read_rows(model, X, y, reset=True, multi_output=True, **how)
    labels = check_labels(labels)
    weight = None
    if sample_weight is not None or model.class_weight is not None:
        weight = check_weights(sample_weight, rows, model.class_weight, labels)
    return rows, labels, weight


def read_real(
    model: Any, X: Any, y: Any, sample_weight: Any, *, reset: bool = True, **how: Any
) -> tuple[Floats, Array, Array | None]:
    """Validate samples, real targets and weights of a regressor.

    Targets are returned as columns. With `reset`, the model stores whether y has one dimension.
    """
    rows, targets = read_rows(model, X, y, reset=reset, multi_output=True, **how)
    targets = check_targets(targets, rows.dtype)
    if reset:
        model._one_target = targets.ndim == 1
    weight = None if sample_weight is None else check_weights(sample_weight, rows)
    return rows, targets.reshape(rows.shape[0], -1), weight


def check_several(classes: NDArray[Any], name: str) -> NDArray[Any]:
    """Refuse a single class; `name` is that of the model."""
    if classes.size < 2:
        raise ValueError(
            f"{name} needs at least two classes, but there is only one class: "
            f"{classes.tolist()[0]!r}."
        )
    return classes


def encode_samples(
    X: Floats,
    y: NDArray[Any],
    weight: Array | None,
    standardize: bool | str,
    name: str,
    *,
    copies: bool = True,
) -> TrainingData:
    """Encode labels, drop samples of weight 0 and learn the standardisation.

    `name` is that of the model, for messages; `copies` tells whether integer weights are copies.
    """
    check_classes(y)
    classes, codes = np.unique(y, return_inverse=True)
    check_several(classes, name)
    if weight is not None and np.unique(codes[weight > 0.0]).size < 2:
        raise ValueError(
            "Only one class has samples with a positive weight (sample_weight times "
            "class_weight); at least two classes are needed."
        )
    T = encode_targets(codes, classes.size)
    return _counted_samples(X, T, codes, weight, standardize, classes, copies=copies)


def centre_samples(
    X: Floats, Y: Array, weight: Array | None, standardize: bool | str
) -> tuple[TrainingData, Array]:
    """Drop samples of weight 0, centre real targets and learn the standardisation.

    Returns the data and the mean of the targets.
    """
    mean = np.average(Y, axis=0, weights=weight)
    codes, no_classes = np.zeros(X.shape[0], dtype=np.intp), np.empty(0)
    return _counted_samples(X, Y - mean, codes, weight, standardize, no_classes), mean


def _counted_samples(
    X: Floats,
    T: Array,
    codes: NDArray[np.intp],
    weight: Array | None,
    standardize: bool | str,
    classes: NDArray[Any],
    *,
    copies: bool = True,
) -> TrainingData:
    """Drop samples of weight 0 and learn the standardisation of the others."""
    given = (X, codes, weight)
    keep: NDArray[np.bool_] | slice = slice(None)
    if weight is not None and not weight.all():
        keep = weight > 0.0
        X, T, codes, weight = X[keep], T[keep], codes[keep], weight[keep]
    standardization = learn_standardization(X, weight, standardize)
    return TrainingData(X, T, codes, weight, standardization, classes, keep, given, copies)


def score_samples(
    scorer: SampleScorer,
    data: TrainingData,
    seed: int,
    kernel_widths: Sequence[float | str | None] = (None,),
) -> list[Trust]:
    """Score all given samples for one or several kernel widths (None: the scorer's own).

    If all samples of a class score 0, the result says so in `problem`.
    """
    if isinstance(scorer, UniformScorer | ResidualScorer):
        return [Trust(None)] * len(kernel_widths)
    X, codes, weight = data.given
    learnt = data.standardization
    lazily = type(scorer) is IntuitionisticScorer and X.size > BLOCK_NUMBERS
    Z: Any = StandardizedRows(X, learnt) if lazily else learnt.affine(X)[:, :-1]
    for rows in row_slices(*Z.shape):
        check_range(Z[rows])
    weight = np.ones(codes.size) if weight is None else weight
    samples = Samples(Z, codes, weight, data.classes.size, seed, data.copies)
    trusts = scorer.score_widths(samples, kernel_widths)
    for k, trust in enumerate(trusts):
        if trust.score is None:
            continue
        if np.shape(trust.score) != codes.shape or not np.all(trust.score >= 0.0):
            raise ValueError(f"{scorer!r} must return a score between 0 and 1 for each sample.")
        best = best_scores(data.codes, trust.score[data.keep], data.classes.size)
        if not best.all():
            trusts[k] = trust._replace(problem=untrusted(data.classes, best, scorer.remedy(trust)))
    return trusts


def best_scores(codes: NDArray[np.intp], score: Array, n_classes: int) -> Array:
    """Return the largest score of each class; 1 for classes without samples."""
    best = np.ones(n_classes)
    best[codes] = 0.0
    np.maximum.at(best, codes, score)
    return best
