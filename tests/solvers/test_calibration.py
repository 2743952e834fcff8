import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_softmax

from broadlearn.solvers.calibration import bounded, learn_slope, learn_slopes, probabilities


def make(k, n=400, slope=4.0, seed=0):
    rng = np.random.default_rng(seed)
    decision = rng.normal(size=(n, k)) * 0.5
    p = probabilities(decision, slope)
    return decision, (rng.random((n, 1)) > p.cumsum(axis=1)[:, :-1]).sum(axis=1)


@pytest.mark.parametrize("k", [1, 3])
def test_slope_minimises_the_smoothed_loss(k):
    decision, codes = make(k)
    weight = np.random.default_rng(1).uniform(0, 2, codes.size)
    limited = bounded(decision)
    full = np.hstack([-limited, limited]) / 2 if k == 1 else limited
    target = (weight.sum() * np.eye(full.shape[1])[codes] + 1) / (weight.sum() + full.shape[1])

    def loss(slope):
        return -weight @ (target * log_softmax(slope * full, axis=1)).sum(axis=1)

    best = minimize_scalar(loss, bounds=(0.1, 50), method="bounded", options={"xatol": 1e-9})
    assert learn_slope(decision, codes, weight) == pytest.approx(best.x, rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 4])
def test_finds_the_slope_that_made_the_labels(k):
    decision, codes = make(k, n=20_000)
    assert learn_slope(decision, codes, np.ones(codes.size)) == pytest.approx(4.0, rel=0.1)


def test_several_models_at_once_as_each_alone():
    decision, codes = make(3)
    several = np.stack([decision, 5 * decision, -decision, np.zeros_like(decision)])
    alone = [learn_slope(d, codes, np.ones(codes.size)) for d in several]
    np.testing.assert_allclose(learn_slopes(several, codes, np.ones(codes.size)), alone, rtol=1e-12)


def test_a_sample_counts_by_its_weight_and_the_square_of_its_score():
    decision, codes = make(3)
    rng = np.random.default_rng(1)
    weight, score = rng.integers(0, 4, codes.size), rng.choice([0.0, 1.0, 2.0], codes.size)
    copies = np.repeat(np.arange(codes.size), weight * score.astype(int) ** 2)
    expected = learn_slope(decision[copies], codes[copies], np.ones(copies.size))
    found = learn_slopes(decision[None], codes, weight * 1.0, score)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    alone = learn_slopes(decision[None], codes, None, np.sqrt(weight))
    np.testing.assert_allclose(alone, learn_slope(decision, codes, weight * 1.0), rtol=1e-9)
    plain = learn_slope(decision, codes, np.ones(codes.size))
    np.testing.assert_array_equal(learn_slopes(decision[None], codes), [plain])


def test_perfect_and_useless_decisions_stay_finite():
    codes = np.arange(100) % 2
    perfect = np.where(codes == 1, 1.0, -1.0)[:, None]
    assert 1.0 < learn_slope(perfect, codes, np.ones(100)) < 100.0
    assert 0 < learn_slope(-perfect, codes, np.ones(100)) < 0.1
    assert np.isfinite(learn_slope(np.zeros((100, 1)), codes, np.ones(100)))


def test_bounded_keeps_apart_what_is_apart():
    decision = np.linspace(-1e3, 1e3, 2001)
    assert (np.diff(bounded(decision)) > 0).all()
    assert np.abs(bounded(decision)).max() < 1


def test_two_classes_from_one_column():
    p = probabilities(np.array([[0.3], [-2.0]]), 2.0)
    np.testing.assert_allclose(p[:, 1], expit(2 * bounded(np.array([0.3, -2.0]))))
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert probabilities(np.zeros((2, 3), dtype=np.float32), 2.0).dtype == np.float32
