"""Base classes of the models on a random map: training data, fit, prediction."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import fields
from functools import wraps
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from broadlearn.random_features import (
    INFINITE,
    BroadMap,
    HiddenLayer,
    InfiniteNodes,
    MappedSamples,
    MapRecipe,
    MapSettings,
    Standardization,
    StandardizedRows,
    draw_map,
    learn_standardization,
)
from broadlearn.sample_scores import (
    IntuitionisticScorer,
    Samples,
    SampleScorer,
    Trust,
    UniformScorer,
    untrusted,
)
from broadlearn.solvers import (
    learn_slopes,
    log_probabilities,
    probabilities,
    solve_kernel,
    solve_ridge,
)
from broadlearn.utils import (
    BLOCK_NUMBERS,
    CLASS_WEIGHT,
    MAX_VALUE,
    POSITIVE,
    READ_SPARSE,
    STANDARDIZE,
    Array,
    FitProgress,
    Floats,
    check_classes,
    check_labels,
    check_range,
    check_sparse,
    check_weights,
    draw_seed,
    encode_targets,
    read_rows,
    row_slices,
    spread_rows,
    text_column,
)
from broadlearn.utils.sklearn_compat import CallbackSupportMixin, StrOptions, fit_context

# The slope of probabilities is one number: held-out decisions of this many samples determine it.
MAX_HELD_OUT = 2048
# Fitted attributes with one number per training sample, and those set before the fit.
OF_SAMPLES = ("sample_scores_", "membership_", "nonmembership_")
OF_DATA = ("n_features_in_", "feature_names_in_", "classes_")


class TrainingData(NamedTuple):
    """Validated training samples of positive weight, with encoded targets.

    Attributes
    ----------
    X : ndarray of shape (n_kept, n_features)
    T : ndarray of shape (n_kept, n_targets)
    codes : ndarray of shape (n_kept,)
        Class of each sample; zeros for regression.
    weight : ndarray of shape (n_kept,) or None
    standardization : Standardization
    classes : ndarray of shape (n_classes,)
        Empty for regression.
    keep : ndarray of shape (n_samples,) or slice
        Which of the given samples are kept.
    given : tuple of ndarray
        X, codes and weights of all samples.
    """

    X: Floats
    T: Array
    codes: NDArray[np.intp]
    weight: Array | None
    standardization: Standardization
    classes: NDArray[Any]
    keep: NDArray[np.bool_] | slice
    given: tuple[Floats, NDArray[np.intp], Array | None]

    def diagonal(self, score: Array | None) -> Array | None:
        """Return the diagonal of S: scores of the kept samples times the roots of their weights."""
        if self.weight is None:
            return score
        return np.sqrt(self.weight) * (1.0 if score is None else score)


def encode_samples(
    X: Floats, y: NDArray[Any], weight: Array | None, standardize: bool | str, name: str
) -> TrainingData:
    """Encode labels, drop samples of weight 0 and learn the standardisation.

    `name` is that of the model, for messages.
    """
    check_classes(y)
    classes, codes = np.unique(y, return_inverse=True)
    if classes.size < 2:
        raise ValueError(
            f"{name} needs rows of at least two classes in y, but there is only one class: "
            f"{classes.tolist()[0]!r}."
        )
    given = (X, codes, weight)
    keep: NDArray[np.bool_] | slice = slice(None)
    if weight is not None and not weight.all():
        keep = weight > 0.0
        if np.unique(codes[keep]).size < 2:
            raise ValueError(
                "Only one class has samples with a positive weight (sample_weight times "
                "class_weight); at least two classes are needed."
            )
        X, codes, weight = X[keep], codes[keep], weight[keep]
    standardization = learn_standardization(X, weight, standardize)
    T = encode_targets(codes, classes.size)
    return TrainingData(X, T, codes, weight, standardization, classes, keep, given)


def score_samples(
    scorer: SampleScorer,
    data: TrainingData,
    seed: int,
    kernel_widths: Sequence[float | str | None] = (None,),
) -> list[Trust]:
    """Score all given samples for one or several kernel widths (None: the scorer's own).

    If all samples of a class score 0, the result says so in `problem`.
    """
    if isinstance(scorer, UniformScorer):
        return [Trust(None)] * len(kernel_widths)
    X, codes, weight = data.given
    learnt = data.standardization
    lazily = type(scorer) is IntuitionisticScorer and X.size > BLOCK_NUMBERS
    Z: Any = StandardizedRows(X, learnt) if lazily else learnt.affine(X)[:, :-1]
    for rows in row_slices(*Z.shape):
        if float(np.abs(Z[rows]).max()) > MAX_VALUE:
            check_range(Z[rows])
    weight = np.ones(codes.size) if weight is None else weight
    samples = Samples(Z, codes, weight, data.classes.size, seed)
    trusts = scorer.score_widths(samples, kernel_widths)
    for k, trust in enumerate(trusts):
        best = np.ones(data.classes.size)
        if trust.score is not None:
            if np.shape(trust.score) != codes.shape or not np.all(trust.score >= 0.0):
                raise ValueError(f"{scorer!r} must give each sample a score between 0 and 1.")
            best[data.codes] = 0.0
            np.maximum.at(best, data.codes, trust.score[data.keep])
        if not best.all():
            trusts[k] = trust._replace(problem=untrusted(data.classes, best, scorer.remedy(trust)))
    return trusts


def in_one_step(method: Callable[..., Any]) -> Any:
    """Decorate a method that changes an estimator: run it on a copy, then take over its attributes.

    On failure or interrupt the estimator is unchanged; concurrent predictions see the old state.
    """

    @wraps(method)
    def whole(estimator: Any, *args: Any, **kwargs: Any) -> Any:
        changed = copy(estimator)
        try:
            result = method(changed, *args, **kwargs)
        except (TypeError, ValueError) as error:
            if sentence := text_column(error, *args[:2]):
                raise ValueError(sentence) from None
            raise
        estimator.__dict__ = vars(changed)
        return estimator if result is changed else result

    return whole


class BroadModel(CallbackSupportMixin, BaseEstimator):
    """Base of the models on a random map: ridge weights W, and predictions ``G W`` in blocks.

    Public methods predict with ``copy(self)``: they read the fitted state once, so that a refit in
    another thread cannot mix two models.
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "C": [POSITIVE],
        "standardize": STANDARDIZE,
        "solver": [StrOptions({"auto", "primal", "dual"})],
        "random_state": ["random_state"],
    }
    C: float
    solver: str
    standardize: bool | str
    random_state: int | np.random.RandomState | None

    def feature_map(self) -> MapRecipe:
        """Return the recipe of the random map."""
        settings = MapSettings(**{f.name: getattr(self, f.name) for f in fields(MapSettings)})
        infinite = getattr(self, "n_enhancement_nodes", None) == INFINITE
        return InfiniteNodes(settings) if infinite else settings

    def scorer(self) -> SampleScorer:
        """Return the scorer of the training samples; here all count alike."""
        return UniformScorer()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        # Invalid parameters are reported by fit.
        with suppress(AttributeError, KeyError, TypeError, ValueError):
            recipe = self.feature_map()
            products_only = type(recipe) is HiddenLayer
            if isinstance(recipe, MapSettings):
                products_only = recipe.feature_weights != "sparse"
            alike = isinstance(self.scorer(), UniformScorer)
            tags.input_tags.sparse = products_only and alike and self.standardize != "robust"
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "output_weights_")

    def _solve(self, data: TrainingData, seed: int, score: Array | None) -> tuple[Any, Any]:
        """Draw the map and solve the ridge problem; return the design and the solution."""
        learnt = data.standardization
        broad_map = draw_map(self.feature_map(), data.X, learnt, seed, data.weight)
        design = MappedSamples(broad_map, data.X, learnt)
        if broad_map.kernel:
            return design, solve_kernel(design, data.T, self.C, score, data.weight)
        return design, solve_ridge(design, data.T, self.C, score, data.weight, self.solver)

    def _keep(
        self,
        broad_map: BroadMap,
        weights: Array,
        standardization: Standardization,
        dtype: np.dtype[Any],
        **fitted: Any,
    ) -> None:
        """Replace all fitted attributes.

        `weights` are those of the map's columns.
        """
        rotation, direct = broad_map.rotation, None
        # Sums over training samples cancel: float32 would lose all digits.
        dtype = np.dtype(np.float64) if broad_map.kernel else dtype
        if rotation is not None:
            r = rotation.shape[1]
            weights = np.concatenate([rotation @ weights[:r], weights[r:]])
        n_features = broad_map.feature_weights.shape[1]
        if broad_map.affine:
            direct = (broad_map.feature_weights @ weights[:n_features]).astype(dtype, copy=False)
        self.__dict__.pop("_stream", None)
        self.__dict__ = {
            **{k: v for k, v in vars(self).items() if not k.endswith("_") or k in OF_DATA},
            **fitted,
            "_standardization": standardization,
            "_map": broad_map,
            "_direct_weights": direct,
            "output_weights_": weights.astype(dtype, copy=False),
        }

    def _output(self, X: ArrayLike) -> Floats:
        """Return ``G W``, computed block by block."""
        check_is_fitted(self)
        rows = read_rows(self, X, **READ_SPARSE)
        if not isinstance(rows, np.ndarray):
            check_sparse(self, rows)
        n_features = self._map.feature_weights.shape[1]
        n_layer = self._map.enhancement_weights.shape[1]
        dtype = self.output_weights_.dtype if self._map.kernel else rows.dtype
        W = self.output_weights_.astype(dtype, copy=False)
        out = np.empty((rows.shape[0], W.shape[1]), dtype=dtype)
        n_numbers = n_layer + (n_features if self._direct_weights is None else 0)
        parts = list(row_slices(rows.shape[0], n_numbers))
        buffer = np.empty((parts[0].stop, n_layer), dtype=dtype)
        for part in parts:
            affine = self._standardization.affine(rows, part).astype(dtype, copy=False)
            features = None
            if self._direct_weights is None:
                features = self._map.features(affine)
                np.matmul(features, W[:n_features], out=out[part])
            else:
                direct = self._direct_weights.astype(dtype, copy=False)
                np.matmul(affine, direct, out=out[part])
            layer = self._map.enhancements(affine, features, out=buffer[: len(affine)])
            out[part] += layer @ W[n_features:]
        return out.astype(rows.dtype, copy=False)


class BroadClassifier(ClassifierMixin, BroadModel):
    """A classifier on a random map: validate, standardise, score, draw, solve, calibrate."""

    _parameter_constraints: dict[str, list[Any]] = {
        **BroadModel._parameter_constraints,
        "class_weight": CLASS_WEIGHT,
    }
    class_weight: dict[Any, float] | str | None

    @in_one_step
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
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
        rows, labels = validate_data(self, X, y, multi_output=True, **READ_SPARSE)
        if labels.ndim == 2:
            labels = check_labels(labels)
        if not isinstance(rows, np.ndarray):
            check_sparse(self, rows)
        weight = None
        if sample_weight is not None or self.class_weight is not None:
            weight = check_weights(sample_weight, rows, self.class_weight, labels)
        data = encode_samples(rows, labels, weight, self.standardize, type(self).__name__)

        trust = score_samples(self.scorer(), data, seed)[0]
        if trust.problem:
            warnings.warn(trust.problem, stacklevel=2)
        score = None if trust.score is None else trust.score[data.keep]

        design, solution = self._solve(data, seed, score)

        n = data.X.shape[0]
        some = slice(0, n) if n <= MAX_HELD_OUT else spread_rows(n, MAX_HELD_OUT)
        held_out = solution.held_out(design, data.T, score, data.weight, some)
        weight = None if data.weight is None else data.weight[some]
        slopes = learn_slopes(
            held_out[None], data.codes[some], weight, None if score is None else score[some]
        )
        self._keep(
            design.map,
            solution.weights,
            data.standardization,
            data.X.dtype,
            classes_=data.classes,
            solver_=solution.form,
            proba_slope_=float(slopes[0]),
            sample_scores_=np.ones(rows.shape[0]) if trust.score is None else trust.score,
            _seed=seed,
            **trust.attributes,
        )
        if progress is not None:
            progress.end()
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the decision values ``G W``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes, positive where the second is predicted.
        """
        decision = copy(self)._output(X)
        return decision.ravel() if decision.shape[1] == 1 else decision

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict class labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        fitted = copy(self)
        return labels_of(fitted.decision_function(X), fitted.classes_)

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return class probabilities, ``softmax(proba_slope_ * d / sqrt(1 + d²))`` of decisions d.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        fitted = copy(self)
        return probabilities(fitted._output(X), fitted.proba_slope_)

    def predict_log_proba(self, X: ArrayLike) -> Floats:
        """Return logarithms of class probabilities, finite where a probability rounds to 0.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        fitted = copy(self)
        return log_probabilities(fitted._output(X), fitted.proba_slope_)


def labels_of(decision: Floats, classes: NDArray[Any]) -> NDArray[Any]:
    """Return the predicted labels: the sign of one column, or the largest of several.

    Examples
    --------
    >>> labels_of(np.array([-1.0, 2.0]), np.array(["no", "yes"]))
    array(['no', 'yes'], dtype='<U3')
    """
    codes = decision > 0 if decision.ndim == 1 else np.argmax(decision, axis=1)
    return np.asarray(classes[np.asarray(codes, dtype=np.intp)])
