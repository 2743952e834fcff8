"""Scores from leave-one-out predictions, against models that are really fitted without the row."""

from dataclasses import replace

import numpy as np
import pytest
from plain import plain_held_out
from scipy.special import expit
from sklearn.datasets import make_classification

from broadlearn import BLSClassifier
from broadlearn.random_features import Standardization, draw_map
from broadlearn.sample_scores import HeldOutScorer, Samples, held_out
from broadlearn.sample_scores.held_out import held_out_scores
from broadlearn.utils import encode_targets


def make(n, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    X = rng.normal(size=(n, 3)) + 1.5 * codes[:, None]
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    return Samples(Z, codes, np.ones(n), n_classes, seed=5)


def plain(samples):
    """Scores from one ridge model per sample and penalty."""
    Z, codes, weight, n_classes, seed, _ = samples
    identity = Standardization.identity(Z.shape[1])
    G = draw_map(held_out.FIRST_MAP, Z, identity, seed).columns(identity.affine(Z))
    T = encode_targets(codes, n_classes)
    best = None
    for C in held_out.PENALTIES:
        decision = plain_held_out(G, T, C, None, weight)
        if n_classes == 2:
            margin = T[:, 0] * decision[:, 0]
        else:
            margin = np.array(
                [d[c] - np.delete(d, c).max() for d, c in zip(decision, codes, strict=True)]
            )
        loss = np.minimum(np.maximum(1 - margin, 0) ** 2, 4) @ weight
        if best is None or loss < best[0]:
            best = (loss, margin)
    return expit(4 * best[1])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n", [40, 120], ids=["few samples", "many samples"])
@pytest.mark.parametrize("weighted", [False, True])
def test_against_models_without_the_sample(n, n_classes, weighted, monkeypatch):
    monkeypatch.setattr(held_out, "PENALTIES", np.array([0.01, 1.0, 100.0]))
    small = replace(held_out.FIRST_MAP, n_enhancement_nodes=60)
    monkeypatch.setattr(held_out, "FIRST_MAP", small)
    samples = make(n, n_classes)
    if weighted:
        weight = np.random.default_rng(1).choice([0.5, 1.0, 3.0], n)
        samples = samples._replace(weight=weight)
    np.testing.assert_allclose(held_out_scores(samples), plain(samples), atol=1e-6)


def test_blocks_do_not_show(monkeypatch):
    samples = make(400, 2)
    whole = held_out_scores(samples)
    monkeypatch.setattr(held_out, "BLOCK_NUMBERS", 1 << 13)
    np.testing.assert_allclose(held_out_scores(samples), whole, atol=1e-9)


# The scorer


def test_samples_of_weight_zero_take_no_part_and_get_zero():
    samples = make(100, 3)
    weight = np.ones(100)
    weight[::7] = 0.0
    kept = weight > 0
    found = HeldOutScorer().score(samples._replace(weight=weight)).score
    rest = Samples(samples.Z[kept], samples.codes[kept], weight[kept], 3, seed=5)
    np.testing.assert_array_equal(found[kept], held_out_scores(rest))
    np.testing.assert_array_equal(found[~kept], 0.0)
    assert found[kept].min() > 0


def test_integer_class_weights_are_no_copies():
    X, y = make_classification(200, n_informative=4, weights=[0.8], random_state=0)
    whole, nearly = (
        BLSClassifier(sample_scores="held_out", class_weight={0: 1, 1: w}, random_state=0).fit(X, y)
        for w in (4, 4.000001)
    )
    np.testing.assert_allclose(whole.sample_scores_, nearly.sample_scores_, atol=1e-4)
