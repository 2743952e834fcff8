"""Fuzzy broad learning system: samples weighted by nearness to the centre of their class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from broadlearn.models.bls_base import BLSBase
from broadlearn.models.parameters import PUBLISHED_FORM, SMALL_CLASS, document
from broadlearn.sample_scores import FuzzyScorer
from broadlearn.utils import POSITIVE


@document
class FuzzyBLSClassifier(BLSBase):
    r"""Fuzzy broad learning system classifier (F-BLS).

    A broad learning system whose samples count by their fuzzy membership s in their own class,
    :math:`s = 1 - \|x - c\| / (R + \delta)`, with c and R the centre and radius of the class in
    input space. The output weights minimise

    .. math:: \frac{C}{2} \|S (G W - T)\|^2 + \frac{1}{2} \|W\|^2, \quad S = diag(s).

    Parameters
    ----------
    {feature nodes}
    {enhancement nodes}
    {C}
    delta : float, default=1e-4
        Added to the radius, so that the outermost sample of a class keeps a small weight. Centres
        and radii are those of the standardised features.
    {small_class}
    {node kinds}
    {standardize}
    {class_weight}
    {solver}
    {random_state}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    {output weights}
    sample_scores_ : ndarray of shape (n_samples,)
        Score of each training sample: its membership, lifted in small classes.
    membership_ : ndarray of shape (n_samples,)
        Membership of each training sample in its own class.
    {solution}
    {proba_slope}
    {features in}

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
        **BLSBase._parameter_constraints,
        "delta": [POSITIVE],
        "small_class": [SMALL_CLASS],
    }
    _published: ClassVar[dict[str, Any]] = {**PUBLISHED_FORM, "small_class": 0}

    def __init__(
        self,
        n_feature_groups: int = 1,
        n_feature_nodes: int = 64,
        n_enhancement_groups: int = 1,
        n_enhancement_nodes: int | str = 936,
        C: float = 1.0,
        *,
        delta: float = 1e-4,
        small_class: int = 10,
        activation: str = "tanh",
        feature_activation: str = "identity",
        feature_weights: str = "orthonormal",
        feature_scaling: str | None = "node",
        enhancement_scale: float | Sequence[float] = 0.8,
        enhancement_bias: float = 1.5,
        enhancement_inputs: int | None = 4,
        enhancement_weights: str = "orthonormal",
        standardize: bool | str = "bounded",
        class_weight: dict[Any, float] | str | None = None,
        solver: str = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_feature_groups = n_feature_groups
        self.n_feature_nodes = n_feature_nodes
        self.n_enhancement_groups = n_enhancement_groups
        self.n_enhancement_nodes = n_enhancement_nodes
        self.C = C
        self.activation = activation
        self.feature_activation = feature_activation
        self.feature_weights = feature_weights
        self.feature_scaling = feature_scaling
        self.enhancement_scale = enhancement_scale
        self.enhancement_bias = enhancement_bias
        self.enhancement_inputs = enhancement_inputs
        self.enhancement_weights = enhancement_weights
        self.standardize = standardize
        self.class_weight = class_weight
        self.solver = solver
        self.random_state = random_state
        self.delta = delta
        self.small_class = small_class

    def scorer(self) -> FuzzyScorer:
        """Return the scorer of fuzzy memberships."""
        return FuzzyScorer(self.delta, self.small_class)
