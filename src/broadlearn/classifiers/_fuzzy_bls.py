"""Fuzzy broad learning system: rows weighted by nearness to their class's centre."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from broadlearn.classifiers._bls_model import BLSModel
from broadlearn.classifiers._incremental_classifier import IncrementalClassifier
from broadlearn.classifiers._rows import Array
from broadlearn.classifiers._scored_classifier import RowTrust, standardized_rows
from broadlearn.random_features._standardize import Standardization
from broadlearn.sample_scores._fuzzy import class_memberships
from broadlearn.sample_scores._geometry import ClassBlocks, FuzzyGeometry, learn_fuzzy_geometry


class FuzzyBLSClassifier(IncrementalClassifier, BLSModel):
    r"""Fuzzy broad learning system (F-BLS).

    A broad learning system whose rows count by their fuzzy membership s in their own class,
    :math:`s = 1 - \|x - c\| / (R + \delta)`, with c and R the centre and radius of the class in
    input space. The output weights minimise

    .. math:: \frac{C}{2} \|S (G W - T)\|^2 + \frac{1}{2} \|W\|^2, \quad S = diag(s).

    Parameters
    ----------
    n_feature_groups, n_feature_nodes, n_enhancement_groups, n_enhancement_nodes, C, activation, \
feature_activation, feature_weights, feature_scaling, enhancement_scale, enhancement_bias, \
enhancement_inputs, standardize, solver, random_state
        As for :class:`BLSClassifier`. Centres and radii are those of the standardised columns.
    delta : float, default=1e-4
        Added to the radius, so that the outermost row of a class keeps a small weight.

    Attributes
    ----------
    membership_, sample_scores_ : ndarray of shape (n_samples,)
        Membership of each training row, which is its score.
    classes_, output_weights_, solver_, proba_slope_, n_features_in_, feature_names_in_
        As for :class:`BLSClassifier`.

    References
    ----------
    M. Sajid, A. K. Malik, M. Tanveer, "Intuitionistic fuzzy broad learning system: enhancing
    robustness against noise and outliers", IEEE Transactions on Fuzzy Systems (2024).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import FuzzyBLSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FuzzyBLSClassifier(random_state=0).fit(X, y)
    >>> int(model.sample_scores_.argmin())
    41
    """

    _parameter_constraints: dict[str, list[Any]] = {
        **BLSModel._parameter_constraints,
        "delta": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        n_feature_groups: int = 1,
        n_feature_nodes: int = 64,
        n_enhancement_groups: int = 1,
        n_enhancement_nodes: int = 936,
        C: float = 1.0,
        *,
        delta: float = 1e-4,
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
        self.delta = delta

    def _score_parameters(self) -> tuple[str, ...]:
        return ("delta",)

    def _score_rows(
        self,
        X: NDArray[np.floating],
        codes: NDArray[np.intp],
        weight: Array | None,
        standardization: Standardization,
    ) -> RowTrust:
        Z = standardized_rows(X, standardization)
        weight = np.ones(X.shape[0]) if weight is None else weight
        membership = class_memberships(Z, codes, weight, self.delta, self.classes_.size)
        return RowTrust(membership, membership)

    def _learn_geometry(self, blocks: ClassBlocks, n_classes: int, seed: int) -> FuzzyGeometry:
        return learn_fuzzy_geometry(blocks, n_classes, self.delta)
