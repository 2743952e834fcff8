"""Several settings and draws of one broad learner, averaged into one model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import validate_data

from broadlearn._ensemble_layers import (
    LEAVE_ONE_OUT_ROWS,
    Member,
    by_map,
    fit_layer,
    mean_trust,
    trusts_of,
)
from broadlearn.classifiers import (
    BLSClassifier,
    ELMClassifier,
    FuzzyBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
)
from broadlearn.classifiers._base import leave_one_out_rows
from broadlearn.classifiers._classifier import BroadClassifier, slopes_of_rows
from broadlearn.classifiers._rows import FLOAT_TYPES, Array
from broadlearn.random_features._broad_map import BroadMap, MapSettings, ReducedMap
from broadlearn.random_features._draws import draw_seed
from broadlearn.sample_scores._inputs import check_weights

AVERAGED = (BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier, ELMClassifier)
# What all settings have in common, as they are averaged into one layer of nodes.
COMMON = ("activation", "standardize")


class BroadEnsembleClassifier(BroadClassifier):
    r"""Average of several settings and draws of a broad learner, as one model.

    Members that share a draw share its nodes: a smaller layer is part of a larger one, so that the
    average of their decisions is one layer with averaged weights. Affine feature nodes of all
    members collapse into one product. So prediction costs what the distinct nodes cost, however
    many members there are, and the model is fitted, saved and exported as a single one is.

    Parameters
    ----------
    estimator : BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier or ELMClassifier
        Gives all parameters that the settings do not name. Its `random_state` is that of the first
        draw.
    settings : sequence of dict, default=({},)
        Parameters of each member. They must agree in ``activation`` and ``standardize``, and
        feature nodes must be affine (``feature_activation="identity"`` and not
        ``feature_scaling="sample"``).
    weights : sequence of float, default=None
        Share of each setting in the average; None for the same share.
    n_draws : int, default=1
        Draws of the random nodes over which every setting is averaged. Rows are scored once.

    Attributes
    ----------
    members_ : list of dict
        The settings with their ``weight``, which sum to one.
    n_nodes_ : int
        Distinct nodes of the last layer.
    sample_scores_ : ndarray of shape (n_samples,)
        Mean score of each training row.
    classes_, output_weights_, proba_slope_, n_features_in_, feature_names_in_
        As for :class:`BLSClassifier`; the first rows of `output_weights_` are those of the
        standardised columns and a constant.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier
    >>> from broadlearn.ensemble import BroadEnsembleClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> settings = [{"C": C, "n_enhancement_nodes": q} for C in (1.0, 100.0) for q in (20, 60)]
    >>> model = BroadEnsembleClassifier(BLSClassifier(random_state=0), settings, n_draws=3)
    >>> model.fit(X, y).n_nodes_, model.score(X, y) > 0.95
    (180, True)
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "estimator": [HasMethods(["fit", "decision_function"])],
        "settings": [list, tuple],
        "weights": ["array-like", None],
        "n_draws": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        estimator: BroadClassifier,
        settings: Sequence[Mapping[str, Any]] = ({},),
        *,
        weights: ArrayLike | None = None,
        n_draws: int = 1,
    ) -> None:
        self.estimator = estimator
        self.settings = settings
        self.weights = weights
        self.n_draws = n_draws

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit all settings on the same rows, with their common work done once.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight w counts as w copies of it, a row of weight 0 as absent.

        Returns
        -------
        self
        """
        models, shares = self._models(), self._shares()
        rows, labels = validate_data(self, X, y, dtype=FLOAT_TYPES)
        weight = None if sample_weight is None else check_weights(sample_weight, rows)
        task = models[0]._prepare(rows, labels, weight)
        self.classes_ = models[0].classes_
        codes = np.searchsorted(self.classes_, labels)
        first = self.estimator.random_state
        if not isinstance(first, Integral):
            first = draw_seed(first)
        for model in models:
            model.classes_, model.n_features_in_ = self.classes_, self.n_features_in_
            model.random_state = int(first)
        trusts = trusts_of(models, rows, codes, weight, task)
        members = [Member(*parts) for parts in zip(models, shares, trusts, strict=True)]

        layers = [
            fit_layer(group, task, draw_seed(state))
            for state in draw_states(int(first), self.n_draws)
            for group in by_map(members)
        ]
        mean, n_inputs = 1.0 / self.n_draws, rows.shape[1] + 1
        nodes = np.concatenate([layer.nodes for layer in layers], axis=1)
        direct = np.sum([layer.direct for layer in layers], axis=0)
        weights = mean * np.concatenate([direct, *(layer.weights for layer in layers)])
        settings = MapSettings(
            1, n_inputs, 1, nodes.shape[1], models[0].activation, "identity", "random", None, 1.0
        )
        whole = BroadMap(settings, np.eye(n_inputs), None, None, nodes)
        self._keep_weights(ReducedMap(whole, None, None), weights, task.standardization, rows.dtype)
        self.n_nodes_ = int(nodes.shape[1])
        self.members_ = [
            {**setting, "weight": float(share)}
            for setting, share in zip(self.settings, shares, strict=True)
        ]
        trust = mean_trust(members, codes.size)
        scores = None if trust.score is None else trust.score[task.keep]
        held_out = mean * np.sum([layer.held_out for layer in layers], axis=0)
        loo_rows = leave_one_out_rows(task.X.shape[0], LEAVE_ONE_OUT_ROWS)
        self.proba_slope_ = float(slopes_of_rows(task, scores, loo_rows, held_out[None])[0])
        self._keep_trust(trust, codes.size)
        return self

    def _models(self) -> list[BroadClassifier]:
        """A model for every setting, checked."""
        if len(self.settings) == 0:
            raise ValueError("settings must hold one or more dicts of parameters, got none.")
        models = []
        for setting in self.settings:
            model = clone(self.estimator).set_params(**setting)
            check_averaged(model, "estimator must be")
            model._validate_params()
            models.append(model)
        for name in COMMON:
            values = {getattr(model, name) for model in models}
            if len(values) > 1:
                raise ValueError(
                    f"settings must agree in {name}, but have {', '.join(map(repr, values))}."
                )
        return models

    def _shares(self) -> Array:
        n = len(self.settings)
        given = np.ones(n) if self.weights is None else np.asarray(self.weights, dtype=np.float64)
        if given.shape != (n,) or not np.isfinite(given).all() or not (given > 0.0).all():
            raise ValueError(
                f"weights must be {n} positive numbers, one for each setting; got {self.weights!r}."
            )
        shares: Array = given / given.sum()
        return shares


def check_averaged(model: BaseEstimator, wanted: str) -> None:
    """Raise unless settings of a model can be averaged; `wanted` begins the sentence."""
    # Layers of auto-encoders have parameters of their own, which are not compared here.
    if not isinstance(model, AVERAGED) or isinstance(model, HierarchicalELMClassifier):
        raise ValueError(
            f"{wanted} one of {', '.join(kind.__name__ for kind in AVERAGED)}, not a "
            f"{type(model).__name__}."
        )


def draw_states(random_state: int, n_draws: int) -> list[int]:
    """The `random_state` of each of several draws, of which the first is the given one.

    Examples
    --------
    >>> from broadlearn.ensemble import draw_states
    >>> draw_states(7, 1), draw_states(7, 3)[:2] == draw_states(7, 2)
    ([7], True)
    """
    more = (np.random.SeedSequence([random_state, draw]) for draw in range(1, n_draws))
    return [random_state, *(int(sequence.generate_state(1)[0] >> 1) for sequence in more)]
