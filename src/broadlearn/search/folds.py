"""Splits of a search, and all that is learnt from their training samples before any draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from broadlearn.baselines import Graph
from broadlearn.models import (
    BroadModel,
    TrainingData,
    centre_samples,
    encode_samples,
    score_samples,
)
from broadlearn.sample_scores import ResidualScorer
from broadlearn.search.weighted_sums import common_squares
from broadlearn.utils import Array, Floats, check_weights, draw_seed

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


class SplitSamples(NamedTuple):
    """Samples with their weights or None, and which of them train and test."""

    X: Any
    y: NDArray[Any]
    weight: Array | None
    split: Split


class Task(NamedTuple):
    """What a search works on, whatever the grid.

    All splits have the same samples, unless the steps of a pipeline prepared them.
    """

    splits: Sequence[SplitSamples]
    n_jobs: int | None


class GridScores(NamedTuple):
    """Scores of the candidates of a grid.

    `scores` has the shape (n_scorers, n_parts, n_candidates, n_splits), with NaN after a failure;
    `errors` holds the reason why a candidate could not be fitted on a fold, or "". For fresh draws,
    `states` is the `random_state` of each fit, of shape (n_candidates, n_splits).
    """

    scores: Array
    errors: NDArray[Any]
    states: NDArray[np.int64] | None = None

    @classmethod
    def empty(
        cls, n_scorers: int, n_parts: int, n_candidates: int, n_splits: int, fresh: bool = False
    ) -> GridScores:
        """Return scores of NaN, without errors."""
        scores = np.full((n_scorers, n_parts, n_candidates, n_splits), np.nan)
        states = np.full((n_candidates, n_splits), -1) if fresh else None
        return cls(scores, np.full(n_candidates, "", dtype=object), states)

    def file(self, candidates: NDArray[np.intp], part: GridScores) -> None:
        """Take over the scores of some candidates."""
        self.scores[:, :, candidates] = part.scores
        self.errors[candidates] = part.errors
        if self.states is not None and part.states is not None:
            self.states[candidates] = part.states

    def note(self, candidates: NDArray[np.intp], reason: str) -> None:
        """Keep the reason of candidates that have none yet."""
        if reason:
            new = candidates[self.errors[candidates] == ""]
            self.errors[new] = reason


@dataclass(frozen=True)
class Fold:
    """Training and test samples of a split, with all that is learnt before any draw of nodes.

    Attributes
    ----------
    data : TrainingData or None
        None where the training samples cannot be fitted at all.
    X_test, y_test, test_weight : ndarray
        Test samples; `test_weight` may be None.
    train_weight : ndarray or None
        Sample weights of the training samples, without class weights, for their scores.
    intercept : ndarray of shape (n_targets,) or None
        Mean of the targets, which predictions add; None for classes.
    scores : list of ndarray or None
        Scores of the training samples for each kernel width; None where all count equally.
    widths : list of float
        Kernel widths used; NaN for models without one.
    errors : list of str
        Reason why each kernel width cannot be fitted, or "".
    representatives : dict of int to int
        For each valid kernel width, the first one with the same scores: widths too small for any
        two samples to be near each other all give the same scores.
    diagonals : dict of int to ndarray or None
        Scores times roots of weights, for each of these; None for all ones.
    squares : dict of int to ndarray
        What most samples of each class share in some of these, see `common_squares`.
    scorer : ResidualScorer or None
        A scorer of residuals, which each candidate has of its own.
    graph : Graph or None
        A graph of the training samples, whose penalty is added to the ridge problem.
    """

    data: TrainingData | None
    X_test: Floats
    y_test: NDArray[Any]
    test_weight: Array | None
    train_weight: Array | None
    intercept: Array | None
    scores: list[Array | None]
    widths: list[float]
    errors: list[str]
    representatives: dict[int, int] = field(default_factory=dict)
    diagonals: dict[int, Array | None] = field(default_factory=dict)
    squares: dict[int, Array] = field(default_factory=dict)
    scorer: ResidualScorer | None = None
    graph: Graph | None = None

    def part(self, name: str) -> tuple[Floats, NDArray[Any], Array | None]:
        """Return X, y and the weights of the "test" samples, or else of the training samples."""
        data = self.data
        if name == "test" or data is None:
            return self.X_test, self.y_test, self.test_weight
        y = data.classes[data.codes] if self.intercept is None else data.T + self.intercept
        weight, keep = self.train_weight, data.keep
        if not isinstance(keep, slice) and (weight is None or weight[~keep].any()):
            raise ValueError(
                'return_train_score=True and cv="loo" need positive class weights: samples of '
                "weight 0 are not kept."
            )
        return data.X, y, weight if weight is None else weight[keep]


def prepare_fold(estimator: Any, samples: SplitSamples, widths: Sequence[Any]) -> Fold:
    """Encode, standardise and score the training samples of a split as `fit` would.

    The estimator is a BroadModel or an IntuitionisticFuzzyTwinSVC. `widths` are kernel widths, or
    one entry of any value for models without.
    """
    X, y, weight, (train, test) = samples
    judged = (X[test], y[test], None if weight is None else weight[test])
    train_weight = None if weight is None else weight[train]
    try:
        data, intercept = _encode(estimator, X[train], y[train], train_weight)
    except ValueError as error:
        return Fold(None, *judged, None, None, [], [], [str(error)] * len(widths))
    scorer = estimator.scorer()
    trusts = score_samples(scorer, data, draw_seed(estimator.random_state), widths)
    scores = [None if trust.score is None else trust.score[data.keep] for trust in trusts]
    used = [float(trust.attributes.get("kernel_width_", np.nan)) for trust in trusts]
    # A ridge problem has a solution where a class has no weight, a twin SVM has none.
    ridge = isinstance(estimator, BroadModel)
    problems = ["" if ridge else trust.problem for trust in trusts]
    first: dict[bytes, int] = {}
    valid = [w for w, problem in enumerate(problems) if not problem]
    keys = {w: b"" if (score := scores[w]) is None else score.tobytes() for w in valid}
    alike = {w: first.setdefault(keys[w], w) for w in valid}
    diagonals = {w: data.diagonal(scores[w]) for w in sorted(set(alike.values()))}
    return Fold(
        data,
        *judged,
        train_weight,
        intercept,
        scores,
        used,
        problems,
        alike,
        diagonals,
        common_squares(diagonals, data.codes) if data.T.shape[1] == 1 and ridge else {},
        scorer if isinstance(scorer, ResidualScorer) else None,
        estimator.graph(data) if ridge else None,
    )


def _encode(
    estimator: Any, X: Floats, y: NDArray[Any], weight: Array | None
) -> tuple[TrainingData, Array | None]:
    """Return the training data, and the mean of the targets of a regressor."""
    if weight is not None and not weight.any():
        raise ValueError("sample_weight is zero for every training sample of this fold.")
    if not is_classifier(estimator):
        targets = y.astype(np.float64, copy=False).reshape(len(y), -1)
        return centre_samples(X, targets, weight, estimator.standardize)
    if estimator.class_weight is not None:
        weight = check_weights(weight, X, estimator.class_weight, y)
    name = type(estimator).__name__
    copies = estimator.class_weight is None
    return encode_samples(X, y, weight, estimator.standardize, name, copies=copies), None
