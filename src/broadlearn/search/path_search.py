"""Search of whole grids at the cost of a few fits."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, get_tags, indexable

from broadlearn.baselines import IntuitionisticFuzzyTwinSVC, StackedBLSClassifier
from broadlearn.models import BroadModel, in_one_step
from broadlearn.search.cells import Judge
from broadlearn.search.engine import score_grid
from broadlearn.search.folds import GridScores, SplitSamples, Task
from broadlearn.search.grid import ParamGrid, SubGrid, last_step, resolve_grids
from broadlearn.search.pipelines import score_pipeline
from broadlearn.search.results import best_first, results_table
from broadlearn.search.scoring import batch_scorer, needs_labels_only, needs_probabilities
from broadlearn.search.stacked import score_stacked_grid
from broadlearn.search.twin import score_twin_grid
from broadlearn.utils import (
    BLOCK_NUMBERS,
    READ_SPARSE,
    Array,
    check_labels,
    check_sparse,
    check_weights,
    draw_seed,
    named_text,
)
from broadlearn.utils.sklearn_compat import (
    BaseSearchCV,
    MultimetricScorer,
    PassthroughScorer,
    Scorer,
    StrOptions,
    fit_context,
)

NO_CLOSED_FORM = (
    'cv="loo" needs draws="nested", no groups, and a model with random nodes that is not in a '
    "pipeline; otherwise use scikit-learn's cv=LeaveOneOut()."
)

# Models without a single random map, each searched in its own way.
OWN_PATHS: dict[type, Any] = {
    IntuitionisticFuzzyTwinSVC: score_twin_grid,
    StackedBLSClassifier: score_stacked_grid,
}


class Checked(NamedTuple):
    """Validated input of a search.

    X and y are as given, for the splitter and the refit; `rows` and `targets` are validated, except
    samples for the steps of a pipeline. `prefix` is what names of the model's parameters begin with
    in a pipeline.
    """

    estimator: Any
    prefix: str
    grids: list[SubGrid]
    scorers: dict[str, Any]
    refit_metric: str | None
    X: Any
    y: Any
    rows: Any
    targets: NDArray[Any]
    weight: Array | None


class PathSearchCV(BaseSearchCV):
    """Exact grid search for broad learners, with most of the work shared among candidates.

    Score every candidate of a grid on every fold, with the scores of ``GridSearchCV`` in a small
    fraction of its time. One factorisation serves all numbers of enhancement nodes, surplus feature
    nodes are rotated away, sample scores of all kernel widths come from one pass, and a few
    products predict for all candidates.

    Candidates share work in ``C``, ``n_feature_groups``, ``n_feature_nodes``,
    ``n_enhancement_nodes``, ``n_hidden_nodes``, ``n_fuzzy_groups``, ``n_fuzzy_rules`` and
    ``kernel_width``, for stacked models also in ``n_blocks``, and for the twin SVM in ``C1``,
    ``C2`` and ``kernel_width``. Other parameters are looped over.

    Parameters
    ----------
    estimator : estimator
        Classifier or regressor of this library, except ensembles, or a ``Pipeline`` that ends in
        one. It supplies all parameters that are not in the grid. A `random_state` that is not an
        integer is replaced by one drawn once, so that the refitted model is the one that was
        scored. Steps of a pipeline before the last are fitted to the training samples of each fold,
        once for all candidates that share them; its `memory` caches them as in its own ``fit``.
    param_grid : dict, list of dicts, "paper" or None, default=None
        Values to try for each parameter, in all combinations, or a list of such grids. "paper" is
        the published grid, None a smaller one that is seldom far from it. For a pipeline names are
        ``step__parameter``; the name of a step before the last replaces that step.
    scoring : str, callable, list, tuple or dict, default=None
        Names of scores or scorers of scikit-learn (``make_scorer``), as for ``GridSearchCV``. None
        is accuracy for classifiers and R² for regressors.
    n_jobs : int, default=None
        Number of joblib workers; None means one, -1 all cores. Scores do not depend on it.
    refit : bool, str or callable, default=True
        Whether to fit the best candidate on all samples; for several scores, the name of the one
        that decides. A callable receives `cv_results_` and returns the position of the best. Ties
        go to the smallest model: fewest nodes, then smallest C, then the first.
    cv : int, splitter, iterable or "loo", default=5
        Number of folds (stratified for classifiers), a splitter, or pairs of training and test
        positions. "loo" is exact leave-one-out in closed form, from one factorisation per penalty;
        all held-out predictions are scored as one split. Standardisation, nodes, sample scores and
        the mean of the targets are those of all samples.
    error_score : "raise" or float, default=nan
        Score of a candidate that cannot be fitted, such as a kernel width at which all samples of a
        class have score 0. The reason is in ``cv_results_["error"]``.
    return_train_score : bool, default=False
        Whether to score candidates on the training samples too.
    draws : {"nested", "fresh"}, default="nested"
        Whether the random nodes of a small model are among those of a large one, the same on all
        folds, or every map (all of a candidate except ``C`` and ``kernel_width``) is drawn anew on
        every fold. "fresh" takes many times longer, and its best candidate owes more to chance; use
        it to repeat studies that drew so. Not for the twin SVM and stacked models.

    Attributes
    ----------
    cv_results_ : dict of arrays
        Scores of all candidates, with the names and the order of ``GridSearchCV``. Times are shares
        of the total, ``error`` holds the reason of a failure. With fresh draws, a candidate fitted
        with ``split0_random_state`` is the model scored on the first fold, and so on.
    best_estimator_ : estimator
        Best candidate, refitted on all samples.
    best_params_ : dict
        Parameters of the best candidate.
    best_score_ : float
        Mean score of the best candidate.
    best_index_ : int
        Position of the best candidate in `cv_results_`.
    scorer_ : callable or dict
        Scorer, or scorers by name.
    n_splits_ : int
        Number of folds.
    refit_time_ : float
        Seconds taken by the refit.
    multimetric_ : bool
        Whether there are several scorers.
    classes_, n_features_in_, feature_names_in_
        Those of `best_estimator_`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier, PathSearchCV
    >>> X, y = load_iris(return_X_y=True)
    >>> grid = {"C": [0.01, 1.0, 100.0], "n_enhancement_nodes": list(range(10, 110, 10))}
    >>> search = PathSearchCV(BLSClassifier(random_state=0), grid).fit(X, y)
    >>> len(search.cv_results_["params"]), search.best_score_ > 0.95
    (30, True)
    >>> loo = PathSearchCV(BLSClassifier(random_state=0), grid, cv="loo").fit(X, y)
    >>> loo.n_splits_, loo.best_score_ > 0.95
    (1, True)
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.pipeline import Pipeline
    >>> pipeline = Pipeline([("reduce", PCA()), ("model", BLSClassifier(random_state=0))])
    >>> grid = {"reduce__n_components": [2, 3], "model__C": [0.01, 1.0, 100.0]}
    >>> sorted(PathSearchCV(pipeline, grid).fit(X, y).best_params_)
    ['model__C', 'reduce__n_components']
    """

    _parameter_constraints: dict[str, list[Any]] = {
        **BaseSearchCV._parameter_constraints,
        "param_grid": [dict, list, tuple, StrOptions({"paper"}), None],
        "cv": ["cv_object", StrOptions({"loo"})],
        "draws": [StrOptions({"nested", "fresh"})],
    }

    def __init__(
        self,
        estimator: BaseEstimator,
        param_grid: ParamGrid | str | None = None,
        *,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: bool | str | Callable[..., int] = True,
        cv: Any = 5,
        error_score: float | str = np.nan,
        return_train_score: bool = False,
        draws: str = "nested",
    ) -> None:
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.param_grid = param_grid
        self.draws = draws

    @in_one_step
    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Score all candidates on all folds and refit the best on all samples.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Steps of a pipeline receive its rows unchanged.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Class labels, or targets of a regressor.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights of every fit and of scikit-learn's scorers; other callables do not
            receive them. In a pipeline they go to the last step.
        groups : array-like of shape (n_samples,), default=None
            Passed to the splitter.

        Returns
        -------
        self
        """
        given = self._validate(X, y, sample_weight)
        task = self._split(given, groups)
        start = time.perf_counter()
        scores = self._score(given, task)
        single = self.scoring is None or isinstance(self.scoring, str) or callable(self.scoring)
        self.multimetric_ = not single
        results = self._results(given, scores, time.perf_counter() - start)
        if self.refit or not self.multimetric_:
            self._choose(results, given)
        if self.refit:
            self._refit(given)
        self.n_splits_ = len(task.splits)
        self.scorer_ = given.scorers if self.multimetric_ else given.scorers["score"]
        self.cv_results_ = results
        return self

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Refuse callbacks of scikit-learn: there is no fit per candidate to report."""
        raise NotImplementedError(
            "PathSearchCV scores all candidates together and calls no callbacks; use GridSearchCV "
            "for callbacks."
        )

    def __sklearn_tags__(self) -> Any:
        tags, own = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags.allow_nan = own.input_tags.allow_nan
        tags.target_tags = deepcopy(own.target_tags)
        return tags

    def _validate(self, X: Any, y: Any, sample_weight: Any) -> Checked:
        """Check parameters and data before any work starts."""
        prefix, model = last_step(self.estimator)
        self._check_model(model)
        grids = resolve_grids(self.estimator, self.param_grid)
        scorers, refit_metric = self._named_scorers()
        if y is None:
            raise ValueError("PathSearchCV requires y to be passed, but the target y is None.")
        X, y = indexable(X, y)
        rows, targets = X, np.asarray(y)
        if not prefix:
            with named_text(X):
                rows = check_array(X, estimator=self.estimator, input_name="X", **READ_SPARSE)
            if issparse(rows):
                check_sparse(self.estimator, rows)
        if is_classifier(self.estimator) and (targets.ndim == 2 or targets.dtype == object):
            targets = check_labels(targets)
        estimator = clone(self.estimator)
        model = last_step(estimator)[1]
        if not isinstance(model.random_state, Integral):
            estimator.set_params(**{f"{prefix}random_state": draw_seed(model.random_state)})
        weight = None if sample_weight is None else check_weights(sample_weight, targets)
        if weight is not None and get_config()["enable_metadata_routing"]:
            raise ValueError(
                "PathSearchCV does not route metadata: disable enable_metadata_routing, or use "
                "GridSearchCV."
            )
        data = (X, y, rows, targets, weight)
        return Checked(estimator, prefix, grids, scorers, refit_metric, *data)

    def _check_model(self, model: Any) -> None:
        """Raise unless the search can handle the model."""
        broad = isinstance(model, BroadModel) and hasattr(model, "C")
        if not (broad or isinstance(model, tuple(OWN_PATHS))):
            raise TypeError(
                "PathSearchCV needs a classifier or regressor of broadlearn, or a Pipeline that "
                f"ends in one, got {type(model).__name__}; use GridSearchCV for other estimators."
            )
        if self.draws == "fresh" and not broad:
            raise ValueError(
                f'draws must be "nested" for {type(model).__name__}, which has no map of its own.'
            )
        piped = isinstance(self.estimator, Pipeline)
        if isinstance(self.cv, str) and (piped or not broad or self.draws == "fresh"):
            raise ValueError(NO_CLOSED_FORM)

    def _named_scorers(self) -> tuple[dict[str, Any], str | None]:
        """Return scorers by name, and the name of the one that chooses the best candidate."""
        scorers, metric = self._get_scorers()
        named, metric = {"score": scorers}, metric if isinstance(metric, str) else None
        if isinstance(scorers, MultimetricScorer):
            named = dict(scorers._scorers)
        else:
            metric = "score"
        for scorer in named.values():
            if not isinstance(scorer, Scorer | PassthroughScorer):
                raise ValueError(
                    "scoring must be the name of a scikit-learn scorer or a scorer from "
                    f"make_scorer, got {scorer!r}; use GridSearchCV for other callables."
                )
        return named, metric

    def _split(self, given: Checked, groups: Any) -> Task:
        """Split the samples into folds, or take all of them for leave-one-out."""
        n_samples = given.targets.shape[0]
        if isinstance(self.cv, str):
            if groups is not None:
                raise ValueError(NO_CLOSED_FORM)
            splits = [(np.arange(n_samples), np.arange(n_samples))]
        else:
            X, _, groups = indexable(given.X, given.y, groups)
            splitter = check_cv(self.cv, given.targets, classifier=is_classifier(given.estimator))
            # Positions may be given as lists or masks.
            rows = np.arange(n_samples)
            pairs = splitter.split(X, given.targets, groups)
            splits = [(rows[train], rows[test]) for train, test in pairs]
            if not splits:
                raise ValueError(f"cv must give at least one split, got {self.cv!r}.")
        parts = [SplitSamples(given.rows, given.targets, given.weight, split) for split in splits]
        return Task(parts, self.n_jobs)

    def _score(self, given: Checked, task: Task) -> list[GridScores]:
        """Score all candidates of each grid."""
        estimator, scorers = given.estimator, list(given.scorers.values())
        classifier, parts = is_classifier(estimator), ("test", "train")
        coarse = all(needs_labels_only(scorer, classifier=classifier) for scorer in scorers)
        if isinstance(self.cv, str):
            parts = ("held_out", "train")
        judge = Judge(
            [
                batch_scorer(scorer, classifier=classifier, error_score=self.error_score)
                for scorer in scorers
            ],
            any(needs_probabilities(scorer) for scorer in scorers),
            # Labels do not show an error of 1e-8; scores of real numbers should agree with those of
            # a fit to ten digits.
            1e-8 if coarse else 1e-11,
            BLOCK_NUMBERS,
            parts[: 1 + self.return_train_score],
        )
        piped, fresh = isinstance(estimator, Pipeline), self.draws == "fresh"
        run: Any = partial(score_grid, fresh=fresh)
        run = OWN_PATHS.get(type(estimator[-1] if piped else estimator), run)
        if not piped:
            return [run(estimator, grid, task, judge) for grid in given.grids]
        strict = self.error_score == "raise"
        return score_pipeline(
            estimator, given.grids, task, judge, run, fresh=fresh, raise_errors=strict
        )

    def _results(self, given: Checked, parts: list[GridScores], seconds: float) -> dict[str, Any]:
        """Return the table of all candidates; raise or warn if some could not be fitted."""
        scores = np.concatenate([part.scores for part in parts], axis=2)
        errors = np.concatenate([part.errors for part in parts])
        failed = np.flatnonzero(errors != "")
        if failed.size:
            reason = errors[failed[0]]
            if self.error_score == "raise":
                raise ValueError(reason)
            if failed.size == errors.size and np.isnan(scores).all():
                raise ValueError(f"No candidate could be fitted on any fold: {reason}")
            warnings.warn(
                f"{failed.size} of {errors.size} candidates could not be fitted on some fold and "
                f"score {self.error_score} there; see cv_results_['error']. The first reason: "
                f"{reason}",
                FitFailedWarning,
                stacklevel=2,
            )
        # An undefined score, such as one of a fold of one class, is not a failure.
        lost = np.isnan(scores) & (errors != "")[:, None]
        scores = np.where(lost, self.error_score, scores).astype(np.float64)
        results = results_table(given.grids, scores, errors, list(given.scorers), seconds)
        states = [part.states for part in parts if part.states is not None]
        for i, column in enumerate(np.concatenate(states).T if states else ()):
            results[f"split{i}_random_state"] = column
        return results

    def _choose(self, results: dict[str, Any], given: Checked) -> None:
        """Choose the best candidate."""
        metric = given.refit_metric
        if callable(self.refit):
            self.best_index_ = self._select_best_index(self.refit, metric, results)
        else:
            mean = results[f"mean_test_{metric}"]
            if np.isnan(mean).all():
                reason = next(filter(None, results["error"]), "scores are undefined.")
                raise ValueError(f"No candidate could be scored on every fold: {reason}")
            order = best_first(mean, results, given.estimator.get_params(), given.prefix)
            self.best_index_ = int(order[0])
            self.best_score_ = float(mean[self.best_index_])
        self.best_params_ = results["params"][self.best_index_]

    def _refit(self, given: Checked) -> None:
        """Fit the best candidate on all samples."""
        start = time.perf_counter()
        candidate = clone(self.best_params_, safe=False)
        self.best_estimator_ = clone(given.estimator).set_params(**candidate)
        weight = {} if given.weight is None else {f"{given.prefix}sample_weight": given.weight}
        self.best_estimator_.fit(given.X, given.y, **weight)
        self.refit_time_ = time.perf_counter() - start
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_
