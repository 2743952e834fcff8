"""Dask collections as lists of partitions whose rows belong together."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np


def dask_module(name: str) -> Any:
    """Import a module of Dask, or raise with the extra to install."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError('This needs the extra "dask": pip install "broadlearn[dask]".') from error


def is_collection(value: Any) -> bool:
    """Return whether a value is an array, dataframe or series of Dask."""
    # Ask the type: a Delayed object seems to have every attribute.
    kind = type(value)
    return hasattr(kind, "__dask_graph__") and (is_array(value) or hasattr(kind, "divisions"))


def is_array(value: Any) -> bool:
    """Return whether a Dask collection is an array."""
    return hasattr(type(value), "chunks")


def whole_rows(X: Any) -> Any:
    """Return a Dask array or dataframe whose rows are not split between chunks."""
    if not is_collection(X) or X.ndim != 2:
        raise ValueError(
            f"X must be a Dask array or dataframe with two dimensions, got {type(X).__name__}"
            f"{f' with {X.ndim}' if is_collection(X) else ''}."
        )
    if is_array(X) and np.isnan(X.shape[1]):
        raise ValueError(
            "X must have a known number of columns; call X.compute_chunk_sizes() first."
        )
    return _whole_rows(X)


def _whole_rows(value: Any) -> Any:
    if is_array(value) and value.ndim == 2 and value.numblocks[1] > 1:
        return value.rechunk({1: -1})
    return value


class Partitions(NamedTuple):
    """Partitions of X, y and weights.

    Attributes
    ----------
    X, y, weight : list
        Delayed; a weight is None if there are none.
    head : array or dataframe
        No rows of X, with its columns.
    y_dimensions : int
    """

    X: list[Any]
    y: list[Any]
    weight: list[Any]
    head: Any
    y_dimensions: int


def align(X: Any, y: Any, sample_weight: Any = None) -> Partitions:
    """Split Dask collections X, y and weights into the partitions of X."""
    X = whole_rows(X)
    parts = _delayed(X)
    weight = [None] * len(parts)
    if sample_weight is not None:
        weight = _cut("sample_weight", sample_weight, X)
    head = np.empty((0, X.shape[1])) if is_array(X) else X._meta
    return Partitions(parts, _cut("y", y, X), weight, head, y.ndim)


def _lengths(value: Any) -> tuple[int, ...] | None:
    """Return the rows of each chunk; None if Dask does not know them."""
    if not is_array(value) or np.isnan(value.chunks[0]).any():
        return None
    return tuple(value.chunks[0])


def _delayed(value: Any) -> list[Any]:
    parts = value.to_delayed()
    return list(parts.ravel()) if is_array(value) else list(parts)


def _cut(name: str, value: Any, X: Any) -> list[Any]:
    """Return the parts of y or weights that belong to those of X."""
    if not is_collection(value):
        raise ValueError(
            f"{name} must be a Dask array or series, got {type(value).__name__}; use "
            "dask.array.from_array."
        )
    value = _whole_rows(value)
    own, lengths = _lengths(value), _lengths(X)
    if own is not None and lengths is not None:
        if sum(own) != sum(lengths):
            raise ValueError(f"{name} has {sum(own)} rows, but X has {sum(lengths)}.")
        value = value.rechunk({0: lengths})
    elif value.npartitions != X.npartitions:
        raise ValueError(
            f"{name} has {value.npartitions} partitions, but X has {X.npartitions}, and their "
            "lengths are unknown; take both from one dataframe, or convert both to arrays and call "
            "compute_chunk_sizes()."
        )
    return _delayed(value)
