"""Base of the BLS classifiers: the parameters of their nodes, and learning in batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from broadlearn.models import online
from broadlearn.models.base import BroadClassifier, in_one_step
from broadlearn.models.parameters import MAP_CONSTRAINTS, PUBLISHED_FORM, NodeParameters
from broadlearn.models.stream import StreamState
from broadlearn.models.training_data import check_several
from broadlearn.utils import READ_SPARSE, Floats, check_labels, read_rows
from broadlearn.utils.sklearn_compat import check_partial_fit_first_call, fit_context


@dataclass(eq=False, repr=False)
class BLSBase(NodeParameters, BroadClassifier):
    """A broad learning system that classifies."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BroadClassifier._parameter_constraints,
        **MAP_CONSTRAINTS,
    }
    _published: ClassVar[dict[str, Any]] = PUBLISHED_FORM
    _stream: ClassVar[StreamState | None] = None
    C: float = 1.0

    @classmethod
    def published(cls, **parameters: Any) -> Self:
        """Return the model of the paper, with the nodes of the code that its authors released.

        Feature weights are uniform, feature nodes are scaled per sample, and enhancement nodes
        combine all feature nodes with weights by ``orth``. Nothing is standardised: the published
        study standardised the columns and then every row (`RowStandardizer`) before it split the
        samples.

        Parameters
        ----------
        **parameters
            Parameters of the class, such as `C` or `n_feature_groups`.

        Returns
        -------
        estimator
            An ordinary estimator of this class that is not fitted.

        Examples
        --------
        >>> from broadlearn import BLSClassifier
        >>> model = BLSClassifier.published(C=100, n_feature_nodes=10, n_enhancement_nodes=45)
        >>> model.feature_scaling, model.enhancement_weights, model.standardize
        ('sample', 'published', False)
        """
        return cls(**{**cls._published, **parameters})

    @online.continuing_method
    @in_one_step
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from a batch of samples, on top of those learnt before.

        The model is that of one fit on all samples so far with the same features and scores. Column
        means and deviations, the scaling of nodes, and the class centres, radii, kernel width and
        reference samples of scores are learnt from the samples of `warm_up`, or else of the first
        batch, and then stay fixed: the first batch should be a typical one, and its weights must
        not all be 0. Later samples beyond the radius of their class score 0. A model made by `fit`
        keeps no sums over its samples and cannot go on: start with `partial_fit`.

        Sums of past samples cannot be refined: where features are nearly dependent, decisions
        differ from those of `fit` by up to 1e-8 at C = 1e4 and 1e-6 at C = 1e6. Beyond 512 samples,
        the slope of probabilities is learnt from a random 512 of them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes that may occur; needed in the first call unless `warm_up` was called.
        sample_weight : array-like of shape (n_samples,), default=None
            A sample of weight w counts as w copies; samples of weight 0 are ignored.

        Returns
        -------
        self
            `sample_scores_` and similar attributes are those of the latest batch.
        """
        online.learn(self, X, y, classes, sample_weight)
        return self

    warm_up = online.warm_up
    forget = online.forget

    def _read(
        self, X: Any, y: Any, classes: ArrayLike | None, *, first: bool
    ) -> tuple[Floats, NDArray[Any]]:
        """Validate samples and labels of a batch; the first one sets the classes."""
        rows, labels = read_rows(self, X, y, reset=first, multi_output=True, **READ_SPARSE)
        labels = check_labels(labels)
        if check_partial_fit_first_call(self, classes):
            check_several(self.classes_, type(self).__name__)
        unknown = np.setdiff1d(labels, self.classes_).tolist()
        if unknown:
            raise ValueError(
                f"y contains unknown labels {unknown}; the classes of the first call are "
                f"{self.classes_.tolist()}."
            )
        return rows, labels
