"""What each part of the robust ensemble is worth: kinds of scores, draws, nodes, standardisation.

Protocol "nested" on the data sets of the published study with fewer than 400 rows, clean and with
two kinds of noise in training rows, one seed that the honest comparison does not use. Each variant
changes one thing; the share of candidates that are averaged stays the same. Mean accuracy in
percent, and mean rank among all variants (1 the best).

Run: python benchmarks/ensemble_parts.py [data sets]     (all of those if no number is given)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pandas as pd
from _measure import data_folder
from honest import CONDITIONS, markdown
from threadpoolctl import threadpool_limits

from broadlearn import BLSClassifier, PathEnsembleClassifier
from broadlearn.ensemble import ROBUST_GRID
from broadlearn.sample_scores import NeighborScorer
from broadlearn.study import ModelSpec, expand_name, make_study, run_unit
from broadlearn.study.statistics import ranks

SEED, MAX_SAMPLES, SIZE = 3, 400, 25
KINDS: dict[str, list[Any]] = {
    "uniform": ["uniform"],
    "held_out": ["held_out"],
    "neighbors": [NeighborScorer(10), NeighborScorer(20)],
    "intuitionistic": ["intuitionistic"],
    "fuzzy": ["fuzzy"],
}
USED = ("uniform", "held_out", "neighbors", "intuitionistic")


def grid(kinds: tuple[str, ...] = USED, **change: list[Any]) -> dict[str, list[Any]]:
    scores = [scorer for kind in kinds for scorer in KINDS[kind]]
    return {**ROBUST_GRID, **change, "sample_scores": scores}


def variants() -> Iterator[tuple[str, dict[str, list[Any]], dict[str, int]]]:
    """Name, grid and options of every variant."""
    yield "the robust ensemble", grid(), {}
    yield "its best candidate alone", grid(), {"ensemble_size": 1}
    yield "one draw", grid(), {"n_draws": 1}
    for kind in KINDS:
        yield f"only {kind} scores", grid((kind,)), {}
    for kind in USED:
        yield f"without {kind} scores", grid(tuple(k for k in USED if k != kind)), {}
    yield "with fuzzy scores too", grid((*USED, "fuzzy")), {}
    yield "tanh in place of sine", grid(activation=["tanh"]), {}
    yield "one scale in place of three", grid(enhancement_scale=[0.6]), {}
    yield "nodes of all columns only", grid(enhancement_inputs=[None], enhancement_bias=[8.0]), {}
    yield "plain standardisation", grid(standardize=[True]), {}


def spec(name: str, values: dict[str, list[Any]], options: dict[str, int]) -> ModelSpec:
    """The variant as a model of the study, with its part of all candidates averaged."""
    kinds, whole = len(values["sample_scores"]), len(ROBUST_GRID["sample_scores"])
    both = {"ensemble_size": max(1, round(SIZE * kinds / whole)), "n_draws": 3, **options}
    return ModelSpec(name, PathEnsembleClassifier(BLSClassifier(), values, **both))


def main() -> None:
    if data_folder() is None:
        raise SystemExit("The data folder is absent (set BROADLEARN_DATA).")
    study = make_study(
        expand_name("uci28-honest"),
        ["BLS"],
        protocols=["nested"],
        noises=list(CONDITIONS),
        seeds=SEED + 1,
    )
    units = [u for u in study.plan if u.seed == SEED]
    small = sorted({u.dataset for u in units if len(study.data[u.fingerprint].y) < MAX_SAMPLES})
    if len(sys.argv) > 1:
        small = small[: int(sys.argv[1])]
    units = [u for u in units if u.dataset in small]
    print(f"{len(small)} data sets, seed {SEED}, protocol nested: {', '.join(small)}\n")
    results = {}
    for name, values, options in variants():
        model = spec(name, values, options)
        with threadpool_limits(1):
            for unit in units:
                found = run_unit(unit, study.data[unit.fingerprint], model)
                mean = 100 * sum(found.fold_scores) / len(found.fold_scores)
                results[CONDITIONS[unit.noise], unit.dataset, name] = mean
        print(f"{name} done", file=sys.stderr, flush=True)
    table = pd.Series(results).unstack()
    means = table.groupby(level=0).mean().T[list(CONDITIONS.values())]
    means["all three"] = means.mean(axis=1)
    means["mean rank"] = ranks(table).mean
    print(markdown(means.loc[[name for name, _, _ in variants()]], 2))


if __name__ == "__main__":
    main()
