"""Passes that learn what rows are scored against: centres or references of classes, then radii."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn._passes.rows import Reader, Rows
from broadlearn.classifiers import FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier
from broadlearn.classifiers._incremental import IncrementalModel
from broadlearn.sample_scores._geometry import (
    REFERENCE_ROWS,
    ClassBlock,
    FuzzyGeometry,
    KernelGeometry,
    row_priorities,
)

Array = NDArray[np.float64]
Geometry = FuzzyGeometry | KernelGeometry


class References(NamedTuple):
    """Rows drawn of each class, in their order.

    Attributes
    ----------
    Z : ndarray of shape (n_references, n_features)
    codes : ndarray of shape (n_references,)
    weight : ndarray of shape (n_references,)
    priority : ndarray of shape (n_references,)
        Rows of least priority are drawn.
    class_weight : ndarray of shape (n_classes,)
        Of all rows.
    """

    Z: NDArray[np.floating]
    codes: NDArray[np.intp]
    weight: Array
    priority: NDArray[np.uint64]
    class_weight: Array


class Centres(NamedTuple):
    """Weighted sums of the rows of each class, and their weights."""

    sums: Array
    class_weight: Array


def learn_geometry(
    model: IncrementalModel, reader: Reader, rows: Rows, seed: int
) -> Geometry | None:
    """Learn what rows are scored against; None for a model that trusts all alike.

    The model makes it from a few rows that stand for all, and a second pass finds the radii.

    Parameters
    ----------
    model : IncrementalModel
        Stores the kernel width and neighbourhood radius, if it has these.
    reader : Reader
    rows : Rows
    seed : int
    """
    n_classes, scores = model._n_classes(), _kind_of_scores(model)
    few: ClassBlock
    if scores == "fuzzy":
        centres = rows.reduce("classes", partial(class_sums, reader, n_classes), merge_sums)
        few = _centre_rows(centres)
    elif scores == "intuitionistic":
        size = REFERENCE_ROWS if model.landmarks is None else model.landmarks
        part = partial(draw_references, reader, n_classes, size, seed)
        few = _reference_rows(rows.reduce("classes", part, partial(merge_references, size)))
    else:
        # None, or the reason why such scores need all rows at once.
        return model._learn_geometry(list, n_classes, seed)
    geometry = model._learn_geometry(lambda: [few], n_classes, seed)
    if geometry is None:
        return None
    radii = rows.reduce("classes", partial(class_radii, reader, geometry), np.maximum)
    if isinstance(geometry, FuzzyGeometry):
        return replace(geometry, radii=radii)
    if model.neighborhood_radius is None:
        geometry = replace(geometry, epsilon=float(radii.max()))
    model.neighborhood_radius_ = geometry.epsilon
    return replace(geometry, radii=radii)


def _kind_of_scores(model: IncrementalModel) -> str | None:
    if isinstance(model, FuzzyBLSClassifier):
        return "fuzzy"
    if isinstance(model, IntuitionisticFuzzyBLSClassifier):
        return model.sample_scores
    return None


def class_sums(
    reader: Reader, n_classes: int, X: Any, y: Any, sample_weight: Any, first: int
) -> Centres:
    """Sums of a block."""
    batch = reader(X, y, sample_weight)
    indicator = np.zeros((n_classes, batch.codes.size))
    indicator[batch.codes, np.arange(batch.codes.size)] = batch.weight
    Z = reader.standardized(batch).astype(np.float64, copy=False)
    return Centres(indicator @ Z, indicator.sum(axis=1))


def merge_sums(a: Centres, b: Centres) -> Centres:
    """Sums of the rows of both."""
    return Centres(a.sums + b.sums, a.class_weight + b.class_weight)


def _centre_rows(centres: Centres) -> ClassBlock:
    present = np.flatnonzero(centres.class_weight)
    weight = centres.class_weight[present]
    return centres.sums[present] / weight[:, None], present, weight


def draw_references(
    reader: Reader,
    n_classes: int,
    size: int,
    seed: int,
    X: Any,
    y: Any,
    sample_weight: Any,
    first: int,
) -> References:
    """Draw up to `size` rows of each class from a block."""
    batch = reader(X, y, sample_weight)
    class_weight = np.bincount(batch.codes, batch.weight, minlength=n_classes).astype(np.float64)
    priority = row_priorities(first, batch.codes.size, seed)
    Z = reader.standardized(batch)
    return _least(size, References(Z, batch.codes, batch.weight, priority, class_weight))


def merge_references(size: int, a: References, b: References) -> References:
    """References drawn from the rows of both."""
    return _least(
        size,
        References(
            np.concatenate([a.Z, b.Z]),
            np.concatenate([a.codes, b.codes]),
            np.concatenate([a.weight, b.weight]),
            np.concatenate([a.priority, b.priority]),
            a.class_weight + b.class_weight,
        ),
    )


def _least(size: int, rows: References) -> References:
    """The rows of least priority of each class, in their order."""
    order = np.lexsort((rows.priority, rows.codes))
    codes = rows.codes[order]
    rank = np.arange(codes.size) - np.searchsorted(codes, codes)
    chosen = np.sort(order[rank < size])
    return References(
        rows.Z[chosen],
        rows.codes[chosen],
        rows.weight[chosen],
        rows.priority[chosen],
        rows.class_weight,
    )


def _reference_rows(references: References) -> ClassBlock:
    codes = references.codes
    drawn = np.bincount(codes, references.weight, minlength=references.class_weight.size)
    weight = references.weight / drawn[codes] * references.class_weight[codes]
    return references.Z, codes, weight


def class_radii(
    reader: Reader, geometry: Geometry, X: Any, y: Any, sample_weight: Any, first: int
) -> Array:
    """Largest distance of a block's rows to the centre of their class; 0 where there are none."""
    batch = reader(X, y, sample_weight)
    radii = np.zeros(geometry.radii.size)
    distances = geometry.distances(reader.standardized(batch), batch.codes)
    np.maximum.at(radii, batch.codes, distances)
    return radii
