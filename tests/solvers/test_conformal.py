import numpy as np
import pytest

from broadlearn.solvers import (
    conformal_quantile,
    label_scores,
    label_sets,
)


@pytest.mark.parametrize("coverage", [0.5, 0.7, 0.9, 0.95])
@pytest.mark.parametrize("n", [1, 4, 9, 10, 19, 99, 100])
def test_quantile_is_the_score_of_the_corrected_rank(n, coverage):
    scores = np.random.default_rng(n).permutation(n).astype(float)
    rank = -((n + 1) * round(100 * coverage) // -100)
    expected = np.sort(scores)[rank - 1] if rank <= n else np.inf
    assert conformal_quantile(scores, coverage) == expected


def test_a_weight_of_two_is_two_copies():
    rng = np.random.default_rng(0)
    scores, weight = rng.random(40), rng.integers(1, 4, 40).astype(float)
    for coverage in (0.6, 0.8, 0.9):
        copies = np.repeat(scores, weight.astype(int))
        expected = conformal_quantile(copies, coverage)
        assert conformal_quantile(scores, coverage, weight) == expected


def test_one_more_score_is_not_above_the_quantile_as_often_as_promised():
    rng = np.random.default_rng(0)
    held = [s[-1] <= conformal_quantile(s[:-1], 0.8) for s in rng.normal(size=(4000, 30))]
    assert np.mean(held) == pytest.approx(24 / 30, abs=0.02)


def test_sets_hold_every_class_whose_score_is_not_above_the_quantile():
    proba = np.random.default_rng(2).dirichlet(np.ones(3), 20)
    codes = np.arange(20) % 3
    scores = label_scores(proba, codes)
    np.testing.assert_allclose(scores, [1 - proba[i, c] for i, c in enumerate(codes)])
    sets = label_sets(proba, 0.6)
    for i in range(20):
        assert sets[i].tolist() == [1 - p <= 0.6 for p in proba[i]]
    assert label_sets(proba, np.inf).all()
    assert label_scores(proba.astype(np.float32), codes).dtype == np.float32


@pytest.mark.parametrize("coverage", [0.0, 1.0, 90, -0.1, np.nan])
def test_a_coverage_is_between_0_and_1(coverage):
    with pytest.raises(ValueError, match="coverage must be a number between 0 and 1"):
        conformal_quantile(np.arange(9.0), coverage)
