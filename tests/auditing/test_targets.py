import numpy as np
import pytest

from broadlearn.auditing.targets import pool_predictions, suspicion_of_targets


def neighbours_on_a_line(n_rows, k=10):
    return (np.arange(n_rows)[:, None] + np.arange(1, k + 1)) % n_rows


def test_weights_minimise_the_squared_error():
    rng = np.random.default_rng(0)
    y = rng.normal(size=200) + 5.0
    good, noisy = y + rng.normal(0, 0.3, 200), y + rng.normal(0, 0.6, 200)
    weights = pool_predictions([good[:, None], noisy[:, None], rng.normal(size=(200, 1))], y)
    assert weights.sum() == pytest.approx(1.0)
    assert weights[0] > weights[1] > 0.05 > weights[2] >= 0.0


def test_useless_predictions_share_equally():
    y = np.array([0.0, 1.0, 2.0])
    np.testing.assert_allclose(pool_predictions([-y[:, None], -2 * y[:, None]], y), 0.5)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_wrong_targets_stand_out_and_clean_ones_do_not(scale):
    rng = np.random.default_rng(1)
    residual = scale * rng.normal(size=500)
    assert (suspicion_of_targets(residual, neighbours_on_a_line(500)) > 0.5).mean() <= 0.01
    wrong = np.arange(0, 500, 50)
    residual[wrong] += 15.0 * scale
    suspicion = suspicion_of_targets(residual, neighbours_on_a_line(500))
    assert set(np.argsort(-suspicion)[:10]) == set(wrong)
    assert suspicion[wrong].min() > 0.9
    assert 8 < suspicion.sum() < 16


def test_residuals_are_measured_by_those_around():
    rng = np.random.default_rng(2)
    residual = np.r_[rng.normal(0, 1, 250), rng.normal(0, 4, 250)]
    residual[100], residual[400] = 15.0, 15.0
    suspicion = suspicion_of_targets(residual, neighbours_on_a_line(500))
    assert suspicion[100] > 0.5 > 0.1 > suspicion[400]


def test_perfect_predictions_are_not_suspect():
    assert not (suspicion_of_targets(np.zeros(20), neighbours_on_a_line(20, 3)) > 0.5).any()
