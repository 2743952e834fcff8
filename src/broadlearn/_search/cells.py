"""All penalties, sizes and kernel widths of one map on one fold, from shared factorisations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadlearn._search.folds import Fold
from broadlearn._search.scoring import BatchScorer, Predictions
from broadlearn.classifiers._base import leave_one_out_rows
from broadlearn.classifiers._classifier import slopes_of_rows
from broadlearn.classifiers._rows import FitTask
from broadlearn.random_features._broad_map import BroadMap, ReducedMap, interleave, reduce_map
from broadlearn.random_features._standardize import affine_block, row_slices
from broadlearn.solvers._leave_one_out import dual_leave_one_out, dual_residual, without
from broadlearn.solvers._path import (
    dual_inverse_diagonals,
    dual_path,
    primal_leverages,
    primal_path,
    primal_refine,
)
from broadlearn.solvers._ridge import prediction_error

Array = NDArray[np.float64]

# Time of an operation in a factorisation and in a triangular solve, relative to one in a product;
# `benchmarks/search.py --calibrate` measures them.
FACTOR_COST, SOLVE_COST = 3.0, 4.0


@dataclass(frozen=True)
class Axes:
    """What is searched within a cell, and how it is judged.

    Attributes
    ----------
    sizes : sequence of int
        Nodes of a group of the last layer, q.
    Cs : sequence of float
    scorers : sequence of BatchScorer
    slopes : bool
        Whether a scorer needs probabilities.
    tolerance : float
        Estimated error of predictions from which on they are refined.
    block_numbers : int
        Numbers of a block of rows that may be held at a time.
    train : bool
        Whether training rows are scored too.
    """

    sizes: Sequence[int]
    Cs: Sequence[float]
    scorers: Sequence[BatchScorer]
    slopes: bool
    tolerance: float
    block_numbers: int
    train: bool


class Cell:
    """One map on one fold.

    Parameters
    ----------
    broad_map : BroadMap
        Of the largest size.
    fold : Fold
    affine_train, affine_test : ndarray
        ``[Z, 1]`` of the training and test rows.
    axes : Axes
    """

    def __init__(
        self,
        broad_map: BroadMap,
        fold: Fold,
        affine_train: NDArray[np.floating],
        affine_test: NDArray[np.floating],
        axes: Axes,
    ) -> None:
        assert fold.task is not None
        self.fold, self.axes = fold, axes
        self.task: FitTask = fold.task
        self.affine = {"train": affine_train, "test": affine_test}
        self.reduced: ReducedMap = reduce_map(interleave(broad_map))
        n_groups = broad_map.settings.n_enhancement_groups
        self.columns = [self.reduced.n_feature_columns + n_groups * q for q in axes.sizes]
        self._kept: dict[str, list[Array]] = {}

    def scores(self) -> Array:
        """Scores of all settings.

        Returns
        -------
        ndarray of shape (n_scorers, 1 or 2, n_widths, n_sizes, n_Cs)
            Test scores, and training scores if they are wanted; NaN where a width cannot be fitted.
        """
        axes, n_widths = self.axes, len(self.fold.errors)
        shape = (len(axes.scorers), 1 + axes.train, n_widths, len(axes.sizes), len(axes.Cs))
        result = np.full(shape, np.nan)
        dual = [j for j in range(len(axes.sizes)) if self._dual_is_cheaper(j)]
        primal = [j for j in range(len(axes.sizes)) if j not in dual]
        if primal:
            self._primal(primal, result)
        if dual:
            self._dual(dual, result)
        return result

    def _dual_is_cheaper(self, j: int) -> bool:
        """Whether a size is solved through its rows; only where they are fewer than columns."""
        n_rows, n = self.task.X.shape[0], self.columns[j]
        if n_rows >= n:
            return False
        if self.axes.slopes:
            # As in fit, where leave-one-out keeps its digits only in the smaller form.
            return True
        n_C, n_widths = len(self.axes.Cs), len(self.fold.errors)
        largest, n_sizes = max(self.columns), len(self.columns)
        primal = n_rows * largest**2 + n_C * (
            FACTOR_COST * largest**3 / 3 + SOLVE_COST * n_sizes * largest**2
        )
        dual = FACTOR_COST * n_C * n_rows**3 / 3 + n_rows**2 * n / max(1, n_widths)
        return dual * n_sizes < primal

    def _weights(self, width: int) -> Array | None:
        """Scores with the row weights, as the solvers want them."""
        s, weight = self.fold.scores[width], self.task.weight
        if weight is None:
            return s
        return np.sqrt(weight) if s is None else s * np.sqrt(weight)

    def _designs(self, part: str) -> Iterator[tuple[slice, Array]]:
        """Blocks of the design matrix; kept if they all fit into one."""
        affine = self.affine[part]
        slices = list(row_slices(affine.shape[0], self.reduced.n_columns, self.axes.block_numbers))
        if part in self._kept:
            yield slices[0], self._kept[part][0]
            return
        for rows in slices:
            design = self.reduced(affine[rows]).astype(np.float64, copy=False)
            if len(slices) == 1:
                self._kept[part] = [design]
            yield rows, design

    def _primal(self, chosen: list[int], result: Array) -> None:
        columns = [self.columns[j] for j in chosen]
        n, k, n_C = max(columns), self.task.T.shape[1], len(self.axes.Cs)
        valid = self.fold.valid
        sums = self._sums(n)
        W = self._refined(primal_path(sums, columns, self.axes.Cs, k), sums, columns)
        slopes = None
        if self.axes.slopes:
            slopes = np.stack(
                [self._primal_slopes(sums[i], W[i], columns, w) for i, w in enumerate(valid)]
            )
        for t, part in enumerate(("test", "train")[: 1 + self.axes.train]):
            numbers = self.affine[part].shape[0] * n_C * len(columns) * k
            step = max(1, self.axes.block_numbers // numbers)
            for start in range(0, len(valid), step):
                some = slice(start, start + step)
                flat = W[some].reshape(-1, n).T
                outputs = np.concatenate([G[:, :n] @ flat for _, G in self._designs(part)])
                outputs = outputs.reshape(len(outputs), -1, n_C, len(columns), k)
                some_slopes = None if slopes is None else slopes[some]
                self._judge(outputs, part, some_slopes, result[:, t], valid[some], chosen)

    def _sums(self, n: int) -> Array:
        """``[G, T]ᵗ S² [G, T]`` of n leading columns, for every width that can be fitted."""
        valid, T = self.fold.valid, self.task.T
        size = n + T.shape[1]
        sums = np.zeros((len(valid), size, size))
        for rows, G in self._designs("train"):
            both = np.concatenate([G[:, :n], T[rows]], axis=1)
            buffer = np.empty_like(both)
            for i, w in enumerate(valid):
                s = self._weights(w)
                scored = both if s is None else _scored(both, s[rows], buffer)
                sums[i] += scored.T @ scored
        return sums

    def _refined(self, W: Array, sums: Array, columns: list[int]) -> Array:
        """Refine the solutions whose predictions may be inexact."""
        Cs = np.asarray(self.axes.Cs)
        # The error grows with C: where the largest one is exact enough, all are.
        largest = int(np.argmax(Cs))
        n = W.shape[4]
        spreads = np.einsum("wii->w", sums[:, :n, :n])
        for i, w in enumerate(self.fold.valid):
            right = sums[i, :n, n:]

            def error(c: int, i: int = i, right: Array = right) -> float:
                return prediction_error(float(spreads[i]), float(Cs[c]), W[i, c, -1].T, right)

            if error(largest) > self.axes.tolerance:
                doubtful = [c for c in range(Cs.size) if error(c) > self.axes.tolerance]
                W[i, doubtful] = self._refine(W[i, doubtful], sums[i], columns, Cs[doubtful], w)
        return W

    def _refine(self, W: Array, sums: Array, columns: list[int], Cs: Array, w: int) -> Array:
        """One step of refinement, with residuals taken from the rows."""
        n, k, s = W.shape[3], W.shape[2], self._weights(w)
        residual = -W / Cs[:, None, None, None]
        flat = W.reshape(-1, n).T
        for rows, design in self._designs("train"):
            G = design[:, :n]
            missing = np.tile(self.task.T[rows], (1, flat.shape[1] // k)) - G @ flat
            if s is not None:
                missing *= (s[rows] ** 2)[:, None]
            residual += (missing.T @ G).reshape(W.shape)
        return primal_refine(W, sums, residual, columns, Cs.tolist())

    def _primal_slopes(self, sums: Array, W: Array, columns: list[int], w: int) -> Array:
        rows = leave_one_out_rows(self.task.X.shape[0])
        T, scores = self.task.T[rows], self.fold.scores[w]
        G = self.reduced(self.affine["train"][rows]).astype(np.float64, copy=False)[:, : W.shape[3]]
        leverages = primal_leverages(sums, columns, self.axes.Cs, T.shape[1], G)
        influence = self._influence(w)[rows]
        remainders = 1.0 - leverages * influence
        n_C, n_sizes, k, n = W.shape
        fitted = (G @ W.reshape(-1, n).T).reshape(rows.size, n_C, n_sizes, k)
        decisions = np.stack(
            [without(T - fitted[:, c, j], remainders[c, j], T) for c, j in np.ndindex(n_C, n_sizes)]
        )
        return slopes_of_rows(self.task, scores, rows, decisions).reshape(n_C, n_sizes)

    def _influence(self, width: int) -> Array:
        """Factor of the leverage: score and, of a row of weight w > 1, one of its copies."""
        s, weight = self.fold.scores[width], self.task.weight
        influence = np.ones(self.task.X.shape[0]) if s is None else s * s
        return influence if weight is None else influence * np.minimum(weight, 1.0)

    def _dual(self, chosen: list[int], result: Array) -> None:
        """Grow ``G Gᵗ`` from size to size; it serves all widths and penalties."""
        n_rows, k = self.task.T.shape
        G = self.reduced(self.affine["train"]).astype(np.float64, copy=False)
        K, done = np.zeros((n_rows, n_rows)), 0
        for j in sorted(chosen, key=lambda j: self.columns[j]):
            n = self.columns[j]
            K += G[:, done:n] @ G[:, done:n].T
            done = n
            for w in self.fold.valid:
                s = self._weights(w)
                alphas = dual_path(K, G[:, :n], s, self.task.T, self.axes.Cs)
                coefficients = alphas if s is None else alphas * s[None, :, None]
                flat = G[:, :n].T @ coefficients.transpose(1, 0, 2).reshape(n_rows, -1)
                slopes = self._dual_slopes(K, G[:, :n] @ flat, alphas, w)
                for t, part in enumerate(("test", "train")[: 1 + self.axes.train]):
                    outputs = np.concatenate([H[:, :n] @ flat for _, H in self._designs(part)])
                    outputs = outputs.reshape(-1, 1, len(self.axes.Cs), 1, k)
                    self._judge(outputs, part, slopes, result[:, t], [w], [j])

    def _dual_slopes(self, K: Array, fitted: Array, alphas: Array, w: int) -> Array | None:
        if not self.axes.slopes:
            return None
        s, weight, T = self._weights(w), self.task.weight, self.task.T
        rows = leave_one_out_rows(T.shape[0])
        share = None if weight is None else 1.0 / np.maximum(weight, 1.0)
        inverses = dual_inverse_diagonals(K, s, self.axes.Cs)
        fitted = fitted.reshape(T.shape[0], len(self.axes.Cs), -1)
        decisions = []
        for c, C in enumerate(self.axes.Cs):
            residual = dual_residual(alphas[c], s, T, fitted[:, c], C)
            decisions.append(dual_leave_one_out(inverses[c], residual, T, C, share)[rows])
        return slopes_of_rows(self.task, self.fold.scores[w], rows, np.stack(decisions))[:, None]

    def _judge(
        self,
        outputs: Array,
        part: str,
        slopes: Array | None,
        result: Array,
        widths: list[int],
        chosen: list[int],
    ) -> None:
        """Score outputs of shape (n_rows, n_widths, n_Cs, n_sizes, n_targets) and file them."""
        fold = self.fold
        shape, k = outputs.shape[1:4], outputs.shape[4]
        flat = outputs.reshape(outputs.shape[0], -1, k)
        if fold.classes is None:
            flat = flat + fold.intercept
        if part == "test":
            X, y = fold.X_test, fold.y_test
        else:
            X = self.task.X
            y = (
                self.task.T + fold.intercept
                if fold.classes is None
                else fold.classes[self.task.codes]
            )
        # A failed factorisation leaves NaN in all predictions of a setting.
        lost = np.isnan(flat[0, :, 0])
        if lost.any():
            flat = np.where(np.isnan(flat), 0.0, flat)
        flat_slopes = None if slopes is None else slopes.ravel()
        weight = fold.test_weight if part == "test" else self.task.weight
        predictions = Predictions(flat, y, fold.classes, X, flat_slopes, weight)
        for i, scorer in enumerate(self.axes.scorers):
            scores = np.where(lost, np.nan, scorer(predictions)).reshape(shape)
            result[i][np.ix_(widths, chosen)] = scores.transpose(0, 2, 1)


def _scored(rows: Array, s: Array, buffer: Array) -> Array:
    """Rows times their scores; rows of score 0, of which there may be many, are left out."""
    counted = np.flatnonzero(s)
    if counted.size > 0.9 * s.size:
        return np.multiply(rows, s[:, None], out=buffer)
    kept = np.take(rows, counted, axis=0, out=buffer[: counted.size])
    kept *= s[counted, None]
    return kept


def affine_rows(X: NDArray[np.floating], fold: Fold) -> NDArray[np.floating]:
    """``[Z, 1]`` of some rows, with the standardisation of a fold."""
    assert fold.task is not None
    return affine_block(X, slice(0, X.shape[0]), fold.task.standardization)
