"""Broad learning system for regression."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import validate_data

from broadlearn.models import online
from broadlearn.models.base import BroadModel, TrainingData, in_one_step
from broadlearn.models.parameters import MODEL_CONSTRAINTS, document
from broadlearn.models.stream import Batch, StreamState
from broadlearn.random_features import learn_standardization
from broadlearn.sample_scores import Trust
from broadlearn.solvers import PrimalSolution
from broadlearn.utils import (
    READ_SPARSE,
    Array,
    FitProgress,
    Floats,
    check_sparse,
    check_targets,
    check_weights,
    draw_seed,
)
from broadlearn.utils.sklearn_compat import fit_context


def centre_samples(
    X: Floats, Y: Array, weight: Array | None, standardize: bool | str
) -> tuple[TrainingData, Array]:
    """Drop samples of weight 0, centre real targets and learn the standardisation.

    Returns the data and the mean of the targets.
    """
    keep: NDArray[np.bool_] | slice = slice(None)
    if weight is not None and not weight.all():
        keep = weight > 0.0
        X, Y, weight = X[keep], Y[keep], weight[keep]
    mean = np.average(Y, axis=0, weights=weight)
    standardization = learn_standardization(X, weight, standardize)
    codes = np.zeros(X.shape[0], dtype=np.intp)
    given = (X, codes, weight)
    no_classes = np.empty(0)
    data = TrainingData(X, Y - mean, codes, weight, standardization, no_classes, keep, given)
    return data, mean


@document
class BLSRegressor(MultiOutputMixin, RegressorMixin, BroadModel):
    r"""Broad learning system regressor.

    The random nodes of :class:`BLSClassifier` with real targets. Their mean is subtracted first, so
    that it is not penalised:
    :math:`\min_W \frac{C}{2} \|G W - (Y - \bar y)\|^2 + \frac{1}{2} \|W\|^2`.

    Parameters
    ----------
    {feature nodes}
    {enhancement nodes}
    {C}
    {node kinds}
    {standardize}
    {solver}
    {random_state}

    Attributes
    ----------
    {output weights}
    intercept_ : ndarray of shape (n_targets,)
        Mean of the targets.
    {solution}
    {features in}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from broadlearn import BLSRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> BLSRegressor(random_state=0).fit(X, y).score(X, y) > 0.5
    True
    """

    _parameter_constraints: dict[str, list[Any]] = {
        **BroadModel._parameter_constraints,
        **MODEL_CONSTRAINTS,
    }
    _stream: StreamState | None = None

    def __init__(
        self,
        n_feature_groups: int = 1,
        n_feature_nodes: int = 64,
        n_enhancement_groups: int = 1,
        n_enhancement_nodes: int | str = 936,
        C: float = 1.0,
        *,
        activation: str = "tanh",
        feature_activation: str = "identity",
        feature_weights: str = "orthonormal",
        feature_scaling: str | None = "node",
        enhancement_scale: float | Sequence[float] = 0.8,
        enhancement_bias: float = 1.5,
        enhancement_inputs: int | None = 4,
        enhancement_weights: str = "orthonormal",
        standardize: bool | str = "bounded",
        solver: str = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_feature_groups = n_feature_groups
        self.n_feature_nodes = n_feature_nodes
        self.n_enhancement_groups = n_enhancement_groups
        self.n_enhancement_nodes = n_enhancement_nodes
        self.C = C
        self.activation = activation
        self.feature_activation = feature_activation
        self.feature_weights = feature_weights
        self.feature_scaling = feature_scaling
        self.enhancement_scale = enhancement_scale
        self.enhancement_bias = enhancement_bias
        self.enhancement_inputs = enhancement_inputs
        self.enhancement_weights = enhancement_weights
        self.standardize = standardize
        self.solver = solver
        self.random_state = random_state

    @in_one_step
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            A sample of weight w counts as w copies; samples of weight 0 are ignored.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, draw_seed(self.random_state))

    def _fit(self, X: Any, y: Any, sample_weight: Any, seed: int) -> Self:
        progress = None
        if hasattr(self, "_skl_callbacks"):
            progress = FitProgress(self, 0, X, y, sample_weight)
        rows, targets = self._read(X, y, None, first=True)
        weight = None if sample_weight is None else check_weights(sample_weight, rows)
        data, mean = centre_samples(rows, targets, weight, self.standardize)
        design, solution = self._solve(data, seed, None)
        self._keep(
            design.map,
            solution.weights,
            data.standardization,
            rows.dtype,
            solver_=solution.form,
            intercept_=mean.astype(rows.dtype, copy=False),
            _seed=seed,
        )
        if progress is not None:
            progress.end()
        return self

    @online.continuing_method
    @in_one_step
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from a batch of samples, on top of those learnt before.

        The model is that of one fit on all samples so far with the same features. Column means and
        deviations and the scaling of nodes are learnt from the samples of `warm_up`, or else of the
        first batch, and then stay fixed: the first batch should be a typical one. The mean of the
        targets follows all samples. A model made by `fit` keeps no sums over its samples and cannot
        go on: start with `partial_fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            A sample of weight w counts as w copies; samples of weight 0 are ignored.

        Returns
        -------
        self
        """
        online.learn(self, X, y, None, sample_weight)
        return self

    @online.online_method
    @in_one_step
    @fit_context(prefer_skip_nested_validation=True)
    def warm_up(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Begin a stream: learn standardisation and map, but no sample.

        After a warm-up on all samples, `partial_fit` on these samples in any batches gives the
        model of one `fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Typical samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        self
            Not fitted before the first `partial_fit`.
        """
        online.warm_up(self, X, y, None, sample_weight)
        return self

    forget = online.forget
    grow = online.grow

    def _read(
        self, X: Any, y: Any, classes: ArrayLike | None, *, first: bool
    ) -> tuple[Floats, Array]:
        """Validate samples and targets of a batch."""
        rows, targets = validate_data(
            self, X, y, multi_output=True, y_numeric=True, reset=first, **READ_SPARSE
        )
        if not isinstance(rows, np.ndarray):
            check_sparse(self, rows)
        n_targets = 1 if targets.ndim == 1 else targets.shape[1]
        check_targets(targets, rows.dtype)
        if first:
            self._one_target = targets.ndim == 1
        elif self._one_target != (targets.ndim == 1) or n_targets != self._n_targets(n_targets):
            raise ValueError(
                f"y has {n_targets} targets in {targets.ndim} dimensions, unlike the first batch."
            )
        return rows, np.asarray(targets, dtype=np.float64).reshape(rows.shape[0], -1)

    def _n_targets(self, unknown: int) -> int:
        """Return the number of targets of the first batch."""
        if self._stream is not None:
            return self._stream.shift.size
        return self.intercept_.size if hasattr(self, "intercept_") else unknown

    def _shift(self, targets: Array, weight: Array | None) -> Array:
        """Return the mean of the first targets, which is subtracted before targets are summed."""
        return np.average(targets, axis=0, weights=weight)

    def _encode(self, rows: Floats, targets: Array, weight: Array, shift: Array) -> Batch:
        """Return the samples of positive weight; the mean follows from a column of ones."""
        T = np.column_stack([targets - shift, np.ones(len(targets))])
        batch = Batch(rows, T, np.zeros(len(targets), dtype=np.intp), weight, None)
        return batch if weight.all() else batch.take(weight > 0.0)

    def _finish(self, state: StreamState, solution: PrimalSolution, mean: Array) -> dict[str, Any]:
        return {"intercept_": (state.shift + mean).astype(state.dtype, copy=False)}

    def _trusted(self, batch: Batch, trust: Trust, *, first: bool) -> dict[str, Any]:
        return {}

    def predict(self, X: ArrayLike) -> Floats:
        """Predict targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        fitted = copy(self)
        prediction = fitted._output(X)
        prediction += fitted.intercept_.astype(prediction.dtype, copy=False)
        return prediction.ravel() if fitted._one_target else prediction
