"""Ridge solutions for every C from one eigendecomposition, with their held-out predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from broadlearn.solvers.ridge import MIN_REMAINDER, Block, leave_one_out
from broadlearn.utils import Array, Floats


@dataclass(frozen=True)
class Spectrum:
    """``GᵗS²G = V diag(values) Vᵗ`` and ``VᵗGᵗS²T``.

    Attributes
    ----------
    values : ndarray of shape (n_values,)
    vectors : ndarray of shape (n_columns, n_values)
        V.
    right : ndarray of shape (n_values, n_targets)
    """

    values: Array
    vectors: Array
    right: Array

    @classmethod
    def of_sums(cls, blocks: Iterable[Block], n_columns: int, n_targets: int) -> Spectrum:
        """From blocks ``([G, T], s)`` of rows, by their normal equations."""
        sums = np.zeros((n_columns, n_columns + n_targets))
        for rows, s in blocks:
            if s is not None:
                rows *= s[:, None]
            sums += rows[:, :n_columns].T @ rows
        values, vectors = np.linalg.eigh(sums[:, :n_columns])
        return cls(np.maximum(values, 0.0), vectors, vectors.T @ sums[:, n_columns:])

    @classmethod
    def of_rows(cls, G: Array, T: Array, s: Array) -> Spectrum:
        """From all rows at once, where they are fewer than columns."""
        _, singular, Vt = np.linalg.svd(s[:, None] * G, full_matrices=False)
        return cls(singular**2, Vt.T, Vt @ (G.T @ ((s * s)[:, None] * T)))

    def held_out(
        self, G: Floats, T: Array, influence: Array, min_remainder: float = MIN_REMAINDER
    ) -> Callable[[float], Array]:
        """Predictions for rows by the model fitted without each of them, as a function of C.

        Leverages are multiplied by the `influence` of a row, the part of its s² that is left out;
        at least `min_remainder` of it stays in its own prediction.
        """
        H: Array = G @ self.vectors
        squared = H * H

        def predict(C: float) -> Array:
            inverse = 1.0 / (self.values + 1.0 / C)
            fitted = H @ (inverse[:, None] * self.right)
            remainder = 1.0 - influence * (squared @ inverse)
            return leave_one_out(T, T - fitted, remainder, min_remainder)

        return predict
