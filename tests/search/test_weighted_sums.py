from unittest.mock import ANY

import numpy as np
import pytest

from broadlearn.search import weighted_sums as module
from broadlearn.search.weighted_sums import shared_scores, weighted_residuals, weighted_sums


@pytest.mark.parametrize("step", [90, 25, 7])
@pytest.mark.parametrize("numbers", [1 << 19, 30])
def test_sums_do_not_depend_on_blocks(step, numbers, monkeypatch):
    monkeypatch.setattr(module, "SCORED_NUMBERS", numbers)
    rng = np.random.default_rng(0)
    R, full = rng.normal(size=(90, 6)), rng.uniform(size=90)
    few, none = np.where(rng.uniform(size=90) < 0.5, 0.0, full), np.zeros(90)
    slices = [slice(start, min(start + step, 90)) for start in range(0, 90, step)]
    blocks = ((rows, R[rows, :5].copy()) for rows in slices)
    diagonals = [None, full, few, none]
    found = weighted_sums(blocks, 4, R[:, 5:], diagonals, several=len(slices) > 1)
    used = R[:, [0, 1, 2, 3, 5]]
    for sums, s in zip(found, [np.ones(90), full, few, none], strict=True):
        expected = (used * s[:, None] ** 2).T @ used
        np.testing.assert_allclose(sums, expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(sums, sums.T)


def test_groups_of_equal_scores_are_summed_once():
    rng = np.random.default_rng(1)
    R, classes = rng.normal(size=(80, 5)), np.arange(80) % 2
    base = np.where(classes == 0, 1e-4, 2e-4)
    more, less, lost = base.copy(), 3.0 * base, base.copy()
    more[:7], less[5:9], lost[::3] = rng.uniform(size=7), 1e-5, 0.0
    other = rng.uniform(size=80)
    diagonals = [base, more, other, None, less, lost]
    shared = shared_scores(diagonals)
    assert {i: own.apart.size for i, own in shared.items()} == {0: 0, 1: 7, 4: 4, 5: 27}
    G, T = R[:, :4], R[:, 4:]
    found = weighted_sums([(slice(0, 80), G)], 4, T, diagonals, shared, several=False)
    alone = weighted_sums([(slice(0, 80), G)], 4, T, diagonals, several=False)
    np.testing.assert_allclose(found, alone, rtol=1e-12, atol=1e-12 * alone.max(axis=(1, 2)).min())
    np.testing.assert_array_equal(found, found.transpose(0, 2, 1))


def test_scores_that_have_nothing_in_common():
    rng = np.random.default_rng(2)
    assert shared_scores([rng.uniform(size=50) for _ in range(3)]) == {}
    assert shared_scores([None, np.ones(50)]) == {}
    assert shared_scores([np.zeros(50), rng.uniform(size=50)]) == {0: ANY}


@pytest.mark.parametrize("scored", [True, False])
def test_residuals_of_weights(scored):
    rng = np.random.default_rng(3)
    G, T, columns, Cs = rng.normal(size=(40, 6)), rng.normal(size=(40, 2)), [2, 6], np.r_[0.1, 5.0]
    W = rng.normal(size=(2, 2, 2, 6))
    W[:, 0, :, 2:] = 0.0
    s = rng.uniform(size=40) if scored else None
    blocks = [(rows, G[rows]) for rows in (slice(0, 25), slice(25, 40))]
    found = weighted_residuals(blocks, T, s, W, columns, Cs)
    squares = np.ones(40) if s is None else s**2
    for c, C in enumerate(Cs):
        for j, n in enumerate(columns):
            missing = squares[:, None] * (T - G @ W[c, j].T)
            expected = (G.T @ missing).T - W[c, j] / C
            np.testing.assert_allclose(found[c, j, :, :n], expected[:, :n], atol=1e-12)
