"""Fuzzy broad learning system: samples weighted by nearness to the centre of their class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from broadlearn.models.bls_base import BLSBase
from broadlearn.models.parameters import PUBLISHED_FORM, document
from broadlearn.sample_scores import FuzzyScorer


@document
@dataclass(eq=False, repr=False, kw_only=True)
class FuzzyBLSClassifier(BLSBase):
    r"""Fuzzy broad learning system classifier (F-BLS).

    A broad learning system whose samples count by their fuzzy membership s in their own class,
    :math:`s = 1 - \|x - c\| / (R + \delta)`, with c and R the centre and radius of the class in
    input space.

    {nodes}
    {weighted ridge}

    Parameters
    ----------
    {nodes and groups, C}
    delta : float, default=1e-4
        Added to the radius, so that the outermost sample of a class keeps a small weight. Centres
        and radii are those of the standardised features.
    {small_class}
    {node kinds, standardize, class_weight, solver, random_state}

    Attributes
    ----------
    {classes, output weights}
    sample_scores_ : ndarray of shape (n_samples,)
        Score of each training sample: its membership, lifted in small classes.
    membership_ : ndarray of shape (n_samples,)
        Membership of each training sample in its own class.
    {solution, proba_slope, features in}

    References
    ----------
    {paper}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import FuzzyBLSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FuzzyBLSClassifier(random_state=0).fit(X, y)
    >>> int(model.sample_scores_.argmin())
    41
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BLSBase._parameter_constraints,
        **FuzzyScorer.constraints,
    }
    _published: ClassVar[dict[str, Any]] = {**PUBLISHED_FORM, "small_class": 0}
    delta: float = 1e-4
    small_class: int = 10

    def scorer(self) -> FuzzyScorer:
        """Return the scorer of fuzzy memberships."""
        return FuzzyScorer(self.delta, self.small_class)
