"""Intuitionistic fuzzy twin support vector machine: two planes, bounds scaled by trust."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from broadlearn.baselines.twin_planes import PlaneSpace, distances, plane_space
from broadlearn.models import (
    DecisionMixin,
    document,
    encode_samples,
    in_one_step,
    read_labelled,
    score_samples,
)
from broadlearn.sample_scores import SCORE_CONSTRAINTS, IntuitionisticScorer
from broadlearn.utils import (
    CLASS_WEIGHT,
    COUNT,
    READ,
    SCALE,
    STANDARDIZE,
    Floats,
    draw_seed,
    read_rows,
    row_slices,
)
from broadlearn.utils.sklearn_compat import StrOptions, fit_context


@document
@dataclass(eq=False, repr=False)
class IntuitionisticFuzzyTwinSVC(DecisionMixin, BaseEstimator):
    r"""Intuitionistic fuzzy twin support vector machine (IF-TSVM).

    Two planes, each near the samples of one class and at a distance from those of the other. With
    samples A of the first class and B of the second, :math:`H = [A, 1]`, :math:`G = [B, 1]`, and
    scores :math:`s_B` of the samples in B, the first plane :math:`z = [w; b]` minimises

    .. math:: \frac{1}{2} \|H z\|^2 + \frac{\delta_r}{2} \|z\|^2 + C_1 s_B^T \xi,
        \quad -G z + \xi \ge 1, \; \xi \ge 0.

    Its dual, :math:`\max_\alpha 1^T \alpha - \frac{1}{2} \alpha^T G (H^T H + \delta_r I)^{-1} G^T
    \alpha` with :math:`0 \le \alpha \le C_1 s_B`, is solved by an interior point method to a
    relative duality gap of 1e-12. The second plane changes the roles of the classes and has
    :math:`C_2`. A sample goes to the class whose plane is nearer. Scores are those of
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
        training samples b.
    regularization : float, default=1e-4
        :math:`\delta_r`, added to the diagonal of the normal matrices.
    n_basis_rows : int, default=200
        Number of training samples b of the "rbf" kernel, drawn at random from the distinct samples.
        No matrix of samples times samples is made.
    {score details, standardize, class_weight}
    random_state : int, RandomState or None, default=None
        Seed of the draws of basis samples and landmarks.

    Attributes
    ----------
    {classes}
    coef_ : ndarray of shape (n_planes, n_columns)
        Unit normals of the planes, in standardised columns or kernel columns. Two classes have two
        planes, several have two per class: its own and the rest's.
    intercept_ : ndarray of shape (n_planes,)
    dual_coef_ : list of ndarray
        For each plane, alpha of the samples that it keeps away from.
    duality_gap_ : ndarray of shape (n_planes,)
        Relative to the objective.
    basis_ : ndarray of shape (n_basis, n_features)
        Basis samples, standardised; only with kernel="rbf".
    sample_scores_, membership_, nonmembership_ : ndarray of shape (n_samples,)
        Score, theta and nu of each training sample.
    kernel_width_, neighborhood_radius_ : float
        mu and epsilon that were used.
    {features in}

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C1": [SCALE],
        "C2": [SCALE],
        **SCORE_CONSTRAINTS,
        "kernel": [StrOptions({"linear", "rbf"})],
        "regularization": [SCALE],
        "n_basis_rows": [COUNT],
        "standardize": STANDARDIZE,
        "class_weight": CLASS_WEIGHT,
        "random_state": ["random_state"],
    }
    C1: float = 1.0
    C2: float = 1.0
    kernel_width: float | str = "auto"
    kernel: str = "linear"
    _: KW_ONLY
    regularization: float = 1e-4
    n_basis_rows: int = 200
    neighborhood_radius: float | None = None
    delta: float = 1e-4
    landmarks: int | str | None = "auto"
    standardize: bool | str = "bounded"
    class_weight: dict[Any, float] | str | None = None
    random_state: int | np.random.RandomState | None = None

    @in_one_step
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the planes.

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
        rows, labels, weight = read_labelled(self, X, y, sample_weight, **READ)
        data = encode_samples(rows, labels, weight, self.standardize, type(self).__name__)
        seed = draw_seed(self.random_state)
        trust = score_samples(self.scorer(), data, seed)[0]
        if trust.problem:
            raise ValueError(trust.problem)
        width = trust.attributes["kernel_width_"]
        space = plane_space(data, self.kernel, self.n_basis_rows, seed)
        problem = space.problem(data, width, self.regularization)
        bounds = np.asarray(trust.score)[data.keep]
        bounds = bounds if data.weight is None else bounds * data.weight
        planes = [
            problem.solve(t, side, (C * bounds)[None])
            for t in range(len(problem.factors))
            for side, C in enumerate((self.C1, self.C2))
        ]
        self.classes_, self._standardization = data.classes, data.standardization
        self.coef_ = np.concatenate([p.vectors[:, :-1] for p in planes]).astype(rows.dtype)
        self.intercept_ = np.concatenate([p.vectors[:, -1] for p in planes]).astype(rows.dtype)
        self.dual_coef_ = [p.alpha[0] for p in planes]
        self.duality_gap_ = np.concatenate([p.gap for p in planes])
        self.__dict__.pop("basis_", None)
        if space.basis is not None:
            self.basis_ = space.basis
        self.sample_scores_ = trust.score
        self.__dict__.update(trust.attributes)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def scorer(self) -> IntuitionisticScorer:
        """Return the scorer of the intuitionistic fuzzy scores."""
        return IntuitionisticScorer(
            self.kernel_width, self.neighborhood_radius, self.delta, self.landmarks, small_class=0
        )

    def _output(self, X: ArrayLike) -> Floats:
        """Return the distance to the other plane minus that to the class's own."""
        check_is_fitted(self)
        rows = read_rows(self, X, **READ)
        space = PlaneSpace(self._standardization, getattr(self, "basis_", None))
        vectors = np.column_stack([self.coef_, self.intercept_])
        decision = np.empty((rows.shape[0], len(vectors) // 2), dtype=rows.dtype)
        for part in row_slices(rows.shape[0], vectors.shape[1]):
            far = distances(space.columns(rows, self.kernel_width_, part), vectors)
            decision[part] = far[:, 1::2] - far[:, ::2]
        return -decision if self.classes_.size == 2 else decision
