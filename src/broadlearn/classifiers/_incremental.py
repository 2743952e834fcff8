"""Models that learn, forget and grow: `warm_up`, `partial_fit`, `forget`, `grow`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from broadlearn.classifiers._base import BroadModel, FittedRidge
from broadlearn.classifiers._rows import Array, FitTask
from broadlearn.classifiers._scored_classifier import RowTrust, standardized_rows
from broadlearn.classifiers._stream import Batch, StreamState
from broadlearn.random_features._broad_map import BroadMap, reduce_map
from broadlearn.random_features._draws import draw_seed
from broadlearn.random_features._growth import grow_map
from broadlearn.random_features._standardize import Standardization
from broadlearn.sample_scores._geometry import (
    ClassBlocks,
    FuzzyGeometry,
    KernelGeometry,
    row_priorities,
)
from broadlearn.sample_scores._inputs import check_weights
from broadlearn.solvers._ridge import Block, PrimalSolution, rows_residual
from broadlearn.solvers._updates import solve_sums

Geometry = FuzzyGeometry | KernelGeometry

NO_SHIFT: Array = np.empty(0)
NO_SUMS = (
    "This model has no sums over its rows: a copy or pickle of a model made by fit leaves them "
    "out. A model that is to be stored, and to learn, forget or grow later, starts with "
    "partial_fit."
)


@contextmanager
def unchanged_on_error(model: BroadModel) -> Iterator[None]:
    """Put a model's attributes back if what is done to it fails."""
    before = vars(model).copy()
    try:
        yield
    except BaseException:
        model.__dict__ = before
        raise


# ``GᵗS²(T - GW)`` of all rows, for the mean of real targets (None for classes) and W.
Residual = Callable[[Array | None, Array], Array]


def centred_blocks(blocks: Iterable[Block], W: Array, mean: Array | None) -> Iterator[Block]:
    """Blocks of real targets less their mean, without the last target, 1; others as they are."""
    for rows, s in blocks:
        if mean is None:
            yield rows, s
        else:
            rows[:, W.shape[0] : -1] -= mean
            yield rows[:, :-1], s


class IncrementalModel(BroadModel):
    """A model that keeps sums over its rows, so that rows and nodes can be added later."""

    _stream: StreamState | None = None

    @abstractmethod
    def _validate(
        self, X: Any, y: Any, classes: ArrayLike | None, *, first: bool
    ) -> tuple[NDArray[np.floating], NDArray[Any]]:
        """Rows and targets of a batch, if they fit the stream; classes of a first are stored."""

    @abstractmethod
    def _batch(
        self, rows: NDArray[np.floating], targets: NDArray[Any], weight: Array, shift: Array
    ) -> Batch:
        """Rows of positive weight with encoded targets."""

    @abstractmethod
    def _finish(self, state: StreamState, solution: PrimalSolution) -> None:
        """Learn and store what follows from a solution."""

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "output_weights_")

    def _fit_ridge(
        self,
        task: FitTask,
        scores: Array | None,
        *,
        leave_one_out: bool,
        shift: Array = NO_SHIFT,
    ) -> FittedRidge:
        fitted = super()._fit_ridge(task, scores, leave_one_out=leave_one_out)
        n_rows = task.X.shape[0]
        weight = np.ones(n_rows) if task.weight is None else task.weight
        codes = task.codes if task.codes.size else np.zeros(n_rows, dtype=np.intp)
        batch = Batch(task.X, task.T, codes, weight, scores)
        solution = fitted.solution
        sums = solution.sums if isinstance(solution, PrimalSolution) else None
        state = StreamState(
            self._seed,
            task.X.dtype,
            task.standardization,
            fitted.reduced,
            None,
            shift,
            sums,
            np.bincount(codes, weight, minlength=self._n_classes()).astype(np.float64),
            n_seen=n_rows,
            pending=batch if sums is None else None,
            from_fit=True,
            scored_by_fit=scores is not None,
        )
        self._stream = state.sampled(batch, row_priorities(0, n_rows, self._seed))
        return fitted

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the sums of a model made by `fit`, which are far larger than the rest."""
        state: dict[str, Any] = super().__getstate__()
        if self._stream is not None and self._stream.from_fit:
            state.pop("_stream")
        return state

    def _learn_geometry(self, blocks: ClassBlocks, n_classes: int, seed: int) -> Geometry | None:
        """What rows are scored against; the plain model trusts all alike."""
        return None

    def _first_shift(self, targets: NDArray[Any], weight: Array) -> Array:
        """What is taken from real targets before they are summed."""
        return NO_SHIFT

    def _n_classes(self) -> int:
        return 1

    def _open(self, X: Any, y: Any, classes: ArrayLike | None, sample_weight: Any) -> StreamState:
        """Learn all that comes before the ridge from some rows."""
        rows, targets = self._validate(X, y, classes, first=True)
        weight = check_weights(sample_weight, rows)
        shift = self._first_shift(targets, weight)
        batch = self._batch(rows, targets, weight, shift)
        seed = draw_seed(self.random_state)
        given = None if sample_weight is None else batch.weight
        standardization = self._learn_standardization(batch.X, given)
        task = FitTask(batch.X, batch.T, batch.codes, given, slice(None), standardization)
        broad_map = self._draw_map(task, seed)
        return self._first_state(
            seed,
            standardization,
            broad_map,
            lambda: [(standardized_rows(batch.X, standardization), batch.codes, batch.weight)],
            shift,
            rows.dtype,
        )

    def _first_state(
        self,
        seed: int,
        standardization: Standardization,
        broad_map: BroadMap,
        blocks: ClassBlocks,
        shift: Array,
        dtype: np.dtype[Any],
    ) -> StreamState:
        """A state without rows."""
        return StreamState(
            seed,
            dtype,
            standardization,
            reduce_map(broad_map),
            self._learn_geometry(blocks, self._n_classes(), seed),
            shift,
            None,
            np.zeros(self._n_classes()),
        )

    def _next_batch(
        self, state: StreamState, X: Any, y: Any, classes: ArrayLike | None, sample_weight: Any
    ) -> tuple[Batch, RowTrust]:
        """Validate and score a batch; nothing is stored."""
        rows, targets = self._validate(X, y, classes, first=False)
        weight = check_weights(sample_weight, rows)
        batch = self._batch(rows, targets, weight, state.shift)
        if state.geometry is None:
            if state.from_fit and state.scored_by_fit:
                batch = batch._replace(score=self._scores_of_fit(weight))
            return batch, RowTrust(None)
        Z = standardized_rows(batch.X, state.standardization)
        trust = RowTrust(*state.geometry.trust(Z, batch.codes))
        return batch._replace(score=trust.score), trust

    def _settle(self, state: StreamState, residual: Residual | None = None) -> None:
        """Solve for the sums of a state and store all that follows.

        `residual` visits the rows of the sums, where they are at hand.
        """
        n, sums, mean = state.reduced.n_columns, state.sums, None
        if sums is None:
            raise ValueError("There are no rows to learn from.")
        if state.shift.size:
            # The last column of T is 1: with it the mean is taken out of the targets.
            centred = sums[:-1, :-1].copy()
            mean = self._target_mean(state)
            centred[:n, n:] -= sums[:n, -1:] * mean
            sums = centred
        known = state.factor is not None and state.factor_C == self.C
        visit = None if residual is None else partial(residual, mean)
        solution = solve_sums(sums, n, self.C, state.factor if known else None, visit)
        self._finish(state, solution)
        self._keep_weights(state.reduced, solution.weights, state.standardization, state.dtype)
        self.solver_ = "primal"
        self._seed = state.seed
        self._stream = replace(state, factor=solution.factor, factor_C=float(self.C))

    def _target_mean(self, state: StreamState) -> Array:
        """Mean of real targets, less the shift."""
        if state.sums is None:
            return np.zeros_like(state.shift)
        last = state.sums[-1, state.reduced.n_columns :]
        return last[:-1] / last[-1]

    def _refuse_untrusted(self, codes: NDArray[np.intp], scores: Array) -> None:
        """Raise if a class has no row that counts."""

    def _keep_batch_trust(self, batch: Batch, trust: RowTrust) -> None:
        """Store what the rows of the latest batch were trusted with."""

    def _learn_batch(self, X: Any, y: Any, classes: ArrayLike | None, sample_weight: Any) -> Self:
        state = self._stream
        if state is None and hasattr(self, "output_weights_"):
            raise ValueError(NO_SUMS)
        with unchanged_on_error(self):
            opened = state is None
            if state is None:
                state = self._open(X, y, classes, sample_weight)
            elif state.from_fit and state.scored_by_fit:
                state = self._with_geometry(state, X, y, classes, sample_weight)
            batch, trust = self._next_batch(state, X, y, classes, sample_weight)
            if opened and trust.score is not None:
                self._refuse_untrusted(batch.codes, trust.score)
            self._settle(state.learn(batch))
            self._keep_batch_trust(batch, trust)
        return self

    def _with_geometry(
        self, state: StreamState, X: Any, y: Any, classes: ArrayLike | None, sample_weight: Any
    ) -> StreamState:
        """The state of a fit, with class geometry of the first batch after it."""
        rows, targets = self._validate(X, y, classes, first=False)
        batch = self._batch(rows, targets, check_weights(sample_weight, rows), state.shift)
        Z = standardized_rows(batch.X, state.standardization)
        geometry = self._learn_geometry(
            lambda: [(Z, batch.codes, batch.weight)], self._n_classes(), state.seed
        )
        return replace(state, geometry=geometry)

    def _scores_of_fit(self, weight: Array) -> Array:
        """Scores that `fit` gave to its rows."""
        scores: Array = self.sample_scores_
        if scores.size != weight.size:
            raise ValueError(
                f"grow needs the rows that fit was given: there were {scores.size}, here are "
                f"{weight.size}."
            )
        return scores[weight > 0.0]

    def _warm_up(self, X: Any, y: Any, classes: ArrayLike | None, sample_weight: Any) -> Self:
        with unchanged_on_error(self):
            self._stream = self._open(X, y, classes, sample_weight)
        if hasattr(self, "output_weights_"):
            del self.output_weights_
        return self

    def forget(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Take back rows that were learnt.

        The model is then that of the other rows, with the same map and the same scores: what was
        learnt before the ridge stays. Rows that `fit` has scored cannot be taken back.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The targets that the rows were learnt with.
        sample_weight : array-like of shape (n_samples,), default=None
            Copies of each row that are taken back.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        state = self._stream
        if state is None:
            raise ValueError(NO_SUMS)
        if state.scored_by_fit and state.geometry is None:
            raise ValueError(
                "fit scored its rows against each other, so none can be forgotten alone; rows that "
                "partial_fit has learnt can."
            )
        with unchanged_on_error(self):
            batch, _ = self._next_batch(state, X, y, None, sample_weight)
            self._settle(state.forget(batch))
        return self

    def grow(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        n_enhancement_nodes: int | None = None,
        n_enhancement_groups: int | None = None,
        n_feature_groups: int | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Enlarge the model; its decisions are then those of a fit of the larger size.

        Sums over rows, and after `partial_fit` the Cholesky factor, are used again as far as nodes
        stay; only those of new enhancement nodes are computed. A new feature group feeds all
        enhancement nodes: then standardisation, the scaling of old feature nodes and the scores are
        used again, and all sums are made anew. Probabilities are those of the fit too if there are
        at most 512 rows; else their slope is learnt from so many.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            All rows that the model has learnt; after `fit`, in the order that they had there.
        y : array-like of shape (n_samples,)
        n_enhancement_nodes, n_enhancement_groups, n_feature_groups : int, default=None
            The new, larger numbers, which become the model's parameters; None leaves one as it is.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights that the rows were learnt with.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        present = self._map.settings
        wanted = {
            "n_enhancement_nodes": n_enhancement_nodes,
            "n_enhancement_groups": n_enhancement_groups,
            "n_feature_groups": n_feature_groups,
        }
        sizes: dict[str, Any] = {name: size for name, size in wanted.items() if size is not None}
        clone(self).set_params(**sizes)._validate_params()
        for name, size in sizes.items():
            if size < getattr(present, name):
                raise ValueError(
                    f"{name}={size} is less than the model has, {getattr(present, name)}; a model "
                    "can only grow."
                )
        state = self._stream
        if state is None:
            raise ValueError(NO_SUMS)
        if state.scored_by_fit and not state.from_fit:
            raise ValueError(
                "fit and partial_fit scored rows of this model in different ways, so it cannot "
                "grow; fit a larger one."
            )
        with unchanged_on_error(self):
            batch, _ = self._next_batch(state, X, y, None, sample_weight)
            grown = grow_map(
                self._map,
                replace(present, **sizes),
                self._seed,
                batch.X,
                self._standardization,
                None if sample_weight is None else batch.weight,
            )
            larger = state.grow(grown, batch)
            self._settle(
                larger,
                lambda mean, W: rows_residual(W, centred_blocks(larger.blocks(batch), W, mean)),
            )
            self.set_params(**sizes)
        return self
