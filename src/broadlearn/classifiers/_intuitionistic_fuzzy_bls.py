"""Intuitionistic fuzzy broad learning system: rows weighted by class and company."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from broadlearn.classifiers._bls_model import BLSModel
from broadlearn.classifiers._held_out_scores import held_out_scores
from broadlearn.classifiers._incremental_classifier import IncrementalClassifier
from broadlearn.classifiers._intuitionistic_scoring import SCORE_CONSTRAINTS, IntuitionisticScoring
from broadlearn.classifiers._rows import Array, encode_targets
from broadlearn.classifiers._scored_classifier import RowTrust, standardized_rows
from broadlearn.random_features._draws import draw_seed
from broadlearn.random_features._standardize import Standardization
from broadlearn.sample_scores._fuzzy import class_memberships
from broadlearn.sample_scores._geometry import (
    ClassBlocks,
    FuzzyGeometry,
    KernelGeometry,
    learn_fuzzy_geometry,
    learn_kernel_geometry,
)
from broadlearn.sample_scores._neighbors import agreements

SAMPLE_SCORES = ("intuitionistic", "fuzzy", "uniform", "neighbors", "held_out")


class IntuitionisticFuzzyBLSClassifier(IntuitionisticScoring, IncrementalClassifier, BLSModel):
    r"""Intuitionistic fuzzy broad learning system (IF-BLS).

    A broad learning system whose rows count by how far they can be trusted: near the centre of
    their own class in the feature space of a Gaussian kernel of width :math:`\mu` (membership
    :math:`\theta`), and not among rows of other classes (heterogeneity :math:`\Theta` within the
    radius :math:`\varepsilon`, non-membership :math:`\nu = (1 - \theta)\Theta`). The score is
    :math:`\theta` if :math:`\nu = 0`, 0 if :math:`\theta \le \nu`, else
    :math:`(1 - \nu) / (2 - \theta - \nu)`; the output weights minimise

    .. math:: \frac{C}{2} \|S (G W - T)\|^2 + \frac{1}{2} \|W\|^2, \quad S = diag(s).

    Parameters
    ----------
    n_feature_groups, n_feature_nodes, n_enhancement_groups, n_enhancement_nodes, C, activation, \
feature_activation, feature_weights, feature_scaling, enhancement_scale, enhancement_bias, \
enhancement_inputs, standardize, solver, random_state
        As for :class:`BLSClassifier`. Scores are those of the standardised columns.
    kernel_width : float or "auto", default="auto"
        mu. "auto" is chosen from the data, without a parameter, see
        :func:`broadlearn.sample_scores.intuitionistic_scores`.
    neighborhood_radius : float, default=None
        epsilon, a distance in kernel space; None takes the largest class radius.
    delta : float, default=1e-4
        Added to the class radius.
    landmarks : int, default=None
        Estimate scores from so many rows drawn per class, for tables too big for all pairs of
        rows. None uses all rows.
    sample_scores : str, default="intuitionistic"
        Which scores the rows get: "intuitionistic", as published; "fuzzy", those of
        :class:`FuzzyBLSClassifier`; "uniform", all one, which is :class:`BLSClassifier`;
        "neighbors", the share of the row's own class among its nearest rows, see
        :func:`broadlearn.sample_scores.neighbor_agreement`; "held_out", by how clearly a first
        ridge model that is fitted without the row predicts its label (closed form). One more axis
        for a search.
    n_neighbors : int, default=10
        Nearest rows of "neighbors".

    Attributes
    ----------
    sample_scores_ : ndarray of shape (n_samples,)
        Score of each training row.
    membership_, nonmembership_ : ndarray of shape (n_samples,)
        theta and nu of each training row, where the scores have them.
    kernel_width_, neighborhood_radius_ : float
        mu and epsilon that were used for intuitionistic scores.
    classes_, output_weights_, solver_, proba_slope_, n_features_in_, feature_names_in_
        As for :class:`BLSClassifier`.

    References
    ----------
    M. Sajid, A. K. Malik, M. Tanveer, "Intuitionistic fuzzy broad learning system: enhancing
    robustness against noise and outliers", IEEE Transactions on Fuzzy Systems (2024).

    Examples
    --------
    A row of class 1 that was labelled 0 by mistake gets no say:

    >>> import numpy as np
    >>> from broadlearn import IntuitionisticFuzzyBLSClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(0, 1, (50, 2)), rng.normal(5, 1, (50, 2))])
    >>> y = np.repeat([0, 1], 50)
    >>> y[99] = 0
    >>> model = IntuitionisticFuzzyBLSClassifier(random_state=0).fit(X, y)
    >>> float(model.sample_scores_[99])
    0.0
    """

    _parameter_constraints: dict[str, list[Any]] = {
        **BLSModel._parameter_constraints,
        **SCORE_CONSTRAINTS,
        "sample_scores": [StrOptions(set(SAMPLE_SCORES))],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    }
    # Models that were saved before there was a choice of scores have neither.
    sample_scores = "intuitionistic"
    n_neighbors = 10

    def __init__(
        self,
        n_feature_groups: int = 1,
        n_feature_nodes: int = 64,
        n_enhancement_groups: int = 1,
        n_enhancement_nodes: int = 936,
        C: float = 1.0,
        *,
        kernel_width: float | str = "auto",
        neighborhood_radius: float | None = None,
        delta: float = 1e-4,
        landmarks: int | None = None,
        sample_scores: str = "intuitionistic",
        n_neighbors: int = 10,
        activation: str = "tanh",
        feature_activation: str = "identity",
        feature_weights: str = "orthonormal",
        feature_scaling: str | None = "node",
        enhancement_scale: float | Sequence[float] = 0.8,
        enhancement_bias: float = 1.5,
        enhancement_inputs: int | None = 4,
        standardize: bool | str = True,
        solver: str = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            n_feature_groups,
            n_feature_nodes,
            n_enhancement_groups,
            n_enhancement_nodes,
            C,
            activation=activation,
            feature_activation=feature_activation,
            feature_weights=feature_weights,
            feature_scaling=feature_scaling,
            enhancement_scale=enhancement_scale,
            enhancement_bias=enhancement_bias,
            enhancement_inputs=enhancement_inputs,
            standardize=standardize,
            solver=solver,
            random_state=random_state,
        )
        self.kernel_width = kernel_width
        self.neighborhood_radius = neighborhood_radius
        self.delta = delta
        self.landmarks = landmarks
        self.sample_scores = sample_scores
        self.n_neighbors = n_neighbors

    def _score_parameters(self) -> tuple[str, ...]:
        used = {
            "intuitionistic": super()._score_parameters(),
            "fuzzy": ("delta",),
            "neighbors": ("n_neighbors",),
        }
        return ("sample_scores", *used.get(self.sample_scores, ()))

    def _score_rows(
        self,
        X: NDArray[np.floating],
        codes: NDArray[np.intp],
        weight: Array | None,
        standardization: Standardization,
    ) -> RowTrust:
        if self.sample_scores == "intuitionistic":
            return super()._score_rows(X, codes, weight, standardization)
        if self.sample_scores == "uniform":
            return RowTrust(None)
        if self.sample_scores == "held_out":
            return RowTrust(self._held_out(X, codes, weight, standardization))
        Z = standardized_rows(X, standardization)
        weight = np.ones(X.shape[0]) if weight is None else weight
        if self.sample_scores == "fuzzy":
            membership = class_memberships(Z, codes, weight, self.delta, self.classes_.size)
            return RowTrust(membership, membership)
        return RowTrust(agreements(Z, codes, weight, self.n_neighbors))

    def _held_out(
        self,
        X: NDArray[np.floating],
        codes: NDArray[np.intp],
        weight: Array | None,
        standardization: Standardization,
    ) -> Array:
        """Scores of the rows that count; those of weight 0 get 0."""
        keep = np.ones(codes.size, dtype=bool) if weight is None else weight > 0.0
        T = encode_targets(codes[keep], self.classes_.size)
        scores = np.zeros(codes.size)
        scores[keep] = held_out_scores(
            X[keep],
            T,
            codes[keep],
            None if weight is None else weight[keep],
            standardization,
            draw_seed(self.random_state),
        )
        return scores

    def _score_widths(
        self,
        X: NDArray[np.floating],
        codes: NDArray[np.intp],
        weight: Array | None,
        standardization: Standardization,
        kernel_widths: Sequence[float | str],
    ) -> list[tuple[RowTrust, float, float]]:
        if self.sample_scores == "intuitionistic":
            return super()._score_widths(X, codes, weight, standardization, kernel_widths)
        trust = self._score_rows(X, codes, weight, standardization)
        return [(trust, np.nan, np.nan)] * len(kernel_widths)

    def _zero_score_remedy(self) -> str:
        if self.sample_scores == "intuitionistic":
            return super()._zero_score_remedy()
        return "Use sample_scores='uniform', which trusts all rows alike."

    def _check_streaming(self) -> None:
        if self.sample_scores in ("neighbors", "held_out"):
            raise AttributeError(
                f"sample_scores={self.sample_scores!r} compares all rows with each other, which "
                "rows that come in batches do not allow; use 'intuitionistic', 'fuzzy' or "
                "'uniform'."
            )

    def _learn_geometry(
        self, blocks: ClassBlocks, n_classes: int, seed: int
    ) -> KernelGeometry | FuzzyGeometry | None:
        if self.sample_scores == "uniform":
            return None
        if self.sample_scores == "fuzzy":
            return learn_fuzzy_geometry(blocks, n_classes, self.delta)
        try:
            self._check_streaming()
        except AttributeError as error:
            raise ValueError(str(error)) from None
        geometry = learn_kernel_geometry(
            blocks,
            n_classes,
            kernel_width=self.kernel_width,
            epsilon=self.neighborhood_radius,
            delta=self.delta,
            landmarks=self.landmarks,
            seed=seed,
        )
        self.kernel_width_ = geometry.kernel_width
        self.neighborhood_radius_ = geometry.epsilon
        return geometry
