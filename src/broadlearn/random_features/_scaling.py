"""Scaling of feature nodes: learnt per node, or taken per row within a group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Nodes are brought to this interval.
LOW, HIGH = -1.0, 1.0
# The quantiles that "robust" puts where "node" puts minimum and maximum.
ROBUST_QUANTILES = (0.1, 0.9)
# Relative width below which a node counts as constant.
CONSTANT = 1e-12


def to_interval(low: Array, high: Array) -> tuple[Array, Array]:
    """Scale and offset that send [low, high] to [LOW, HIGH]; a constant node goes to 0."""
    width = high - low
    constant = width <= CONSTANT * np.maximum(np.abs(low), np.abs(high))
    scale = (HIGH - LOW) / np.where(constant, 1.0, width)
    scale = np.where(constant, 1.0, scale)
    offset = np.where(constant, -low, LOW - low * scale)
    return scale, offset


def node_extremes(blocks: Iterable[NDArray[np.floating]], n_nodes: int) -> tuple[Array, Array]:
    """Minimum and maximum of every node over blocks of rows."""
    low, high = np.full(n_nodes, np.inf), np.full(n_nodes, -np.inf)
    for block in blocks:
        np.minimum(low, block.min(axis=0), out=low)
        np.maximum(high, block.max(axis=0), out=high)
    return low, high


def node_quantiles(
    nodes: Callable[[slice], NDArray[np.floating]], n_nodes: int, step: int, weight: Array | None
) -> tuple[Array, Array]:
    """The two robust quantiles of every node, for `step` nodes at a time.

    Parameters
    ----------
    nodes : callable
        Gives all rows of a slice of nodes.
    n_nodes, step : int
    weight : ndarray of shape (n_samples,) or None
        Row weights; the quantile of a row of weight w is that of w copies.

    Returns
    -------
    low, high : ndarray of shape (n_nodes,)
        Widened to minimum and maximum where the quantiles coincide.
    """
    low, high = np.empty(n_nodes), np.empty(n_nodes)
    for start in range(0, n_nodes, step):
        part = slice(start, min(start + step, n_nodes))
        values = nodes(part)
        low[part], high[part] = quantiles(values, weight, ROBUST_QUANTILES)
        flat = part.start + np.flatnonzero(low[part] == high[part])
        low[flat] = values[:, flat - part.start].min(axis=0)
        high[flat] = values[:, flat - part.start].max(axis=0)
    return low, high


def quantiles(values: NDArray[np.floating], weight: Array | None, shares: Sequence[float]) -> Array:
    """For each column, the least value with the wanted share of the weight at or below it.

    numpy.quantile has this too, but rounds the share differently with and without weights.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_columns)
    weight : ndarray of shape (n_samples,) or None
    shares : sequence of float

    Returns
    -------
    ndarray of shape (n_shares, n_columns)
    """
    order = np.argsort(values, axis=0)
    share = np.cumsum(np.ones(len(values)) if weight is None else weight[order], axis=0)
    if weight is None:
        share = np.broadcast_to(share[:, None], values.shape)
    wanted = [q * share[-1] * (1.0 - 1e-12) for q in shares]
    columns = np.arange(values.shape[1])
    return np.array(
        [values[order[np.argmax(share >= w, axis=0), columns], columns] for w in wanted]
    )


def scale_rows_in_groups(F: NDArray[np.floating], n_groups: int) -> NDArray[np.floating]:
    """Bring every row of every group to [LOW, HIGH], in place; constant ones to 0."""
    grouped = F.reshape(F.shape[0], n_groups, -1)
    low = grouped.min(axis=2, keepdims=True)
    width = grouped.max(axis=2, keepdims=True) - low
    constant = width == 0.0
    grouped -= low
    grouped *= (HIGH - LOW) / np.where(constant, 1.0, width)
    grouped += np.where(constant, 0.0, LOW)
    return F
