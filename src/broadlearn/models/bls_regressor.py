"""Broad learning system for regression."""

from __future__ import annotations

from copy import copy
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike
from sklearn.base import MultiOutputMixin, RegressorMixin

from broadlearn.models import online
from broadlearn.models.base import BroadModel, in_one_step
from broadlearn.models.parameters import MAP_CONSTRAINTS, NodeParameters, document
from broadlearn.models.stream import StreamState
from broadlearn.models.training_data import TrainingData, centre_samples, read_real
from broadlearn.sample_scores import SCORERS, ResidualScorer, SampleScorer, UniformScorer, as_scorer
from broadlearn.utils import READ_SPARSE, Array, Floats
from broadlearn.utils.sklearn_compat import StrOptions, fit_context


@document
@dataclass(eq=False, repr=False)
class BLSRegressor(NodeParameters, MultiOutputMixin, RegressorMixin, BroadModel):
    r"""Broad learning system regressor.

    {nodes}
    The mean of the targets is subtracted first, so that it is not penalised:
    :math:`\min_W \frac{C}{2} \|G W - (Y - \bar y)\|^2 + \frac{1}{2} \|W\|^2`.

    Parameters
    ----------
    {nodes and groups, C}
    sample_scores : str or ResidualScorer, default="uniform"
        Weighting scheme for training samples: "uniform", or one that looks at residuals,
        "correntropy", "huber" or "residual_density", for targets with gross errors. Other scores
        compare classes.
    {node kinds, standardize, solver, random_state}

    Attributes
    ----------
    {output weights}
    sample_scores_ : ndarray of shape (n_samples,)
        Score of each training sample of `fit`.
    intercept_ : ndarray of shape (n_targets,)
        Mean of the targets.
    {solution, features in}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from broadlearn import BLSRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> BLSRegressor(random_state=0).fit(X, y).score(X, y) > 0.5
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BroadModel._parameter_constraints,
        **MAP_CONSTRAINTS,
        "sample_scores": [StrOptions(set(SCORERS)), SampleScorer],
    }
    _stream: ClassVar[StreamState | None] = None
    C: float = 1.0
    _: KW_ONLY
    sample_scores: str | SampleScorer = "uniform"

    def scorer(self) -> SampleScorer:
        """Return the scorer that `sample_scores` names."""
        scorer = as_scorer(self.sample_scores)
        if not isinstance(scorer, UniformScorer | ResidualScorer):
            raise ValueError(
                f"sample_scores={self.sample_scores!r} compares classes and cannot be used for "
                'regression; use "uniform", "correntropy", "huber" or "residual_density".'
            )
        return scorer

    def _read_all(self, X: Any, y: Any, sample_weight: Any) -> TrainingData:
        given = read_real(self, X, y, sample_weight, **READ_SPARSE)
        data, mean = centre_samples(*given, self.standardize)
        self.intercept_ = mean.astype(data.X.dtype, copy=False)
        return data

    @online.continuing_method
    @in_one_step
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from a batch of samples, on top of those learnt before.

        As `BLSClassifier.partial_fit`; the mean of the targets is that of all samples so far.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            A sample of weight w counts as w copies; samples of weight 0 are ignored.

        Returns
        -------
        self
        """
        online.learn(self, X, y, None, sample_weight)
        return self

    warm_up = online.warm_up
    forget = online.forget

    def _read(self, X: Any, y: Any, classes: None, *, first: bool) -> tuple[Floats, Array]:
        """Validate samples and targets of a batch."""
        return read_real(self, X, y, None, reset=first, **READ_SPARSE)[:2]

    def predict(self, X: ArrayLike) -> Floats:
        """Predict targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        fitted = copy(self)
        prediction = fitted._output(X)
        prediction += fitted.intercept_.astype(prediction.dtype, copy=False)
        return prediction.ravel() if fitted._one_target else prediction
