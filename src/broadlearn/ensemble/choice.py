"""Which candidates of a search are averaged."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from broadlearn.ensemble.layers import Member
from broadlearn.sample_scores import IntuitionisticScorer, NeighborScorer
from broadlearn.search import best_first, layer_sizes

# Candidates, for each that is wanted, that are looked at before fewer are taken.
PATIENCE = 40
# Tables of more samples are scored by so many landmarks per class.
MAX_EXACT_SAMPLES, LANDMARKS = 10_000, 1000
# What all members have in common, as they are averaged into one layer of nodes.
COMMON = ("activation", "standardize")
# Several kinds of scores on one layer of slow and fast nodes, with standardisation that outlying
# samples cannot drag; ranges by nested results on the smaller of the 28 data sets
# (docs/results/honest.md).
ROBUST_GRID: dict[str, list[Any]] = {
    "C": [10.0 ** (k / 4) for k in range(-12, 17)],
    "activation": ["sine"],
    "enhancement_bias": [2.0],
    "enhancement_inputs": [4],
    "enhancement_scale": [(0.25, 0.6, 1.5)],
    "feature_scaling": [None],
    "n_enhancement_nodes": [1000],
    "sample_scores": ["uniform", "held_out", *map(NeighborScorer, (10, 20)), "intuitionistic"],
    "standardize": ["robust"],
}


def robust_grid(n_samples: int) -> dict[str, list[Any]]:
    """The default grid, with intuitionistic scores that large tables can afford."""
    scores = list(ROBUST_GRID["sample_scores"])
    if n_samples > MAX_EXACT_SAMPLES:
        scores[-1] = IntuitionisticScorer(landmarks=LANDMARKS)
    return {**ROBUST_GRID, "sample_scores": scores}


def choose_members(
    results: Mapping[str, Any],
    estimator: BaseEstimator,
    size: int,
    n_draws: int,
    node_budget: float,
    refused: Collection[int | str] = frozenset(),
) -> tuple[list[int], int]:
    """Positions of the best candidates that can be averaged at a bounded cost, and draws of each.

    The distinct nodes of all members and draws are held at a multiple of the largest layer in the
    grid: the best candidate is drawn as often as that allows, then others are taken, from the best
    on, that stay within it. Candidates that share nodes with those before them cost nothing more.
    Members agree with the best one in activation and standardisation.

    Parameters
    ----------
    results : mapping
        ``cv_results_`` of a search; candidates are ranked by ``mean_test_margin`` if there is one,
        else by ``mean_test_score``.
    estimator : estimator
    size, n_draws : int
        Members and draws that are wanted.
    node_budget : float
        That multiple.
    refused : collection of int and str
        Candidates, by their position, and scorers, by their ``repr``, that the samples refuse.

    Returns
    -------
    members : list of int
        The best first; empty if there is none.
    n_draws : int
        At least 1.
    """
    quality = results.get("mean_test_margin", results.get("mean_test_score"))
    defaults = estimator.get_params()
    order = best_first(quality, results, defaults)
    budget = node_budget * layer_sizes(results, defaults).max()
    chosen: list[int] = []
    nodes: dict[str, int] = {}
    common: list[Any] | None = None
    for i in order[: PATIENCE * size].tolist():
        model = clone(estimator).set_params(**results["params"][i])
        member = Member.of(model, 1.0)
        if i in refused or repr(member.scorer) in refused:
            continue
        own, width = [getattr(model, name) for name in COMMON], member.n_nodes
        more = {**nodes, member.map_key: max(width, nodes.get(member.map_key, 0))}
        if not chosen:
            n_draws, common = min(n_draws, max(1, int(budget // width))), own
        elif own != common or (more != nodes and n_draws * sum(more.values()) > budget):
            continue
        chosen.append(i)
        nodes = more
        if len(chosen) == size:
            break
    return chosen, n_draws


def draw_states(random_state: int, n_draws: int) -> list[int]:
    """The `random_state` of each of several draws, of which the first is the given one.

    Examples
    --------
    >>> draw_states(7, 1), draw_states(7, 3)[:2] == draw_states(7, 2)
    ([7], True)
    """
    more = (np.random.SeedSequence([random_state, draw]) for draw in range(1, n_draws))
    return [random_state, *(int(sequence.generate_state(1)[0] >> 1) for sequence in more)]
