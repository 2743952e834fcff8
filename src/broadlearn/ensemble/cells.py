"""Cells of a table, and one kernel model per cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadlearn.random_features import InputForms, KernelBasis, LimitKernel, SamplePairs, Units
from broadlearn.utils import Array, Floats

# Form of the columns that are split.
SPLIT_FORM = "ranks"
# Share of the samples on each side of a threshold that both halves learn from.
OVERLAP = 0.1
# Parts of more cells than this do not overlap: overlaps would add up over their splits.
OVERLAP_CELLS = 32
# Number of samples and of power iterations for the direction of a split.
SPLIT_SAMPLES, SPLIT_STEPS = 500, 3


@dataclass(frozen=True)
class Cells:
    """A table split in halves along principal directions, again and again.

    Attributes
    ----------
    directions : ndarray of shape (n_splits, n_inputs)
    thresholds : ndarray of shape (n_splits,)
        Samples up to the threshold are on the first side of a split.
    children : ndarray of shape (n_splits, 2)
        The two sides of each split: a later split, or cell c as ``-1 - c``.
    """

    directions: Array
    thresholds: Array
    children: NDArray[np.intp]

    def __call__(self, Z: Floats) -> NDArray[np.intp]:
        """Return the cell of each sample."""
        # Without a split there is one cell.
        place = np.full(len(Z), 0 if len(self.directions) else -1, dtype=np.intp)
        # The children of a split come after it.
        for split, direction in enumerate(self.directions):
            here = np.flatnonzero(place == split)
            beyond = Z[here] @ direction.astype(Z.dtype) > self.thresholds[split]
            place[here] = self.children[split, beyond.astype(np.intp)]
        return -1 - place


def split_cells(
    Z: Floats, size: int, generator: np.random.Generator
) -> tuple[Cells, list[tuple[NDArray[np.intp], NDArray[np.bool_]]]]:
    """Cut samples into cells of at most `size`.

    Returns
    -------
    cells : Cells
    members : list of (ndarray, ndarray)
        Positions of the samples that each cell learns from, and whether they lie in the cell. The
        others lie near its borders.

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.arange(10.0)[:, None]
    >>> cells, members = split_cells(Z, 5, np.random.default_rng(0))
    >>> cells(Z).tolist() in ([0] * 5 + [1] * 5, [1] * 5 + [0] * 5)
    True
    >>> [len(rows) for rows, _ in members]
    [6, 6]
    """
    directions: list[Array] = []
    thresholds: list[float] = []
    children: list[list[int]] = []
    members: list[tuple[NDArray[np.intp], NDArray[np.bool_]]] = []

    def cut(rows: NDArray[np.intp], inside: NDArray[np.bool_]) -> int:
        place = np.zeros(0)
        if inside.sum() > size:
            direction = _principal(Z[generator.permutation(rows)[:SPLIT_SAMPLES]], generator)
            place = Z[rows] @ direction
        own = np.sort(place[inside]) if place.size else place
        if not own.size or own[0] == own[-1]:
            members.append((rows, inside))
            return -len(members)
        half = min(max(np.searchsorted(own, own[len(own) // 2]), 1), len(own) - 1)
        threshold = (own[half - 1] + own[half]) / 2
        reach = int(OVERLAP * len(own)) if len(own) <= OVERLAP_CELLS * size else 0
        split = len(directions)
        directions.append(direction)
        thresholds.append(threshold)
        children.append([0, 0])
        first = place <= max(threshold, own[min(half + reach, len(own)) - 1])
        second = place >= min(threshold, own[max(half - reach, 0)])
        below = inside & (place <= threshold)
        children[split][0] = cut(rows[first], below[first])
        children[split][1] = cut(rows[second], (inside & ~below)[second])
        return split

    cut(np.arange(len(Z)), np.ones(len(Z), dtype=np.bool_))
    n = len(directions)
    cells = Cells(
        np.array(directions).reshape(n, Z.shape[1]),
        np.array(thresholds),
        np.array(children, dtype=np.intp).reshape(n, 2),
    )
    return cells, members


def _principal(Z: Floats, generator: np.random.Generator) -> Array:
    """Return the approximate principal direction of samples."""
    centred = Z - Z.mean(axis=0)
    direction: Array = generator.standard_normal((Z.shape[1],))
    for _ in range(SPLIT_STEPS):
        direction = centred.T @ (centred @ direction)
        direction = direction / max(float(np.linalg.norm(direction)), np.finfo(np.float64).tiny)
    return direction


@dataclass(frozen=True)
class LocalModels:
    """One kernel model per cell, which predicts the samples of the cell.

    Attributes
    ----------
    cells : Cells
    kernel : LimitKernel
    basis : ndarray of shape (n_basis, n_features)
        The samples that cells learnt from, cell by cell.
    starts : ndarray of shape (n_cells + 1,)
        Start of each cell in the basis.
    coefficients : ndarray of shape (n_basis, n_outputs)
    """

    cells: Cells
    kernel: LimitKernel
    basis: Floats
    starts: NDArray[np.intp]
    coefficients: Array

    def __call__(self, X: Floats, forms: InputForms, units: Units) -> Floats:
        """Return predictions for samples, each by the model of its cell."""
        out = np.zeros((len(X), self.coefficients.shape[1]), dtype=X.dtype)
        samples, place = forms(X, self.kernel.inputs), self.cells(forms(X, SPLIT_FORM))
        form, coefficients = self.kernel.inputs, self.coefficients.astype(X.dtype, copy=False)
        for cell in np.unique(place):
            rows, part = place == cell, slice(self.starts[cell], self.starts[cell + 1])
            basis = KernelBasis({form: forms(self.basis[part].astype(X.dtype, copy=False), form)})
            pairs = SamplePairs(basis, {form: samples[rows]})
            out[rows] = pairs.values(self.kernel, units) @ coefficients[part]
        return out
