"""All penalties, sizes and kernel widths of one map on one fold, from shared factorisations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.models import MAX_HELD_OUT
from broadlearn.random_features import BroadMap, condense, interleave
from broadlearn.search.scoring import BatchScorer, Predictions
from broadlearn.search.weighted_sums import MIN_VECTORS, weighted_residuals, weighted_sums
from broadlearn.solvers import (
    Doubts,
    Inverse,
    dual_inverse_diagonals,
    dual_path,
    dual_remainder,
    dual_residual,
    learn_slopes,
    leave_one_out,
    left_out_share,
    prediction_error,
    primal_leverages,
    primal_path,
    residuals_of_sums,
)
from broadlearn.utils import Array, Floats, row_slices, spread_rows

if TYPE_CHECKING:
    from broadlearn.search.engine import Fold

# Time of an operation in a factorisation and in a triangular solve, relative to one in a product;
# `benchmarks/search.py --calibrate` measures them.
FACTOR_COST, SOLVE_COST = 3.0, 4.0
# Of the error of predictions that is allowed, the part that residuals may have.
SAFETY = 1e-2
# Work of one product for all sizes, relative to one for each, up to which it takes less time.
MAX_PADDING = 2.0


class Axes(NamedTuple):
    """What is searched within a cell, and how it is judged.

    Attributes
    ----------
    scorers : sequence of BatchScorer
    slopes : bool
        Whether a scorer needs probabilities.
    tolerance : float
        Estimated error of predictions from which on they are refined.
    block_numbers : int
        Numbers of a block of rows that may be held at a time.
    train : bool
        Whether training samples are scored too.
    sizes : sequence of int, or "infinite" alone
        Nodes of a group of the last layer, q.
    Cs : sequence of float
    leave_one_out : bool
        Whether training samples are judged, each by the model without it, in place of test samples.
    """

    scorers: Sequence[BatchScorer]
    slopes: bool
    tolerance: float
    block_numbers: int
    train: bool
    sizes: Sequence[int | str] = ()
    Cs: Sequence[float] = ()
    leave_one_out: bool = False


class Cell:
    """One map on one fold.

    Parameters
    ----------
    broad_map : BroadMap
        Of the largest size.
    fold : Fold
        With training data.
    affine : mapping of str to ndarray
        ``[Z, 1]`` of the "train" and "test" samples.
    axes : Axes
    span : ndarray or None, default=None
        What these samples are combinations of, if less than everything.
    """

    def __init__(
        self,
        broad_map: BroadMap,
        fold: Fold,
        affine: Mapping[str, Floats],
        axes: Axes,
        span: Array | None = None,
    ) -> None:
        assert fold.data is not None
        self.fold, self.axes, self.affine, self.data = fold, axes, affine, fold.data
        self.map = condense(interleave(broad_map), span)
        # Whether training samples are too many for one block of rows.
        self.in_blocks = len(affine["train"]) * self.map.n_columns > axes.block_numbers
        n_groups = broad_map.settings.n_enhancement_groups
        self.columns = [
            self.map.n_columns if isinstance(q, str) else self.map.n_feature_columns + n_groups * q
            for q in axes.sizes
        ]
        # Positions of the penalties to solve for, by width.
        every = list(range(len(axes.Cs)))
        self.left = {w: every for w, error in enumerate(fold.errors) if not error}
        # Widths that no two samples are near in give the same scores: one of them serves all.
        first: dict[bytes, int] = {}
        self.alike = {
            w: first.setdefault(b"" if (s := fold.scores[w]) is None else s.tobytes(), w)
            for w in self.left
        }
        self.left = {w: self.left[w] for w in first.values()}
        self.diagonals = {w: self.data.diagonal(fold.scores[w]) for w in self.left}
        self._kept: dict[str, Array] = {}
        # Rows of the design matrix with their numbers and products, where they are known.
        self._pairs: tuple[NDArray[np.intp], Array, Array] | None = None

    def judge(self) -> Array:
        """Scores of all candidates.

        Returns
        -------
        ndarray of shape (n_scorers, 1 or 2, n_widths, n_sizes, n_Cs)
            Of test samples, and of training samples if they are wanted; NaN where a width cannot be
            fitted.
        """
        axes, n_widths = self.axes, len(self.fold.errors)
        shape = (len(axes.scorers), 1 + axes.train, n_widths, len(axes.sizes), len(axes.Cs))
        result = np.full(shape, np.nan)
        self._solve(result)
        for w, other in self.alike.items():
            result[:, :, w] = result[:, :, other]
        return result

    def _solve(self, result: Array) -> None:
        """Solve and file all that is left."""
        sizes, dual = range(len(self.axes.sizes)), {}
        primal: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
        for w, of_width in self.left.items():
            n_rows = len(self._counted(w))
            dual[w] = [j for j in sizes if self._dual_is_cheaper(j, w, n_rows)]
            others = tuple(j for j in sizes if j not in dual[w])
            primal.setdefault((others, tuple(of_width)), []).append(w)
        self._dual({j: [w for w in dual if j in dual[w]] for j in sizes}, result)
        for (chosen, penalties), widths in primal.items():
            if chosen:
                self._primal(chosen, penalties, widths, result)

    def _dual_is_cheaper(self, j: int, w: int, n_rows: int) -> bool:
        """Whether a size is solved through its rows; only where they are fewer than columns."""
        n = self.columns[j]
        if n_rows >= n:
            return False
        if self._as_in_fit:
            return True
        n_C, n_widths = len(self.left[w]), len(self.fold.errors)
        largest, n_sizes = max(self.columns), len(self.columns)
        primal = n_rows * largest**2 + n_C * (
            FACTOR_COST * largest**3 / 3 + SOLVE_COST * n_sizes * largest**2
        )
        dual = FACTOR_COST * n_C * n_rows**3 / 3 + n_rows**2 * n / max(1, n_widths)
        return dual * n_sizes < primal

    @property
    def _as_in_fit(self) -> bool:
        """Whether the form must be that of fit: leave-one-out keeps its digits in the smaller."""
        return self.axes.slopes or self.map.kernel or self.axes.leave_one_out

    def _counted(self, w: int) -> NDArray[np.intp]:
        """Training samples that the dual of a width needs: not those of score 0."""
        s = None if self._as_in_fit else self.diagonals[w]
        return np.arange(self.data.X.shape[0]) if s is None else np.flatnonzero(s)

    def _designs(self, part: str) -> Iterator[tuple[slice, Array]]:
        """Blocks of the design matrix; kept if they all fit into one."""
        affine = self.affine[part]
        slices = list(row_slices(affine.shape[0], self.map.n_columns, self.axes.block_numbers))
        for rows in slices:
            if part in self._kept:
                yield rows, self._kept[part]
                return
            design = self.map.columns(affine[rows]).astype(np.float64, copy=False)
            if len(slices) == 1:
                self._kept[part] = design
            yield rows, design

    def _some_rows(self, rows: NDArray[np.intp]) -> Array:
        """Some rows of the design matrix of the training samples, in their order."""
        if self.in_blocks:
            return self.map.columns(self.affine["train"][rows]).astype(np.float64, copy=False)
        ((_, G),) = self._designs("train")
        return G if rows.size == len(G) else G[rows]

    def _primal(
        self, chosen: Sequence[int], penalties: Sequence[int], valid: list[int], result: Array
    ) -> None:
        columns, Cs = [self.columns[j] for j in chosen], [self.axes.Cs[c] for c in penalties]
        n, k = max(columns), self.data.T.shape[1]
        diagonals = [self.diagonals[w] for w in valid]
        designs = self._designs("train")
        shared = {i: self.fold.shared[w] for i, w in enumerate(valid) if w in self.fold.shared}
        sums = weighted_sums(designs, n, self.data.T, diagonals, shared, several=self.in_blocks)
        tolerance = None if self._as_in_fit else SAFETY * self.axes.tolerance
        # As many widths at a time as their weights have room for.
        step = max(1, self.axes.block_numbers // (len(Cs) * len(columns) * k * n))
        for start in range(0, len(valid), step):
            some, own = valid[start : start + step], sums[start : start + step]
            spreads = np.einsum("wii->w", own[:, :n, :n])
            doubts = partial(self._doubts, own, spreads, columns, np.asarray(Cs), some)
            W = primal_path(own, columns, Cs, k, tolerance, doubts)
            slopes = None
            if self.axes.slopes:
                slopes = np.stack(
                    [self._primal_slopes(own[i], W[i], columns, w) for i, w in enumerate(some)]
                )
            for t, part in enumerate(("test", "train")[: 1 + self.axes.train]):
                if part == "test" and self.axes.leave_one_out:
                    for i, w in enumerate(some):
                        held_out = self._primal_held_out(own[i], W[i], columns, w)
                        outputs, of_width = held_out.transpose(2, 0, 1, 3)[:, None], [w]
                        of_one = None if slopes is None else slopes[i : i + 1]
                        self._file(
                            outputs, "train", of_one, result[:, t], of_width, chosen, penalties
                        )
                    continue
                self._predict(W, columns, part, slopes, result[:, t], some, chosen, penalties)

    def _predict(
        self,
        W: Array,
        columns: list[int],
        part: str,
        slopes: Array | None,
        result: Array,
        widths: list[int],
        chosen: Sequence[int],
        penalties: Sequence[int],
    ) -> None:
        """Predict and file, for as many widths or penalties at a time as there is room for."""
        n_widths, n_C, n_sizes, k, _ = W.shape
        n_rows = self.affine[part].shape[0]
        room = max(1, self.axes.block_numbers // (n_rows * n_sizes * k))
        by_width, by_C = max(1, room // n_C), min(n_C, room)
        for i, c in product(range(0, n_widths, by_width), range(0, n_C, by_C)):
            ws, cs = slice(i, i + by_width), slice(c, c + by_C)
            some = W[ws, cs]
            outputs = np.empty((n_rows, *some.shape[:4]))
            step = max(1, MIN_VECTORS // (some.shape[0] * some.shape[1] * k))
            if len(columns) * max(columns) <= MAX_PADDING * sum(columns):
                step = n_sizes
            for rows, G in self._designs(part):
                for j in range(0, n_sizes, step):
                    sizes, n = slice(j, j + step), max(columns[j : j + step])
                    own = some[:, :, sizes, :, :n]
                    if step >= n_sizes:
                        flat = outputs[rows].reshape(len(G), -1)
                        np.matmul(G[:, :n], own.reshape(-1, n).T, out=flat)
                        continue
                    predicted = G[:, :n] @ own.reshape(-1, n).T
                    outputs[rows, :, :, sizes] = predicted.reshape(-1, *own.shape[:4])
            own_slopes = None if slopes is None else slopes[ws, cs]
            self._file(outputs, part, own_slopes, result, widths[ws], chosen, penalties[cs])

    def _doubts(
        self,
        sums: Array,
        spreads: Array,
        columns: list[int],
        Cs: Array,
        widths: list[int],
        i: int,
        W: Array,
        inverse: Inverse,
    ) -> Doubts | None:
        """Penalties of a width whose predictions may be inexact, with residuals.

        Where rows would have to be made again, those for which errors that are sent through the
        solution say that rounding of the sums does no harm have residuals from these.
        """
        n, spread = W.shape[3], float(spreads[i])
        gram, right = sums[i, :n, :n], sums[i, :n, n:]
        # The error grows with C: where the largest one is exact enough, all are.
        largest = int(Cs.argmax())
        tolerance = self.axes.tolerance
        if prediction_error(spread, Cs[largest], W[largest, -1].T, right) <= tolerance:
            return None
        errors = [prediction_error(spread, C, W[c, -1].T, right) for c, C in enumerate(Cs)]
        doubtful = np.flatnonzero(~(np.array(errors) <= tolerance))
        s, weights = self.diagonals[widths[i]], W[doubtful]
        if not self.in_blocks:
            return doubtful, self._residual(weights, columns, Cs[doubtful], s)
        whole = int(np.argmax(columns))
        of_sums = (gram, right, weights, Cs[doubtful], inverse)
        sure, residual = residuals_of_sums(*of_sums, whole, tolerance)
        if not sure.all():
            rest = np.flatnonzero(~sure)
            residual[rest] = self._residual(weights[rest], columns, Cs[doubtful[rest]], s)
        return doubtful, residual

    def _residual(self, W: Array, columns: list[int], Cs: Array, s: Array | None) -> Array:
        return weighted_residuals(self._designs("train"), self.data.T, s, W, columns, Cs)

    def _primal_slopes(self, sums: Array, W: Array, columns: list[int], w: int) -> Array:
        """Slopes of probabilities for all penalties and sizes of a width."""
        rows = spread_rows(self.data.X.shape[0], MAX_HELD_OUT)
        decisions = self._primal_held_out(sums, W, columns, w, rows)
        slopes = self._slopes(w, rows, decisions.reshape(-1, *decisions.shape[2:]))
        return slopes.reshape(*decisions.shape[:2], *slopes.shape[1:])

    def _primal_held_out(
        self,
        sums: Array,
        W: Array,
        columns: list[int],
        w: int,
        rows: NDArray[np.intp] | None = None,
    ) -> Array:
        """Predictions for training samples by the models without each of them.

        They have the shape (n_Cs, n_sizes, n_samples, n_targets), for all samples or some.
        """
        data, score = self.data, self.fold.scores[w]
        rows = np.arange(data.X.shape[0]) if rows is None else rows
        n_C, n_sizes, k, n = W.shape
        held_out = np.empty((n_C, n_sizes, rows.size, k))
        for block in row_slices(rows.size, self.map.n_columns, self.axes.block_numbers):
            some = rows[block]
            G = self.map.columns(self.affine["train"][some]).astype(np.float64, copy=False)[:, :n]
            leverages = primal_leverages(sums, columns, self.axes.Cs, k, G)
            influence = np.ones(some.size) if score is None else score[some] ** 2
            if data.weight is not None:
                influence = influence * (data.weight * left_out_share(data.weight))[some]
            fitted = (G @ W.reshape(-1, n).T).reshape(some.size, n_C, n_sizes, k)
            T = data.T[some]
            residual = T - fitted.transpose(1, 2, 0, 3)
            held_out[:, :, block] = leave_one_out(T, residual, 1.0 - leverages * influence)
        return held_out

    def _dual(self, widths: Mapping[int, list[int]], result: Array) -> None:
        """Grow ``G Gᵗ`` from size to size; it serves all penalties, and the widths of each size.

        Behind F, a kernel has products of samples themselves: no nodes grow, and coefficients of
        samples are weights.
        """
        counted = {w: self._counted(w) for of_size in widths.values() for w in of_size}
        if not counted:
            return
        k, done, pairs = self.data.T.shape[1], 0, self._pairs
        if pairs is None:
            rows = np.unique(np.concatenate(list(counted.values())))
            G, K = self._some_rows(rows), np.zeros((rows.size, rows.size))
        else:
            rows, G, K = pairs
        kernel, F = self.map.kernel, G[:, : self.map.n_feature_columns]
        for j in sorted(widths, key=lambda j: self.columns[j]):
            n = self.columns[j]
            if pairs is None:
                K += F @ F.T + G[:, -rows.size :] if kernel else G[:, done:n] @ G[:, done:n].T
            done = n
            for w in widths[j]:
                some, every = np.searchsorted(rows, counted[w]), counted[w].size == rows.size
                s = self.diagonals[w]
                s = s if s is None else s[counted[w]]
                Cs = [self.axes.Cs[c] for c in self.left[w]]
                K_own = K if every else K.take(some, axis=0).take(some, axis=1)
                T = self.data.T[counted[w]]
                design = None if kernel else partial(_block, G, some, n)
                tolerance = 0.0 if self.axes.slopes else self.axes.tolerance
                alphas = dual_path(K_own, design, s, T, Cs, tolerance)
                coefficients = alphas if s is None else alphas * s[None, :, None]
                flat = np.zeros((rows.size, len(Cs) * k))
                flat[some] = coefficients.transpose(1, 0, 2).reshape(some.size, -1)
                flat = np.concatenate([F.T @ flat, flat]) if kernel else G[:, :n].T @ flat
                slopes, held_out = None, None
                if self.axes.slopes or self.axes.leave_one_out:
                    held_out = self._dual_held_out(K, G[:, :n] @ flat, alphas, w)
                if self.axes.slopes and held_out is not None:
                    fit_rows = spread_rows(len(K), MAX_HELD_OUT)
                    slopes = self._slopes(w, fit_rows, held_out[:, fit_rows])[:, None]
                for t, part in enumerate(("test", "train")[: 1 + self.axes.train]):
                    if part == "test" and self.axes.leave_one_out and held_out is not None:
                        outputs = held_out.transpose(1, 0, 2)[:, None, :, None]
                        self._file(outputs, "train", slopes, result[:, t], [w], [j], self.left[w])
                        continue
                    outputs = np.concatenate([D[:, :n] @ flat for _, D in self._designs(part)])
                    outputs = outputs.reshape(-1, 1, len(Cs), 1, k)
                    self._file(outputs, part, slopes, result[:, t], [w], [j], self.left[w])

    def _dual_held_out(self, K: Array, fitted: Array, alphas: Array, w: int) -> Array:
        """As `_primal_held_out`, for all penalties of a size: (n_Cs, n_samples, n_targets)."""
        s, T, Cs = self.diagonals[w], self.data.T, self.axes.Cs
        inverses = dual_inverse_diagonals(K, s, Cs)
        fitted = fitted.reshape(T.shape[0], len(Cs), -1)
        decisions = []
        share = None if self.data.weight is None else left_out_share(self.data.weight)
        for c, C in enumerate(Cs):
            residual = dual_residual(alphas[c], s, T, fitted[:, c], C)
            remainder = dual_remainder(inverses[c], C, share)
            decisions.append(leave_one_out(T, residual, remainder))
        return np.stack(decisions)

    def _slopes(self, w: int, rows: NDArray[np.intp], decisions: Array) -> Array:
        """Slopes of probabilities from held-out decisions of some samples."""
        weight, score = (
            a if a is None else a[rows] for a in (self.data.weight, self.fold.scores[w])
        )
        if self.data.constant is not None:
            decisions = decisions + self.data.constant
        return learn_slopes(decisions, self.data.codes[rows], weight, score)

    def _file(
        self,
        outputs: Array,
        part: str,
        slopes: Array | None,
        result: Array,
        widths: Sequence[int],
        chosen: Sequence[int],
        penalties: Sequence[int],
    ) -> None:
        """Score outputs of shape (n_samples, n_widths, n_Cs, n_sizes, n_targets) and file them."""
        X, y, weight = self.fold.part(part)
        shape, shift = outputs.shape[1:4], self.fold.intercept
        flat = outputs.reshape(len(outputs), -1, outputs.shape[4])
        flat = flat if shift is None else flat + shift
        classes = self.data.classes if self.data.classes.size else None
        # A failed factorisation leaves NaN in all predictions of a candidate.
        lost = np.isnan(flat[0, :, 0])
        if lost.any():
            flat = np.where(np.isnan(flat), 0.0, flat)
        if slopes is not None:
            slopes = slopes.reshape(flat.shape[1], *self.data.codes.shape[1:])
        predictions = Predictions(flat, y, classes, X, slopes, weight)
        for i, scorer in enumerate(self.axes.scorers):
            scores = np.where(lost, np.nan, scorer(predictions)).reshape(shape)
            result[i][np.ix_(widths, chosen, penalties)] = scores.transpose(0, 2, 1)


def _block(G: Array, rows: NDArray[np.intp], n: int) -> Array:
    return G[rows, :n]
