"""Intuitionistic fuzzy twin support vector machine: two planes, bounds scaled by trust in rows."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from broadlearn.classifiers._intuitionistic_scoring import SCORE_CONSTRAINTS, IntuitionisticScoring
from broadlearn.classifiers._rows import Array, FitTask
from broadlearn.classifiers._twin_planes import TwinProblem, distances, twin_problem
from broadlearn.random_features._constraints import STANDARDIZE
from broadlearn.random_features._draws import draw_seed
from broadlearn.random_features._standardize import affine_block, row_slices
from broadlearn.sample_scores._distinct import distinct_rows


class IntuitionisticFuzzyTwinSVC(IntuitionisticScoring):
    r"""Intuitionistic fuzzy twin support vector machine (IF-TSVM).

    Two planes, each near the rows of one class and at a distance from those of the other. With
    rows A of the first class and B of the second, :math:`H = [A, 1]`, :math:`G = [B, 1]`, and
    scores :math:`s_B` of the rows in B, the first plane :math:`z = [w; b]` minimises

    .. math:: \frac{1}{2} \|H z\|^2 + \frac{\delta_r}{2} \|z\|^2 + C_1 s_B^T \xi,
        \quad -G z + \xi \ge 1, \; \xi \ge 0.

    Its dual, :math:`\max_\alpha 1^T \alpha - \frac{1}{2} \alpha^T G (H^T H + \delta_r I)^{-1} G^T
    \alpha` with :math:`0 \le \alpha \le C_1 s_B`, is solved by an interior point method to a
    relative duality gap of 1e-12. The second plane changes the roles of the classes and has
    :math:`C_2`. A row goes to the class whose plane is nearer. Scores are those of
    :class:`IntuitionisticFuzzyBLSClassifier`. Several classes: each against the rest.

    Parameters
    ----------
    C1, C2 : float, default=1.0
        Weight of the errors of the first class's plane, and of the second's; with several
        classes, of each class's plane and of the rest's.
    kernel_width : float or "auto", default="auto"
        mu of the scores and of the Gaussian kernel. "auto" is chosen from the data, see
        :func:`broadlearn.sample_scores.intuitionistic_scores`.
    kernel : {"linear", "rbf"}, default="linear"
        "rbf" puts planes into the columns :math:`K(x, b) = \exp(-\|x - b\|^2 / \mu^2)` for some
        training rows b.
    regularization : float, default=1e-4
        :math:`\delta_r`, added to the diagonal of the normal matrices.
    n_basis_rows : int, default=200
        Training rows b of the "rbf" kernel, drawn; all distinct rows where there are no more. No
        matrix of rows times rows is made.
    neighborhood_radius : float, default=None
        epsilon of the scores, a distance in kernel space; None takes the largest class radius.
    delta : float, default=1e-4
        Added to the class radius.
    landmarks : int, default=None
        Estimate scores from so many rows drawn per class. None uses all rows.
    standardize : bool or "robust", default=True
        Bring columns of X to mean 0 and deviation 1, learnt in fit. "robust" learns both from rows
        that are not outlying: up to three times the median distance from the mean.
    random_state : int, RandomState or None, default=None
        Seeds the draws of basis rows and landmarks.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (n_planes, n_columns)
        Unit normals of the planes, in standardised columns or kernel columns. Two classes have two
        planes, several have two a class: its own and the rest's.
    intercept_ : ndarray of shape (n_planes,)
    dual_coef_ : list of ndarray
        For each plane, alpha of the rows that it keeps away from.
    duality_gap_ : ndarray of shape (n_planes,)
        Relative to the objective.
    basis_ : ndarray of shape (n_basis, n_features)
        Basis rows, standardised; only with kernel="rbf".
    sample_scores_, membership_, nonmembership_ : ndarray of shape (n_samples,)
        Score, theta and nu of each training row.
    kernel_width_, neighborhood_radius_ : float
        mu and epsilon that were used.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where X has column names that are strings.

    References
    ----------
    S. Rezvani, X. Wang, F. Pourpanah, "Intuitionistic fuzzy twin support vector machines", IEEE
    Transactions on Fuzzy Systems 27 (2019).
    Jayadeva, R. Khemchandani, S. Chandra, "Twin support vector machines for pattern
    classification", IEEE TPAMI 29 (2007).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from broadlearn import IntuitionisticFuzzyTwinSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> IntuitionisticFuzzyTwinSVC().fit(X, y).score(X, y) > 0.95
    True
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "C1": [Interval(Real, 0, None, closed="neither")],
        "C2": [Interval(Real, 0, None, closed="neither")],
        **SCORE_CONSTRAINTS,
        "kernel": [StrOptions({"linear", "rbf"})],
        "regularization": [Interval(Real, 0, None, closed="neither")],
        "n_basis_rows": [Interval(Integral, 1, None, closed="left")],
        "standardize": STANDARDIZE,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C1: float = 1.0,
        C2: float = 1.0,
        kernel_width: float | str = "auto",
        kernel: str = "linear",
        *,
        regularization: float = 1e-4,
        n_basis_rows: int = 200,
        neighborhood_radius: float | None = None,
        delta: float = 1e-4,
        landmarks: int | None = None,
        standardize: bool | str = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.C1 = C1
        self.C2 = C2
        self.kernel_width = kernel_width
        self.kernel = kernel
        self.regularization = regularization
        self.n_basis_rows = n_basis_rows
        self.neighborhood_radius = neighborhood_radius
        self.delta = delta
        self.landmarks = landmarks
        self.standardize = standardize
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the planes.

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
        task, trust, n_rows = self._trusted_rows(X, y, sample_weight)
        self._place(task)
        problem = self._twin_problem(task, self.kernel_width_)
        bounds = row_bounds(np.asarray(trust.score)[task.keep], task.weight)
        found = [
            problem.solve(t, side, (C * bounds)[None])
            for t in range(len(problem.factors))
            for side, C in enumerate((self.C1, self.C2))
        ]
        self.coef_ = np.concatenate([p.vectors[:, :-1] for p in found]).astype(task.X.dtype)
        self.intercept_ = np.concatenate([p.vectors[:, -1] for p in found]).astype(task.X.dtype)
        self.dual_coef_ = [p.alpha[0] for p in found]
        self.duality_gap_ = np.concatenate([p.gap for p in found])
        self._keep_trust(trust, n_rows)
        return self

    def _place(self, task: FitTask) -> None:
        """Set what the columns of the planes depend on."""
        self._standardization = task.standardization
        if self.kernel == "rbf":
            self.basis_ = self._choose_basis(task)

    def _choose_basis(self, task: FitTask) -> NDArray[np.floating]:
        """Distinct training rows, drawn in proportion to their weights."""
        weight = np.ones(task.codes.size) if task.weight is None else task.weight
        distinct = distinct_rows(task.X, np.zeros(task.codes.size, dtype=np.intp), weight)
        X = task.X[distinct.first]
        order = np.lexsort(X.T[::-1])
        X, weight = X[order], distinct.weight[order]
        draws = np.random.default_rng(draw_seed(self.random_state)).exponential(size=len(X))
        chosen = np.sort(np.argsort(draws / weight, kind="stable")[: self.n_basis_rows])
        Z = affine_block(X[chosen], slice(0, chosen.size), task.standardization)[:, :-1]
        return np.ascontiguousarray(Z)

    def _columns(
        self, X: NDArray[np.floating], rows: slice, kernel_width: float
    ) -> NDArray[np.floating]:
        """Columns in which the planes live, for a slice of rows."""
        Z = affine_block(X, rows, self._standardization)[:, :-1]
        if self.kernel == "linear":
            return Z
        kernel: NDArray[np.floating] = rbf_kernel(
            Z, self.basis_.astype(Z.dtype, copy=False), gamma=1.0 / kernel_width**2
        )
        return kernel

    def _twin_problem(self, task: FitTask, kernel_width: float) -> TwinProblem:
        """What the planes of all C1, C2 and scores share."""
        columns = self._columns(task.X, slice(0, task.X.shape[0]), kernel_width)
        return twin_problem(
            columns.astype(np.float64, copy=False),
            task.codes,
            self.classes_.size,
            task.weight,
            self.regularization,
        )

    def decision_function(self, X: ArrayLike) -> NDArray[np.floating]:
        """Distance to the other plane minus distance to the class's own.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes positive where the second is predicted.
        """
        check_is_fitted(self)
        rows = self._validate_rows(X)
        vectors = np.column_stack([self.coef_, self.intercept_])
        decision = np.empty((rows.shape[0], len(vectors) // 2), dtype=rows.dtype)
        for part in row_slices(rows.shape[0], vectors.shape[1]):
            far = distances(self._columns(rows, part, self.kernel_width_), vectors)
            decision[part] = far[:, 1::2] - far[:, ::2]
        return -decision.ravel() if self.classes_.size == 2 else decision


def row_bounds(scores: Array, weight: Array | None) -> Array:
    """Upper bounds of the dual coefficients for C = 1: scores, times the weight of each row."""
    return scores if weight is None else scores * weight
