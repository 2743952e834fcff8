from functools import partial

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons
from sklearn.preprocessing import StandardScaler

from broadlearn.audit import held_out
from broadlearn.audit.held_out import held_out_probabilities
from broadlearn.solvers import Spectrum, design_blocks, ridge
from broadlearn.utils import encode_targets

pytestmark = pytest.mark.slow


def blobs(n_classes, n_rows=90, seed=0):
    X, y = make_blobs(n_rows, centers=n_classes, cluster_std=1.5, random_state=seed)
    return StandardScaler().fit_transform(X), y


def decisions_one_by_one(G, T, weight, C):
    """Fit without each row, plainly."""
    every = np.arange(len(G))
    out = []
    for i in every:
        kept = every != i
        weighted = G[kept] * weight[kept, None]
        A = weighted.T @ G[kept] + np.eye(G.shape[1]) / C
        out.append(G[i] @ np.linalg.solve(A, weighted.T @ T[kept]))
    return np.array(out)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_closed_form_equals_fits_without_the_row(n_classes):
    Z, codes = blobs(n_classes, 40)
    weight = np.random.default_rng(0).random(40)
    design, T = held_out._draw_map(Z, 0), encode_targets(codes, n_classes)
    blocks = design_blocks(design, T, np.sqrt(weight))
    spectrum = Spectrum.of_sums(blocks, design.n_columns, T.shape[1])
    G = design(slice(0, 40))
    predict = spectrum.held_out(G, T, weight)
    for C in (0.01, 10.0):
        np.testing.assert_allclose(predict(C), decisions_one_by_one(G, T, weight, C), atol=1e-7)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_probabilities(n_classes):
    Z, codes = blobs(n_classes)
    p = held_out_probabilities(Z, codes, n_classes)
    assert p.shape == (90, n_classes)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert (p.argmax(axis=1) == codes).mean() > 0.7


def test_a_row_has_no_say_on_itself():
    """Pure noise cannot be learnt: no label gets more than its share."""
    rng = np.random.default_rng(0)
    Z, codes = rng.normal(size=(200, 20)), rng.integers(0, 2, 200)
    p = held_out_probabilities(Z, codes, 2)
    assert p[np.arange(200), codes].mean() < 0.55


def test_flipped_labels_are_improbable():
    X, y = make_moons(300, noise=0.1, random_state=0)
    flipped = np.arange(0, 300, 10)
    codes = y.copy()
    codes[flipped] = 1 - codes[flipped]
    p = held_out_probabilities(StandardScaler().fit_transform(X), codes, 2)
    own = p[np.arange(300), codes]
    assert own[flipped].max() < np.delete(own, flipped).min() + 0.2
    assert (own[flipped] < 0.5).all()


def test_blocks_change_nothing(monkeypatch):
    Z, codes = blobs(2)
    whole = held_out_probabilities(Z, codes, 2)
    monkeypatch.setattr(ridge, "BLOCK_NUMBERS", 500)
    monkeypatch.setattr(held_out, "row_slices", partial(held_out.row_slices, numbers=500))
    np.testing.assert_allclose(held_out_probabilities(Z, codes, 2), whole, atol=1e-8)


def test_seed():
    Z, codes = blobs(2)
    first, again, other = (held_out_probabilities(Z, codes, 2, seed) for seed in (0, 0, 7))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_few_rows_and_lone_classes():
    p = held_out_probabilities(np.array([[-1.0], [0.0], [1.0]]), np.array([0, 0, 1]), 2)
    assert np.isfinite(p).all()
