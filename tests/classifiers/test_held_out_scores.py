"""Scores from leave-one-out predictions, against models that are really fitted without the row."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from broadlearn.classifiers import _held_out_scores
from broadlearn.classifiers._held_out_scores import held_out_scores
from broadlearn.classifiers._rows import encode_targets
from broadlearn.random_features._broad_map import learn_map, reduce_map
from broadlearn.random_features._standardize import affine_block, learn_standardization


def table(n, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    X = rng.normal(size=(n, 3)) + 1.5 * codes[:, None]
    return X, codes, encode_targets(codes, n_classes)


def plain(X, T, codes, seed):
    """Scores from one ridge model a row and penalty."""
    names = _held_out_scores
    standardization = learn_standardization(X, None)
    reduced = reduce_map(learn_map(X, standardization, names.FIRST_MAP, seed))
    G = reduced(affine_block(X, slice(0, len(X)), standardization))
    best = None
    for C in names.PENALTIES:
        margin = np.empty(len(X))
        for i in range(len(X)):
            rest = np.arange(len(X)) != i
            M = G[rest].T @ G[rest] + np.eye(G.shape[1]) / C
            d = G[i] @ np.linalg.solve(M, G[rest].T @ T[rest])
            if T.shape[1] == 1:
                margin[i] = T[i, 0] * d[0]
            else:
                margin[i] = d[codes[i]] - np.delete(d, codes[i]).max()
        loss = np.minimum(np.maximum(1 - margin, 0) ** 2, 4).mean()
        if best is None or loss < best[0]:
            best = (loss, margin)
    return expit(4 * best[1])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n", [40, 260], ids=["few rows", "many rows"])
def test_against_models_without_the_row(n, n_classes, monkeypatch):
    monkeypatch.setattr(_held_out_scores, "PENALTIES", np.array([0.01, 1.0, 100.0]))
    small = replace(_held_out_scores.FIRST_MAP, n_enhancement_nodes=60)
    monkeypatch.setattr(_held_out_scores, "FIRST_MAP", small)
    X, codes, T = table(n, n_classes)
    found = held_out_scores(X, T, codes, None, learn_standardization(X, None), 5)
    np.testing.assert_allclose(found, plain(X, T, codes, 5), atol=1e-6)


def test_blocks_do_not_show(monkeypatch):
    X, codes, T = table(400, 2)
    standardization = learn_standardization(X, None)
    whole = held_out_scores(X, T, codes, None, standardization, 0)
    monkeypatch.setattr(_held_out_scores, "BLOCK_NUMBERS", 1 << 13)
    found = held_out_scores(X, T, codes, None, standardization, 0)
    np.testing.assert_allclose(found, whole, atol=1e-9)


def test_wrong_labels_lose_weight():
    X, codes, _ = table(200, 2)
    X[codes == 1] += 3.0
    wrong = np.arange(0, 200, 20)
    codes[wrong] = 1 - codes[wrong]
    T = encode_targets(codes, 2)
    found = held_out_scores(X, T, codes, None, learn_standardization(X, None), 0)
    assert found[wrong].max() < 0.3
    assert np.delete(found, wrong).mean() > 0.8
