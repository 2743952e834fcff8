"""Intuitionistic fuzzy broad learning system: rows weighted by class and company."""

from __future__ import annotations

from typing import Any

import numpy as np

from broadlearn.classifiers._bls_model import BLSModel
from broadlearn.classifiers._incremental_classifier import IncrementalClassifier
from broadlearn.classifiers._intuitionistic_scoring import SCORE_CONSTRAINTS, IntuitionisticScoring
from broadlearn.sample_scores._geometry import (
    ClassBlocks,
    KernelGeometry,
    learn_kernel_geometry,
)


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
feature_activation, feature_weights, feature_scaling, enhancement_scale, standardize, solver, \
random_state
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

    Attributes
    ----------
    sample_scores_, membership_, nonmembership_ : ndarray of shape (n_samples,)
        Score, theta and nu of each training row.
    kernel_width_, neighborhood_radius_ : float
        mu and epsilon that were used.
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
    }

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
        activation: str = "tanh",
        feature_activation: str = "identity",
        feature_weights: str = "orthonormal",
        feature_scaling: str | None = "node",
        enhancement_scale: float = 1.5,
        standardize: bool = True,
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
            standardize=standardize,
            solver=solver,
            random_state=random_state,
        )
        self.kernel_width = kernel_width
        self.neighborhood_radius = neighborhood_radius
        self.delta = delta
        self.landmarks = landmarks

    def _learn_geometry(self, blocks: ClassBlocks, n_classes: int, seed: int) -> KernelGeometry:
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
