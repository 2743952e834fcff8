"""Which settings of a search are averaged."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from numpy.ma import MaskedArray
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import FitFailedWarning

from broadlearn._ensemble_layers import SIZES, RefusedSetting, map_key, trust_key
from broadlearn._search.results import best_first, layer_sizes
from broadlearn.ensemble import COMMON, BroadEnsembleClassifier, check_averaged

Array = NDArray[np.float64]

# Settings, for each that is wanted, that are looked at before fewer are taken.
PATIENCE = 40


def check_search(estimator: BaseEstimator, names: Collection[str]) -> None:
    """Raise unless settings of an estimator can be averaged.

    Parameters
    ----------
    estimator : estimator
    names : collection of str
        Parameters that are searched.
    """
    check_averaged(estimator, "ensemble_size above 1 needs")
    if "random_state" in names:
        raise ValueError(
            "ensemble_size above 1 makes its own draws; take random_state out of param_grid and "
            "set n_draws."
        )


def choose_members(
    quality: Array,
    columns: dict[str, MaskedArray[Any, Any]],
    settings: Sequence[dict[str, Any]],
    estimator: BaseEstimator,
    size: int,
    n_draws: int,
    node_budget: float = 2.5,
    refused: Collection[str] = frozenset(),
) -> tuple[list[int], int]:
    """Positions of the best settings that can be averaged at a bounded cost, and draws of each.

    The distinct nodes of all members and draws are held at a multiple of the largest layer in the
    grid: the best setting is drawn as often as that allows, then others are taken, from the best
    on, that stay within it. Settings that share nodes with those before them cost nothing more.
    Members agree with the best one in activation and standardisation.

    Parameters
    ----------
    quality : ndarray of shape (n_settings,)
        Larger is better; NaN for settings that cannot be taken.
    columns : dict
        From `parameter_columns`.
    settings : sequence of dict
    estimator : estimator
    size : int
        Members that are wanted.
    n_draws : int
        Draws that are wanted.
    node_budget : float, default=2.5
        That multiple.
    refused : collection of str
        Keys of scores (`trust_key`) that the rows refuse.

    Returns
    -------
    members : list of int
        The best first; empty if there is none.
    n_draws : int
        At least 1.
    """
    defaults = estimator.get_params()
    order = best_first(quality, columns, defaults)
    budget = node_budget * layer_sizes(columns, defaults, quality.size).max(initial=0.0)
    chosen: list[int] = []
    nodes: dict[str, int] = {}
    common: list[Any] | None = None
    for i in order[: PATIENCE * size].tolist():
        model = clone(estimator).set_params(**settings[i])
        if trust_key(model) in refused:
            continue
        own = [getattr(model, name) for name in COMMON]
        width = next(int(getattr(model, name)) for name in SIZES if hasattr(model, name))
        width *= int(getattr(model, "n_enhancement_groups", 1))
        key = map_key(model)
        more = {**nodes, key: max(width, nodes.get(key, 0))}
        if not chosen:
            n_draws, common = min(n_draws, max(1, int(budget // width))), own
        elif own != common or (more != nodes and n_draws * sum(more.values()) > budget):
            continue
        chosen.append(i)
        nodes = more
        if len(chosen) == size:
            break
    return chosen, n_draws


def fit_members(
    quality: Array,
    columns: dict[str, MaskedArray[Any, Any]],
    settings: Sequence[dict[str, Any]],
    estimator: BaseEstimator,
    size: int,
    n_draws: int,
    node_budget: float,
    fit: Callable[[BroadEnsembleClassifier], BroadEnsembleClassifier],
    *,
    strict: bool,
) -> BroadEnsembleClassifier:
    """Fit the best settings; scores that all rows refuse are passed over, with a warning.

    Parameters
    ----------
    quality, columns, settings, estimator, size, n_draws, node_budget
        As for `choose_members`.
    fit : callable
        Fits an ensemble on all rows.
    strict : bool
        Raise instead.
    """
    refused: set[str] = set()
    while True:
        chosen, draws = choose_members(
            quality, columns, settings, estimator, size, n_draws, node_budget, refused
        )
        if not chosen:
            raise ValueError("No setting could be scored on every fold and fitted on all rows.")
        members = [settings[i] for i in chosen]
        try:
            return fit(BroadEnsembleClassifier(estimator, members, n_draws=draws))
        except RefusedSetting as error:
            if strict:
                raise
            setting = members[error.position]
            refused.add(trust_key(clone(estimator).set_params(**setting)))
            warnings.warn(
                f"{setting} cannot be fitted on all rows and is passed over: {error}",
                FitFailedWarning,
                stacklevel=4,
            )
