"""The layers of an ensemble: members with the same nodes, with their common work done once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from broadlearn.models import BroadClassifier, TrainingData, score_samples
from broadlearn.random_features import HiddenLayer, MappedSamples, MapSettings, draw_map, interleave
from broadlearn.sample_scores import SampleScorer, Trust
from broadlearn.solvers import (
    Block,
    DualSolution,
    PrimalSolution,
    design_blocks,
    normal_equations,
    rows_residual,
    solve_dual,
    solve_sums,
)
from broadlearn.utils import Array, spread_rows

# Numbers of a design or Gram matrix that are kept rather than computed again for every score.
KEPT_NUMBERS = 1 << 23
# Samples whose held-out decisions are computed for every member; the slope is one number.
MAX_HELD_OUT = 256


class Member(NamedTuple):
    """A candidate of an ensemble: how it maps and trusts samples, its penalty and its share."""

    recipe: MapSettings | HiddenLayer
    scorer: SampleScorer
    C: float
    share: float

    @classmethod
    def of(cls, model: BroadClassifier, share: float) -> Member:
        """The member that a model with its parameters stands for."""
        recipe: Any = model.feature_map()
        return cls(recipe, model.scorer(), float(model.C), share)

    @property
    def _size_name(self) -> str:
        return "n_nodes" if isinstance(self.recipe, HiddenLayer) else "n_enhancement_nodes"

    @property
    def size(self) -> int:
        """Nodes of a group of the last layer."""
        return int(getattr(self.recipe, self._size_name))

    @property
    def n_nodes(self) -> int:
        """Nodes of the last layer."""
        return self.size * getattr(self.recipe, "n_enhancement_groups", 1)

    @property
    def map_key(self) -> str:
        """What the nodes of a draw depend on, but for their number."""
        sizeless: Any = {self._size_name: 0}
        return repr(replace(self.recipe, **sizeless))


class Layer(NamedTuple):
    """The summed weights of all members with one map and one draw."""

    nodes: Array
    direct: Array
    weights: Array
    held_out: Array


def score_members(members: Sequence[Member], data: TrainingData, seed: int) -> dict[str, Trust]:
    """Trust in the samples by the scorers of all members, each computed once."""
    scorers = {repr(member.scorer): member.scorer for member in members}
    return {key: score_samples(scorer, data, seed)[0] for key, scorer in scorers.items()}


def mean_score(members: Sequence[Member], trusts: dict[str, Trust], n_samples: int) -> Array | None:
    """Mean score of every sample; None where all count alike."""
    scores = [trusts[repr(member.scorer)].score for member in members]
    if all(score is None for score in scores):
        return None
    mean = np.zeros(n_samples)
    for member, score in zip(members, scores, strict=True):
        mean += member.share * (1.0 if score is None else score)
    return mean


def by_map(members: Sequence[Member]) -> list[list[Member]]:
    """Members with the same nodes, but for their number; the largest first."""
    groups: dict[str, list[Member]] = {}
    for member in members:
        groups.setdefault(member.map_key, []).append(member)
    return [sorted(group, key=lambda member: -member.size) for group in groups.values()]


def fit_layer(
    members: Sequence[Member], trusts: dict[str, Trust], data: TrainingData, seed: int
) -> Layer:
    """Fit members that share the nodes of one draw; the first has all of them."""
    recipe = members[0].recipe
    broad_map = interleave(draw_map(recipe, data.X, data.standardization, seed, data.weight))
    if not broad_map.affine:
        raise ValueError(
            "estimator must have affine feature nodes to be averaged: "
            'feature_activation="identity" and not feature_scaling="sample".'
        )
    r, n_outputs = broad_map.n_feature_columns, data.T.shape[1]
    n_groups = broad_map.settings.n_enhancement_groups
    weights = np.zeros((broad_map.settings.n_enhancements, n_outputs))
    features = np.zeros((r, n_outputs))
    problem = _Problem(MappedSamples(broad_map, data.X, data.standardization), data)
    held_out = np.zeros((problem.some.size, n_outputs))
    # Members with the same scores are neighbours, as the sums of one score are kept at a time.
    for member in sorted(members, key=lambda member: repr(member.scorer)):
        columns = r + n_groups * member.size
        score = trusts[repr(member.scorer)].score
        W, decisions = problem.solve(score, columns, member.C)
        features += member.share * W[:r]
        weights[: columns - r] += member.share * W[r:]
        held_out += member.share * decisions
    basis = broad_map.feature_weights if broad_map.basis is None else broad_map.basis
    return Layer(broad_map.enhancement_weights, basis @ features, weights, held_out)


class _Problem:
    """Ridge problems on the leading columns of one map, for several scores and penalties."""

    def __init__(self, design: MappedSamples, data: TrainingData) -> None:
        self.design, self.data = design, data
        self.some = spread_rows(design.n_rows, MAX_HELD_OUT)
        self._some_rows: Array = design(self.some).astype(np.float64, copy=False)
        self._kept: Array | None = None
        if design.n_rows * design.n_columns <= KEPT_NUMBERS:
            self._kept = self._whole()
        self._score: Array | None = None
        self._sums: Array | None = None
        self._grams: dict[int, Array] = {}

    def solve(self, score: Array | None, columns: int, C: float) -> tuple[Array, Array]:
        """Weights of the leading columns, and held-out decisions of some samples."""
        data, n_rows, key = self.data, self.design.n_rows, score
        score = None if score is None else score[data.keep]
        s = data.diagonal(score)
        solution: PrimalSolution | DualSolution
        if n_rows < columns:
            G = (self._whole() if self._kept is None else self._kept)[:, :columns]
            if columns not in self._grams:
                if (len(self._grams) + 1) * n_rows**2 > KEPT_NUMBERS:
                    self._grams.clear()
                self._grams[columns] = G @ G.T
            solution = solve_dual(G, s, data.T, C, self._grams[columns])
        else:
            n, k = self.design.n_columns, data.T.shape[1]
            if self._sums is None or self._score is not key:
                self._sums, self._score = normal_equations(self._blocks(s, n), n + k), key
            part = np.r_[:columns, n : n + k]
            solution = solve_sums(
                self._sums[np.ix_(part, part)],
                columns,
                C,
                residual=lambda W: rows_residual(W, self._blocks(s, columns)),
            )
        G = self._some_rows[:, :columns]
        return solution.weights, solution.held_out(G, data.T, score, data.weight, self.some)

    def _whole(self) -> Array:
        return self.design(slice(None)).astype(np.float64, copy=False)

    def _blocks(self, s: Array | None, columns: int) -> Iterator[Block]:
        """Rows [G, T] with the leading columns of G; they may be overwritten."""
        T, n = self.data.T, self.design.n_columns
        if self._kept is not None:
            yield np.concatenate([self._kept[:, :columns], T], axis=1), s
            return
        part = np.r_[:columns, n : n + T.shape[1]]
        for rows, some in design_blocks(self.design, T, s):
            yield rows if columns == n else rows[:, part], some
