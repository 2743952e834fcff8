"""The path of stacked broad learning: the blocks of a size and penalty serve all numbers of blocks.

The first block sees the samples themselves, so its standardisation and map serve all penalties.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from broadlearn.baselines import StackedBLSClassifier
from broadlearn.models import BLSRegressor, TrainingData, centre_samples
from broadlearn.random_features import MappedSamples, draw_map
from broadlearn.search.cells import Judge
from broadlearn.search.engine import score_by_split
from broadlearn.search.folds import Fold, GridScores, SplitSamples, Task, prepare_fold
from broadlearn.search.grid import SubGrid
from broadlearn.search.scoring import Predictions
from broadlearn.solvers import LostPenaltyError, solve_ridge
from broadlearn.utils import Array, Floats, draw_seed, row_slices

STACKED_ROLES = {"n_enhancement_nodes": "size", "C": "C", "n_blocks": "blocks"}


def score_stacked_grid(
    estimator: StackedBLSClassifier, grid: SubGrid, task: Task, judge: Judge
) -> GridScores:
    """Score every candidate of a grid on every split, as `score_grid` does for single maps."""
    return score_by_split(estimator, grid, task, judge, STACKED_ROLES, _score_split)


def _score_split(
    model: StackedBLSClassifier,
    samples: SplitSamples,
    values: Mapping[str, tuple[Any, ...]],
    judge: Judge,
) -> tuple[Array, list[str]]:
    """Return scores of all (size, C, number of blocks) on one split, and reasons of failures."""
    fold = prepare_fold(model, samples, [None])
    counts = np.asarray(values["blocks"])
    scores = np.full((len(judge.scorers), len(judge.parts), *map(len, values.values())), np.nan)
    if fold.data is None:
        return scores, fold.errors * counts.size
    for j, size in enumerate(values["size"]):
        sized = clone(model).set_params(n_enhancement_nodes=size, n_blocks=int(counts.max()))
        blocks = sized.unfitted_blocks()
        first = _mapped(blocks[0], fold.data.X, fold.data.T, fold.data.weight)
        for c, C in enumerate(values["C"]):
            for n_blocks, outputs in enumerate(_outputs(fold, blocks, first, float(C)), 1):
                chosen = np.flatnonzero(counts == n_blocks)
                scores[:, :, j, c, chosen] = _judged(fold, outputs, judge)[..., None]
    return scores, []


class Mapped(NamedTuple):
    """Design matrix of a block, its samples with centred targets, and the mean of the targets."""

    design: MappedSamples
    data: TrainingData
    mean: Array


def _mapped(block: BLSRegressor, X: Floats, T: Array, weight: Array | None) -> Mapped:
    """Standardise the inputs of a block and draw its map."""
    data, mean = centre_samples(X, T, weight, block.standardize)
    learnt, seed = data.standardization, draw_seed(block.random_state)
    broad_map = draw_map(block.feature_map(), X, learnt, seed, weight)
    return Mapped(MappedSamples(broad_map, X, learnt), data, mean)


def _outputs(
    fold: Fold, blocks: Sequence[BLSRegressor], first: Mapped, C: float
) -> Iterator[dict[str, Array]]:
    """Yield the sum of the outputs after each block, for test and training samples.

    Yield nothing more after a block that cannot be solved.
    """
    assert fold.data is not None
    inputs: dict[str, Floats] = {"test": fold.X_test, "train": fold.data.X}
    missing, mapped = fold.data.T, first
    total = {name: np.zeros((len(X), missing.shape[1])) for name, X in inputs.items()}
    for i, block in enumerate(blocks):
        if i:
            mapped = _mapped(block, inputs["train"], missing, fold.data.weight)
        design, data, mean = mapped
        try:
            W = solve_ridge(design, data.T, C, data.diagonal(None)).weights
        except LostPenaltyError:
            return
        inputs = {name: _product(design, X, W) + mean for name, X in inputs.items()}
        missing = missing - inputs["train"]
        total = {name: total[name] + inputs[name] for name in inputs}
        yield total


def _product(design: MappedSamples, X: Floats, W: Array) -> Floats:
    """Return the outputs of weights for some samples, block by block."""
    samples = MappedSamples(design.map, X, design.standardization)
    return np.concatenate([samples(rows) @ W for rows in row_slices(len(X), samples.n_columns)])


def _judged(fold: Fold, outputs: Mapping[str, Array], judge: Judge) -> Array:
    """Return scores of shape (n_scorers, n_parts)."""
    assert fold.data is not None
    scores = np.empty((len(judge.scorers), len(judge.parts)))
    for t, name in enumerate(judge.parts):
        X, y, weight = fold.part(name)
        judged = Predictions(outputs[name][:, None], y, fold.data.classes, X, None, weight)
        scores[:, t] = [scorer(judged)[0] for scorer in judge.scorers]
    return scores
