"""Score all sizes, penalties and kernel widths of one random map on one fold.

G is the design matrix of the training samples, with the columns of a smaller size first, S the
diagonal matrix of the scores at a kernel width, T the targets. Two ways lead to the weights W:

- Primal: ``[G, T]ᵗ S² [G, T]`` of a width serves all sizes and penalties, as the Cholesky factor of
  a leading block is the leading block of the factor (`primal_path`).
- Dual, for fewer samples than columns: ``K = G Gᵗ`` grows from size to size by the products of the
  added columns. It serves all widths and penalties, ``W = GᵗS (S K S + I/C)⁻¹ S T`` (`dual_path`).

Either way, weights of all candidates predict in a few products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.models import MAX_HELD_OUT
from broadlearn.random_features import BroadMap, condense, interleave
from broadlearn.search.folds import Fold
from broadlearn.search.scoring import BatchScorer, Predictions
from broadlearn.search.weighted_sums import weighted_residual, weighted_sums
from broadlearn.solvers import (
    dual_inverse_diagonals,
    dual_path,
    dual_remainder,
    dual_residual,
    learn_slopes,
    leave_one_out,
    prediction_error,
    primal_leverages,
    primal_path,
    propagated_error,
)
from broadlearn.utils import Array, Floats, row_slices, spread_rows

Rows = NDArray[np.intp]
# Held-out predictions for the given training samples, of shape (n_Cs, n_sizes, n_rows, n_targets).
HeldOut = Callable[[Rows], Array]


class Judge(NamedTuple):
    """How predictions are scored.

    Attributes
    ----------
    scorers : sequence of BatchScorer
    probabilities : bool
        Whether a scorer needs probabilities.
    tolerance : float
        Estimated error of predictions above which they are refined.
    block_numbers : int
        Numbers of a block of rows held at a time.
    parts : tuple of str
        Samples to predict: "test", or "held_out" for training samples predicted by the model
        without each of them, then perhaps "train".
    """

    scorers: Sequence[BatchScorer]
    probabilities: bool
    tolerance: float
    block_numbers: int
    parts: tuple[str, ...] = ("test",)

    @property
    def holds_out(self) -> bool:
        """Whether leave-one-out predictions are needed."""
        return self.probabilities or "held_out" in self.parts


class Cell:
    """One map, of the largest size, on one fold.

    `affine` is ``[Z, 1]`` of the "train" and "test" samples; `sizes` are enhancement nodes per
    group.
    """

    def __init__(
        self,
        broad_map: BroadMap,
        fold: Fold,
        affine: Mapping[str, Floats],
        sizes: Sequence[int],
        Cs: Sequence[float],
        judge: Judge,
    ) -> None:
        assert fold.data is not None
        self.data, self.fold, self.affine, self.judge = fold.data, fold, affine, judge
        self.map, self.Cs = condense(interleave(broad_map)), list(Cs)
        n_groups = broad_map.settings.n_enhancement_groups
        self.columns = [self.map.n_feature_columns + n_groups * q for q in sizes]
        self.all_rows = np.arange(len(self.data.T))
        # Whether the design matrix of the training samples comes in several blocks.
        self.in_blocks = len(affine["train"]) * self.map.n_columns > judge.block_numbers
        # Leave-one-out predictions magnify errors.
        self.tolerance = 0.0 if judge.holds_out else judge.tolerance
        self._kept: dict[str, Array] = {}
        shape = (len(fold.errors), len(self.Cs), len(self.columns))
        self.result = np.full((len(judge.scorers), len(judge.parts), *shape), np.nan)

    def scores(self) -> Array:
        """Return scores of shape (n_scorers, n_parts, n_sizes, n_Cs, n_widths).

        They are NaN for a width that cannot be fitted.
        """
        sizes = range(len(self.columns))
        n_rows = {w: self._rows(w).size for w in self.fold.diagonals}
        dual = {w: [j for j in sizes if self._in_dual(n, j)] for w, n in n_rows.items()}
        self._dual(dual)
        primal: dict[tuple[int, ...], list[int]] = {}
        for w, chosen in dual.items():
            primal.setdefault(tuple(j for j in sizes if j not in chosen), []).append(w)
        for remaining, widths in primal.items():
            if remaining:
                self._primal(widths, list(remaining))
        for w, other in self.fold.representatives.items():
            self.result[:, :, w] = self.result[:, :, other]
        return self.result.transpose(0, 1, 4, 3, 2)

    def _in_dual(self, n_rows: int, j: int) -> bool:
        """Whether a size is solved through its rows, which are fewer than its columns.

        The penalty of a graph has a primal form only. Leave-one-out keeps its digits only in the
        form that `fit` takes. Otherwise operations are counted: the primal needs one factorisation
        per penalty for all sizes, the dual one for each size, but one matrix for all widths.
        """
        if self.fold.graph is not None:
            return False
        n = self.columns[j]
        if n_rows >= n or self.judge.holds_out:
            return n_rows < n
        n_C, n_sizes, largest = len(self.Cs), len(self.columns), max(self.columns)
        primal = n_rows * largest**2 + n_C * (largest**3 / 3 + n_sizes * largest**2)
        dual = n_C * n_rows**3 / 3 + n_rows**2 * n / len(self.fold.diagonals)
        return dual * n_sizes < primal

    def _rows(self, w: int) -> Rows:
        """Return the training samples that the dual needs: those of positive score.

        Leave-one-out predictions need all of them.
        """
        s = self.fold.diagonals[w]
        return self.all_rows if self.judge.holds_out or s is None else np.flatnonzero(s)

    def _designs(self, part: str) -> Iterator[tuple[slice, Array]]:
        """Yield blocks of the design matrix; a single block is kept."""
        affine = self.affine[part]
        slices = list(row_slices(len(affine), self.map.n_columns, self.judge.block_numbers))
        for rows in slices:
            design = self._kept.get(part)
            if design is None:
                design = self._design(affine[rows])
            if len(slices) == 1:
                self._kept[part] = design
            yield rows, design

    def _training_design(self) -> Array:
        """Return the whole design matrix of the training samples."""
        if self.in_blocks:
            return self._design(self.affine["train"])
        return next(self._designs("train"))[1]

    def _design(self, affine: Floats) -> Array:
        return self.map.columns(affine).astype(np.float64, copy=False)

    def _primal(self, widths: list[int], sizes: list[int]) -> None:
        """Solve and score the given sizes at some kernel widths."""
        columns, k = [self.columns[j] for j in sizes], self.data.T.shape[1]
        n, diagonals = max(columns), [self.fold.diagonals[w] for w in widths]
        shared = [self.fold.squares.get(w) for w in widths]
        designs = self._designs("train")
        sums = weighted_sums(designs, n, self.data.T, diagonals, shared, self.data.codes)
        if (graph := self.fold.graph) is not None:
            sums[:, :n, :n] += graph.penalty(self._training_design()[graph.vertices, :n])
        # Solve as many widths at a time as there is memory for their weights.
        numbers = len(self.Cs) * len(sizes) * k * n
        step = 1 if self.judge.holds_out else max(1, self.judge.block_numbers // numbers)
        for start in range(0, len(widths), step):
            batch, own = widths[start : start + step], sums[start : start + step]
            spreads = np.einsum("ijj->i", own[:, :n, :n]).tolist()
            refine = partial(self._refine, own, spreads, columns, batch)
            W = primal_path(own, columns, self.Cs, k, refine, self.tolerance)
            held_out = partial(self._primal_held_out, own[0], W[0], columns, batch[0])
            self._score(W, batch, sizes, held_out)

    def _refine(
        self,
        sums: Array,
        spreads: list[float],
        columns: list[int],
        widths: list[int],
        i: int,
        c: int,
        W: Array,
        solve: Callable[[Array], Array],
    ) -> Array | None:
        """Return the residual of weights whose predictions may show rounding of the sums.

        Where a residual costs another pass over blocks of rows, a closer estimate is made first.
        """
        n, C, tolerance = W.shape[2], self.Cs[c], self.judge.tolerance
        gram, right = sums[i, :n, :n], sums[i, :n, n:]
        if prediction_error(spreads[i], C, W[-1].T, right) <= tolerance:
            return None
        if self.fold.graph is not None:
            return np.asarray(right.T - W @ gram - W / C)
        largest = W[int(np.argmax(columns))].T
        if self.in_blocks and propagated_error(gram, solve, largest, right) <= tolerance:
            return None
        s = self.fold.diagonals[widths[i]]
        return weighted_residual(self._designs("train"), self.data.T, s, W, C)

    def _primal_held_out(
        self, sums: Array, W: Array, columns: list[int], w: int, rows: Rows
    ) -> Array:
        """Predict training samples by the models without each of them."""
        data, s = self.data, self.fold.diagonals[w]
        influence = np.ones(len(data.T)) if s is None else s**2
        if (share := data.left_out_share()) is not None:
            influence = influence * share
        n_C, n_sizes, k, n = W.shape
        result = np.empty((n_C, n_sizes, rows.size, k))
        for block in row_slices(rows.size, self.map.n_columns, self.judge.block_numbers):
            judged = rows[block]
            G = self._design(self.affine["train"][judged])[:, :n]
            leverages = primal_leverages(sums, columns, self.Cs, k, G)
            fitted = (G @ W.reshape(-1, n).T).reshape(judged.size, n_C, n_sizes, k)
            residual = data.T[judged] - fitted.transpose(1, 2, 0, 3)
            result[:, :, block] = leave_one_out(
                data.T[judged], residual, 1.0 - leverages * influence[judged]
            )
        return result

    def _dual(self, sizes: Mapping[int, list[int]]) -> None:
        """Solve and score the sizes of each kernel width that have more columns than rows."""
        if not any(sizes.values()):
            return
        G = self._training_design()
        # Samples of score 0 at all widths are left out.
        scored = np.unique(np.concatenate([self._rows(w) for w in sizes if sizes[w]]))
        G, T, done = G[scored], self.data.T[scored], 0
        K = np.zeros((scored.size, scored.size))
        for j in np.argsort(self.columns, kind="stable").tolist():
            widths, n = [w for w in sizes if j in sizes[w]], self.columns[j]
            if not widths:
                continue
            K += G[:, done:n] @ G[:, done:n].T
            done = n
            for batch in [[w] for w in widths] if self.judge.holds_out else [widths]:
                H, S = G[:, :n], np.stack([self._diagonal(w)[scored] for w in batch])
                alphas = dual_path(K, H, S, T, self.Cs, self.tolerance)
                W = np.tensordot((S[:, None, :, None] * alphas).swapaxes(2, 3), H, 1)
                held_out = partial(self._dual_held_out, K, H, W[0], alphas[0], batch[0])
                self._score(W[:, :, None], batch, [j], held_out)

    def _diagonal(self, w: int) -> Array:
        s = self.fold.diagonals[w]
        return np.ones(len(self.all_rows)) if s is None else s

    def _dual_held_out(
        self, K: Array, G: Array, W: Array, alphas: Array, w: int, rows: Rows
    ) -> Array:
        """Predict training samples by the models without each of them."""
        s, T, result = self.fold.diagonals[w], self.data.T, []
        share = self.data.left_out_share()
        inverses = dual_inverse_diagonals(K, s, self.Cs)
        for c, C in enumerate(self.Cs):
            residual = dual_residual(alphas[c], s, T, G @ W[c].T, C)
            result.append(leave_one_out(T, residual, dual_remainder(inverses[c], C, share))[rows])
        return np.stack(result)[:, None]

    def _score(self, W: Array, widths: list[int], sizes: list[int], held_out: HeldOut) -> None:
        """Predict by weights, score the predictions and file the scores.

        W, of shape (n_widths, n_Cs, n_sizes, n_targets, n_columns), is zero beyond the leading
        columns of each size. If leave-one-out predictions are needed, there is one width.
        """
        slopes, pairs = None, W.reshape(-1, *W.shape[2:])
        if self.judge.probabilities:
            slopes = self._slopes(widths[0], held_out)
        for t, part in enumerate(self.judge.parts):
            n_rows = len(self.affine["test" if part == "test" else "train"])
            step = max(1, self.judge.block_numbers // (n_rows * len(sizes) * W.shape[3]))
            predicted = None
            if part == "held_out":
                predicted = held_out(np.arange(n_rows)).transpose(2, 0, 1, 3)
            for start in range(0, len(pairs), step):
                batch = slice(start, start + step)
                if predicted is None:
                    outputs = self._predict(part, pairs[batch], [self.columns[j] for j in sizes])
                else:
                    outputs = predicted[:, batch]
                scores = self._judged(outputs, part, None if slopes is None else slopes[batch])
                w, c = np.divmod(np.arange(len(pairs))[batch], len(self.Cs))
                places = np.asarray(widths)[w, None], c[:, None], np.asarray(sizes)
                self.result[:, t][:, *places] = scores

    def _predict(self, part: str, W: Array, columns: list[int]) -> Array:
        """Return predictions of shape (n_rows, n_pairs, n_sizes, n_targets)."""
        n_pairs, _, k, _ = W.shape
        outputs = np.empty((len(self.affine[part]), *W.shape[:3]))
        for rows, G in self._designs(part):
            for j, n in enumerate(columns):
                predicted = G[:, :n] @ W[:, j, :, :n].reshape(-1, n).T
                outputs[rows, :, j] = predicted.reshape(-1, n_pairs, k)
        return outputs

    def _slopes(self, w: int, held_out: HeldOut) -> Array:
        """Return slopes of probabilities of shape (n_Cs, n_sizes)."""
        rows = spread_rows(len(self.data.T), MAX_HELD_OUT)
        decisions = held_out(rows)
        weight, score = (
            a if a is None else a[rows] for a in (self.data.weight, self.fold.scores[w])
        )
        flat = decisions.reshape(-1, *decisions.shape[2:])
        return learn_slopes(flat, self.data.codes[rows], weight, score).reshape(decisions.shape[:2])

    def _judged(self, outputs: Array, part: str, slopes: Array | None) -> Array:
        """Return scores of shape (n_scorers, n_pairs, n_sizes)."""
        X, y, weight = self.fold.part(part)
        flat = outputs.reshape(len(outputs), -1, outputs.shape[3])
        if self.fold.intercept is not None:
            flat = flat + self.fold.intercept
        # A failed factorisation leaves NaN in all predictions of a candidate.
        lost = np.isnan(flat[0, :, 0])
        if lost.any():
            flat = np.where(np.isnan(flat), 0.0, flat)
        classes = self.data.classes if self.data.classes.size else None
        slopes = None if slopes is None else slopes.ravel()
        predictions = Predictions(flat, y, classes, X, slopes, weight)
        scores = [np.where(lost, np.nan, scorer(predictions)) for scorer in self.judge.scorers]
        return np.stack(scores).reshape(-1, *outputs.shape[1:3])
