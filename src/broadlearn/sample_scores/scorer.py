"""Base class of the scorers, which weight training samples.

A scorer gives each training sample a score between 0 and 1, its weight in the fit. In a stream, a
score must not depend on later samples: a *geometry* (centres, radii, reference samples) is learnt
once, and every sample is scored against it. A geometry is made from a *sketch*, a statistic of
samples. The sketches of two blocks can be merged.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from broadlearn.utils import Array, Floats
from broadlearn.utils.sklearn_compat import validate_parameter_constraints


class Samples(NamedTuple):
    """Samples to be scored.

    Attributes
    ----------
    Z : ndarray of shape (n_samples, n_features)
        Standardised features; for intuitionistic scores of many samples, `StandardizedRows`.
    codes : ndarray of shape (n_samples,)
        Class of each sample, 0, 1, ...
    weight : ndarray of shape (n_samples,)
        Sample weights. Samples of weight 0 do not affect other scores, but are scored.
    n_classes : int
    seed : int
        Seed of random draws.
    copies : bool
        Whether whole weights stand for copies of a sample; False for class weights.
    """

    Z: Floats
    codes: NDArray[np.intp]
    weight: Array
    n_classes: int
    seed: int = 0
    copies: bool = True


class Trust(NamedTuple):
    """Scores of samples.

    Attributes
    ----------
    score : ndarray of shape (n_samples,) or None
        Between 0 and 1; None if all samples have the same weight.
    attributes : mapping of str to object
        Fitted attributes of the model, such as ``membership_``.
    problem : str
        Warning about classes whose samples all score 0, or ""; set by the models.
    """

    score: Array | None
    attributes: Mapping[str, Any] = MappingProxyType({})
    problem: str = ""


class Sketch(Protocol):
    """A statistic of samples."""

    def merge(self, other: Self) -> Self:
        """Return the statistic of the samples of both."""


class Geometry(ABC):
    """Class centres and radii against which samples of a stream are scored."""

    radii: Array

    @property
    def attributes(self) -> dict[str, Any]:
        """Fitted attributes of the model, by name."""
        return {}

    @abstractmethod
    def distances(self, Z: Floats, codes: NDArray[np.intp]) -> Array:
        """Return the distances of samples to the centre of their own class."""

    @abstractmethod
    def with_radii(self, radii: Array) -> Self:
        """Return a copy with the radii of the classes, found in a pass over all samples."""

    @abstractmethod
    def trust(self, Z: Floats, codes: NDArray[np.intp]) -> Trust:
        """Score samples."""

    def largest_distances(self, samples: Samples, first: int = 0) -> Array:
        """Return the largest distance to the centre of each class; 0 without samples."""
        largest = np.zeros(self.radii.size)
        np.maximum.at(largest, samples.codes, self.distances(samples.Z, samples.codes))
        return largest


class SampleScorer(ABC):
    """Base class of weighting schemes for samples, the parameter ``sample_scores`` of a model.

    Subclasses are frozen dataclasses whose fields are their parameters. They implement `score`, and
    for samples that come in batches `sketch` and `geometry`.

    Examples
    --------
    >>> import numpy as np
    >>> from dataclasses import dataclass
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier
    >>> from broadlearn.sample_scores import SampleScorer, Trust
    >>> @dataclass(frozen=True)
    ... class NearZero(SampleScorer):
    ...     width: float = 2.0
    ...     def score(self, samples):
    ...         return Trust(np.exp(-np.linalg.norm(samples.Z, axis=1) / self.width))
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BLSClassifier(sample_scores=NearZero(), random_state=0).fit(X, y)
    >>> hasattr(model, "partial_fit")
    False
    """

    #: Whether samples that come in batches can be scored.
    streams: ClassVar[bool] = False
    #: Whether scores depend on the seed.
    is_random: ClassVar[bool] = True
    #: Valid values of the parameters, as scikit-learn's estimators state them.
    constraints: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    def draws(self, n_samples: int) -> bool:
        """Return whether the scores of this number of samples depend on the seed."""
        return self.is_random

    def check(self) -> None:
        """Raise if a parameter is invalid; models call this before `score`."""
        validate_parameter_constraints(self.constraints, vars(self), type(self).__name__)

    @abstractmethod
    def score(self, samples: Samples) -> Trust:
        """Score all samples at once."""

    def score_widths(
        self, samples: Samples, kernel_widths: Sequence[float | str | None]
    ) -> list[Trust]:
        """Score samples for several kernel widths at once (None: the scorer's own).

        Scorers without a kernel return the same scores for all widths.
        """
        return [self.score(samples)] * len(kernel_widths)

    def sketch(self, samples: Samples, first: int = 0) -> Sketch:
        """Return the sketch of samples of positive weight; `first` samples came before these."""
        raise ValueError(self.why_not())

    def geometry(self, sketch: Any) -> Geometry:
        """Return the geometry of sketched samples, without radii."""
        raise ValueError(self.why_not())

    def why_not(self) -> str:
        """Return the reason why samples that come in batches cannot be scored."""
        return (
            f"{type(self).__name__} compares all samples with each other and cannot be used with "
            'batches; use sample_scores="intuitionistic", "fuzzy" or "uniform".'
        )

    def remedy(self, trust: Trust) -> str:
        """Return advice for classes whose samples all score 0."""
        return (
            'Use sample_scores="uniform" (BLSClassifier), which gives all samples the same weight.'
        )


def learn_geometry(scorer: SampleScorer, visit: Callable[[Any, Any], Any]) -> Geometry:
    """Learn the geometry of a scorer in two passes over samples of positive weight.

    ``visit(part, merge)`` merges ``part(samples, first)`` of all blocks of samples, where `first`
    samples came before a block.
    """
    geometry = scorer.geometry(visit(scorer.sketch, lambda a, b: a.merge(b)))
    return geometry.with_radii(visit(geometry.largest_distances, np.maximum))


def refuse_absent(class_weight: Array) -> None:
    """Raise if a class has no samples."""
    if not class_weight.all():
        raise ValueError(
            f"{np.count_nonzero(class_weight == 0.0)} of {class_weight.size} classes have no "
            "samples; the samples passed to warm_up, or the first batch, must include every "
            "class."
        )


def class_floors(samples: Samples, small_class: int) -> Array:
    """Return the least score of each sample: 1 - n / `small_class` in a class of fewer samples.

    n counts distinct samples of positive weight. The equations give the farthest of a few samples a
    score of about 0, and both samples of a class of two, although they are not outliers.

    Examples
    --------
    >>> import numpy as np
    >>> samples = Samples(np.array([[1.0], [2.0], [2.0]]), np.zeros(3, int), np.ones(3), 1)
    >>> class_floors(samples, 10), class_floors(samples, 0)
    (array([0.8, 0.8, 0.8]), array([0., 0., 0.]))
    """
    floors = np.zeros(samples.n_classes)
    for c in range(samples.n_classes if small_class else 0):
        rows = np.flatnonzero((samples.weight > 0.0) & (samples.codes == c))
        # The first few samples nearly always show that a class is large enough.
        for part in (rows[: 8 * small_class], rows):
            n = len(np.unique(samples.Z[part], axis=0))
            if n >= small_class:
                break
        else:
            floors[c] = 1.0 - n / small_class if n else 0.0
    return np.asarray(floors[samples.codes])


def untrusted(classes: NDArray[Any], best: Array, remedy: str) -> str:
    """Return a warning about the classes whose best score is 0."""
    lost = classes[best == 0.0].tolist()
    which = "every class" if len(lost) == best.size else "class " + ", ".join(map(repr, lost))
    return (
        f"All sample scores of {which} are zero, so its samples have no effect on the fit: they "
        f"lie nearer to other classes than to their own. {remedy}"
    )
