"""Broad learning system for regression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import validate_data

from broadlearn.models import online
from broadlearn.models.base import BroadModel, TrainingData, in_one_step
from broadlearn.models.bls_base import MODEL_CONSTRAINTS
from broadlearn.models.stream import Batch, StreamState
from broadlearn.random_features import MappedSamples, draw_map
from broadlearn.sample_scores import Trust
from broadlearn.solvers import PrimalSolution, solve_kernel, solve_ridge
from broadlearn.utils import (
    READ_SPARSE,
    Array,
    FitProgress,
    Floats,
    check_sparse,
    check_targets,
    check_weights,
    draw_seed,
    learn_standardization,
)
from broadlearn.utils.sklearn_compat import fit_context


def centre_samples(
    X: Floats, Y: Array, weight: Array | None, standardize: bool | str
) -> tuple[TrainingData, Array]:
    """Take the mean from real targets, drop samples of weight 0 and learn the standardisation.

    The mean is returned too.
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


class BLSRegressor(MultiOutputMixin, RegressorMixin, BroadModel):
    r"""Broad learning system regressor.

    The random nodes of :class:`BLSClassifier` with real targets, from which their mean is taken
    first, so that it is not penalised:
    :math:`\min_W \frac{C}{2} \|G W - (Y - \bar y)\|^2 + \frac{1}{2} \|W\|^2`.

    Parameters
    ----------
    n_feature_groups : int, default=1
        m, number of groups of feature nodes.
    n_feature_nodes : int, default=64
        p, nodes per feature group. Feature nodes are affine in the inputs by default: more of them
        than there are input features add nothing.
    n_enhancement_groups : int, default=1
        l, number of groups of enhancement nodes.
    n_enhancement_nodes : int or "infinite", default=936
        q, nodes per enhancement group. "infinite" is the limit of many nodes, by the closed form of
        their products and as strong as 1,000: for tables of up to some 5,000 samples, of which the
        model keeps all. See :ref:`infinitely_many_nodes`.
    C : float, default=1.0
        Weight of the errors relative to the penalty on W; a larger C fits more closely.
    activation : {"tanh", "sigmoid", "relu", "sine"}, default="tanh"
        Activation of the enhancement nodes.
    feature_activation : {"identity", "tanh", "sigmoid", "relu", "sine"}, default="identity"
        Activation of the feature nodes.
    feature_weights : {"orthonormal", "random", "sparse"}, default="orthonormal"
        How the weights of a feature group are drawn: orthonormal in blocks of as many nodes as X
        has columns, which treats all directions alike; uniform on [-1, 1], and biases on
        [-0.1, 0.1], as published; or uniform and then refined by a sparse auto-encoder.
    feature_scaling : {"node", "sample", "robust"} or None, default="node"
        "node" scales each feature node to [-1, 1] by its extremes on the training samples, "robust"
        by its 10 % and 90 % quantiles; "sample" scales each sample within a group, as the published
        code does.
    enhancement_scale : float or sequence of float, default=0.8
        Factor on the inputs of the enhancement activation. If there are several, the nodes of a
        group take turns: slow and fast nodes in one layer.
    enhancement_bias : float, default=1.5
        Factor on the biases of the enhancement nodes. Small biases make nodes nearly odd functions
        of the inputs, which suits smooth trends; larger ones, such as 8, make products of features
        (checkerboards, local structure) easier to learn.
    enhancement_inputs : int or None, default=4
        None lets every enhancement node combine all feature nodes, as published. With a number k,
        they act on the columns of X and take turns: one combines all columns, the next only 1 to k
        of them, drawn at random. This suits tables, where each column has a meaning of its own.
    standardize : bool, "bounded" or "robust", default="bounded"
        True scales the columns of X to mean 0 and standard deviation 1, as learnt in `fit`.
        "bounded" does so with gross outliers held in: a value that lies beyond the middle 95 % of
        its column by more than 15 times their width, 60 deviations in a normal column, counts as
        the last one before, in prediction too. "robust" leaves out outlying samples: those beyond
        three times the median distance from the mean.
    solver : {"auto", "primal", "dual"}, default="auto"
        The form of the ridge problem; "auto" factorises the smaller Gram matrix.
    random_state : int, RandomState or None, default=None
        Seeds all draws. With the same seed, the nodes of a smaller model are part of those of a
        larger one.

    Attributes
    ----------
    output_weights_ : ndarray of shape (m * p + l * q, n_targets)
        W. With infinitely many nodes, coefficients of the training samples follow the weights of
        the m * p feature nodes.
    intercept_ : ndarray of shape (n_targets,)
        Mean of the targets.
    solver_ : {"primal", "dual"}
        The form that was solved.
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
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), default=None
            A sample of weight w counts as w copies of it, a sample of weight 0 as absent.

        Returns
        -------
        self
        """
        progress = None
        if hasattr(self, "_skl_callbacks"):
            progress = FitProgress(self, 0, X, y, sample_weight)
        rows, targets = self._read(X, y, None, first=True)
        weight = None if sample_weight is None else check_weights(sample_weight, rows)
        data, mean = centre_samples(rows, targets, weight, self.standardize)
        seed = draw_seed(self.random_state)
        broad_map = draw_map(self.feature_map(), data.X, data.standardization, seed, data.weight)
        design = MappedSamples(broad_map, data.X, data.standardization)
        if not broad_map.kernel:
            solution = solve_ridge(design, data.T, self.C, None, data.weight, self.solver)
        else:
            solution = solve_kernel(design, data.T, self.C, None, data.weight)
        self._keep(
            broad_map,
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

    @online.OnlineMethod
    @online.in_turn
    @in_one_step
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from a batch of samples, on top of those learnt before.

        The model is that of one fit on all samples so far with the same features. What these depend
        on (column means and deviations, the scaling of nodes) is learnt from the samples of
        `warm_up` or else of the first batch, and then stays: so let that be a typical one. The mean
        of the targets follows all samples. If a batch is refused, the model is as it was. A model
        made by `fit` keeps no sums over its samples and cannot go on: start with `partial_fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), default=None
            A sample of weight w counts as w copies of it, a sample of weight 0 as absent.

        Returns
        -------
        self
        """
        online.learn(self, X, y, None, sample_weight)
        return self

    @online.OnlineMethod
    @online.in_turn
    @in_one_step
    @fit_context(prefer_skip_nested_validation=True)
    def warm_up(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Begin a stream: learn all that comes before the ridge, but no sample.

        After a warm-up on all samples, `partial_fit` on these samples in any batches gives the
        model of one `fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Typical samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), default=None

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
        """Samples and targets of a batch, if they are like those that the model began with."""
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
                f"y has {n_targets} targets in {targets.ndim} dimensions, unlike the targets that "
                "the model began with."
            )
        return rows, np.asarray(targets, dtype=np.float64).reshape(rows.shape[0], -1)

    def _n_targets(self, unknown: int) -> int:
        """Targets that the model began with."""
        if self._stream is not None:
            return self._stream.shift.size
        return self.intercept_.size if hasattr(self, "intercept_") else unknown

    def _shift(self, targets: Array, weight: Array | None) -> Array:
        """The mean, which is taken from targets before they are summed."""
        return np.average(targets, axis=0, weights=weight)

    def _encode(self, rows: Floats, targets: Array, weight: Array, shift: Array) -> Batch:
        """Samples of positive weight; a column of ones lets the mean follow later samples."""
        T = np.column_stack([targets - shift, np.ones(len(targets))])
        batch = Batch(rows, T, np.zeros(len(targets), dtype=np.intp), weight, None)
        return batch if weight.all() else batch.take(weight > 0.0)

    def _finish(self, state: StreamState, solution: PrimalSolution, mean: Array) -> dict[str, Any]:
        return {"intercept_": (state.shift + mean).astype(state.dtype, copy=False)}

    def _trusted(self, batch: Batch, trust: Trust, known: NDArray[np.intp]) -> dict[str, Any]:
        return {}

    def predict(self, X: ArrayLike) -> Floats:
        """Predict targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        prediction = self._output(X)
        prediction += self.intercept_.astype(prediction.dtype, copy=False)
        return prediction.ravel() if self._one_target else prediction
