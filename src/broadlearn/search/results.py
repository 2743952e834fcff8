"""The table of a search, and the order of its candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.ma import MaskedArray
from numpy.typing import NDArray
from scipy.stats import rankdata

from broadlearn.search.grid import SubGrid
from broadlearn.utils import Array


def parameter_columns(grids: Sequence[SubGrid]) -> dict[str, MaskedArray[Any, Any]]:
    """Return ``param_<name>`` for all candidates, masked for grids without the name."""
    columns = {}
    for name in sorted({name for grid in grids for name in grid.names}):
        having = [(grid, grid.names.index(name)) for grid in grids if name in grid.names]
        given = [value for grid, axis in having for value in grid.values[axis]]
        numbers = all(isinstance(v, bool | int | float | np.number | np.bool_) for v in given)
        dtype = np.asarray(given).dtype if numbers else np.dtype(object)
        parts = [np.zeros(grid.size, dtype=dtype) for grid in grids]
        for i, grid in enumerate(grids):
            if name in grid.names:
                axis = grid.names.index(name)
                values = np.empty(len(grid.values[axis]), dtype=dtype)
                values[:] = grid.values[axis]
                parts[i] = values[np.unravel_index(np.arange(grid.size), grid.shape)[axis]]
        mask = np.repeat([name not in grid.names for grid in grids], [grid.size for grid in grids])
        columns[f"param_{name}"] = MaskedArray(np.concatenate(parts), mask=mask)
    return columns


def results_table(
    grids: Sequence[SubGrid],
    scores: Array,
    errors: NDArray[Any],
    names: Sequence[str],
    seconds: float,
) -> dict[str, Any]:
    """Return the table of all candidates, as ``cv_results_`` of ``GridSearchCV``.

    `scores` has the shape (n_scorers, 1 or 2, n_candidates, n_splits), `names` are those of the
    scorers, and candidates share the `seconds` of the whole search equally.
    """
    n_candidates, n_splits = scores.shape[2:]
    results: dict[str, Any] = {
        "mean_fit_time": np.full(n_candidates, seconds / (n_candidates * n_splits)),
        "std_fit_time": np.zeros(n_candidates),
        "mean_score_time": np.zeros(n_candidates),
        "std_score_time": np.zeros(n_candidates),
        **parameter_columns(grids),
        "params": [candidate for grid in grids for candidate in grid.candidates()],
    }
    for name, parts in zip(names, scores, strict=True):
        for part, values in zip(("test", "train"), parts, strict=False):
            results.update({f"split{i}_{part}_{name}": values[:, i] for i in range(n_splits)})
            mean = results[f"mean_{part}_{name}"] = values.mean(axis=1)
            results[f"std_{part}_{name}"] = values.std(axis=1)
            if part == "test":
                finite = np.isfinite(mean)
                lowest = mean[finite].min() - 1.0 if finite.any() else 0.0
                ranked = rankdata(-np.where(finite, mean, lowest), method="min")
                results[f"rank_{part}_{name}"] = ranked.astype(np.int32)
    results["error"] = errors
    return results


def best_first(
    mean: Array, results: Mapping[str, Any], defaults: Mapping[str, Any], prefix: str = ""
) -> NDArray[np.intp]:
    """Return positions of all candidates with a mean score, the best first.

    Ties go to the fewest nodes, then to the smallest C (or C1 + C2), then to the first. `results`
    has the columns of `parameter_columns`, `defaults` the values of parameters that are not in the
    grid; names begin with `prefix` in a pipeline.
    """

    def values(name: str, absent: int = 0) -> Array:
        column = results.get(f"param_{prefix}{name}")
        fixed = defaults.get(f"{prefix}{name}", absent)
        given = fixed if column is None else column.astype(object).filled(fixed)
        return np.asarray(given, dtype=np.float64)

    size = values("n_enhancement_groups", 1) * values("n_enhancement_nodes")
    size = size + values("n_hidden_nodes") + values("n_feature_groups") * values("n_feature_nodes")
    size = size + values("n_fuzzy_groups") * values("n_fuzzy_rules")
    size = size * values("n_blocks", 1)
    penalty = values("C") + values("C1") + values("C2")
    # Means that differ by rounding alone are equal.
    levels = np.round(mean, 12)
    scored = np.flatnonzero(~np.isnan(mean))
    keys = np.broadcast_arrays(np.arange(mean.size), penalty, size, -levels)
    return scored[np.lexsort([key[scored] for key in keys])]
