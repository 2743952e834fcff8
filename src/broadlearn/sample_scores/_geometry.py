"""What scores need to know of the classes, learnt once from blocks of rows and then kept.

In a stream, a row's score must not depend on the rows that come after it. So centres, radii and a
sample of reference rows are learnt from some rows, and every row is scored against them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.sample_scores._kernel_scores import combine
from broadlearn.sample_scores._kernel_width import choose_kernel_width
from broadlearn.sample_scores._pairs import squared_input_radius

Array = NDArray[np.float64]

# Standardised rows, their classes and weights; blocks are visited several times.
ClassBlock = tuple[NDArray[np.floating], NDArray[np.intp], Array]
ClassBlocks = Callable[[], Iterable[ClassBlock]]

# Rows of a class that are kept where no number is given, and rows compared at a time.
REFERENCE_ROWS = 2000
BLOCK_ROWS = 512


class Trust(NamedTuple):
    """Score, membership and non-membership of rows; None where there is no such part."""

    score: Array
    membership: Array
    nonmembership: Array | None


@dataclass(frozen=True)
class FuzzyGeometry:
    """Centres and radii of the classes in input space.

    Attributes
    ----------
    centres : ndarray of shape (n_classes, n_features)
    radii : ndarray of shape (n_classes,)
    delta : float
    """

    centres: Array
    radii: Array
    delta: float

    def trust(self, Z: NDArray[np.floating], codes: NDArray[np.intp]) -> Trust:
        """Membership of rows in their own class; 0 beyond the radius."""
        theta = 1.0 - self.distances(Z, codes) / (self.radii[codes] + self.delta)
        membership = np.clip(theta, 0.0, 1.0)
        return Trust(membership, membership, None)

    def distances(self, Z: NDArray[np.floating], codes: NDArray[np.intp]) -> Array:
        """Distances of rows to the centre of their own class."""
        return np.asarray(np.linalg.norm(Z - self.centres[codes], axis=1), dtype=np.float64)


def learn_fuzzy_geometry(blocks: ClassBlocks, n_classes: int, delta: float) -> FuzzyGeometry:
    """Exact centres and radii in two passes.

    Parameters
    ----------
    blocks : callable
        Gives a fresh iterator over (Z, codes, weight), all weights positive.
    n_classes : int
    delta : float

    Examples
    --------
    >>> import numpy as np
    >>> rows = (np.array([[0.0], [2.0]]), np.array([0, 0]), np.ones(2))
    >>> learn_fuzzy_geometry(lambda: [rows], 1, 1e-4).radii
    array([1.])
    """
    sums = weight_sums = None
    for Z, codes, weight in blocks():
        indicator = np.zeros((n_classes, codes.size))
        indicator[codes, np.arange(codes.size)] = weight
        part = indicator @ Z.astype(np.float64, copy=False)
        sums = part if sums is None else sums + part
        total = indicator.sum(axis=1)
        weight_sums = total if weight_sums is None else weight_sums + total
    if sums is None or weight_sums is None:
        raise ValueError("There are no rows to learn the centres of classes from.")
    _refuse_absent(weight_sums)
    geometry = FuzzyGeometry(sums / weight_sums[:, None], np.zeros(n_classes), delta)
    return FuzzyGeometry(geometry.centres, _radii(blocks, geometry.distances, n_classes), delta)


@dataclass(frozen=True)
class KernelGeometry:
    """Reference rows that stand for the classes in the feature space of a Gaussian kernel.

    Attributes
    ----------
    references : ndarray of shape (n_references, n_features)
        Sorted by class.
    bounds : ndarray of shape (n_classes + 1,)
        Class c is references ``bounds[c]:bounds[c + 1]``.
    weight : ndarray of shape (n_references,)
        Sums to the weight of its class.
    kernel_width, delta : float
    within : ndarray of shape (n_classes,)
        Mean kernel between references of a class.
    radii : ndarray of shape (n_classes,)
    epsilon : float
        Neighbourhood radius in kernel space.
    """

    references: Array
    bounds: NDArray[np.intp]
    weight: Array
    kernel_width: float
    delta: float
    within: Array
    radii: Array
    epsilon: float

    def trust(self, Z: NDArray[np.floating], codes: NDArray[np.intp]) -> Trust:
        """Scores of rows against the references.

        Neighbours are counted among the references, of which the row itself may be one.
        """
        kernel, own, other = self._sums(Z, codes, count=True)
        distance = self._distance(kernel, codes)
        theta = np.clip(1.0 - distance / (self.radii[codes] + self.delta), 0.0, 1.0)
        total = own + other
        Theta = np.divide(other, total, out=np.zeros_like(total), where=total > 0.0)
        nu = (1.0 - theta) * Theta
        return Trust(combine(theta, nu), theta, nu)

    def distances(self, Z: NDArray[np.floating], codes: NDArray[np.intp]) -> Array:
        """Distances of rows to the centre of their own class, in kernel space."""
        return self._distance(self._sums(Z, codes, count=False)[0], codes)

    def _distance(self, kernel: Array, codes: NDArray[np.intp]) -> Array:
        result: Array = np.sqrt(np.maximum(1.0 + self.within[codes] - 2.0 * kernel, 0.0))
        return result

    def _sums(
        self, Z: NDArray[np.floating], codes: NDArray[np.intp], *, count: bool
    ) -> tuple[Array, Array, Array]:
        """Mean kernel to the own class, and weight of neighbours of the own and other classes."""
        kernel, own, other = np.zeros((3, Z.shape[0]))
        origin = self.references.mean(axis=0)
        R = self.references - origin
        R_norms = np.einsum("ij,ij->i", R, R)
        for start in range(0, Z.shape[0], BLOCK_ROWS):
            part = slice(start, min(start + BLOCK_ROWS, Z.shape[0]))
            block = Z[part] - origin
            norms = np.einsum("ij,ij->i", block, block)
            r2 = squared_input_radius(
                self.epsilon, self.kernel_width, float(norms.max() + R_norms.max())
            )
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
                if count:
                    near = (squared <= r2) @ w
                    own[start + mine] = near[mine]
                    near[mine] = 0.0
                    other[part] += near
        return kernel, own, other


def learn_kernel_geometry(
    blocks: ClassBlocks,
    n_classes: int,
    *,
    kernel_width: float | str,
    epsilon: float | None,
    delta: float,
    landmarks: int | None,
    seed: int,
) -> KernelGeometry:
    """Draw references in one pass, and learn radii from all rows in a second.

    Parameters
    ----------
    blocks : callable
        Gives a fresh iterator over (Z, codes, weight), all weights positive.
    n_classes : int
    kernel_width : float or "auto"
    epsilon : float or None
        None takes the largest class radius.
    delta : float
    landmarks : int or None
        References drawn of each class, 2,000 if None; a class of no more rows is taken whole.
    seed : int

    Returns
    -------
    KernelGeometry
    """
    size = REFERENCE_ROWS if landmarks is None else landmarks
    kept = [(np.empty(0, np.uint64), np.empty((0, 0)), np.empty(0)) for _ in range(n_classes)]
    weight_sums, n_seen = np.zeros(n_classes), 0
    for Z, codes, weight in blocks():
        priority = row_priorities(n_seen, codes.size, seed)
        n_seen += codes.size
        weight_sums += np.bincount(codes, weight, minlength=n_classes)
        for c in np.unique(codes):
            rows = codes == c
            old_priority, old_Z, old_weight = kept[c]
            priorities = np.concatenate([old_priority, priority[rows]])
            both = np.concatenate([old_Z.reshape(-1, Z.shape[1]), Z[rows]])
            chosen = np.sort(np.argsort(priorities, kind="stable")[:size])
            weights = np.concatenate([old_weight, weight[rows]])
            kept[c] = priorities[chosen], both[chosen], weights[chosen]
    _refuse_absent(weight_sums)
    references = np.concatenate([part[1] for part in kept])
    codes = np.repeat(np.arange(n_classes), [part[2].size for part in kept])
    bounds = np.searchsorted(codes, np.arange(n_classes + 1))
    weight = np.concatenate([part[2] / part[2].sum() for part in kept]) * weight_sums[codes]
    if isinstance(kernel_width, str):
        kernel_width = choose_kernel_width(
            references, codes, weight, n_classes, epsilon=epsilon, delta=delta
        )
    unknown = np.zeros(n_classes)
    geometry = KernelGeometry(
        references, bounds, weight, float(kernel_width), delta, unknown, unknown, 0.0
    )
    kernel = geometry._sums(references, codes, count=False)[0]
    within = np.bincount(codes, weight * kernel, minlength=n_classes) / weight_sums
    geometry = KernelGeometry(
        references, bounds, weight, float(kernel_width), delta, within, unknown, 0.0
    )
    radii = _radii(blocks, geometry.distances, n_classes)
    return KernelGeometry(
        references,
        bounds,
        weight,
        float(kernel_width),
        delta,
        within,
        radii,
        float(radii.max()) if epsilon is None else float(epsilon),
    )


def row_priorities(first: int, count: int, seed: int) -> NDArray[np.uint64]:
    """Random numbers of rows ``first, first + 1, ...``, the same in whatever batches they come.

    Rows of least priority are a random sample that can be kept up to date (SplitMix64).
    """
    index = np.arange(first + 1, first + count + 1, dtype=np.uint64)
    z = (index + np.uint64(seed) * np.uint64(1 << 32)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return result


def _radii(
    blocks: ClassBlocks,
    distances: Callable[[NDArray[np.floating], NDArray[np.intp]], Array],
    n_classes: int,
) -> Array:
    radii = np.zeros(n_classes)
    for Z, codes, _ in blocks():
        np.maximum.at(radii, codes, distances(Z, codes))
    return radii


def _refuse_absent(weight_sums: Array) -> None:
    if not weight_sums.all():
        raise ValueError(
            "The rows that class centres are learnt from must have rows of every class, but "
            f"{np.count_nonzero(weight_sums == 0.0)} of {weight_sums.size} classes have none."
        )
