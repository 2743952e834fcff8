"""What all models share: the weighted ridge fit and prediction, block by block."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from numbers import Real
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from broadlearn.classifiers._rows import Array, FitTask, RowModel
from broadlearn.random_features._broad_map import BroadMap, ReducedMap, reduce_map
from broadlearn.random_features._constraints import STANDARDIZE
from broadlearn.random_features._draws import draw_seed
from broadlearn.random_features._standardize import Standardization, affine_block, row_slices
from broadlearn.solvers._leave_one_out import (
    dual_leave_one_out,
    dual_residual,
    primal_leave_one_out,
)
from broadlearn.solvers._ridge import Block, DualSolution, PrimalSolution, solve_dual, solve_primal

# Numbers in one block of design rows, and rows whose leave-one-out decisions are computed.
BLOCK_NUMBERS = 1 << 21
LEAVE_ONE_OUT_ROWS = 2048


class MapFamily(Protocol):
    """Maps of many sizes on the same rows."""

    def cut(self, n_groups: int, n_nodes: int, W: Array) -> BroadMap:
        """The map of so many groups and nodes with the last layer's weights W."""


class FittedRidge(NamedTuple):
    """A solved ridge problem with what leave-one-out needs."""

    reduced: ReducedMap
    solution: PrimalSolution | DualSolution
    leave_one_out_rows: NDArray[np.intp]
    leave_one_out: Array


def leave_one_out_rows(n_rows: int, most: int = LEAVE_ONE_OUT_ROWS) -> NDArray[np.intp]:
    """Rows, evenly spread, whose leave-one-out decisions are computed."""
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, most)).astype(np.intp))


def design_blocks(
    reduced: ReducedMap,
    X: NDArray[np.floating],
    T: Array,
    s: Array | None,
    standardization: Standardization,
) -> Iterator[Block]:
    """Rows ``[G, T]`` with their scores, block by block, in one buffer."""
    n_columns = reduced.n_columns
    parts = list(row_slices(X.shape[0], n_columns, BLOCK_NUMBERS))
    buffer = np.empty((parts[0].stop, n_columns + T.shape[1]))
    for part in parts:
        rows = buffer[: part.stop - part.start]
        reduced(affine_block(X, part, standardization), out=rows[:, :n_columns])
        rows[:, n_columns:] = T[part]
        yield rows, None if s is None else s[part]


class BroadModel(RowModel):
    """Base of the estimators: fits ``G W = T`` and predicts it in blocks."""

    _parameter_constraints: dict[str, list[Any]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "standardize": STANDARDIZE,
        "solver": [StrOptions({"auto", "primal", "dual"})],
        "random_state": ["random_state"],
    }
    C: float
    solver: str
    random_state: int | np.random.RandomState | None

    @abstractmethod
    def _sizes(self) -> tuple[int, int]:
        """Feature groups and nodes of a group."""

    @abstractmethod
    def _map_family(self, task: FitTask, seed: int) -> MapFamily:
        """Maps of all sizes up to that of the parameters, on the rows of the task."""

    @abstractmethod
    def _draw_layer(self, seed: int, n_features: int) -> Array:
        """Weights of the last layer behind so many feature nodes."""

    def _fit_ridge(
        self, task: FitTask, scores: Array | None, *, leave_one_out: bool
    ) -> FittedRidge:
        """Draw the map, solve for the output weights and keep what prediction needs."""
        seed = draw_seed(self.random_state)
        fitted = self._solve_ridge(
            task, self._draw_map(task, seed), scores, leave_one_out=leave_one_out
        )
        self._seed = seed
        return fitted

    def _draw_map(self, task: FitTask, seed: int) -> BroadMap:
        n_groups, n_nodes = self._sizes()
        layer = self._draw_layer(seed, n_groups * n_nodes)
        return self._map_family(task, seed).cut(n_groups, n_nodes, layer)

    def _solve_ridge(
        self, task: FitTask, broad_map: BroadMap, scores: Array | None, *, leave_one_out: bool
    ) -> FittedRidge:
        """Solve for the output weights of a map and keep what prediction needs."""
        X, T, weight, standardization = task.X, task.T, task.weight, task.standardization
        reduced = reduce_map(broad_map)
        s = scores
        if weight is not None:
            s = np.sqrt(weight) if s is None else s * np.sqrt(weight)
        n_rows, n_columns = X.shape[0], reduced.n_columns
        self.solver_ = self._choose_solver(n_rows, reduced)
        # A row of weight w stands for w copies, of which one is left out.
        share = None if weight is None else 1.0 / np.maximum(weight, 1.0)
        rows = leave_one_out_rows(n_rows)
        held_out = np.empty((0, T.shape[1]))
        solution: PrimalSolution | DualSolution
        if self.solver_ == "dual":
            G = reduced(affine_block(X, slice(0, n_rows), standardization))
            solution = solve_dual(G, s, T, self.C)
            if leave_one_out:
                residual = dual_residual(solution.alpha, s, T, G @ solution.weights, self.C)
                inverse = solution.inverse_diagonal()
                held_out = dual_leave_one_out(inverse, residual, T, self.C, share)[rows]
        else:

            def blocks() -> Iterator[Block]:
                return design_blocks(reduced, X, T, s, standardization)

            solution = solve_primal(blocks, n_columns, T.shape[1], self.C)
            if leave_one_out:
                G = reduced(affine_block(X[rows], slice(0, rows.size), standardization))
                held_out = primal_leave_one_out(
                    solution,
                    G,
                    None if s is None else s[rows],
                    T[rows],
                    None if share is None else share[rows],
                )
        self._keep_weights(reduced, solution.weights, standardization, X.dtype)
        return FittedRidge(reduced, solution, rows, held_out)

    def _keep_weights(
        self,
        reduced: ReducedMap,
        reduced_weights: Array,
        standardization: Standardization,
        dtype: np.dtype[Any],
    ) -> None:
        """Store what prediction needs as fitted attributes."""
        weights, broad_map = reduced.full_weights(reduced_weights), reduced.map
        self._standardization = standardization
        self._map = broad_map
        self.output_weights_ = weights.astype(dtype, copy=False)
        n_features = broad_map.settings.n_features
        self._direct_weights = (
            (broad_map.feature_weights @ weights[:n_features]).astype(dtype, copy=False)
            if broad_map.settings.affine
            else None
        )

    def _choose_solver(self, n_rows: int, reduced: ReducedMap) -> str:
        settings = reduced.map.settings
        n_nodes = settings.n_features + settings.n_enhancements
        if self.solver == "auto":
            return "dual" if n_rows < reduced.n_columns else "primal"
        if self.solver == "dual" and n_rows >= n_nodes:
            warnings.warn(
                f"solver='dual' builds a rows x rows matrix and is used only where rows are fewer "
                f"than nodes; there are {n_rows} rows and {n_nodes} nodes, so the primal is solved "
                "instead (the solution is the same).",
                stacklevel=5,
            )
            return "primal"
        return self.solver

    def _output(self, X: NDArray[np.floating]) -> NDArray[np.floating]:
        """``G W`` for validated rows, block by block."""
        settings, n_features = self._map.settings, self._map.settings.n_features
        W = self.output_weights_.astype(X.dtype, copy=False)
        out = np.empty((X.shape[0], W.shape[1]), dtype=X.dtype)
        n_numbers = settings.n_enhancements + (0 if settings.affine else settings.n_features)
        parts = list(row_slices(X.shape[0], n_numbers, BLOCK_NUMBERS // 4))
        buffer = np.empty((parts[0].stop, settings.n_enhancements), dtype=X.dtype)
        for rows in parts:
            affine = affine_block(X, rows, self._standardization)
            if self._direct_weights is not None:
                features = None
                np.matmul(affine, self._direct_weights.astype(X.dtype, copy=False), out=out[rows])
            else:
                features = self._map.features(affine)
                np.matmul(features, W[:n_features], out=out[rows])
            enhancements = buffer[: rows.stop - rows.start]
            self._map.enhancements(affine, features, out=enhancements)
            out[rows] += enhancements @ W[n_features:]
        return out
