"""Broad classifiers that learn, forget and grow."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import validate_data

from broadlearn.classifiers._base import LEAVE_ONE_OUT_ROWS
from broadlearn.classifiers._calibration import learn_slope
from broadlearn.classifiers._classifier import BroadClassifier
from broadlearn.classifiers._incremental import IncrementalModel
from broadlearn.classifiers._rows import FLOAT_TYPES, Array, FitTask, encode_targets
from broadlearn.classifiers._scored_classifier import RowTrust
from broadlearn.classifiers._stream import Batch, StreamState
from broadlearn.random_features._standardize import affine_block, identity_standardization
from broadlearn.solvers._leave_one_out import primal_leave_one_out
from broadlearn.solvers._ridge import PrimalSolution


def _streams(model: IncrementalClassifier) -> bool:
    """Whether rows can be scored as they come; raises, as `available_if` wants it, if not."""
    model._check_streaming()
    return True


class IncrementalClassifier(IncrementalModel, BroadClassifier):
    """A classifier that keeps sums over its rows."""

    def _check_streaming(self) -> None:
        """Raise AttributeError if the scores of rows need all of them at once."""

    @available_if(_streams)
    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from a batch of rows, on top of those learnt before.

        The model is that of one fit on all rows so far with the same features and scores. What
        these depend on (column means and deviations, the scaling of nodes, and the class centres,
        radii, kernel width and reference rows of scores) is learnt from the rows of `warm_up`, or
        else of the first batch, and then stays: the sums of earlier rows hold for these features
        and scores only. So let the first batch be a typical one. A row beyond the radius of its
        class scores 0. After `fit`, the features are those of the fit, and only what scores depend
        on is learnt from the first batch. If a batch is refused, the model is as it was.

        Rows are gone once they are learnt, so rounding of their sums cannot be refined away: where
        features are nearly dependent, decisions differ from those of `fit` by up to 1e-8 at
        C = 1e4 and 1e-6 at C = 1e6. Of more than 512 rows, a random sample of so many serves to
        learn the slope of probabilities, which then differ a little from those of `fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes that may come; needed in the first call unless `warm_up` was called.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight w counts as w copies of it, a row of weight 0 as absent.

        Returns
        -------
        self
            With `sample_scores_` and the like of the latest batch.
        """
        if self._stream is None and classes is None and not hasattr(self, "output_weights_"):
            raise ValueError("classes must be passed on the first call to partial_fit.")
        return self._learn_batch(X, y, classes, sample_weight)

    @_fit_context(prefer_skip_nested_validation=True)
    def warm_up(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Begin a stream: learn all that comes before the ridge, but no row.

        `partial_fit` then learns rows, these ones too if they are given to it. After a warm-up on
        all rows, `partial_fit` on these rows in any batches gives the model of one `fit` (with
        scores from 2,000 reference rows a class, or `landmarks`, in the intuitionistic model).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Typical rows.
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,), default=None
            All classes that may come; None for those of y.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
            Not fitted before the first `partial_fit`.
        """
        return self._warm_up(
            X, y, np.unique(np.asarray(y)) if classes is None else classes, sample_weight
        )

    def _validate(
        self, X: Any, y: Any, classes: ArrayLike | None, *, first: bool
    ) -> tuple[NDArray[np.floating], NDArray[Any]]:
        rows, labels = validate_data(self, X, y, dtype=FLOAT_TYPES, reset=first)
        check_classification_targets(labels)
        if first:
            self.classes_ = self._check_classes(unique_labels(classes))
        elif classes is not None and not np.array_equal(unique_labels(classes), self.classes_):
            raise ValueError(
                f"classes={np.asarray(classes).tolist()} are not those that the stream began with, "
                f"{self.classes_.tolist()}."
            )
        foreign = np.setdiff1d(labels, self.classes_)
        if foreign.size:
            raise ValueError(
                f"y has {foreign.tolist()}, which the model does not know as classes; it knows "
                f"{self.classes_.tolist()}."
            )
        return rows, labels

    def _check_classes(self, classes: NDArray[Any]) -> NDArray[Any]:
        if classes.size < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes, but there is only one class: "
                f"{classes.tolist()[0]!r}."
            )
        return classes

    def _batch(
        self, rows: NDArray[np.floating], targets: NDArray[Any], weight: Array, shift: Array
    ) -> Batch:
        codes = np.searchsorted(self.classes_, targets)
        batch = Batch(rows, encode_targets(codes, self.classes_.size), codes, weight, None)
        return batch if weight.all() else batch.take(weight > 0.0)

    def _n_classes(self) -> int:
        return int(self.classes_.size)

    def _finish(self, state: StreamState, solution: PrimalSolution) -> None:
        sample = state.sample
        if sample is None or not sample.codes.size:
            self.proba_slope_ = 1.0
            return
        rows = affine_block(sample.X, slice(0, sample.codes.size), state.standardization)
        s = sample.s
        slope_weight = np.ones(sample.codes.size) if s is None else s * s
        share = 1.0 / np.maximum(sample.weight, 1.0)
        held_out = primal_leave_one_out(solution, state.reduced(rows), s, sample.T, share)
        # The sample stands for as many rows as a fit would take: the slope depends on their weight.
        most = LEAVE_ONE_OUT_ROWS / sample.codes.size
        stands_for = min(float(state.weight.sum() / sample.weight.sum()), most)
        self.proba_slope_ = learn_slope(held_out, sample.codes, stands_for * slope_weight)

    def _refuse_untrusted(self, codes: NDArray[np.intp], scores: Array) -> None:
        nothing = np.empty((0, 0))
        standardization = identity_standardization(0)
        task = FitTask(nothing, nothing, codes, None, slice(None), standardization)
        self._check_scores(scores, task)

    def _keep_batch_trust(self, batch: Batch, trust: RowTrust) -> None:
        self._keep_trust(trust, batch.codes.size)
