"""Reference samples that stand for the classes of a stream in the feature space of a kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadlearn.sample_scores.landmarks import LANDMARKS
from broadlearn.sample_scores.pairs import BLOCK_ROWS, combine, squared_input_radius
from broadlearn.sample_scores.scorer import Geometry, Samples, Trust, refuse_absent
from broadlearn.utils import Array, Floats, row_priorities

# Fields of `References` with an entry for each sample.
OF_SAMPLES = ("Z", "codes", "weight", "priority")


@dataclass(frozen=True)
class References:
    """Samples drawn from each class, in their order: the `size` of least priority.

    `class_weight` is that of all samples.
    """

    Z: Floats
    codes: NDArray[np.intp]
    weight: Array
    priority: NDArray[np.uint64]
    class_weight: Array
    size: int

    def merge(self, other: References) -> References:
        """Return the references drawn from the samples of both."""
        own, others = vars(self), vars(other)
        both: Any = {name: np.concatenate([own[name], others[name]]) for name in OF_SAMPLES}
        class_weight = self.class_weight + other.class_weight
        return replace(self, **both, class_weight=class_weight).least()

    def least(self) -> References:
        """Return the samples of least priority of each class, in their order."""
        order = np.lexsort((self.priority, self.codes))
        codes = self.codes[order]
        rank = np.arange(codes.size) - np.searchsorted(codes, codes)
        chosen = np.sort(order[rank < self.size])
        drawn: Any = {name: vars(self)[name][chosen] for name in OF_SAMPLES}
        return replace(self, **drawn)

    def by_class(self) -> Samples:
        """Return the references by class; their weights sum to those of all samples of a class."""
        refuse_absent(self.class_weight)
        order = np.argsort(self.codes, kind="stable")
        codes, weight = self.codes[order], self.weight[order]
        weight = weight / np.bincount(codes, weight)[codes] * self.class_weight[codes]
        return Samples(self.Z[order], codes, weight, self.class_weight.size)


def draw_references(samples: Samples, first: int, landmarks: int | str | None) -> References:
    """Draw `landmarks` references of each class, or 2,000; keep smaller classes whole.

    `first` samples came before these. The draw does not depend on the batches.
    """
    Z, codes, weight, n_classes, seed, _ = samples
    class_weight = np.bincount(codes, weight, minlength=n_classes).astype(np.float64)
    priority = row_priorities(first, codes.size, seed)
    size = LANDMARKS if landmarks is None or isinstance(landmarks, str) else landmarks
    return References(Z, codes, weight, priority, class_weight, size).least()


@dataclass(frozen=True)
class KernelGeometry(Geometry):
    """Reference samples that stand for the classes in the feature space of a Gaussian kernel.

    References ``bounds[c]:bounds[c + 1]`` are those of class c; their weights sum to that of the
    class, and ``within[c]`` is the mean kernel between them. `epsilon`, the neighbourhood radius in
    kernel space, is None until the radii of the classes are known.
    """

    references: Array
    bounds: NDArray[np.intp]
    weight: Array
    kernel_width: float
    delta: float
    within: Array
    radii: Array
    epsilon: float | None

    @classmethod
    def of(
        cls, references: Samples, kernel_width: float, epsilon: float | None, delta: float
    ) -> KernelGeometry:
        """Return the geometry of references that are sorted by class."""
        _, codes, weight, n_classes, *_ = references
        Z = references.Z.astype(np.float64, copy=False)
        bounds = np.searchsorted(codes, np.arange(n_classes + 1))
        unknown = np.zeros(n_classes)
        geometry = cls(Z, bounds, weight, kernel_width, delta, unknown, unknown, epsilon)
        kernel = geometry._sums(Z, codes, count=False)[0]
        total = np.bincount(codes, weight, minlength=n_classes)
        within = np.bincount(codes, weight * kernel, minlength=n_classes) / total
        return replace(geometry, within=within)

    def with_radii(self, radii: Array) -> KernelGeometry:
        """Return a copy with the radii of the classes; the largest is the default epsilon."""
        epsilon = float(radii.max()) if self.epsilon is None else self.epsilon
        return replace(self, radii=radii, epsilon=epsilon)

    def trust(self, Z: Floats, codes: NDArray[np.intp]) -> Trust:
        """Score samples against the references.

        Neighbours are counted among the references, which may include the sample itself.
        """
        kernel, own, other = self._sums(Z, codes, count=True)
        distance, radius = self._distance(kernel, codes), self.radii[codes] + self.delta
        theta, nu, _, score = combine(distance, radius, own, other)
        return Trust(score, {"membership_": theta, "nonmembership_": nu, **self.attributes})

    @property
    def attributes(self) -> dict[str, Any]:
        """Return kernel width and neighbourhood radius."""
        return {"kernel_width_": self.kernel_width, "neighborhood_radius_": self.epsilon}

    def distances(self, Z: Floats, codes: NDArray[np.intp]) -> Array:
        """Return the distances of samples to the centre of their own class, in kernel space."""
        return self._distance(self._sums(Z, codes, count=False)[0], codes)

    def _distance(self, kernel: Array, codes: NDArray[np.intp]) -> Array:
        return np.sqrt(np.maximum(1.0 + self.within[codes] - 2.0 * kernel, 0.0))

    def _sums(
        self, Z: Floats, codes: NDArray[np.intp], *, count: bool
    ) -> tuple[Array, Array, Array]:
        """Return mean kernels to the own class, and neighbour weights of own and other classes."""
        kernel, own, other = np.zeros((3, Z.shape[0]))
        origin = self.references.mean(axis=0)
        R = self.references - origin
        R_norms = np.einsum("ij,ij->i", R, R)
        for start in range(0, Z.shape[0], BLOCK_ROWS):
            part = slice(start, min(start + BLOCK_ROWS, Z.shape[0]))
            block = Z[part] - origin
            norms = np.einsum("ij,ij->i", block, block)
            largest = float(norms.max() + R_norms.max())
            for c in range(self.bounds.size - 1):
                columns = slice(self.bounds[c], self.bounds[c + 1])
                mine = np.flatnonzero(codes[part] == c)
                if not (count or mine.size):
                    continue
                squared = norms[:, None] + R_norms[columns] - 2.0 * block @ R[columns].T
                np.maximum(squared, 0.0, out=squared)
                w = self.weight[columns]
                K = np.exp(squared[mine] / -(self.kernel_width**2))
                kernel[start + mine] = K @ w / w.sum()
                if count and self.epsilon is not None:
                    r2 = squared_input_radius(self.epsilon, self.kernel_width, largest)
                    near = (squared <= r2) @ w
                    own[start + mine] = near[mine]
                    near[mine] = 0.0
                    other[part] += near
        return kernel, own, other
