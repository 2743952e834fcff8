"""Search of whole grids at the cost of a few fits."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, _fit_context, clone, is_classifier
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.model_selection import check_cv
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import check_array, indexable
from sklearn.utils._param_validation import Interval, StrOptions

from broadlearn._search.cells import Axes
from broadlearn._search.grid import SubGrid, resolve_grids
from broadlearn._search.members import check_search, fit_members
from broadlearn._search.progress import Progress
from broadlearn._search.results import (
    best_first,
    results_table,
)
from broadlearn._search.run import GridScores, Split, run_grid, score_one_by_one
from broadlearn._search.scoring import (
    MARGIN,
    batch_scorer,
    is_known_scorer,
    needs_labels_only,
    needs_probabilities,
)
from broadlearn._search.twin import run_twin_grid
from broadlearn.classifiers._twin_svc import IntuitionisticFuzzyTwinSVC
from broadlearn.random_features._draws import draw_seed
from broadlearn.sample_scores._inputs import check_weights

# Estimated error of predictions from which on they are refined, for labels and for real numbers.
LABEL_TOLERANCE, NUMBER_TOLERANCE = 1e-8, 1e-11


class PathSearchCV(BaseSearchCV):
    """Exact grid search for broad learners, with most of the work shared among settings.

    Scores every setting of a grid on every fold, as ``GridSearchCV`` does, and gives the same
    scores, in a small fraction of the time: weights of a smaller model are part of a larger one's,
    so that one factorisation serves all numbers of enhancement nodes; surplus feature nodes are
    rotated away; scores of the rows are computed for all kernel widths in one pass; and the
    predictions of all settings of a block are one product.

    The path serves ``C``, ``n_feature_groups``, ``n_feature_nodes``, ``n_enhancement_nodes``,
    ``n_hidden_nodes``, ``n_fuzzy_groups``, ``n_fuzzy_rules`` and ``kernel_width``, and of the twin
    SVM ``C1``, ``C2`` and ``kernel_width``; any other parameter is looped over outside of it.

    Parameters
    ----------
    estimator : estimator of this library
        A `random_state` that is not a whole number is replaced by one that is drawn once, so that
        the refitted model is the one that was scored.
    param_grid : dict, list of dicts, "paper", "robust" or None, default=None
        Values to try by parameter. "paper" is the published grid; None a smaller one that is
        seldom far from it; "robust", for :class:`IntuitionisticFuzzyBLSClassifier`, one of
        several kinds of scores with standardisation that outlying rows cannot drag, meant for an
        ensemble.
    scoring : str, callable, list, tuple or dict, default=None
        As for ``GridSearchCV``; None is accuracy for classifiers and R² for regressors. A callable
        that is not a scikit-learn scorer has models fitted for it one by one.
    n_jobs : int, default=None
        Workers of joblib. Scores do not depend on it.
    refit : bool, str or callable, default=True
        As for ``GridSearchCV``. Of settings with the same mean score the smallest model is taken:
        fewest nodes, then smallest C, then the first.
    cv : int, splitter or iterable, default=5
    verbose : int, default=0
        Above 0 a progress line shows the rate and the time left.
    error_score : "raise" or float, default=nan
        Score of a setting that cannot be fitted, such as a kernel width at which a class loses all
        its rows. The reason is in ``cv_results_["error"]``.
    return_train_score : bool, default=False
    ensemble_size : int, default=1
        Above 1, `best_estimator_` is a :class:`~broadlearn.ensemble.BroadEnsembleClassifier`: the
        average of so many of the best settings, for the BLS and ELM families. They are ranked by
        `scoring`, or, if that is None, by the accuracy plus half of the margins' mean in units of
        their root mean square (``cv_results_["mean_test_margin"]``), which is less noisy than the
        accuracy alone; a setting is left out if the distinct nodes of all
        members would exceed `node_budget`.
    n_draws : int, default=1
        Draws of the random nodes over which each member of an ensemble is averaged; fewer where
        these alone would exceed that. The search itself scores the first.
    node_budget : float, default=2.5
        Distinct nodes of an ensemble, over all draws, at most, as a multiple of the largest layer
        in the grid: what its predictions may cost.
    memory_budget : float, default=256.0
        Megabytes that the rows of a design matrix may take at a time, per worker.

    Attributes
    ----------
    cv_results_ : dict of arrays
        As of ``GridSearchCV``, with the same order of settings; ``params`` makes its dictionaries
        when they are looked at, times are shares of the whole, ``error`` says why a setting failed.
    ensemble_ : list of dict
        Settings of the ensemble with their ``weight``, the best first; with an ensemble only.
    best_estimator_, best_params_, best_score_, best_index_, scorer_, n_splits_, refit_time_, \
multimetric_, classes_, n_features_in_, feature_names_in_
        As of ``GridSearchCV``; of an ensemble `best_params_` and `best_score_` are those of the
        best single setting.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier, PathSearchCV
    >>> X, y = load_iris(return_X_y=True)
    >>> grid = {"C": [0.01, 1.0, 100.0], "n_enhancement_nodes": list(range(10, 110, 10))}
    >>> search = PathSearchCV(BLSClassifier(random_state=0), grid).fit(X, y)
    >>> len(search.cv_results_["params"]), search.best_score_ > 0.95
    (30, True)
    """

    _parameter_constraints: dict[str, list[Any]] = {
        **BaseSearchCV._parameter_constraints,
        "param_grid": [dict, list, tuple, StrOptions({"paper", "robust"}), None],
        "ensemble_size": [Interval(Integral, 1, None, closed="left")],
        "n_draws": [Interval(Integral, 1, None, closed="left")],
        "node_budget": [Interval(Real, 1, None, closed="left")],
        "memory_budget": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        estimator: BaseEstimator,
        param_grid: Mapping[str, Sequence[Any]]
        | Sequence[Mapping[str, Sequence[Any]]]
        | str
        | None = None,
        *,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: bool | str | Callable[..., int] = True,
        cv: Any = 5,
        verbose: int = 0,
        error_score: float | str = np.nan,
        return_train_score: bool = False,
        ensemble_size: int = 1,
        n_draws: int = 1,
        node_budget: float = 2.5,
        memory_budget: float = 256.0,
    ) -> None:
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.param_grid = param_grid
        self.ensemble_size = ensemble_size
        self.n_draws = n_draws
        self.node_budget = node_budget
        self.memory_budget = memory_budget

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Score all settings on all folds and refit the best on all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows in every fit and in the scores of scikit-learn's scorers; other
            callables are not given them.
        groups : array-like of shape (n_samples,), default=None
            Passed to the splitter.

        Returns
        -------
        self
        """
        grids = resolve_grids(self.estimator, self.param_grid)
        if self.ensemble_size > 1:
            if callable(self.refit):
                raise ValueError(
                    "ensemble_size above 1 ranks settings by a score; refit must be True or the "
                    "name of one, not a callable."
                )
            check_search(self.estimator, {name for grid in grids for name in grid.names})
        scorers, refit_metric = self._named_scorers()
        X, y, groups = indexable(X, y, groups)
        rows = check_array(X, dtype=[np.float64, np.float32], estimator=self.estimator)
        targets = np.asarray(y)
        weight = None if sample_weight is None else check_weights(sample_weight, rows)
        estimator = clone(self.estimator)
        if not isinstance(estimator.random_state, Integral):
            estimator.set_params(random_state=draw_seed(estimator.random_state))
        splitter = check_cv(self.cv, targets, classifier=is_classifier(estimator))
        splits = [(train, test) for train, test in splitter.split(X, targets, groups)]
        self.n_splits_ = len(splits)

        progress = Progress(sum(grid.size for grid in grids) * len(splits), self.verbose > 0)
        start = time.perf_counter()
        try:
            found = [
                self._score_grid(estimator, grid, rows, targets, weight, splits, scorers, progress)
                for grid in grids
            ]
        finally:
            progress.close()
        seconds = time.perf_counter() - start
        self._report_failures(found)
        scores = np.concatenate([part.scores for part in found], axis=2)
        scores = np.where(np.isnan(scores), self.error_score, scores).astype(np.float64)
        errors = np.concatenate([part.errors for part in found])
        results = results_table(grids, scores, errors, list(scorers), seconds)
        self.multimetric_ = refit_metric is None or "score" not in scorers
        if self.refit or not self.multimetric_:
            self._choose(results, refit_metric, estimator)
        if self.refit:
            start = time.perf_counter()
            fit_params = {} if sample_weight is None else {"sample_weight": sample_weight}
            fit = self._refit_ensemble if self.ensemble_size > 1 else self._refit
            fit(results, refit_metric, estimator, X, y, fit_params)
            self.refit_time_ = time.perf_counter() - start
            if hasattr(self.best_estimator_, "feature_names_in_"):
                self.feature_names_in_ = self.best_estimator_.feature_names_in_
        self.scorer_ = scorers if self.multimetric_ else scorers["score"]
        self.cv_results_ = results
        return self

    def _named_scorers(self) -> tuple[dict[str, Any], str | None]:
        """Scorers by name, and the name by which the best setting is chosen."""
        scorers, refit_metric = self._get_scorers()
        if isinstance(scorers, _MultimetricScorer):
            return dict(scorers._scorers), refit_metric if isinstance(refit_metric, str) else None
        if self.ensemble_size > 1 and self.scoring is None:
            return {"score": scorers, "margin": MARGIN}, "score"
        return {"score": scorers}, "score"

    def _score_grid(
        self,
        estimator: BaseEstimator,
        grid: SubGrid,
        X: NDArray[np.floating],
        y: NDArray[Any],
        weight: NDArray[np.float64] | None,
        splits: Sequence[Split],
        scorers: dict[str, Any],
        progress: Progress,
    ) -> GridScores:
        known = all(is_known_scorer(scorer) for scorer in scorers.values())
        if not known:
            return score_one_by_one(
                estimator, grid, X, y, weight, splits, scorers, self.return_train_score, progress
            )
        classifier = is_classifier(estimator)
        strict = self.error_score == "raise"
        labels_only = all(
            needs_labels_only(scorer, classifier=classifier) for scorer in scorers.values()
        )

        def make_axes(sizes: Sequence[int], Cs: Sequence[float]) -> Axes:
            return Axes(
                sizes,
                Cs,
                [
                    batch_scorer(scorer, classifier=classifier, raise_errors=strict)
                    for scorer in scorers.values()
                ],
                any(needs_probabilities(scorer) for scorer in scorers.values()),
                LABEL_TOLERANCE if labels_only else NUMBER_TOLERANCE,
                int(self.memory_budget * 2**20 / 8),
                self.return_train_score,
            )

        run = run_twin_grid if isinstance(estimator, IntuitionisticFuzzyTwinSVC) else run_grid
        return run(estimator, grid, X, y, weight, splits, make_axes, self.n_jobs, progress)

    def _report_failures(self, found: Sequence[GridScores]) -> None:
        """Raise or warn where settings could not be fitted."""
        errors = np.concatenate([part.errors for part in found])
        failed = np.flatnonzero(errors != "")
        if not failed.size:
            return
        reason = errors[failed[0]]
        if self.error_score == "raise":
            raise ValueError(reason)
        if failed.size == errors.size and all(np.isnan(part.scores).all() for part in found):
            raise ValueError(f"No setting could be fitted on any fold: {reason}")
        warnings.warn(
            f"{failed.size} of {errors.size} settings could not be fitted on some fold and score "
            f"{self.error_score} there; cv_results_['error'] says why, for the first one: {reason}",
            FitFailedWarning,
            stacklevel=2,
        )

    def _refit(
        self,
        results: dict[str, Any],
        refit_metric: str | None,
        estimator: BaseEstimator,
        X: ArrayLike,
        y: ArrayLike,
        fit_params: dict[str, Any],
    ) -> None:
        """Fit the best setting on all rows; a kernel width that all rows refuse is passed over."""
        passed_over = np.zeros(len(results["params"]), dtype=bool)
        while True:
            self.best_estimator_ = clone(estimator).set_params(**self.best_params_)
            try:
                self.best_estimator_.fit(X, y, **fit_params)
                return
            except ValueError as error:
                widths = results.get("param_kernel_width")
                if self.error_score == "raise" or callable(self.refit) or widths is None:
                    raise
                refused = self.best_params_["kernel_width"]
                passed_over |= np.array([width == refused for width in widths])
                if np.isnan(results[f"mean_test_{refit_metric}"][~passed_over]).all():
                    raise
                warnings.warn(
                    f"kernel_width={refused} cannot be fitted on all rows and is passed over: "
                    f"{error}",
                    FitFailedWarning,
                    stacklevel=3,
                )
                self._choose(results, refit_metric, estimator, passed_over)

    def _refit_ensemble(
        self,
        results: dict[str, Any],
        refit_metric: str | None,
        estimator: BaseEstimator,
        X: ArrayLike,
        y: ArrayLike,
        fit_params: dict[str, Any],
    ) -> None:
        """Fit the average of the best settings on all rows."""
        self.best_estimator_ = fit_members(
            results.get("mean_test_margin", results[f"mean_test_{refit_metric}"]),
            {name: results[name] for name in results if name.startswith("param_")},
            results["params"],
            estimator,
            self.ensemble_size,
            self.n_draws,
            self.node_budget,
            lambda ensemble: ensemble.fit(X, y, **fit_params),
            strict=self.error_score == "raise",
        )
        self.ensemble_ = self.best_estimator_.members_

    def _choose(
        self,
        results: dict[str, Any],
        refit_metric: str | None,
        estimator: BaseEstimator,
        passed_over: NDArray[np.bool_] | bool = False,
    ) -> None:
        if callable(self.refit):
            self.best_index_ = self._select_best_index(self.refit, refit_metric, results)
        else:
            mean = np.where(passed_over, np.nan, results[f"mean_test_{refit_metric}"])
            if np.isnan(mean).all():
                raise ValueError(
                    "No setting could be scored on every fold; cv_results_['error'] would name the "
                    "first reason: " + next(filter(None, results["error"]), "undefined scores.")
                )
            columns = {name: results[name] for name in results if name.startswith("param_")}
            self.best_index_ = int(best_first(mean, columns, estimator.get_params())[0])
            self.best_score_ = float(mean[self.best_index_])
        self.best_params_ = results["params"][self.best_index_]
