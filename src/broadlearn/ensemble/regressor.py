"""Broad learning at infinite width, for regression."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from broadlearn.ensemble.candidates import Problem, squared_loss
from broadlearn.ensemble.classifier import member_table
from broadlearn.ensemble.fitting import count_steps, fit_ensemble, step_reporter
from broadlearn.ensemble.frames import read_new, read_training
from broadlearn.ensemble.trees import boost_targets, least_squares_shares
from broadlearn.models import centre_samples, document, in_one_step, read_real
from broadlearn.solvers import combine, conformal_quantile
from broadlearn.utils import (
    COUNT,
    Array,
    Floats,
    draw_seed,
)
from broadlearn.utils.sklearn_compat import (
    fit_context,
)


@document
@dataclass(eq=False, repr=False, kw_only=True)
class BroadEnsembleRegressor(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Broad learning at infinite width: an average of kernel ridge regressors.

    The kernels of :class:`BroadEnsembleClassifier`, each with its best penalty, compared by the
    squared error of their exact leave-one-out predictions; the best ones are averaged. From 1,000
    samples on boosted trees take part, weighed by the squared error of held-out predictions.

    Parameters
    ----------
    ensemble_size : int, default=12
        Largest number of kernels to average, with at most `max_exact_samples` samples. With more
        than 500 samples fewer are averaged, so that predictions stay fast: at least 3, and at most
        6,000 / n_samples.
    max_exact_samples : int, default=2000
        Largest number of samples for which matrices of samples x samples are built. About five of
        8 n² bytes each are held at a time: 160 MB at 2,000 samples.
    random_state : int, RandomState or None, default=None
        Seed of the samples that kernels are compared on, and of the landmarks. With at most 700
        samples nothing is drawn.
    verbose : bool, default=False
        Whether to print the progress of `fit`, ten lines with the time so far.

    Attributes
    ----------
    members_ : list of dict
        One record per kernel, ready for ``pandas.DataFrame``: ``family``, ``inputs``, ``width``,
        ``n_inputs``, ``C``, ``scores`` ("uniform"), ``weight`` (they sum to one) and the
        ``held_out_loss``.
        Kernels with the same ``C`` and loss share a model.
    leave_one_out_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Leave-one-out predictions for the training samples, at the same kernels and penalties.
    calibration_scores_ : ndarray of shape (n_kept,) or (n_kept, n_targets)
        Absolute leave-one-out errors of the training samples of positive weight, by which
        `predict_interval` is calibrated.
    shares_ : ndarray of shape (1,) or (2,)
        Factors of the predictions of the kernels, and of the trees where they take part.
    intercept_ : ndarray of shape (n_targets,)
        Mean of the targets.
    {features in}

    See Also
    --------
    BroadEnsembleClassifier : The same for classes.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.metrics import r2_score
    >>> from broadlearn import BroadEnsembleRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BroadEnsembleRegressor().fit(X, y)
    >>> r2_score(y, model.leave_one_out_prediction_) > 0.45
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "ensemble_size": [COUNT],
        "max_exact_samples": [COUNT],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }
    _preparation: ClassVar[Any] = None
    ensemble_size: int = 12
    max_exact_samples: int = 2000
    random_state: int | np.random.RandomState | None = None
    verbose: bool | int = False

    @in_one_step
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Compare kernels, fit the best ones and average them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), default=None
            A sample of weight w counts as w copies; samples of weight 0 are ignored.

        Returns
        -------
        self
        """
        rows, Y, weight = read_training(read_real, self, X, y, sample_weight)
        data, mean = centre_samples(rows, Y, weight, False)
        size, most = self.ensemble_size, self.max_exact_samples
        n_steps = count_steps(len(data.X), size, most, rescored=False)
        step = step_reporter(self, n_steps)

        def make_loss(some: NDArray[np.intp], weight: Array | None) -> Any:
            return squared_loss(data.T[some], weight)

        problem = Problem(data.X, data.T, data.weight, make_loss, None)
        seed = draw_seed(self.random_state)
        fitted = fit_ensemble(problem, size, most, np.inf, seed, step)
        boosted = boost_targets(data.X, data.T, data.weight, seed, step)
        predictions = [fitted.held_out] if boosted is None else [fitted.held_out, boosted[1]]
        self.shares_ = np.ones(1)
        if boosted is not None:
            self.shares_ = least_squares_shares(predictions, data.T, data.weight)
        self._average, self._trees = fitted.average, None if boosted is None else boosted[0]
        held_out = np.empty(Y.shape, dtype=rows.dtype)
        held_out[data.keep] = combine(predictions, self.shares_)
        if not isinstance(data.keep, slice):
            held_out[~data.keep] = self._output(rows[~data.keep])
        held_out += mean.astype(rows.dtype, copy=False)
        self.members_ = member_table(fitted)
        self.intercept_ = mean.astype(rows.dtype, copy=False)
        self.leave_one_out_prediction_ = held_out.ravel() if self._one_target else held_out
        distance = np.abs(Y.astype(rows.dtype, copy=False) - held_out)[data.keep]
        self.calibration_scores_ = distance.ravel() if self._one_target else distance
        self._calibration_weight = data.weight
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def _output(self, rows: Floats) -> Floats:
        kernels = self._average(rows)
        return (
            kernels if self._trees is None else combine([kernels, self._trees(rows)], self.shares_)
        )

    def predict(self, X: ArrayLike) -> Floats:
        """Predict targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        check_is_fitted(self)
        fitted = copy(self)
        rows = read_new(fitted, X)
        prediction = fitted._output(rows)
        prediction += fitted.intercept_.astype(rows.dtype, copy=False)
        return prediction.ravel() if fitted._one_target else prediction

    def predict_interval(self, X: ArrayLike, coverage: float = 0.9) -> Floats:
        """Return intervals that contain the target with a given probability.

        The intervals are conformal. They reach as far to both sides of the prediction as a share
        `coverage` of the training targets lay from their leave-one-out predictions, corrected for
        the number of samples. Coverage holds on average over samples like the training samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        coverage : float, default=0.9
            Share of samples whose interval contains their target, between 0 and 1; for several
            targets, each by itself.

        Returns
        -------
        ndarray of shape (n_samples, 2) or (n_samples, n_targets, 2)
            Lower and upper ends; infinite with too few training samples for such a coverage.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from broadlearn import BroadEnsembleRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> low, high = BroadEnsembleRegressor().fit(X[:300], y[:300]).predict_interval(X[300:]).T
        >>> bool(((low <= y[300:]) & (y[300:] <= high)).mean() > 0.85)
        True
        """
        check_is_fitted(self)
        fitted = copy(self)
        prediction = fitted.predict(X)
        scores = fitted.calibration_scores_.reshape(len(fitted.calibration_scores_), -1)
        reach = [conformal_quantile(one, coverage, fitted._calibration_weight) for one in scores.T]
        margin = np.array(reach[0] if fitted._one_target else reach, dtype=prediction.dtype)
        return np.stack([prediction - margin, prediction + margin], axis=-1)
