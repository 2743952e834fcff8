import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import log_loss, r2_score

from broadlearn.auditing.neighbours import find_neighbours
from broadlearn.auditing.probabilities import draw_sample, fit_members, vote
from broadlearn.auditing.rows import prepare_rows

NAMES = ["nearest rows", "extremely random trees", "random forest", "broad learning"]


def test_members_tell_classes_of_rows_they_did_not_see():
    X, y = make_blobs(150, centers=3, cluster_std=1.0, random_state=1)
    rows = prepare_rows(X, y)
    said = []
    members = fit_members(rows, find_neighbours(rows, 15), 0, said.append)
    assert [member.name for member in members] == said == NAMES
    for member in members:
        np.testing.assert_allclose(member.held_out.sum(axis=1), 1.0)
        assert log_loss(y, member.held_out) < 0.4
        assert member.predict(rows).shape == (150, 3)


def test_a_label_does_not_speak_for_itself():
    rng = np.random.default_rng(0)
    rows = prepare_rows(rng.normal(size=(120, 3)), rng.integers(0, 2, 120))
    for member in fit_members(rows, find_neighbours(rows, 15), 0, str):
        own = member.held_out[np.arange(120), rows.codes].mean()
        assert own < 0.56, member.name


def test_members_predict_quantities():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    rows = prepare_rows(X, X[:, 0] + 0.1 * rng.normal(size=150))
    for member in fit_members(rows, find_neighbours(rows, 15), 0, str):
        assert member.held_out.shape == (150, 1)
        assert r2_score(rows.labels, member.held_out[:, 0]) > 0.7
        assert member.predict(rows).shape == (150, 1)


def test_a_sample_holds_every_class():
    codes = np.repeat([0, 1, 2], [20_000, 30, 2])
    sample = draw_sample(codes, 3, seed=0)
    assert np.unique(sample).size == sample.size
    assert np.bincount(codes[sample])[1:].tolist() == [25, 2]


@pytest.mark.parametrize("quantity", [False, True])
def test_vote_against_a_loop(quantity):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 2))
    y = rng.normal(size=40) if quantity else rng.integers(0, 3, 40)
    rows = prepare_rows(X, y)
    near = find_neighbours(rows, 15)
    found = vote(rows, near.distance, near.nearest, 1.0)
    n_classes = 1 if quantity else 3
    for i in range(40):
        expected = np.zeros(n_classes)
        for k in (7, 15):
            weights = 1 / np.maximum(near.distance[i, :k], 1e-3)
            said = np.zeros(n_classes)
            for j, w in zip(near.nearest[i, :k], weights, strict=True):
                said[0 if quantity else y[j]] += w * (y[j] if quantity else 1.0)
            first = y.mean() if quantity else np.bincount(y, minlength=3) / 40
            expected += (said / weights.sum() * k + first) / (k + 1) / 2
        np.testing.assert_allclose(found[i], expected, rtol=1e-6)
