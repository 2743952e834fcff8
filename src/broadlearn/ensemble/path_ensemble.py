"""The best candidates of a search, and several draws of each, averaged into one model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.utils.validation import validate_data

from broadlearn.ensemble.choice import choose_members, draw_states, robust_grid
from broadlearn.ensemble.layers import (
    MAX_HELD_OUT,
    Member,
    by_map,
    fit_layer,
    mean_score,
    score_members,
)
from broadlearn.models import (
    BLSClassifier,
    BroadClassifier,
    TrainingData,
    encode_samples,
    in_one_step,
)
from broadlearn.random_features import BroadMap, HiddenLayer, MapSettings
from broadlearn.sample_scores import Trust
from broadlearn.search import MARGIN, ParamGrid, PathSearchCV
from broadlearn.solvers import learn_slopes
from broadlearn.utils import (
    CLASS_WEIGHT,
    COUNT,
    N_JOBS,
    READ,
    FitProgress,
    RecordsAttribute,
    check_labels,
    check_weights,
    draw_seed,
    has_callbacks,
    spread_rows,
)
from broadlearn.utils.sklearn_compat import HasMethods, Interval, fit_context


class PathEnsembleClassifier(BroadClassifier):
    r"""Average of the best candidates of a search, and of several draws of each, as one model.

    `fit` scores all candidates of a grid by cross-validation, ranks them by the accuracy plus half
    of the margins' mean in units of their root mean square, which is less noisy than the accuracy
    alone, and averages the decisions of the best ones, each over several draws of the random nodes.

    Members that share a draw share its nodes: a smaller layer is part of a larger one, so that the
    average of their decisions is one layer with averaged weights. Affine feature nodes of all
    members collapse into one product. So prediction costs what the distinct nodes cost, however
    many members there are, and the model is saved and exported as a single one is.

    Parameters
    ----------
    estimator : estimator, default=None
        A BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier or ELMClassifier that
        gives all parameters that the grid does not name. Feature nodes must be affine
        (``feature_activation="identity"`` and not ``feature_scaling="sample"``). None is
        ``BLSClassifier()``.
    param_grid : dict, list of dicts or None, default=None
        Values to try by the name of the parameter, in all combinations; of several dicts, those of
        each. None searches C and kinds of sample scores on one layer of 1,000 sine nodes, with
        robust standardisation (beyond 10,000 samples, intuitionistic scores are estimated from
        1,000 landmarks per class); with an estimator other than BLSClassifier it is the default
        grid of :class:`PathSearchCV`.
    ensemble_size : int, default=25
        Number of candidates that are averaged; fewer where the grid or `node_budget` is smaller.
    n_draws : int, default=3
        Draws of the random nodes over which each member is averaged; fewer where these alone would
        exceed `node_budget`. The search scores the first.
    node_budget : float, default=2.5
        Distinct nodes of the ensemble, over all draws, at most, as a multiple of the largest layer
        in the grid: what its predictions may cost. Candidates that would exceed it are left out.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply `sample_weight` in the search, its scores and the
        average; a class that a dict does not name has weight 1. "balanced" weights are inversely
        proportional to the weight of each class in y. That of `estimator` must be None.
    cv : int, splitter or iterable, default=5
        The number of stratified folds of the search, a splitter of scikit-learn, or pairs of
        training and test positions.
    scoring : str or callable, default=None
        A score of scikit-learn that ranks candidates in place of accuracy and margins.
    n_jobs : int, default=None
        Workers of the search; None is one, -1 as many as there are cores. Results do not depend on
        it.
    random_state : int, RandomState or None, default=None
        Seeds all draws; that of `estimator` is not used. With the same number, the first draw is
        that of a single model with it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    members_ : list of dict
        Parameters of each member, the best first, with its ``weight``; the weights sum to one.
    n_nodes_ : int
        Distinct nodes of the last layer.
    cv_results_ : dict of arrays
        Scores of all candidates, see :class:`PathSearchCV`.
    best_score_ : float
        Mean cross-validated accuracy, or `scoring`, of the best single member.
    output_weights_ : ndarray of shape (n_inputs + n_nodes, n_outputs)
        Weights of the standardised columns, of a constant, and of the nodes.
    sample_scores_ : ndarray of shape (n_samples,)
        Mean score of each training sample.
    proba_slope_ : float
        Slope of the decision values in `predict_proba`, learnt from held-out decisions.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where X has column names that are strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import PathEnsembleClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PathEnsembleClassifier(n_draws=1, random_state=0).fit(X, y)
    >>> len(model.members_), model.n_nodes_, model.score(X, y) > 0.95
    (25, 1000, True)
    """

    members_ = RecordsAttribute("member")
    _parameter_constraints: dict[str, list[Any]] = {
        "estimator": [HasMethods(["fit"]), None],
        "param_grid": [dict, list, tuple, None],
        "ensemble_size": [COUNT],
        "n_draws": [COUNT],
        "node_budget": [Interval(Real, 1, None, closed="left")],
        "class_weight": CLASS_WEIGHT,
        "cv": ["cv_object"],
        "scoring": [str, callable, None],
        "n_jobs": N_JOBS,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: BroadClassifier | None = None,
        param_grid: ParamGrid | None = None,
        *,
        ensemble_size: int = 25,
        n_draws: int = 3,
        node_budget: float = 2.5,
        class_weight: dict[Any, float] | str | None = None,
        cv: Any = 5,
        scoring: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.ensemble_size = ensemble_size
        self.n_draws = n_draws
        self.node_budget = node_budget
        self.class_weight = class_weight
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.random_state = random_state

    @in_one_step
    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Search, choose and average.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A sample of weight w counts as w copies of it, a sample of weight 0 as absent.

        Returns
        -------
        self
        """
        progress = FitProgress(self, 2, X, y, sample_weight) if has_callbacks(self) else None
        rows, labels = validate_data(self, X, y, multi_output=True, **READ)
        labels = check_labels(labels, type(self).__name__)
        weight = None
        if sample_weight is not None or self.class_weight is not None:
            weight = check_weights(sample_weight, rows, self.class_weight, labels)
        name, seed = type(self).__name__, self.random_state
        seed = int(seed) if isinstance(seed, int | np.integer) else draw_seed(seed)
        estimator = self._template().set_params(random_state=seed)
        # Labels are checked before the search, whose folds would report them one by one.
        encode_samples(rows, labels, weight, False, name)
        search = self._search(estimator, len(rows))
        with nullcontext(PathSearchCV.fit) if progress is None else progress.fits("search") as fit:
            results = fit(search, rows, labels, sample_weight=weight).cv_results_
        refused: set[int | str] = set()
        while True:
            chosen, draws = choose_members(
                results, estimator, self.ensemble_size, self.n_draws, self.node_budget, refused
            )
            if not chosen:
                raise ValueError(
                    "No candidate could be scored on every fold and fitted on all samples."
                )
            candidates = [results["params"][i] for i in chosen]
            models = [clone(estimator).set_params(**candidate) for candidate in candidates]
            data = encode_samples(rows, labels, weight, models[0].standardize, name)
            members = [Member.of(model, 1.0 / len(models)) for model in models]
            trusts = score_members(members, data, draw_seed(seed))
            problems = [trusts[repr(member.scorer)].problem for member in members]
            lost = next((k for k, problem in enumerate(problems) if problem), None)
            if lost is None:
                break
            refused.update((chosen[lost], repr(members[lost].scorer)))
            warnings.warn(
                f"{candidates[lost]} cannot be fitted on all samples and is passed over: "
                f"{problems[lost]}",
                FitFailedWarning,
                stacklevel=3,
            )
        silent = nullcontext(lambda count: None)
        with silent if progress is None else progress.counted("average", "draw", draws) as report:
            self._average(members, trusts, data, draw_states(seed, draws), report)
        self.members_ = [{**candidate, "weight": 1.0 / len(chosen)} for candidate in candidates]
        self.cv_results_ = results
        self.best_score_ = float(results["mean_test_score"][chosen[0]])
        if progress is not None:
            progress.end()
        return self

    def _template(self) -> BroadClassifier:
        """A copy of the estimator, if it can be averaged."""
        estimator = BLSClassifier() if self.estimator is None else self.estimator
        # An ensemble has no C; layers of auto-encoders have parameters that are not compared.
        if not (
            isinstance(estimator, BroadClassifier)
            and hasattr(estimator, "C")
            and type(estimator.feature_map()) in (MapSettings, HiddenLayer)
        ):
            raise ValueError(
                "estimator must be a BLSClassifier, FuzzyBLSClassifier, "
                "IntuitionisticFuzzyBLSClassifier or ELMClassifier, got "
                f"{type(estimator).__name__}."
            )
        return clone(estimator)

    def _search(self, estimator: BroadClassifier, n_samples: int) -> PathSearchCV:
        """The search over all candidates."""
        grid = self.param_grid
        if grid is None and isinstance(estimator, BLSClassifier):
            grid = robust_grid(n_samples)
        parts = [grid] if isinstance(grid, Mapping) else grid or ()
        if any(isinstance(part, Mapping) and "random_state" in part for part in parts):
            raise ValueError(
                "param_grid must not hold random_state: an ensemble makes its own draws, "
                "n_draws of them."
            )
        weighted = any(isinstance(part, Mapping) and "class_weight" in part for part in parts)
        if weighted or estimator.class_weight is not None:
            raise ValueError(
                "class_weight must be set on the ensemble, not on its estimator or in param_grid: "
                "its members share their samples' weights."
            )
        scoring = {"score": "accuracy", "margin": MARGIN} if self.scoring is None else self.scoring
        return PathSearchCV(
            estimator,
            grid,
            scoring=scoring,
            refit=False,
            cv=self.cv,
            n_jobs=self.n_jobs,
        )

    def _average(
        self,
        members: list[Member],
        trusts: dict[str, Trust],
        data: TrainingData,
        states: list[int],
        report: Callable[[int], None],
    ) -> None:
        """Fit all members and store their average as one map with one set of weights."""
        layers = []
        for state in states:
            layers += [fit_layer(some, trusts, data, draw_seed(state)) for some in by_map(members)]
            report(1)
        mean, inputs = 1.0 / len(states), data.standardization
        n_inputs = inputs.mean.size + inputs.share.size + 1
        nodes = np.concatenate([layer.nodes for layer in layers], axis=1)
        n, activation = nodes.shape[1], members[0].recipe.activation
        direct = np.sum([layer.direct for layer in layers], axis=0)
        weights = mean * np.concatenate([direct, *(layer.weights for layer in layers)])
        settings = MapSettings(1, n_inputs, 1, n, activation, "identity", "random", None, 1.0)
        whole = BroadMap(settings, np.eye(n_inputs), None, None, nodes, affine=True)
        score = mean_score(members, trusts, data.given[1].size)
        held_out = mean * np.sum([layer.held_out for layer in layers], axis=0)
        some = spread_rows(data.X.shape[0], MAX_HELD_OUT)
        weight = None if data.weight is None else data.weight[some]
        kept = None if score is None else score[data.keep][some]
        slopes = learn_slopes(held_out[None], data.codes[some], weight, kept)
        self._keep(
            whole,
            weights,
            data.standardization,
            data.X.dtype,
            classes_=data.classes,
            n_nodes_=n,
            proba_slope_=float(slopes[0]),
            sample_scores_=np.ones(data.given[1].size) if score is None else score,
        )
