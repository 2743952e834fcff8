"""The layers of an ensemble: members with the same nodes, with their common work done once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.classifiers._base import design_blocks, leave_one_out_rows
from broadlearn.classifiers._classifier import BroadClassifier
from broadlearn.classifiers._rows import Array, FitTask
from broadlearn.classifiers._scored_classifier import RowTrust
from broadlearn.random_features._broad_map import MapSettings, ReducedMap, interleave, reduce_map
from broadlearn.random_features._standardize import affine_block
from broadlearn.solvers._leave_one_out import (
    dual_leave_one_out,
    dual_residual,
    primal_leave_one_out,
)
from broadlearn.solvers._ridge import Block, normal_equations, rows_residual, solve_dual
from broadlearn.solvers._updates import solve_sums

# The size of a layer, by any name; all other parameters of a map make another map.
SIZES = ("n_enhancement_nodes", "n_hidden_nodes")
MAP_PARAMETERS = tuple(f.name for f in fields(MapSettings) if f.name not in SIZES)
# Numbers of a design or Gram matrix that are kept rather than computed again for every score.
KEPT_NUMBERS = 1 << 23
# Rows whose leave-one-out decisions are computed for every member; the slope is one number.
LEAVE_ONE_OUT_ROWS = 256


class RefusedSetting(ValueError):
    """A setting that cannot be fitted on the rows.

    Attributes
    ----------
    position : int
        Of the setting in the list.
    """

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


class Member(NamedTuple):
    """A setting: the model it stands for, its share, and the scores of its rows."""

    model: BroadClassifier
    share: float
    trust: RowTrust

    @property
    def size(self) -> int:
        return next(int(getattr(self.model, name)) for name in SIZES if hasattr(self.model, name))


class Layer(NamedTuple):
    """The summed weights of all members with one map and one draw."""

    nodes: Array
    direct: Array
    weights: Array
    held_out: Array


def trust_key(model: BroadClassifier) -> str:
    """What the scores of rows depend on."""
    return repr([getattr(model, name) for name in model._score_parameters()])


def map_key(model: BroadClassifier) -> str:
    """What the nodes of a draw depend on, but for their number."""
    return repr([getattr(model, name, None) for name in MAP_PARAMETERS])


def trusts_of(
    models: Sequence[BroadClassifier],
    X: NDArray[np.floating],
    codes: NDArray[np.intp],
    weight: Array | None,
    task: FitTask,
) -> list[RowTrust]:
    """Scores of the rows for every model, each kind computed once."""
    known: dict[str, RowTrust] = {}
    found = []
    for position, model in enumerate(models):
        key = trust_key(model)
        if key not in known:
            try:
                trust = model._score_rows(X, codes, weight, task.standardization)
                if trust.score is not None:
                    model._check_scores(trust.score[task.keep], task)
            except ValueError as error:
                raise RefusedSetting(str(error), position) from error
            known[key] = trust
        found.append(known[key])
    return found


def mean_trust(members: Sequence[Member], n_rows: int) -> RowTrust:
    """Mean score of every row; None where all count alike."""
    if all(member.trust.score is None for member in members):
        return RowTrust(None)
    mean = np.zeros(n_rows)
    for member in members:
        mean += member.share * (1.0 if member.trust.score is None else member.trust.score)
    return RowTrust(mean)


def by_map(members: Sequence[Member]) -> list[list[Member]]:
    """Members with the same nodes, but for their number; the largest first."""
    groups: dict[str, list[Member]] = {}
    for member in members:
        groups.setdefault(map_key(member.model), []).append(member)
    return [sorted(group, key=lambda member: -member.size) for group in groups.values()]


def fit_layer(members: Sequence[Member], task: FitTask, seed: int) -> Layer:
    """Fit members that share the nodes of one draw; the first has all of them."""
    largest = members[0].model
    m, p = largest._sizes()
    layer = largest._draw_layer(seed, m * p)
    broad_map = interleave(largest._map_family(task, seed).cut(m, p, layer))
    if not broad_map.settings.affine:
        raise ValueError(
            f"estimator must have affine feature nodes to be averaged, which "
            f"{type(largest).__name__} with these settings has not."
        )
    reduced = reduce_map(broad_map)
    r = reduced.n_feature_columns
    n_outputs, n_groups = task.T.shape[1], broad_map.settings.n_enhancement_groups
    weights = np.zeros((broad_map.settings.n_enhancements, n_outputs))
    features = np.zeros((r, n_outputs))
    held_out = np.zeros((leave_one_out_rows(task.X.shape[0], LEAVE_ONE_OUT_ROWS).size, n_outputs))
    problem = _Problem(reduced, task)
    # Members with the same scores are neighbours, as the sums of one score are kept at a time.
    for member in sorted(members, key=lambda member: id(member.trust.score)):
        columns = r + n_groups * member.size
        W, decisions = problem.solve(member.trust.score, columns, member.model.C)
        features += member.share * W[:r]
        weights[: columns - r] += member.share * W[r:]
        held_out += member.share * decisions
    basis = broad_map.feature_weights if reduced.basis is None else reduced.basis
    return Layer(broad_map.enhancement_weights, basis @ features, weights, held_out)


class _Problem:
    """Ridge problems on the leading columns of one map, for several scores and penalties."""

    def __init__(self, reduced: ReducedMap, task: FitTask) -> None:
        self.reduced, self.task = reduced, task
        self.loo_rows = leave_one_out_rows(task.X.shape[0], LEAVE_ONE_OUT_ROWS)
        self._loo_design = self._design(task.X[self.loo_rows])
        small = task.X.shape[0] * reduced.n_columns <= KEPT_NUMBERS
        self._kept = self._design(task.X) if small else None
        self._score: Array | None = None
        self._sums: Array | None = None
        self._grams: dict[int, Array] = {}

    def solve(self, score: Array | None, columns: int, C: float) -> tuple[Array, Array]:
        """Weights of the leading columns, and leave-one-out decisions of some rows."""
        task = self.task
        n_rows = task.X.shape[0]
        s = None if score is None else score[task.keep]
        share = None
        if task.weight is not None:
            s = np.sqrt(task.weight) if s is None else s * np.sqrt(task.weight)
            share = 1.0 / np.maximum(task.weight, 1.0)
        if n_rows < columns:
            G = (self._design(task.X) if self._kept is None else self._kept)[:, :columns]
            if columns not in self._grams:
                if (len(self._grams) + 1) * n_rows**2 > KEPT_NUMBERS:
                    self._grams.clear()
                self._grams[columns] = G @ G.T
            dual = solve_dual(G, s, task.T, C, self._grams[columns])
            residual = dual_residual(dual.alpha, s, task.T, G @ dual.weights, C)
            rows = self.loo_rows
            return dual.weights, dual_leave_one_out(
                dual.inverse_diagonal(rows),
                residual[rows],
                task.T[rows],
                C,
                None if share is None else share[rows],
            )
        n, k = self.reduced.n_columns, task.T.shape[1]
        if self._sums is None or self._score is not score:
            self._sums, self._score = normal_equations(self._blocks(s, n), n, k), score
        part = np.r_[:columns, n : n + k]
        primal = solve_sums(
            self._sums[np.ix_(part, part)],
            columns,
            C,
            residual=lambda W: rows_residual(W, self._blocks(s, columns)),
        )
        rows = self.loo_rows
        decisions = primal_leave_one_out(
            primal,
            self._loo_design[:, :columns],
            None if s is None else s[rows],
            task.T[rows],
            None if share is None else share[rows],
        )
        return primal.weights, decisions

    def _design(self, X: NDArray[np.floating]) -> Array:
        affine = affine_block(X, slice(0, X.shape[0]), self.task.standardization)
        design: Array = self.reduced(affine).astype(np.float64, copy=False)
        return design

    def _blocks(self, s: Array | None, columns: int) -> Iterator[Block]:
        """Rows [G, T] with the leading columns of G; they may be overwritten."""
        T, n = self.task.T, self.reduced.n_columns
        if self._kept is not None:
            yield np.concatenate([self._kept[:, :columns], T], axis=1), s
            return
        part = np.r_[:columns, n : n + T.shape[1]]
        for rows, some in design_blocks(self.reduced, self.task.X, T, s, self.task.standardization):
            yield rows if columns == n else rows[:, part], some
