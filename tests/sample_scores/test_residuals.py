"""Scorers of residuals, against their equations and in models."""

import numpy as np
import pytest
from plain_robust import plain_correntropy_weights, plain_density_weights, plain_huber_weights

from broadlearn.sample_scores import (
    CorrentropyScorer,
    HuberScorer,
    ResidualDensityScorer,
    as_scorer,
)

CASES = [
    (CorrentropyScorer(1.5), lambda E: plain_correntropy_weights(E, 1.5), 1e-12),
    (HuberScorer(1.1), lambda E: plain_huber_weights(E, 1.1), 1e-12),
    (ResidualDensityScorer(2.0), lambda E: plain_density_weights(E, 2.0), 0.01),
]
ALL = pytest.mark.parametrize("scorer", [case[0] for case in CASES], ids=lambda s: type(s).__name__)


def residuals(n_outputs, n=60):
    E = np.random.default_rng(n_outputs).standard_t(2, (n, n_outputs))
    E[:2] = 30.0
    return E


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize(
    ("scorer", "plain", "tolerance"), CASES, ids=lambda value: type(value).__name__
)
def test_squared_scores_are_the_weights_of_the_equation(scorer, plain, tolerance, n_outputs):
    E = residuals(n_outputs)
    score = scorer.residual_scores(E)
    np.testing.assert_allclose(score**2, plain(E), atol=tolerance)
    assert score[:2].max() < np.median(score) < 1.0 or isinstance(scorer, HuberScorer)


@ALL
def test_weights_are_copies(scorer):
    E, weight = residuals(2), np.random.default_rng(0).integers(1, 4, 60).astype(float)
    copies = np.repeat(np.arange(60), weight.astype(int))
    expected = scorer.residual_scores(E[copies])
    np.testing.assert_allclose(scorer.residual_scores(E, weight)[copies], expected, atol=1e-12)


@ALL
@pytest.mark.parametrize("value", [0.0, 1e-200, 2.5])
def test_equal_residuals_have_equal_scores(scorer, value):
    score = scorer.residual_scores(np.full((9, 2), value))
    assert np.ptp(score) == 0.0
    assert score[0] > 0.5


@ALL
def test_one_gross_residual_among_zeros(scorer):
    score = scorer.residual_scores(np.array([[0.0]] * 8 + [[5.0]]))
    assert (score[:8] == 1.0).all()
    assert np.isfinite(score).all()


@pytest.mark.parametrize(
    ("scorer", "message"),
    [
        (CorrentropyScorer(0.0), "'width' parameter"),
        (HuberScorer(np.inf), "'threshold' parameter"),
        (ResidualDensityScorer(-1.0), "'bandwidth' parameter"),
        (HuberScorer(n_iterations=-1), "'n_iterations' parameter"),
    ],
)
def test_bad_parameters_are_named(scorer, message):
    with pytest.raises(ValueError, match=message):
        as_scorer(scorer)
