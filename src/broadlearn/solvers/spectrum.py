"""Held-out ridge predictions for every C from one eigendecomposition."""

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
        """Decompose the normal equations of blocks ``([G, T], s)`` of rows."""
        sums = np.zeros((n_columns, n_columns + n_targets))
        for rows, s in blocks:
            if s is not None:
                rows *= s[:, None]
            sums += rows[:, :n_columns].T @ rows
        values, vectors = np.linalg.eigh(sums[:, :n_columns])
        return cls(np.maximum(values, 0.0), vectors, vectors.T @ sums[:, n_columns:])

    @classmethod
    def of_rows(cls, G: Array, T: Array, s: Array) -> Spectrum:
        """Decompose all rows at once, for fewer rows than columns."""
        _, singular, Vt = np.linalg.svd(s[:, None] * G, full_matrices=False)
        return cls(singular**2, Vt.T, Vt @ (G.T @ ((s * s)[:, None] * T)))

    def held_out(
        self, G: Floats, T: Array, influence: Array, min_remainder: float = MIN_REMAINDER
    ) -> Callable[[float], Array]:
        """Return a function of C that predicts rows by the model fitted without each of them.

        The `influence` of a row is the part of its s² that is left out, a factor on its leverage.
        At least `min_remainder` of a row stays in its own prediction.
        """
        H: Array = G @ self.vectors
        squared = H * H

        def predict(C: float) -> Array:
            inverse = 1.0 / (self.values + 1.0 / C)
            fitted = H @ (inverse[:, None] * self.right)
            remainder = 1.0 - influence * (squared @ inverse)
            return leave_one_out(T, T - fitted, remainder, min_remainder)

        return predict
