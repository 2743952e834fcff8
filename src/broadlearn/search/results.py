"""The table of a search: arrays for all candidates, dictionaries only when looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.ma import MaskedArray
from numpy.typing import NDArray
from scipy.stats import rankdata

from broadlearn.random_features import INFINITE
from broadlearn.search.grid import SubGrid
from broadlearn.utils import Array


class LazyCandidates(Sequence[dict[str, Any]]):
    """The candidates of some grids, each made when it is asked for.

    Examples
    --------
    >>> from broadlearn.search.grid import SubGrid
    >>> LazyCandidates([SubGrid(("C",), ((1.0, 10.0),))])[1]
    {'C': 10.0}
    """

    def __init__(self, grids: Sequence[SubGrid]) -> None:
        self._grids = list(grids)
        self._starts = np.cumsum([0, *(grid.size for grid in grids)])

    def __len__(self) -> int:
        return int(self._starts[-1])

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        position = range(self._starts[-1])[index]
        grid = int(np.searchsorted(self._starts, position, side="right")) - 1
        return self._grids[grid].candidate(position - int(self._starts[grid]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(own == theirs for own, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} candidates, from {self[0]} to {self[-1]}>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        array = np.empty(len(self), dtype=object)
        array[:] = list(self)
        return array


def parameter_columns(grids: Sequence[SubGrid]) -> dict[str, MaskedArray[Any, Any]]:
    """``param_<name>`` for all candidates; masked where a grid does not have the name."""
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
    """The table of all candidates, as ``cv_results_`` of ``GridSearchCV``.

    Parameters
    ----------
    grids : sequence of SubGrid
    scores : ndarray of shape (n_scorers, 1 or 2, n_candidates, n_splits)
        Of test samples, and of training samples if they were scored.
    errors : ndarray of shape (n_candidates,)
    names : sequence of str
        Of the scorers.
    seconds : float
        Time of the whole search, which all candidates share.
    """
    n_candidates, n_splits = scores.shape[2:]
    results: dict[str, Any] = {
        "mean_fit_time": np.full(n_candidates, seconds / (n_candidates * n_splits)),
        "std_fit_time": np.zeros(n_candidates),
        "mean_score_time": np.zeros(n_candidates),
        "std_score_time": np.zeros(n_candidates),
        **parameter_columns(grids),
        "params": LazyCandidates(grids),
    }
    for name, parts in zip(names, scores, strict=True):
        for part, values in zip(("test", "train"), parts, strict=False):
            results.update({f"split{i}_{part}_{name}": values[:, i] for i in range(n_splits)})
            mean = results[f"mean_{part}_{name}"] = values.mean(axis=1)
            results[f"std_{part}_{name}"] = values.std(axis=1)
            if part == "test":
                known = np.isfinite(mean)
                lowest = mean[known].min() - 1.0 if known.any() else 0.0
                ranked = rankdata(-np.where(known, mean, lowest), method="min")
                results[f"rank_{part}_{name}"] = ranked.astype(np.int32)
    results["error"] = errors
    return results


def best_first(
    mean: Array, results: Mapping[str, Any], defaults: Mapping[str, Any], prefix: str = ""
) -> NDArray[np.intp]:
    """Positions of all candidates that have a mean score, the best first; of ties, smaller models.

    Smaller by the number of nodes, then by C (or C1 + C2), then by order.

    Parameters
    ----------
    mean : ndarray of shape (n_candidates,)
    results : mapping
        Has the columns of `parameter_columns`.
    defaults : mapping
        Values of parameters that are not in the grid.
    prefix : str, default=""
        What the names of parameters begin with, where the model is the last step of a pipeline.
    """
    if prefix:
        results = {key.replace(f"param_{prefix}", "param_", 1): results[key] for key in results}
        defaults = {key.removeprefix(prefix): defaults[key] for key in defaults}
    known = np.flatnonzero(~np.isnan(mean))
    size = layer_sizes(results, defaults)
    for groups, nodes in (
        ("n_feature_groups", "n_feature_nodes"),
        ("n_fuzzy_groups", "n_fuzzy_rules"),
    ):
        size = size + _values(results, defaults, groups) * _values(results, defaults, nodes)
    penalty = sum(_values(results, defaults, name) for name in ("C", "C1", "C2"))
    # Means that differ by rounding alone are the same.
    levels = np.round(mean, 12)
    keys = np.broadcast_arrays(np.arange(mean.size), penalty, size, -levels)
    return known[np.lexsort([key[known] for key in keys])]


def layer_sizes(results: Mapping[str, Any], defaults: Mapping[str, Any]) -> Array:
    """Nodes of the last layer of every candidate; one number where all have as many."""
    groups = _values(results, defaults, "n_enhancement_groups", absent=1)
    enhancement = _values(results, defaults, "n_enhancement_nodes")
    return groups * enhancement + _values(results, defaults, "n_hidden_nodes")


def _values(
    results: Mapping[str, Any], defaults: Mapping[str, Any], name: str, absent: int = 0
) -> Array:
    column, fixed = results.get(f"param_{name}"), defaults.get(name, absent)
    given = np.asarray(fixed if column is None else column.astype(object).filled(fixed), object)
    return np.where(given == INFINITE, np.inf, given).astype(np.float64)
