"""Search of whole grids at the cost of a few fits."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from functools import partial
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, get_tags, indexable

from broadlearn.baselines import IntuitionisticFuzzyTwinSVC
from broadlearn.models import BroadModel, in_one_step
from broadlearn.search.cells import Axes
from broadlearn.search.engine import GridScores, Task, run_grid
from broadlearn.search.folds import NO_CLOSED_FORM, as_pairs
from broadlearn.search.fresh_draws import run_fresh_grid
from broadlearn.search.grid import ParamGrid, SubGrid, resolve_grids
from broadlearn.search.one_by_one import score_one_by_one
from broadlearn.search.pipelines import run_pipeline, weight_keyword
from broadlearn.search.results import best_first, results_table
from broadlearn.search.scoring import batch_scorer, needs_labels_only, needs_probabilities
from broadlearn.search.twin import run_twin_grid
from broadlearn.utils import (
    N_JOBS,
    POSITIVE,
    READ_SPARSE,
    Array,
    FitProgress,
    SearchResults,
    check_labels,
    check_sparse,
    check_weights,
    draw_seed,
)
from broadlearn.utils.sklearn_compat import (
    BaseSearchCV,
    MultimetricScorer,
    PassthroughScorer,
    Scorer,
    StrOptions,
    fit_context,
)

# Estimated error of predictions from which on they are refined, for labels and for real numbers.
LABEL_TOLERANCE, NUMBER_TOLERANCE = 1e-8, 1e-11


class PathSearchCV(BaseSearchCV):
    """Exact grid search for broad learners, with most of the work shared among candidates.

    Scores every candidate of a grid on every fold, as ``GridSearchCV`` does, and gives the same
    scores, in a small fraction of the time: weights of a smaller model are part of a larger one's,
    so that one factorisation serves all numbers of enhancement nodes; surplus feature nodes are
    rotated away; scores of the samples are computed for all kernel widths in one pass; and the
    predictions of all candidates of a block are one product.

    The path serves ``C``, ``n_feature_groups``, ``n_feature_nodes``, ``n_enhancement_nodes``,
    ``n_hidden_nodes``, ``n_fuzzy_groups``, ``n_fuzzy_rules`` and ``kernel_width``, and of the twin
    SVM ``C1``, ``C2`` and ``kernel_width``; any other parameter is looped over outside of it. Of
    infinitely many enhancement nodes, one matrix of products serves all ``C`` and scores.

    Callbacks of scikit-learn (1.9 or later), such as its ``ProgressBar``, see a task for every
    candidate and fold, or for several together where there are thousands, and one for the refit.

    Parameters
    ----------
    estimator : estimator
        A classifier or regressor of this library, but not an ensemble, or a ``Pipeline`` whose last
        step is one. It gives all parameters that the grid does not name. A `random_state` that is
        not a whole number is replaced by one that is drawn once, so that the refitted model is the
        one that was scored. The steps of a pipeline before the last are fitted to the training
        samples of each fold, once for all candidates that have them in common; its `memory` caches
        them as in its own fit.
    param_grid : dict, list of dicts, "paper" or None, default=None
        Values to try by the name of the parameter, in all combinations; of several dicts, those of
        each. "paper" is the published grid; None a smaller one that is seldom far from it. For a
        pipeline names are ``step__parameter``, and a step before the last can be replaced by its
        name alone.
    scoring : str, callable, list, tuple or dict, default=None
        The score of predictions: a name of scikit-learn, a scorer, or several of them in a list or
        by name. None is accuracy for classifiers and R² for regressors. A callable that is not a
        scikit-learn scorer has models fitted for it one by one, and may return a dict of scores.
    n_jobs : int, default=None
        Workers of joblib; None is one, -1 as many as there are cores. Scores do not depend on it.
    refit : bool, str or callable, default=True
        Whether the best candidate is fitted on all samples in the end; with several scores, the
        name of the one that decides. A callable is given `cv_results_` and returns the position of
        the best. Of candidates with the same mean score the smallest model is taken: fewest nodes,
        then smallest C, then the first.
    cv : int, splitter, iterable or "loo", default=5
        The number of folds (stratified for classifiers), a splitter of scikit-learn, or pairs of
        training and test positions. "loo" is exact leave-one-out in closed form, from one
        factorisation per penalty: every sample is predicted by the model that is solved without it,
        and all predictions together are scored as one split. Standardisation, nodes, scores of the
        samples and the mean of targets are those of all samples.
    error_score : "raise" or float, default=nan
        Score of a candidate that cannot be fitted, such as a kernel width at which a class loses
        all its samples. The reason is in ``cv_results_["error"]``.
    return_train_score : bool, default=False
        Whether candidates are scored on the training samples of each fold too.
    memory_budget : float, default=16.0
        Megabytes of a block of a design matrix, per worker. A few blocks are held at a time, and
        beside them one Gram matrix per kernel width.
    draws : {"nested", "fresh"}, default="nested"
        Whether the random nodes of a small model are among those of a large one, the same on all
        folds, or every map (all of a candidate but ``C`` and ``kernel_width``) is drawn anew on
        every fold. "fresh" takes many times longer. The best of independent draws owes more to
        chance; use it to repeat studies that drew so. The twin SVM has no map to draw.

    Attributes
    ----------
    cv_results_ : dict of arrays
        Scores of all candidates, with the names and the order of ``GridSearchCV``; ``params`` makes
        its dictionaries when they are looked at, times are shares of the whole, ``error`` says why
        a candidate failed. With fresh draws ``split0_random_state`` and so on are the seeds with
        which the candidate fitted alone is the model that was scored.
    best_estimator_ : estimator
        The best candidate, refitted on all samples.
    best_params_ : dict
        Its parameters.
    best_score_ : float
        Its mean score.
    best_index_ : int
        Its position in `cv_results_`.
    scorer_ : callable or dict
        The scorer, or scorers by name.
    n_splits_ : int
        Number of folds.
    refit_time_ : float
        Seconds that fitting the best candidate took.
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
        "n_jobs": N_JOBS,
        "memory_budget": [POSITIVE],
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
        memory_budget: float = 16.0,
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
        self.memory_budget = memory_budget
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
            The steps of a pipeline are given its rows as they are.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Class labels, 0 and 1 for each of several labels, or targets of a regressor.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in every fit and in the scores of scikit-learn's scorers; other
            callables are not given them. In a pipeline they are the last step's; other steps get
            them if they ask for them and metadata routing is enabled.
        groups : array-like of shape (n_samples,), default=None
            Passed to the splitter.

        Returns
        -------
        self
        """
        piped = isinstance(self.estimator, Pipeline)
        prefix, model = "", self.estimator
        if piped and self.estimator.steps:
            prefix, model = f"{self.estimator.steps[-1][0]}__", self.estimator.steps[-1][1]
        broad = isinstance(model, BroadModel) and hasattr(model, "C")
        if not (broad or isinstance(model, IntuitionisticFuzzyTwinSVC)):
            raise TypeError(
                "PathSearchCV needs a classifier or regressor of broadlearn, or a Pipeline that "
                f"ends in one, got {type(model).__name__}; use GridSearchCV for others."
            )
        if self.draws == "fresh" and not broad:
            raise ValueError(
                'draws must be "nested" for IntuitionisticFuzzyTwinSVC, which has no map to draw.'
            )
        grids = resolve_grids(self.estimator, self.param_grid)
        scorers, refit_metric = self._named_scorers()
        if y is None:
            raise ValueError("PathSearchCV requires y to be passed, but the target y is None.")
        X, y, groups = indexable(X, y, groups)
        rows = (
            X if piped else check_array(X, estimator=self.estimator, input_name="X", **READ_SPARSE)
        )
        if issparse(rows) and not piped:
            check_sparse(self.estimator, rows)
        targets: Any = y if issparse(y) else np.asarray(y)
        if is_classifier(self.estimator) and (targets.ndim == 2 or targets.dtype == object):
            targets = check_labels(targets)
        weight = None if sample_weight is None else check_weights(sample_weight, targets)
        estimator = clone(self.estimator)
        model = estimator.steps[-1][1] if piped else estimator
        if not isinstance(model.random_state, Integral):
            estimator.set_params(**{f"{prefix}random_state": draw_seed(model.random_state)})
        weights = {}
        if weight is not None:
            name = weight_keyword(estimator, weight) if piped else "sample_weight"
            weights = {name: weight}
        if isinstance(self.cv, str):
            if piped or not broad or self.draws == "fresh" or groups is not None:
                raise ValueError(NO_CLOSED_FORM)
            splits = [(np.arange(targets.shape[0]),) * 2]
        else:
            numbered = self.cv is None or isinstance(self.cv, Integral)
            cv = self.cv if numbered or hasattr(self.cv, "get_n_splits") else as_pairs(self.cv)
            splitter = check_cv(cv, targets, classifier=is_classifier(estimator))
            splits = list(splitter.split(X, targets, groups))
        self.n_splits_ = len(splits)

        progress = None
        if hasattr(self, "_skl_callbacks"):
            progress = FitProgress(self, 1 + (self.refit is not False), X, y, weight)
        start = time.perf_counter()
        total = sum(grid.size for grid in grids) * len(splits)
        watched: AbstractContextManager[Any] = nullcontext(lambda count: None)
        if progress is not None:
            watched = progress.counted("search", "candidate-split-evaluation", total)
        with watched as report:
            parts = [(rows, targets, weight, split) for split in splits]
            task = Task(parts, self.n_jobs, report)
            names, found = self._score_grids(
                estimator, grids, task, scorers, next(iter(weights), "")
            )
        seconds = time.perf_counter() - start
        if names != list(scorers):
            self._check_refit_for_multimetric(names)
            self.multimetric_, refit_metric = True, str(self.refit)
        scores = np.concatenate([part.scores for part in found], axis=2)
        errors = np.concatenate([part.errors for part in found])
        self._report_failures(scores, errors)
        # An undefined score, such as one of a fold of one class, is no failure.
        failed = np.isnan(scores) & (errors != "")[:, None]
        scores = np.where(failed, self.error_score, scores).astype(np.float64)
        results = results_table(grids, scores, errors, names, seconds)
        states = [part.states for part in found if part.states is not None]
        for i, column in enumerate(np.concatenate(states).T if states else ()):
            results[f"split{i}_random_state"] = column
        if self.refit or not self.multimetric_:
            self._choose(results, refit_metric, estimator, prefix)
        if self.refit:
            start = time.perf_counter()
            watched = nullcontext(lambda model, **data: model.fit(**data))
            if progress is not None:
                watched = progress.fits("refit-with-best-params")
            with watched as fit:
                fit_all = partial(fit, X=X, y=y, **weights)
                self._refit(results, refit_metric, estimator, prefix, fit_all)
            self.refit_time_ = time.perf_counter() - start
            if hasattr(self.best_estimator_, "feature_names_in_"):
                self.feature_names_in_ = self.best_estimator_.feature_names_in_
        listed = self.multimetric_ and not callable(self.scoring)
        self.scorer_ = scorers if listed else scorers["score"]
        self.cv_results_ = SearchResults(results)
        if progress is not None:
            progress.end()
        return self

    def __sklearn_tags__(self) -> Any:
        tags, own = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags.allow_nan = own.input_tags.allow_nan
        tags.target_tags = deepcopy(own.target_tags)
        return tags

    def _named_scorers(self) -> tuple[dict[str, Any], str | None]:
        """Scorers by name, and the name by which the best candidate is chosen."""
        scorers, refit_metric = self._get_scorers()
        self.multimetric_ = isinstance(scorers, MultimetricScorer)
        if not self.multimetric_:
            return {"score": scorers}, "score"
        return dict(scorers._scorers), refit_metric if isinstance(refit_metric, str) else None

    def _score_grids(
        self, estimator: Any, grids: list[SubGrid], task: Task, scorers: dict[str, Any], name: str
    ) -> tuple[list[str], list[GridScores]]:
        """Names of the scores, and those of all grids; `name` is that of weights in a fit."""
        given, fresh = list(scorers.values()), self.draws == "fresh"
        names, strict = list(scorers), self.error_score == "raise"
        if not all(isinstance(scorer, Scorer | PassthroughScorer) for scorer in given):
            # Others may look at more than predictions for the samples that they are given.
            if isinstance(self.cv, str):
                raise ValueError(NO_CLOSED_FORM)
            if fresh:
                raise ValueError(
                    'scoring must be a scorer of scikit-learn where draws="fresh", got a callable '
                    "that may look at more than predictions."
                )
            options = (self.return_train_score, name, strict)
            names, scored = score_one_by_one(estimator, grids, task, scorers, *options)
            return names, [scored]
        classifier = is_classifier(estimator)
        coarse = all(needs_labels_only(scorer, classifier=classifier) for scorer in given)
        axes = Axes(
            [
                batch_scorer(scorer, classifier=classifier, error_score=self.error_score)
                for scorer in given
            ],
            any(needs_probabilities(scorer) for scorer in given),
            LABEL_TOLERANCE if coarse else NUMBER_TOLERANCE,
            int(self.memory_budget * 2**20 / 8),
            self.return_train_score,
            leave_one_out=isinstance(self.cv, str),
        )
        piped = isinstance(estimator, Pipeline)
        run: Any = run_fresh_grid if fresh else run_grid
        if isinstance(estimator[-1] if piped else estimator, IntuitionisticFuzzyTwinSVC):
            run = run_twin_grid
        if piped:
            how = {"fresh": fresh, "raise_errors": strict}
            return names, run_pipeline(estimator, grids, task, axes, run, **how)
        return names, [run(estimator, grid, task, axes) for grid in grids]

    def _report_failures(self, scores: Array, errors: NDArray[Any]) -> None:
        """Raise or warn where candidates could not be fitted."""
        failed = np.flatnonzero(errors != "")
        if not failed.size:
            return
        reason = errors[failed[0]]
        if self.error_score == "raise":
            raise ValueError(reason)
        if failed.size == errors.size and np.isnan(scores).all():
            raise ValueError(f"No candidate could be fitted on any fold: {reason}")
        warnings.warn(
            f"{failed.size} of {errors.size} candidates could not be fitted on some fold and score "
            f"{self.error_score} there; cv_results_['error'] says why, for the first one: {reason}",
            FitFailedWarning,
            stacklevel=2,
        )

    def _refit(
        self,
        results: dict[str, Any],
        refit_metric: str | None,
        estimator: BaseEstimator,
        prefix: str,
        fit: Callable[[BaseEstimator], Any],
    ) -> None:
        """Fit the best candidate on all samples; a kernel width that they refuse is passed over."""
        passed_over = np.zeros(results["error"].size, dtype=bool)
        while True:
            candidate = clone(self.best_params_, safe=False)
            self.best_estimator_ = clone(estimator).set_params(**candidate)
            try:
                fit(self.best_estimator_)
                return
            except ValueError as error:
                widths = results.get(f"param_{prefix}kernel_width")
                if self.error_score == "raise" or callable(self.refit) or widths is None:
                    raise
                refused = self.best_params_[f"{prefix}kernel_width"]
                passed_over |= np.array([width == refused for width in widths])
                if np.isnan(results[f"mean_test_{refit_metric}"][~passed_over]).all():
                    raise
                warnings.warn(
                    f"{prefix}kernel_width={refused} cannot be fitted on all samples and is passed "
                    f"over: {error}",
                    FitFailedWarning,
                    stacklevel=3,
                )
                self._choose(results, refit_metric, estimator, prefix, passed_over)

    def _choose(
        self,
        results: dict[str, Any],
        refit_metric: str | None,
        estimator: BaseEstimator,
        prefix: str,
        passed_over: NDArray[np.bool_] | bool = False,
    ) -> None:
        if callable(self.refit):
            self.best_index_ = self._select_best_index(self.refit, refit_metric, results)
        else:
            mean = np.where(passed_over, np.nan, results[f"mean_test_{refit_metric}"])
            if np.isnan(mean).all():
                reason = next(filter(None, results["error"]), "scores are undefined.")
                raise ValueError(f"No candidate could be scored on every fold: {reason}")
            order = best_first(mean, results, estimator.get_params(), prefix)
            self.best_index_ = int(order[0])
            self.best_score_ = float(mean[self.best_index_])
        self.best_params_ = results["params"][self.best_index_]
