"""What the broad learning systems share: the parameters of their nodes, and the online methods."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import validate_data

from broadlearn.models import online
from broadlearn.models.base import MAX_HELD_OUT, BroadClassifier, in_one_step
from broadlearn.models.stream import Batch, StreamState, total
from broadlearn.random_features import INFINITE, MappedSamples
from broadlearn.sample_scores import Trust, UniformScorer, untrusted
from broadlearn.solvers import PrimalSolution, learn_slopes
from broadlearn.utils import (
    COUNT,
    NOT_NEGATIVE,
    ONE_CLASS,
    POSITIVE,
    READ_SPARSE,
    STANDARDIZE,
    Array,
    Floats,
    PositiveNumbers,
    check_labels,
    check_sparse,
    encode_targets,
)
from broadlearn.utils.sklearn_compat import StrOptions, fit_context

ACTIVATION = StrOptions({"tanh", "sigmoid", "relu", "sine"})
MAP_CONSTRAINTS: dict[str, list[Any]] = {
    "n_feature_groups": [COUNT],
    "n_feature_nodes": [COUNT],
    "n_enhancement_groups": [COUNT],
    "n_enhancement_nodes": [COUNT],
    "activation": [ACTIVATION],
    "feature_activation": [ACTIVATION, StrOptions({"identity"})],
    "feature_weights": [StrOptions({"orthonormal", "random", "sparse"})],
    "feature_scaling": [StrOptions({"node", "sample", "robust"}), None],
    "enhancement_scale": [POSITIVE, PositiveNumbers()],
    "enhancement_bias": [NOT_NEGATIVE],
    "enhancement_inputs": [COUNT, None],
    "standardize": STANDARDIZE,
    "random_state": ["random_state"],
}
# Of models; a transformer needs a number of columns.
MODEL_CONSTRAINTS: dict[str, list[Any]] = {
    **MAP_CONSTRAINTS,
    "n_enhancement_nodes": [COUNT, StrOptions({INFINITE})],
}
#: The nodes of the published code, for ``BLSClassifier(**PUBLISHED_FORM)`` and its relatives. The
#: published study applied them to rows that were standardised one by one (`RowStandardizer`).
PUBLISHED_FORM: dict[str, Any] = {
    "feature_weights": "random",
    "feature_scaling": "sample",
    "enhancement_scale": 1.0,
    "enhancement_bias": 0.1,
    "enhancement_inputs": None,
}


class BLSBase(BroadClassifier):
    """A broad learning system that classifies."""

    _parameter_constraints: dict[str, list[Any]] = {
        **BroadClassifier._parameter_constraints,
        **MODEL_CONSTRAINTS,
    }
    _stream: StreamState | None = None

    @online.OnlineMethod
    @online.in_turn
    @in_one_step
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from a batch of samples, on top of those learnt before.

        The model is that of one fit on all samples so far with the same features and scores. What
        these depend on (column means and deviations, the scaling of nodes, and the class centres,
        radii, kernel width and reference samples of scores) is learnt from the samples of `warm_up`
        or else of the first batch, and then stays: the sums of earlier samples hold for these
        features and scores only. So let the first batch be a typical one. A sample beyond the
        radius of its class scores 0. If a batch is refused, the model is as it was. A model made by
        `fit` keeps no sums over its samples and cannot go on: start with `partial_fit`.

        Further `classes` may be added later: the model is then that of a stream that knew them from
        the start. Samples learnt so far are of none of them. Where samples are scored, the centre
        and radius of an added class are learnt from the batch that adds it, which must hold it.

        Samples are gone once they are learnt, so rounding of their sums cannot be refined away:
        where features are nearly dependent, decisions differ from those of `fit` by up to 1e-8 at
        C = 1e4 and 1e-6 at C = 1e6. Of more than 512 samples, a random draw of so many serves to
        learn the slope of probabilities, which then differ a little from those of `fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels; or, where all samples are trusted alike, 0 and 1 for several labels.
        classes : array-like of shape (n_classes,), default=None
            All classes that may come, those known included; needed in the first call unless
            `warm_up` was called. Of several labels their numbers from 0, if anything.
        sample_weight : array-like of shape (n_samples,), default=None
            A sample of weight w counts as w copies of it, a sample of weight 0 as absent.

        Returns
        -------
        self
            With `sample_scores_` and the like of the latest batch.
        """
        online.learn(self, X, y, classes, sample_weight)
        return self

    @online.OnlineMethod
    @online.in_turn
    @in_one_step
    @fit_context(prefer_skip_nested_validation=True)
    def warm_up(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Begin a stream: learn all that comes before the ridge, but no sample.

        `partial_fit` then learns samples, these ones too if they are given to it. After a warm-up
        on all samples, `partial_fit` on these samples in any batches gives the model of one `fit`
        (with intuitionistic scores taken against 2,000 reference samples per class, or
        `landmarks`).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Typical samples.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
        classes : array-like of shape (n_classes,), default=None
            All classes that may come; None for those of y.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
            Not fitted before the first `partial_fit`.
        """
        online.warm_up(self, X, y, y if classes is None else classes, sample_weight)
        return self

    forget = online.forget
    grow = online.grow

    def _read(
        self, X: Any, y: Any, classes: ArrayLike | None, *, first: bool
    ) -> tuple[Floats, NDArray[Any]]:
        """Samples and labels of a batch, if they fit the stream; classes of a first are stored."""
        rows, labels = validate_data(self, X, y, reset=first, multi_output=True, **READ_SPARSE)
        labels = check_labels(labels)
        several = labels.ndim == 2
        if not isinstance(rows, np.ndarray):
            check_sparse(self, rows)
        if first:
            if classes is None and not several:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            if several and not isinstance(self.scorer(), UniformScorer):
                raise ValueError(ONE_CLASS.format(type(self).__name__, labels.shape[1]))
            self._constant_labels = np.zeros(labels.shape[1]) if several else None
            wanted = np.arange(labels.shape[1]) if classes is None else unique_labels(classes)
            self.classes_ = self._check_classes(wanted)
        if several != (self._constant_labels is not None) or (
            several and labels.shape[1] != self.classes_.size
        ):
            columns = labels.shape[1] if several else 1
            raise ValueError(
                f"y has {columns} columns, unlike the targets that the model began with; to add "
                "labels, pass the numbers of all labels as classes to partial_fit."
            )
        unknown = [] if several else np.setdiff1d(labels, self.classes_).tolist()
        if unknown:
            raise ValueError(
                f"y has {unknown}, which the model does not know as classes; it knows "
                f"{self.classes_.tolist()}. To add some, pass all old and new ones as classes to "
                "partial_fit."
            )
        return rows, labels

    def _told(self, classes: ArrayLike) -> Self:
        """The stream, or a copy of it that knows further classes too."""
        wanted, state = self._check_classes(unique_labels(classes)), self._stream
        lost = [c for c in self.classes_.tolist() if c not in wanted.tolist()]
        if lost or state is None:
            raise ValueError(
                f"classes={wanted.tolist()} lack {lost}, which the stream knows; classes can be "
                "added, but not taken away."
            )
        if wanted.size == self.classes_.size:
            return self
        later = copy(self)
        later.classes_ = wanted
        later._stream = state.told(np.searchsorted(wanted, self.classes_), wanted.size)
        later._constant_labels = later._stream.constant_labels
        return later

    def _check_classes(self, classes: NDArray[Any]) -> NDArray[Any]:
        """The classes, if they are enough; of several labels they must be numbers from 0."""
        several = self._constant_labels is not None
        if several and not np.array_equal(classes, np.arange(classes.size)):
            raise ValueError(
                f"classes={classes.tolist()} must be the numbers of the labels, 0, 1 and so on, "
                "where y has a column for each."
            )
        if classes.size < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes, but there is only one class: "
                f"{classes.tolist()[0]!r}."
            )
        return classes

    def _shift(self, targets: NDArray[Any], weight: Array | None) -> Array:
        """Nothing is taken from encoded labels."""
        return np.empty(0)

    def _encode(self, rows: Floats, targets: NDArray[Any], weight: Array, shift: Array) -> Batch:
        """Samples of positive weight with encoded labels."""
        codes = targets if targets.ndim == 2 else np.searchsorted(self.classes_, targets)
        batch = Batch(rows, encode_targets(codes, self.classes_.size), codes, weight, None)
        return batch if weight.all() else batch.take(weight > 0.0)

    def _finish(
        self, state: StreamState, solution: PrimalSolution, mean: Array | None
    ) -> dict[str, Any]:
        """The slope of probabilities, from the sample that the stream keeps; constant labels."""
        sample = state.sample
        if sample is None or not sample.weight.size:
            slope = 1.0 if mean is None else np.ones(mean.size)
            return {"proba_slope_": slope, "_constant_labels": mean}
        every = np.arange(sample.weight.size)
        G = MappedSamples(state.map, sample.X, state.standardization)(every)
        T = sample.T if mean is None else np.where(mean == 0.0, sample.T, 0.0)
        held_out = solution.held_out(G, T, sample.score, sample.weight, every)
        if mean is not None:
            held_out = held_out + mean
        # The sample stands for as many as a fit would take: the slope depends on their weight.
        stands_for = total(state.weight) / float(sample.weight.sum())
        weight = sample.weight * min(stands_for, MAX_HELD_OUT / every.size)
        slopes = learn_slopes(held_out[None], sample.codes, weight, sample.score)
        slope = float(slopes[0]) if mean is None else slopes[0]
        return {"proba_slope_": slope, "_constant_labels": mean}

    def _trusted(self, batch: Batch, trust: Trust, known: NDArray[np.intp]) -> dict[str, Any]:
        """What a batch was trusted with; raises if a class not known before has no say."""
        if trust.score is not None and known.size < self.classes_.size:
            best = np.ones(self.classes_.size)
            best[np.setdiff1d(batch.codes, known)] = 0.0
            np.maximum.at(best, batch.codes, trust.score)
            if not best.all():
                raise ValueError(untrusted(self.classes_, best, self.scorer().remedy(trust)))
        scores = np.ones(batch.weight.size) if trust.score is None else trust.score
        return {"sample_scores_": scores, **trust.attributes}
