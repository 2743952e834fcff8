"""Stacked broad learning: each block learns the residual of the blocks before it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from broadlearn.models import (
    BLSRegressor,
    DecisionMixin,
    document,
    encode_samples,
    in_one_step,
    read_labelled,
)
from broadlearn.sample_scores import UniformScorer
from broadlearn.utils import (
    CLASS_WEIGHT,
    COUNT,
    GROUPS,
    POSITIVE,
    READ,
    STANDARDIZE,
    Floats,
    draw_seed,
    read_rows,
)
from broadlearn.utils.sklearn_compat import fit_context


@document
@dataclass(eq=False, repr=False)
class StackedBLSClassifier(DecisionMixin, BaseEstimator):
    r"""Stacked broad learning system classifier.

    Block 1 is a broad learning system with outputs :math:`u_1 \approx T`. Block i takes the outputs
    :math:`u_{i-1}` of the block before it and is fitted to the residual :math:`T - \sum_{j<i} u_j`.
    Decisions are the sum of all outputs.

    Parameters
    ----------
    n_blocks : int, default=3
        Number of blocks.
    n_enhancement_nodes : int, default=200
        Enhancement nodes of a block.
    {C, standardize, class_weight, random_state}

    Attributes
    ----------
    {classes}
    blocks_ : list of BLSRegressor
        Fitted blocks.
    {features in}

    References
    ----------
    Z. Liu, C. L. P. Chen, S. Feng, Q. Feng, T. Zhang, "Stacked broad learning system: from
    incremental flatted structure to deep model", IEEE Transactions on Systems, Man, and
    Cybernetics: Systems 51 (2021).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import StackedBLSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> StackedBLSClassifier(random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_blocks": [GROUPS],
        "n_enhancement_nodes": [COUNT],
        "C": [POSITIVE],
        "standardize": STANDARDIZE,
        "class_weight": CLASS_WEIGHT,
        "random_state": ["random_state"],
    }
    n_blocks: int = 3
    n_enhancement_nodes: int = 200
    C: float = 1.0
    _: KW_ONLY
    standardize: bool | str = "bounded"
    class_weight: dict[Any, float] | str | None = None
    random_state: int | np.random.RandomState | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def scorer(self) -> UniformScorer:
        """Return the scorer of the training samples: all count alike."""
        return UniformScorer()

    def unfitted_blocks(self) -> list[BLSRegressor]:
        """Return the blocks, each with its own seed."""
        seeds = np.random.default_rng(draw_seed(self.random_state)).integers(
            2**31, size=self.n_blocks
        )
        return [
            BLSRegressor(
                n_enhancement_nodes=self.n_enhancement_nodes,
                C=self.C,
                standardize=self.standardize,
                random_state=seed,
            )
            for seed in seeds.tolist()
        ]

    @in_one_step
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the blocks in their order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A sample of weight w counts as w copies; samples of weight 0 are ignored.

        Returns
        -------
        self
        """
        rows, labels, weight = read_labelled(self, X, y, sample_weight, **READ)
        data = encode_samples(rows, labels, weight, False, type(self).__name__)
        self.blocks_, inputs, missing = self.unfitted_blocks(), data.X, data.T
        for block in self.blocks_:
            inputs = block.fit(inputs, missing, data.weight).predict(inputs)
            missing = missing - inputs
        self.classes_ = data.classes
        return self

    def _output(self, X: ArrayLike) -> Floats:
        """Return the sum of the outputs of all blocks."""
        check_is_fitted(self)
        outputs = [read_rows(self, X, **READ)]
        for block in self.blocks_:
            outputs.append(block.predict(outputs[-1]))
        return np.sum(outputs[1:], axis=0)
