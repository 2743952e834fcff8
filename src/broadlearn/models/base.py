"""Base classes of the models on a random map: fit and prediction."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from broadlearn.models.prediction import ProbabilityMixin
from broadlearn.models.reweighting import solve_reweighted
from broadlearn.models.training_data import (
    TrainingData,
    encode_samples,
    read_labelled,
    score_samples,
)
from broadlearn.random_features import (
    BroadMap,
    HiddenLayer,
    MappedSamples,
    MapRecipe,
    MapSettings,
    Standardization,
    draw_map,
)
from broadlearn.sample_scores import ResidualScorer, SampleScorer, Trust, UniformScorer
from broadlearn.solvers import learn_slopes, probabilities, solve_ridge
from broadlearn.utils import (
    CLASS_WEIGHT,
    POSITIVE,
    READ_SPARSE,
    STANDARDIZE,
    Array,
    Floats,
    draw_seed,
    read_rows,
    row_slices,
    spread_rows,
)
from broadlearn.utils.sklearn_compat import StrOptions, fit_context

# The slope of probabilities is one number: held-out decisions of this many samples fix it
# to a few percent.
MAX_HELD_OUT = 2048


def in_one_step(method: Callable[..., Any]) -> Any:
    """Decorate a method that fits: it works on a copy, whose attributes replace all at the end.

    After an error or Ctrl-C the estimator is unchanged. Assigning ``__dict__`` is atomic: methods
    that predict start with a copy, so other threads see the old or the new model, never a mixture.
    """

    @wraps(method)
    def whole(estimator: Any, *args: Any, **kwargs: Any) -> Any:
        fitted = copy(estimator)
        try:
            method(fitted, *args, **kwargs)
        except MemoryError as error:
            raise ValueError(
                f"{type(estimator).__name__} does not fit into memory; use fewer nodes, candidates "
                "or samples."
            ) from error
        estimator.__dict__ = vars(fitted)
        return estimator

    return whole


def forget_fit(model: Any) -> None:
    """Remove all fitted attributes of a model."""
    model.__dict__ = {
        name: value
        for name, value in vars(model).items()
        if not name.endswith("_") and name != "_stream"
    }


@dataclass(eq=False, repr=False, kw_only=True)
class BroadModel(BaseEstimator):
    """Base of the models on a random map: ridge weights W, and predictions ``G W`` in blocks.

    Estimators are dataclasses: their fields are the parameters of the constructor. Public methods
    predict with ``copy(self)``: they read the fitted state once, so that a refit in another thread
    cannot mix two models.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [POSITIVE],
        "standardize": STANDARDIZE,
        "solver": [StrOptions({"auto", "primal", "dual"})],
        "random_state": ["random_state"],
    }
    standardize: bool | str = "bounded"
    solver: str = "auto"
    random_state: int | np.random.RandomState | None = None

    def feature_map(self) -> MapRecipe:
        """Return the recipe of the random map."""
        raise NotImplementedError

    def scorer(self) -> SampleScorer:
        """Return the scorer of the training samples; here all count alike."""
        return UniformScorer()

    def graph(self, data: TrainingData) -> Any:
        """Return the graph whose penalty is added to the ridge problem; here there is none."""
        return None

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

    @in_one_step
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Class labels, or targets of a regressor.
        sample_weight : array-like of shape (n_samples,), default=None
            A sample of weight w counts as w copies; samples of weight 0 are ignored.

        Returns
        -------
        self
        """
        forget_fit(self)
        data, seed = self._read_all(X, y, sample_weight), draw_seed(self.random_state)

        trust = score_samples(self.scorer(), data, seed)[0]
        if trust.problem:
            warnings.warn(trust.problem, stacklevel=2)

        design, solution, trust = self._solve(data, seed, trust)
        n_samples = len(data.given[1])
        self._keep(
            design.map,
            solution.weights,
            data.standardization,
            data.X.dtype,
            solver_=solution.form,
            sample_scores_=np.ones(n_samples) if trust.score is None else trust.score,
            **trust.attributes,
            **self._finish(design, solution, data, data.kept(trust.score)),
        )
        return self

    def _read_all(self, X: Any, y: Any, sample_weight: Any) -> TrainingData:
        """Validate and encode the samples of a fit, and learn their standardisation."""
        raise NotImplementedError

    def _finish(
        self, design: MappedSamples, solution: Any, data: TrainingData, score: Array | None
    ) -> dict[str, Any]:
        """Return further fitted attributes, which follow from the solution."""
        return {}

    def _solve(self, data: TrainingData, seed: int, trust: Trust) -> tuple[Any, Any, Trust]:
        """Draw the map and solve the ridge problem; return design, solution and final scores."""
        learnt, scorer = data.standardization, self.scorer()
        broad_map = draw_map(self.feature_map(), data.X, learnt, seed, data.weight)
        design = MappedSamples(broad_map, data.X, learnt)
        solve = partial(self._solve_design, design, data)
        if not isinstance(scorer, ResidualScorer):
            return design, solve(data.kept(trust.score)), trust
        solution, score = solve_reweighted(scorer, solve, design, data)
        return design, solution, Trust(data.as_given(score))

    def _solve_design(
        self: Any, design: MappedSamples, data: TrainingData, score: Array | None
    ) -> Any:
        """Solve the ridge problem of a design matrix."""
        return solve_ridge(design, data.T, self.C, data.diagonal(score), self.solver)

    def _keep(
        self,
        broad_map: BroadMap,
        weights: Array,
        standardization: Standardization,
        dtype: np.dtype[Any],
        **fitted: Any,
    ) -> None:
        """Store the solution and other fitted attributes; `weights` are of the map's columns."""
        weights, direct = broad_map.node_weights(weights), None
        if broad_map.affine:
            features = weights[: broad_map.n_features]
            direct = (broad_map.feature_weights @ features).astype(dtype, copy=False)
        self.__dict__.update(
            fitted,
            _standardization=standardization,
            _map=broad_map,
            _direct_weights=direct,
            output_weights_=weights.astype(dtype, copy=False),
        )

    def _output(self, X: ArrayLike) -> Floats:
        """Return ``G W``, computed block by block."""
        check_is_fitted(self)
        rows = read_rows(self, X, **READ_SPARSE)
        n_features, n_layer = self._map.n_features, self._map.n_enhancements
        dtype = rows.dtype
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
        return out


@dataclass(eq=False, repr=False, kw_only=True)
class BroadClassifier(ProbabilityMixin, BroadModel):
    """A classifier on a random map: fit ends with the calibration of probabilities."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BroadModel._parameter_constraints,
        "class_weight": CLASS_WEIGHT,
    }
    class_weight: dict[Any, float] | str | None = None

    def _read_all(self, X: Any, y: Any, sample_weight: Any) -> TrainingData:
        given = read_labelled(self, X, y, sample_weight, **READ_SPARSE)
        name, copies = type(self).__name__, self.class_weight is None
        return encode_samples(*given, self.standardize, name, copies=copies)

    def _finish(
        self, design: MappedSamples, solution: Any, data: TrainingData, score: Array | None
    ) -> dict[str, Any]:
        """Return the classes, and the slope of probabilities by held-out decisions."""
        judged = spread_rows(data.X.shape[0], MAX_HELD_OUT)
        s, share = data.diagonal(score), data.left_out_share()
        held_out = solution.held_out(design, data.T, s, share, judged)
        slopes = learn_slopes(
            held_out[None],
            data.codes[judged],
            None if data.weight is None else data.weight[judged],
            None if score is None else score[judged],
        )
        return {"classes_": data.classes, "proba_slope_": float(slopes[0])}

    def _link(self, decision: Floats) -> Floats:
        """Return ``softmax(proba_slope_ * d / sqrt(1 + d²))`` of decisions d."""
        return probabilities(decision, self.proba_slope_)
