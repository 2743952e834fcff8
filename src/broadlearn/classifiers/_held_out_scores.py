"""Trust in rows from a first model: how far its prediction without a row agrees with its label.

Where a row is left out, a ridge model predicts its label from all others in closed form. Rows whose
label is contradicted lose weight in the model that is fitted next.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from broadlearn.classifiers._rows import Array
from broadlearn.random_features._broad_map import MapSettings, ReducedMap, learn_map, reduce_map
from broadlearn.random_features._standardize import Standardization, affine_block, row_slices

# The map of the first model, whose penalty is chosen by its own leave-one-out loss.
FIRST_MAP = MapSettings(
    n_feature_groups=1,
    n_feature_nodes=64,
    n_enhancement_groups=1,
    n_enhancement_nodes=200,
    activation="sine",
    feature_activation="identity",
    feature_weights="orthonormal",
    feature_scaling=None,
    enhancement_scale=(0.25, 0.6, 1.5),
    enhancement_bias=2.0,
    enhancement_inputs=4,
)
PENALTIES = 10.0 ** np.arange(-3.0, 6.0)
# No row counts for more than this in the choice of the penalty: some labels are wrong.
LARGEST_LOSS = 4.0
# Slope of the score at margin 0, where it is a half.
STEEPNESS = 4.0
# Part of a row that stays in its own prediction at the least.
LEAST_REMAINDER = 1e-6
BLOCK_NUMBERS = 1 << 21


def held_out_scores(
    X: NDArray[np.floating],
    T: Array,
    codes: NDArray[np.intp],
    weight: Array | None,
    standardization: Standardization,
    seed: int,
) -> Array:
    """Score rows by the margin with which a model without them predicts their label.

    With the margin m of a row, 1 where its class is predicted perfectly, 0 on the boundary and
    negative where another class is predicted, the score is ``1 / (1 + exp(-4 m))``.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    T : ndarray of shape (n_samples, n_targets)
        One column of -1 and 1 for two classes, else one of 0 and 1 for each.
    codes : ndarray of shape (n_samples,)
        Class of each row.
    weight : ndarray of shape (n_samples,) or None
        Positive weights; of a row of weight w > 1, one of w copies is left out.
    standardization : Standardization
    seed : int
        Of the first model's nodes.

    Returns
    -------
    ndarray of shape (n_samples,)
        Numbers between 0 and 1, never 0 itself.
    """
    reduced = reduce_map(learn_map(X, standardization, FIRST_MAP, seed, weight))
    w = np.ones(X.shape[0]) if weight is None else weight
    values, vectors, right = _spectrum(reduced, X, T, w, standardization)
    margins = np.empty((PENALTIES.size, X.shape[0]))
    for rows, G in _designs(reduced, X, standardization):
        H = G @ vectors
        for i, C in enumerate(PENALTIES):
            a = 1.0 / (values + 1.0 / C)
            # Of w copies one is left out.
            h = (H * H) @ a * np.minimum(w[rows], 1.0)
            decision = H @ (a[:, None] * right)
            rest = np.maximum(1.0 - h, LEAST_REMAINDER)[:, None]
            margins[i, rows] = _margin((decision - h[:, None] * T[rows]) / rest, codes[rows])
    losses = np.minimum(np.maximum(1.0 - margins, 0.0) ** 2, LARGEST_LOSS) @ w
    score: Array = expit(STEEPNESS * margins[int(np.argmin(losses))])
    return score


def _designs(
    reduced: ReducedMap, X: NDArray[np.floating], standardization: Standardization
) -> Iterator[tuple[slice, Array]]:
    for rows in row_slices(X.shape[0], reduced.n_columns, BLOCK_NUMBERS):
        affine = affine_block(X, rows, standardization)
        yield rows, reduced(affine).astype(np.float64, copy=False)


def _spectrum(
    reduced: ReducedMap,
    X: NDArray[np.floating],
    T: Array,
    w: Array,
    standardization: Standardization,
) -> tuple[Array, Array, Array]:
    """Eigenvalues and vectors V of ``GᵗWG``, and ``VᵗGᵗWT``; from the rows where these are few."""
    n, n_targets = reduced.n_columns, T.shape[1]
    if X.shape[0] < n:
        _, G = next(_designs(reduced, X, standardization))
        _, singular, Vt = np.linalg.svd(np.sqrt(w)[:, None] * G, full_matrices=False)
        return singular**2, Vt.T, Vt @ (G.T @ (w[:, None] * T))
    sums = np.zeros((n, n + n_targets))
    for rows, G in _designs(reduced, X, standardization):
        both = np.sqrt(w[rows])[:, None] * np.concatenate([G, T[rows]], axis=1)
        sums += both[:, :n].T @ both
    values, vectors = np.linalg.eigh(sums[:, :n])
    return np.maximum(values, 0.0), vectors, vectors.T @ sums[:, n:]


def _margin(decision: Array, codes: NDArray[np.intp]) -> Array:
    """Decision for the own class less that for the best other one."""
    if decision.shape[1] == 1:
        return np.where(codes == 1, decision[:, 0], -decision[:, 0])
    every = np.arange(codes.size)
    own = decision[every, codes]
    others = decision.copy()
    others[every, codes] = -np.inf
    margin: Array = own - others.max(axis=1)
    return margin
