import numpy as np
import pytest
from sklearn.datasets import make_blobs

from broadlearn.auditing.neighbours import find_neighbours
from broadlearn.auditing.opinions import form_opinion
from broadlearn.auditing.rows import join_rows, prepare_rows


def no_step(stage):
    """Say nothing."""


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(90, centers=3, cluster_std=0.8, random_state=0)
    labels = y.copy()
    labels[::15] = (labels[::15] + 1) % 3
    return X, y, labels


def test_shapes_and_sums(blobs):
    X, y, labels = blobs
    rows = prepare_rows(X, labels)
    opinion = form_opinion(rows, find_neighbours(rows, 15), 0, no_step)
    for p in (opinion.proba, opinion.posterior):
        assert p.shape == (90, 3)
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert sum(opinion.pool.values()) == pytest.approx(1.0)
    assert len(opinion.pool) == 4
    assert opinion.suspicion[labels != y].min() > np.median(opinion.suspicion)
    assert opinion.flagged[labels != y].mean() > 0.8


def test_new_rows_are_not_learnt_from(blobs):
    X, _, labels = blobs
    known = prepare_rows(X[:60], labels[:60])
    other = labels[60:].copy()
    other[5] = (other[5] + 1) % 3
    found = []
    for given in (labels[60:], other):
        rows = join_rows(known, X[60:], given)
        found.append(form_opinion(rows, find_neighbours(rows, 15), 0, no_step, 60).proba)
    np.testing.assert_allclose(*found)


def test_parts(blobs):
    X, _, labels = blobs
    rows = prepare_rows(X, labels)
    opinion = form_opinion(rows, find_neighbours(rows, 15), 0, no_step)
    np.testing.assert_array_equal(opinion.after(50).suspicion, opinion.suspicion[50:])


def test_quantities(blobs):
    X, _, _ = blobs
    rows = prepare_rows(X, X[:, 0] + 0.5)
    opinion = form_opinion(rows, find_neighbours(rows, 15), 0, no_step)
    assert opinion.proba.shape == (90, 1)
    assert opinion.noise is None
    assert np.corrcoef(opinion.proba[:, 0], X[:, 0])[0, 1] > 0.95
