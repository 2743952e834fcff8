"""Intuitionistic fuzzy broad learning system: samples weighted by their class and neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from broadlearn.models.bls_base import BLSBase
from broadlearn.models.parameters import PUBLISHED_FORM, document
from broadlearn.sample_scores import SCORE_CONSTRAINTS, IntuitionisticScorer


@document
@dataclass(eq=False, repr=False, kw_only=True)
class IntuitionisticFuzzyBLSClassifier(BLSBase):
    r"""Intuitionistic fuzzy broad learning system classifier (IF-BLS).

    A broad learning system with weighted samples. Samples count if they lie near the centre of
    their own class in the feature space of a Gaussian kernel of width :math:`\mu` (membership
    :math:`\theta`) and not among samples of other classes (heterogeneity :math:`\Theta` within the
    radius :math:`\varepsilon`, non-membership :math:`\nu = (1 - \theta)\Theta`). The score is
    :math:`\theta` if :math:`\nu = 0`, 0 if :math:`\theta \le \nu`, else
    :math:`(1 - \nu) / (2 - \theta - \nu)`.

    {nodes}
    {weighted ridge}

    Parameters
    ----------
    {nodes and groups, C}
    {kernel width, score details, small_class}
    {node kinds, standardize, class_weight, solver, random_state}

    Attributes
    ----------
    {classes, output weights}
    sample_scores_ : ndarray of shape (n_samples,)
        Score of each training sample.
    membership_, nonmembership_ : ndarray of shape (n_samples,)
        theta and nu of each training sample.
    kernel_width_, neighborhood_radius_ : float
        mu and epsilon that were used.
    {solution, proba_slope, features in}

    References
    ----------
    {paper}

    Examples
    --------
    A sample of class 1 that was labelled 0 by mistake scores 0:

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BLSBase._parameter_constraints,
        **SCORE_CONSTRAINTS,
    }
    _published: ClassVar[dict[str, Any]] = {**PUBLISHED_FORM, "small_class": 0}
    kernel_width: float | str = "auto"
    neighborhood_radius: float | None = None
    delta: float = 1e-4
    landmarks: int | str | None = "auto"
    small_class: int = 10

    def scorer(self) -> IntuitionisticScorer:
        """Return the scorer of intuitionistic fuzzy scores."""
        return IntuitionisticScorer(
            self.kernel_width,
            self.neighborhood_radius,
            self.delta,
            self.landmarks,
            self.small_class,
        )
