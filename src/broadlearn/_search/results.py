"""The table of a search: arrays for all settings, dictionaries only when looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.ma import MaskedArray
from numpy.typing import NDArray
from scipy.stats import rankdata

from broadlearn._search.grid import SubGrid

Array = NDArray[np.float64]


class LazySettings(Sequence[dict[str, Any]]):
    """The settings of some grids, each made when it is asked for.

    Examples
    --------
    >>> from broadlearn._search.grid import SubGrid
    >>> LazySettings([SubGrid(("C",), ((1.0, 10.0),))])[1]
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
        position = range(len(self))[index]
        grid = int(np.searchsorted(self._starts, position, side="right")) - 1
        return self._grids[grid].setting(position - int(self._starts[grid]))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} settings, from {self[0]} to {self[-1]}>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        array = np.empty(len(self), dtype=object)
        array[:] = list(self)
        return array


def parameter_columns(grids: Sequence[SubGrid]) -> dict[str, MaskedArray[Any, Any]]:
    """``param_<name>`` for all settings; masked where a grid does not have the name."""
    names = sorted({name for grid in grids for name in grid.names})
    total = sum(grid.size for grid in grids)
    columns = {}
    for name in names:
        parts, masks = [], []
        for grid in grids:
            if name in grid.names:
                axis = grid.names.index(name)
                values = _as_array(grid.values[axis])
                shape = [1] * len(grid.shape)
                shape[axis] = -1
                parts.append(np.broadcast_to(values.reshape(shape), grid.shape).ravel())
            else:
                parts.append(np.zeros(grid.size, dtype=object))
            masks.append(np.full(grid.size, name not in grid.names))
        merged = np.concatenate(parts) if parts else np.empty(total)
        columns[f"param_{name}"] = MaskedArray(merged, mask=np.concatenate(masks))
    return columns


def _as_array(values: Sequence[Any]) -> NDArray[Any]:
    if not any(isinstance(value, list | tuple) for value in values):
        array = np.asarray(values)
        if array.ndim == 1 and array.dtype.kind in "bif":
            return array
    objects = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        objects[i] = value
    return objects


def score_columns(name: str, part: str, scores: Array) -> dict[str, NDArray[Any]]:
    """Columns of one score: each split, mean, deviation, and for test scores the rank.

    Parameters
    ----------
    name : str
        "score", or the name of one of several scorers.
    part : {"test", "train"}
    scores : ndarray of shape (n_settings, n_splits)
    """
    columns: dict[str, NDArray[Any]] = {
        f"split{i}_{part}_{name}": scores[:, i] for i in range(scores.shape[1])
    }
    mean = scores.mean(axis=1)
    columns[f"mean_{part}_{name}"] = mean
    columns[f"std_{part}_{name}"] = np.sqrt(((scores - mean[:, None]) ** 2).mean(axis=1))
    if part == "test":
        known = np.isfinite(mean)
        lowest = mean[known].min() - 1.0 if known.any() else 0.0
        ranked = rankdata(-np.where(known, mean, lowest), method="min")
        columns[f"rank_{part}_{name}"] = ranked.astype(np.int32)
    return columns


def results_table(
    grids: Sequence[SubGrid],
    scores: Array,
    errors: NDArray[Any],
    names: Sequence[str],
    seconds: float,
) -> dict[str, Any]:
    """The table of all settings, as ``cv_results_`` of ``GridSearchCV``.

    Parameters
    ----------
    grids : sequence of SubGrid
    scores : ndarray of shape (n_scorers, 1 or 2, n_settings, n_splits)
        Of test rows, and of training rows if they were scored.
    errors : ndarray of shape (n_settings,)
    names : sequence of str
        Of the scorers.
    seconds : float
        Time of the whole search, which all settings share.
    """
    n_settings, n_splits = scores.shape[2:]
    results: dict[str, Any] = {
        "mean_fit_time": np.full(n_settings, seconds / (n_settings * n_splits)),
        "std_fit_time": np.zeros(n_settings),
        "mean_score_time": np.zeros(n_settings),
        "std_score_time": np.zeros(n_settings),
        **parameter_columns(grids),
        "params": LazySettings(grids),
    }
    for name, parts in zip(names, scores, strict=True):
        for part, values in zip(("test", "train"), parts, strict=False):
            results.update(score_columns(name, part, values))
    results["error"] = errors
    return results


def best_first(
    mean: Array, columns: dict[str, MaskedArray[Any, Any]], defaults: dict[str, Any]
) -> NDArray[np.intp]:
    """Positions of all settings that have a mean score, the best first; of ties, smaller models.

    Smaller by the number of nodes, then by C (or C1 + C2), then by order.

    Parameters
    ----------
    mean : ndarray of shape (n_settings,)
    columns : dict
        From `parameter_columns`.
    defaults : dict
        Values of parameters that are not in the grid.
    """
    known = np.flatnonzero(~np.isnan(mean))
    size = _values(columns, defaults, "n_feature_groups", mean.size) * _values(
        columns, defaults, "n_feature_nodes", mean.size
    )
    size += _values(columns, defaults, "n_fuzzy_groups", mean.size) * _values(
        columns, defaults, "n_fuzzy_rules", mean.size
    )
    size += layer_sizes(columns, defaults, mean.size)
    penalties = [_values(columns, defaults, name, mean.size) for name in ("C", "C1", "C2")]
    penalty = np.sum(penalties, axis=0)
    # Means that differ by rounding alone are the same.
    levels = np.round(mean[known], 12)
    return known[np.lexsort((known, penalty[known], size[known], -levels))]


def layer_sizes(
    columns: dict[str, MaskedArray[Any, Any]], defaults: dict[str, Any], n_settings: int
) -> Array:
    """Nodes of the last layer of every setting."""
    groups = _values(columns, defaults, "n_enhancement_groups", n_settings, absent=1)
    enhancement = _values(columns, defaults, "n_enhancement_nodes", n_settings)
    return groups * enhancement + _values(columns, defaults, "n_hidden_nodes", n_settings)


def _values(
    columns: dict[str, MaskedArray[Any, Any]],
    defaults: dict[str, Any],
    name: str,
    n_settings: int,
    absent: int = 0,
) -> Array:
    fixed = defaults.get(name, absent)
    if f"param_{name}" not in columns:
        return np.full(n_settings, fixed, dtype=np.float64)
    return np.asarray(columns[f"param_{name}"].filled(fixed), dtype=np.float64)
