"""Broad learning system for regression."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import MultiOutputMixin, RegressorMixin, _fit_context
from sklearn.utils.validation import check_is_fitted, validate_data

from broadlearn.classifiers._bls_model import BLSModel
from broadlearn.classifiers._incremental import IncrementalModel
from broadlearn.classifiers._rows import FLOAT_TYPES, Array, FitTask
from broadlearn.classifiers._stream import Batch, StreamState
from broadlearn.random_features._broad_map import ReducedMap
from broadlearn.random_features._standardize import Standardization
from broadlearn.sample_scores._inputs import check_weights
from broadlearn.solvers._ridge import PrimalSolution


class BLSRegressor(MultiOutputMixin, RegressorMixin, IncrementalModel, BLSModel):
    r"""Broad learning system regressor.

    The model of :class:`BLSClassifier` with real targets, from which their mean is taken first, so
    that it is not penalised:
    :math:`\min_W \frac{C}{2} \|G W - (Y - \bar y)\|^2 + \frac{1}{2} \|W\|^2`.

    Parameters
    ----------
    n_feature_groups, n_feature_nodes, n_enhancement_groups, n_enhancement_nodes, C, activation, \
feature_activation, feature_weights, feature_scaling, enhancement_scale, enhancement_bias, \
enhancement_inputs, standardize, solver, random_state
        As for :class:`BLSClassifier`.

    Attributes
    ----------
    output_weights_ : ndarray of shape (m * p + l * q, n_targets)
    intercept_ : ndarray of shape (n_targets,)
        Mean of the targets.
    solver_ : {"primal", "dual"}
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where X has column names that are strings.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from broadlearn import BLSRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> BLSRegressor(random_state=0).fit(X, y).score(X, y) > 0.5
    True
    """

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight w counts as w copies of it, a row of weight 0 as absent.

        Returns
        -------
        self
        """
        rows, targets = validate_data(
            self, X, y, dtype=FLOAT_TYPES, multi_output=True, y_numeric=True
        )
        weight = None if sample_weight is None else check_weights(sample_weight, rows)
        task = self._prepare(rows, targets, weight)
        # Sums with a column of ones let the mean follow rows that come later.
        with_ones = task._replace(T=np.column_stack([task.T, np.ones(len(task.T))]))
        shift = self._first_shift(np.asarray(targets).reshape(rows.shape[0], -1), weight)
        self._fit_ridge(with_ones, None, leave_one_out=False, shift=shift)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from a batch of rows, on top of those learnt before.

        The model is that of one fit on all rows so far with the same features. What these depend
        on (column means and deviations, the scaling of nodes) is learnt from the rows of `warm_up`,
        or else of the first batch, and then stays: so let that be a typical one. The mean of the
        targets follows all rows. If a batch is refused, the model is as it was.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight w counts as w copies of it, a row of weight 0 as absent.

        Returns
        -------
        self
        """
        return self._learn_batch(X, y, None, sample_weight)

    @_fit_context(prefer_skip_nested_validation=True)
    def warm_up(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Begin a stream: learn all that comes before the ridge, but no row.

        After a warm-up on all rows, `partial_fit` on these rows in any batches gives the model of
        one `fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Typical rows.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
            Not fitted before the first `partial_fit`.
        """
        return self._warm_up(X, y, None, sample_weight)

    def _validate(
        self, X: Any, y: Any, classes: ArrayLike | None, *, first: bool
    ) -> tuple[NDArray[np.floating], NDArray[Any]]:
        rows, targets = validate_data(
            self, X, y, dtype=FLOAT_TYPES, multi_output=True, y_numeric=True, reset=first
        )
        if first:
            self._one_target = targets.ndim == 1
        n_targets = 1 if targets.ndim == 1 else targets.shape[1]
        known = n_targets if self._stream is None else self._stream.shift.size
        if self._one_target != (targets.ndim == 1) or n_targets != known:
            raise ValueError(
                f"y has {n_targets} targets in {targets.ndim} dimensions, unlike the targets that "
                "the model began with."
            )
        return rows, np.asarray(targets, dtype=np.float64).reshape(rows.shape[0], -1)

    def _batch(
        self, rows: NDArray[np.floating], targets: NDArray[Any], weight: Array, shift: Array
    ) -> Batch:
        T = np.column_stack([targets - shift, np.ones(len(targets))])
        batch = Batch(rows, T, np.zeros(len(targets), dtype=np.intp), weight, None)
        return batch if weight.all() else batch.take(weight > 0.0)

    def _first_shift(self, targets: NDArray[Any], weight: Array | None) -> Array:
        return np.average(targets, axis=0, weights=weight)

    def _finish(self, state: StreamState, solution: PrimalSolution) -> None:
        mean = state.shift + self._target_mean(state)
        self.intercept_ = mean.astype(state.dtype, copy=False)

    def _keep_weights(
        self,
        reduced: ReducedMap,
        reduced_weights: Array,
        standardization: Standardization,
        dtype: np.dtype[Any],
    ) -> None:
        # A fit has one more column of targets, of ones.
        targets = reduced_weights[:, : self.intercept_.size]
        super()._keep_weights(reduced, targets, standardization, dtype)

    def _prepare(
        self, rows: NDArray[np.floating], targets: NDArray[Any], weight: Array | None
    ) -> FitTask:
        """Centre the targets, drop rows of weight 0 and learn the standardisation."""
        self._one_target = targets.ndim == 1
        Y = np.asarray(targets, dtype=np.float64).reshape(rows.shape[0], -1)
        keep: NDArray[np.bool_] | slice = slice(None)
        if weight is not None and not weight.all():
            keep = weight > 0.0
            rows, Y, weight = rows[keep], Y[keep], weight[keep]
        mean = np.average(Y, axis=0, weights=weight)
        self.intercept_ = mean.astype(rows.dtype, copy=False)
        standardization = self._learn_standardization(rows, weight)
        no_classes = np.empty(0, dtype=np.intp)
        return FitTask(rows, Y - mean, no_classes, weight, keep, standardization)

    def predict(self, X: ArrayLike) -> NDArray[np.floating]:
        """Predict targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        check_is_fitted(self)
        prediction = self._output(self._validate_rows(X))
        prediction += self.intercept_.astype(prediction.dtype, copy=False)
        return prediction.ravel() if self._one_target else prediction
