"""What all models on a random map share: training data, a fit on one page, prediction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import wraps
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from broadlearn.models import class_predictions
from broadlearn.random_features import (
    INFINITE,
    BroadMap,
    HiddenLayer,
    InfiniteNodes,
    MappedSamples,
    MapRecipe,
    MapSettings,
    draw_map,
)
from broadlearn.sample_scores import (
    IntuitionisticScorer,
    Samples,
    SampleScorer,
    Trust,
    UniformScorer,
    untrusted,
)
from broadlearn.solvers import learn_slopes, solve_kernel, solve_ridge
from broadlearn.utils import (
    BLOCK_NUMBERS,
    CLASS_WEIGHT,
    MAX_VALUE,
    ONE_CLASS,
    POSITIVE,
    READ_SPARSE,
    STANDARDIZE,
    Array,
    FitProgress,
    Floats,
    Standardization,
    StandardizedRows,
    check_classes,
    check_labels,
    check_range,
    check_sparse,
    check_weights,
    draw_seed,
    encode_targets,
    learn_standardization,
    plain_reason,
    read_rows,
    row_slices,
    spread_rows,
)
from broadlearn.utils.sklearn_compat import (
    CallbackSupportMixin,
    StrOptions,
    fit_context,
)

# Samples whose held-out decisions the slope of probabilities is learnt from.
MAX_HELD_OUT = 2048
# Fitted attributes that hold a number per training sample, and those that are known before a fit.
OF_SAMPLES = ("sample_scores_", "membership_", "nonmembership_")
OF_DATA = ("n_features_in_", "feature_names_in_", "classes_")


class TrainingData(NamedTuple):
    """Validated training data: samples of positive weight, and what is learnt before any draw.

    Attributes
    ----------
    X : ndarray of shape (n_kept, n_features)
    T : ndarray of shape (n_kept, n_targets)
    codes : ndarray of shape (n_kept,) or (n_kept, n_labels)
        Class of each sample; zeros for regression; of several labels 0 and 1.
    weight : ndarray of shape (n_kept,) or None
    standardization : Standardization
    classes : ndarray of shape (n_classes,)
        Empty for regression; of several labels their numbers.
    keep : ndarray of shape (n_samples,) or slice
        Which of the given samples are kept.
    given : tuple of ndarray
        X, codes and weights of all samples.
    constant : ndarray of shape (n_labels,) or None
        Of several labels, -1 or 1 for those that all kept samples have alike, which T has as 0,
        and 0 for others; None where there is one class per sample.
    """

    X: Floats
    T: Array
    codes: NDArray[np.intp]
    weight: Array | None
    standardization: Standardization
    classes: NDArray[Any]
    keep: NDArray[np.bool_] | slice
    given: tuple[Floats, NDArray[np.intp], Array | None]
    constant: Array | None = None

    def diagonal(self, score: Array | None) -> Array | None:
        """The diagonal of S: scores of the kept samples times the roots of their weights."""
        if self.weight is None:
            return score
        return np.sqrt(self.weight) * (1.0 if score is None else score)


def encode_samples(
    X: Floats, y: NDArray[Any], weight: Array | None, standardize: bool | str, name: str
) -> TrainingData:
    """Encode labels, drop samples of weight 0 and learn the standardisation.

    `y` holds classes, or 0 and 1 for each of several labels. `name` is that of the model, for
    messages.
    """
    several, constant = y.ndim == 2, None
    if several:
        classes, codes = np.arange(y.shape[1]), y
    else:
        check = check_classes if y.dtype == object else check_classification_targets
        check(y)
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
        if not several and np.unique(codes[keep]).size < 2:
            raise ValueError(
                "sample_weight leaves rows of only one class with a positive weight (times "
                "class_weight); at least two classes are needed."
            )
        X, codes, weight = X[keep], codes[keep], weight[keep]
    standardization = learn_standardization(X, weight, standardize)
    T = encode_targets(codes, classes.size)
    if several:
        constant = np.where((T == T[0]).all(axis=0), T[0], 0.0)
        T -= constant
    return TrainingData(X, T, codes, weight, standardization, classes, keep, given, constant)


def score_samples(
    scorer: SampleScorer,
    data: TrainingData,
    seed: int,
    kernel_widths: Sequence[float | str | None] = (None,),
) -> list[Trust]:
    """Trust in all given samples, for one or several kernel widths (None: the scorer's own).

    Where a class has no sample left that counts, the trust says so as its `problem`.
    """
    if isinstance(scorer, UniformScorer):
        return [Trust(None)] * len(kernel_widths)
    if data.constant is not None:
        raise ValueError(ONE_CLASS.format(type(scorer).__name__, data.constant.size))
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
    """Let a method that changes an estimator change all of it at its end, or nothing.

    It works on a copy of the attributes, which take the place of the old ones in one step. Whatever
    stops it, an error or a key, the estimator is as it was, as it is for who predicts meanwhile.
    """

    @wraps(method)
    def whole(estimator: Any, *args: Any, **kwargs: Any) -> Any:
        later = object.__new__(type(estimator))
        later.__dict__ = vars(estimator).copy()
        try:
            result = method(later, *args, **kwargs)
        except (OverflowError, TypeError, ValueError) as error:
            if sentence := plain_reason(error, later, *args[:2]):
                raise ValueError(sentence) from None
            raise
        estimator.__dict__ = vars(later)
        return estimator if result is later else result

    return whole


class BroadModel(CallbackSupportMixin, BaseEstimator):
    """Base of the models on a random map: ridge weights W, and predictions ``G W`` in blocks."""

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
    # Of several labels, the decision for those that were all alike in training, 0 for others.
    _constant_labels: Array | None = None

    def feature_map(self) -> MapRecipe:
        """What the random map is drawn from, as the parameters say."""
        settings = MapSettings(**{f.name: getattr(self, f.name) for f in fields(MapSettings)})
        infinite = getattr(self, "n_enhancement_nodes", None) == INFINITE
        return InfiniteNodes(settings) if infinite else settings

    def scorer(self) -> SampleScorer:
        """The way that samples are trusted, as the parameters say; here all alike."""
        return UniformScorer()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        # Bad parameters are named by the methods.
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

    def _keep(
        self,
        broad_map: BroadMap,
        weights: Array,
        standardization: Standardization,
        dtype: np.dtype[Any],
        **fitted: Any,
    ) -> None:
        """Store what prediction needs, and more fitted attributes, in one step.

        `weights` are those of the map's columns. Nothing stays of an earlier fit.
        """
        rotation, direct = broad_map.rotation, None
        # Sums over training samples cancel: in float32 nothing would be left of them.
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
        """``G W`` for samples, block by block."""
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
        if self._constant_labels is not None:
            out += self._constant_labels.astype(dtype, copy=False)
        return out.astype(rows.dtype, copy=False)


class BroadClassifier(ClassifierMixin, BroadModel):
    """A classifier on a random map: validate, standardise, score, draw, solve, calibrate."""

    _parameter_constraints: dict[str, list[Any]] = {
        **BroadModel._parameter_constraints,
        "class_weight": CLASS_WEIGHT,
    }
    # Files of models that were saved without this parameter have no other.
    class_weight: dict[Any, float] | str | None = None

    @in_one_step
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels; or, where all samples are trusted alike, 0 and 1 for each of several
            labels, as a sparse matrix too.
        sample_weight : array-like of shape (n_samples,), default=None
            A sample of weight w counts as w copies of it, a sample of weight 0 as absent.

        Returns
        -------
        self
        """
        progress = None
        if hasattr(self, "_skl_callbacks"):
            progress = FitProgress(self, 0, X, y, sample_weight)
        recipe = self.feature_map()
        rows, labels = validate_data(self, X, y, multi_output=True, **READ_SPARSE)
        if labels.ndim == 2:
            labels = check_labels(labels)
        if not isinstance(rows, np.ndarray):
            check_sparse(self, rows)
        weight = None
        if sample_weight is not None or self.class_weight is not None:
            weight = check_weights(sample_weight, rows, self.class_weight, labels)
        data = encode_samples(rows, labels, weight, self.standardize, type(self).__name__)
        n = data.X.shape[0]
        some = slice(0, n) if n <= MAX_HELD_OUT else spread_rows(n, MAX_HELD_OUT)
        seed = draw_seed(self.random_state)

        trust = score_samples(self.scorer(), data, seed)[0]
        if trust.problem:
            raise ValueError(trust.problem)
        score = None if trust.score is None else trust.score[data.keep]

        broad_map = draw_map(recipe, data.X, data.standardization, seed, data.weight)
        design = MappedSamples(broad_map, data.X, data.standardization)
        if not broad_map.kernel:
            solution = solve_ridge(design, data.T, self.C, score, data.weight, self.solver)
        else:
            solution = solve_kernel(design, data.T, self.C, score, data.weight)

        held_out = solution.held_out(design, data.T, score, data.weight, some)
        if data.constant is not None:
            held_out = held_out + data.constant
        weight = None if data.weight is None else data.weight[some]
        slopes = learn_slopes(
            held_out[None], data.codes[some], weight, None if score is None else score[some]
        )
        self._keep(
            broad_map,
            solution.weights,
            data.standardization,
            data.X.dtype,
            classes_=data.classes,
            solver_=solution.form,
            proba_slope_=float(slopes[0]) if slopes.ndim == 1 else slopes[0],
            sample_scores_=np.ones(rows.shape[0]) if trust.score is None else trust.score,
            _seed=seed,
            _constant_labels=data.constant,
            **trust.attributes,
        )
        if progress is not None:
            progress.end()
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """Decision values ``G W``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_labels)
            For two classes positive where the second is predicted, for several labels where a label
            is.
        """
        decision = self._output(X)
        return decision.ravel() if decision.shape[1] == 1 else decision

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict class labels, or 0 and 1 for each of several labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_labels)
        """
        decision = self.decision_function(X)
        several = self._constant_labels is not None
        return class_predictions.labels_of(decision, None if several else self.classes_)

    predict_proba = class_predictions.predict_proba
    predict_log_proba = class_predictions.predict_log_proba
