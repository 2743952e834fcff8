"""Broad learning system: random feature and enhancement nodes, one ridge solution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from broadlearn.models.bls_base import BLSBase
from broadlearn.models.parameters import document
from broadlearn.sample_scores import SCORERS, SampleScorer, as_scorer
from broadlearn.utils.sklearn_compat import StrOptions


@document
@dataclass(eq=False, repr=False, kw_only=True)
class BLSClassifier(BLSBase):
    r"""Broad learning system classifier (BLS).

    {nodes}
    {weighted ridge}

    Parameters
    ----------
    {nodes and groups, C}
    sample_scores : str or SampleScorer, default="uniform"
        Weighting scheme for training samples. "uniform" weights all samples alike. "fuzzy" and
        "intuitionistic" are the published scores. "held_out" measures how clearly a first model
        fitted without the sample predicts its label. "correntropy", "huber" and "residual_density"
        look at the residuals of the model itself, which is then solved several times. Objects of
        :mod:`broadlearn.sample_scores` and your own subclasses of `SampleScorer` work too.
    {node kinds, standardize, class_weight, solver, random_state}

    Attributes
    ----------
    {classes, output weights}
    sample_scores_ : ndarray of shape (n_samples,)
        Score of each training sample. Other results of the scorer are attributes too, such as
        `membership_`.
    {solution, proba_slope, features in}

    References
    ----------
    C. L. P. Chen, Z. Liu, "Broad learning system: an effective and efficient incremental learning
    system without the need for deep architecture", IEEE TNNLS 29 (2018).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> BLSClassifier(random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BLSBase._parameter_constraints,
        "sample_scores": [StrOptions(set(SCORERS)), SampleScorer],
    }
    sample_scores: str | SampleScorer = "uniform"

    def scorer(self) -> SampleScorer:
        """Return the scorer that `sample_scores` names."""
        return as_scorer(self.sample_scores)
