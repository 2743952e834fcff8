"""All penalties, sizes and kernel widths of one map on one fold, from shared factorisations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from broadlearn._search.folds import Fold
from broadlearn._search.scoring import BatchScorer, Predictions
from broadlearn.classifiers._base import FitTask, leave_one_out_rows
from broadlearn.classifiers._classifier import slope_of_rows
from broadlearn.random_features._broad_map import BroadMap, ReducedMap, reduce_map
from broadlearn.random_features._standardize import affine_block, row_slices
from broadlearn.solvers._leave_one_out import without
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
FACTOR_COST, SOLVE_COST = 2.5, 2.0


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
        self.reduced: ReducedMap = reduce_map(_interleave(broad_map))
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
        n, k, T = self.reduced.n_columns, self.task.T.shape[1], self.task.T
        valid = self.fold.valid
        sums = np.zeros((len(self.fold.errors), n + k, n + k))
        for rows, G in self._designs("train"):
            both = np.concatenate([G, T[rows]], axis=1)
            for w in valid:
                s = self._weights(w)
                scored = both if s is None else both * s[rows, None]
                sums[w] += scored.T @ scored
        for w in valid:
            W = primal_path(sums[w], columns, self.axes.Cs, k)
            W = self._refined(W, sums[w], columns, self._weights(w))
            flat = np.ascontiguousarray(W.transpose(1, 2, 0)).reshape(n, -1)
            shape = (-1, len(columns), k, len(self.axes.Cs))
            slopes = self._primal_slopes(sums[w], W, columns, w) if self.axes.slopes else None
            for t, part in enumerate(("test", "train")[: 1 + self.axes.train]):
                outputs = np.concatenate([G @ flat for _, G in self._designs(part)])
                outputs = outputs.reshape(shape).transpose(0, 1, 3, 2)
                self._judge(outputs, part, slopes, result[:, t, w], chosen)

    def _refined(self, W: Array, sums: Array, columns: list[int], s: Array | None) -> Array:
        """Refine the solutions of those penalties whose predictions may be inexact."""
        n, k = W.shape[1], self.task.T.shape[1]
        spread, right = float(np.trace(sums[:n, :n])), sums[:n, n:]
        doubtful = [
            c
            for c, C in enumerate(self.axes.Cs)
            if prediction_error(spread, C, W[c][:, -k:], right) > self.axes.tolerance
        ]
        if not doubtful:
            return W
        Cs = np.asarray(self.axes.Cs)[doubtful]
        residual = -W[doubtful] / Cs[:, None, None]
        flat = W[doubtful].transpose(1, 0, 2).reshape(n, -1)
        copies = flat.shape[1] // k
        for rows, G in self._designs("train"):
            missing = np.tile(self.task.T[rows], (1, copies)) - G @ flat
            if s is not None:
                missing *= (s[rows] ** 2)[:, None]
            residual += (G.T @ missing).reshape(n, len(Cs), -1).transpose(1, 0, 2)
        refined = W.copy()
        refined[doubtful] = primal_refine(W[doubtful], sums, residual, columns, Cs.tolist())
        return refined

    def _primal_slopes(self, sums: Array, W: Array, columns: list[int], w: int) -> Array:
        rows = leave_one_out_rows(self.task.X.shape[0])
        G = self.reduced(self.affine["train"][rows]).astype(np.float64, copy=False)
        leverages = primal_leverages(sums, columns, self.axes.Cs, self.task.T.shape[1], G)
        k = self.task.T.shape[1]
        slopes = np.empty((len(columns), len(self.axes.Cs)))
        for c in range(len(self.axes.Cs)):
            fitted = (G @ W[c]).reshape(rows.size, len(columns), k)
            for j in range(len(columns)):
                h = leverages[c, j] * self._influence(w)[rows]
                decision = without(fitted[:, j], h, 1.0 - h, self.task.T[rows])
                slopes[j, c] = slope_of_rows(self.task, self.fold.scores[w], rows, decision)
        return slopes

    def _influence(self, width: int) -> Array:
        """Factor of the leverage: score and, of a row of weight w > 1, one of its copies."""
        s, weight = self.fold.scores[width], self.task.weight
        influence = np.ones(self.task.X.shape[0]) if s is None else s * s
        return influence if weight is None else influence * np.minimum(weight, 1.0)

    def _dual(self, chosen: list[int], result: Array) -> None:
        """Grow ``G Gᵗ`` from size to size; it serves all widths and penalties."""
        n_rows, T, axes = self.task.X.shape[0], self.task.T, self.axes
        G = self.reduced(self.affine["train"]).astype(np.float64, copy=False)
        parts = ("test", "train")[: 1 + axes.train]
        new = {part: np.zeros((self.affine[part].shape[0], n_rows)) for part in parts}
        K, done = np.zeros((n_rows, n_rows)), 0
        rows = leave_one_out_rows(n_rows)
        for j in sorted(chosen, key=lambda j: self.columns[j]):
            added = slice(done, self.columns[j])
            K += G[:, added] @ G[:, added].T
            for part in parts:
                for block, design in self._designs(part):
                    new[part][block] += design[:, added] @ G[:, added].T
            done = self.columns[j]
            for w in self.fold.valid:
                s = self._weights(w)
                coefficients = dual_path(K, s, T, axes.Cs)
                slopes = None
                if axes.slopes:
                    inverse = dual_inverse_diagonals(K, s, axes.Cs)
                    slopes = np.empty((1, len(axes.Cs)))
                    weight = self.task.weight
                    share = 1.0 if weight is None else 1.0 / np.maximum(weight, 1.0)
                    for c, C in enumerate(axes.Cs):
                        remainder = 1.0 - share * (1.0 - inverse[c] / C)
                        fitted = K @ coefficients[c]
                        decision = without(fitted, 1.0 - remainder, remainder, T)[rows]
                        slopes[0, c] = slope_of_rows(self.task, self.fold.scores[w], rows, decision)
                for t, part in enumerate(parts):
                    outputs = np.stack([new[part] @ a for a in coefficients], axis=1)[:, None]
                    self._judge(outputs, part, slopes, result[:, t, w], [j])

    def _judge(
        self, outputs: Array, part: str, slopes: Array | None, result: Array, chosen: list[int]
    ) -> None:
        """Score outputs of shape (n_rows, n_sizes, n_Cs, n_targets) and file them."""
        fold = self.fold
        n_rows, n_sizes, n_C, k = outputs.shape
        flat = outputs.reshape(n_rows, n_sizes * n_C, k)
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
        lost = ~np.isfinite(flat).all(axis=(0, 2))
        if lost.any():
            flat = np.where(np.isfinite(flat), flat, 0.0)
        flat_slopes = None if slopes is None else slopes.ravel()
        weight = fold.test_weight if part == "test" else self.task.weight
        predictions = Predictions(flat, y, fold.classes, X, flat_slopes, weight)
        for i, scorer in enumerate(self.axes.scorers):
            scores = np.where(lost, np.nan, scorer(predictions))
            result[i][chosen] = scores.reshape(n_sizes, n_C)


def _interleave(broad_map: BroadMap) -> BroadMap:
    """Order enhancement nodes by their number within a group, so that fewer are the first ones."""
    settings = broad_map.settings
    if settings.n_enhancement_groups == 1:
        return broad_map
    shape = (settings.n_enhancement_groups, settings.n_enhancement_nodes)
    order = np.arange(settings.n_enhancements).reshape(shape).T.ravel()
    return replace(broad_map, enhancement_weights=broad_map.enhancement_weights[:, order])


def affine_rows(X: NDArray[np.floating], fold: Fold) -> NDArray[np.floating]:
    """``[Z, 1]`` of some rows, with the standardisation of a fold."""
    assert fold.task is not None
    return affine_block(X, slice(0, X.shape[0]), fold.task.standardization)
