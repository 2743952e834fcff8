import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_softmax

from broadlearn.solvers.calibration import (
    MIN_SHARE,
    bounded,
    evidence_of,
    learn_link,
    learn_offsets,
    learn_slopes,
    link_probabilities,
    probabilities,
)


def learn_slope(decision, codes, weight):
    return float(learn_slopes(decision[None], codes, weight)[0])


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


def held_out(k, n=300, seed=0):
    """Decisions of least squares on 0 and 1, or on -1 and 1 for two classes (k = 1)."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, max(k, 2), n)
    T = 2.0 * codes[:, None] - 1 if k == 1 else np.eye(k)[codes]
    return 0.6 * T + 0.2 * (k > 1) + rng.normal(size=T.shape) * 0.4, codes


def plain_link_loss(slopes, decision, codes, weight):
    """Smoothed log-loss."""
    a, b = slopes
    linear = decision / np.sqrt(1 + decision**2)
    if decision.shape[1] == 1:
        e = np.clip(decision, 2 * MIN_SHARE - 1, 1 - 2 * MIN_SHARE)
        scaled = np.hstack([np.zeros_like(e), a * linear + b * (np.log(1 + e) - np.log(1 - e))])
    else:
        scaled = a * linear + b * np.log(np.maximum(decision, MIN_SHARE))
    k, total = scaled.shape[1], weight.sum()
    target = (total * np.eye(k)[codes] + 1) / (total + k)
    return -weight @ (target * log_softmax(scaled, axis=1)).sum(axis=1) / total


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("kind", ["plain", "weights"])
def test_slopes_of_the_link_have_the_least_loss(k, kind):
    decision, codes = held_out(k)
    rng = np.random.default_rng(1)
    weight = rng.uniform(0.1, 2, codes.size) if kind == "weights" else None
    found = learn_link(evidence_of(decision), codes, weight)
    counts = np.ones(codes.size) if weight is None else weight
    best = minimize(
        plain_link_loss,
        [1.0, 1.0],
        (decision, codes, counts),
        method="Nelder-Mead",
        bounds=[(1e-3, None), (0, None)],
        options={"xatol": 1e-7, "fatol": 1e-12},
    )
    assert plain_link_loss(found, decision, codes, counts) == pytest.approx(best.fun, abs=1e-7)
    np.testing.assert_allclose(found, best.x, atol=0.01)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("kind", ["good", "wrong", "perfect", "zero"])
def test_slopes_of_the_link_are_never_negative(k, kind):
    decision, codes = held_out(k)
    change = {"good": 1.0, "wrong": -1.0, "perfect": 100.0, "zero": 0.0}[kind]
    slopes = learn_link(evidence_of(change * decision), codes)
    assert np.isfinite(slopes).all()
    assert (slopes >= 0).all()
    assert np.isfinite(link_probabilities(change * decision, slopes)).all()


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("slopes", [(3.0, 0.0), (2.0, 1.0), (1e-3, 5.0)])
def test_the_link_keeps_the_order_of_decisions(k, slopes):
    decision = np.random.default_rng(0).normal(size=(500, k)) * 2
    shares = link_probabilities(decision, np.array(slopes))
    chosen = (decision[:, 0] > 0) * 1 if k == 1 else decision.argmax(axis=1)
    np.testing.assert_array_equal(shares.argmax(axis=1), chosen)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares >= 0).all()


def test_the_learnt_link_keeps_the_order_of_decisions_that_are_all_small():
    decision, codes = held_out(3, 2000)
    share = np.maximum(0.2 + 0.6 * np.eye(3)[codes], 0.0)
    small = np.array([[-0.5, -0.2, 0.0], [0.001, 0.002, 0.0]])
    for some in (decision, share):
        shares = link_probabilities(small, learn_link(evidence_of(some), codes))
        np.testing.assert_array_equal(shares.argmax(axis=1), [2, 1])


@pytest.mark.parametrize("k", [2, 3])
def test_offsets_are_of_least_weighted_loss(k):
    rng = np.random.default_rng(0)
    codes = rng.choice(k, 300, p=[0.8, *[0.2 / (k - 1)] * (k - 1)])
    T = np.eye(k)[codes] if k > 2 else 2.0 * codes[:, None] - 1
    decision = 0.3 * T + rng.normal(0, 0.3, T.shape) - 0.4 * (np.arange(k)[-T.shape[1] :] > 0)
    weight = 1.0 / np.bincount(codes)[codes]

    def loss(offsets):
        moved = decision + offsets
        slope = learn_slope(moved, codes, weight * 300)
        own = probabilities(moved, slope)[np.arange(300), codes]
        return -np.average(np.log(own), weights=weight)

    found = learn_offsets(decision, codes, weight * 300)
    for step in 0.05 * np.vstack([np.eye(T.shape[1]), -np.eye(T.shape[1])]):
        assert loss(found) < loss(found + step) + 1e-4
    assert loss(found) < loss(np.zeros(T.shape[1])) - 0.01


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_huge_decisions_are_bounded(dtype):
    huge = np.array([-np.inf, -1e30, -1e9, 1e9, 1e30, np.inf], dtype=dtype)
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(bounded(huge), np.sign(huge))
