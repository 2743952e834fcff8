import numpy as np
import pytest

from broadlearn.auditing.noise_model import (
    FIRST_NOISE,
    FIRST_ROWS,
    FULL_SIGNAL,
    MIN_PROBABILITY,
    MIN_SURE,
    MIN_THRESHOLD,
    PRIOR_ROWS,
    SURE_PART,
    SURENESS,
    UNDONE,
    calibration_power,
    draw_errors,
    expected_errors,
    flag,
    learn_noise,
    pool_weights,
    suspicion_of,
    to_power,
    true_classes,
)


def noisy_classes(T, n_rows=6000, sharpness=6.0, seed=0):
    """True probabilities of overlapping classes, true classes, and labels corrupted by T."""
    rng = np.random.default_rng(seed)
    k = len(T)
    q = np.exp(sharpness * rng.normal(size=(n_rows, k)))
    q /= q.sum(axis=1, keepdims=True)
    true = np.array([rng.choice(k, p=row) for row in q])
    given = np.array([rng.choice(k, p=T[t]) for t in true])
    return q, true, given


MATRICES = {
    "none": np.eye(3),
    "everywhere": np.full((3, 3), 0.1) + 0.7 * np.eye(3),
    "from one class": np.array([[0.7, 0.15, 0.15], [0, 1, 0], [0, 0, 1.0]]),
    "to one class": np.array([[1.0, 0, 0], [0.3, 0.7, 0], [0.3, 0, 0.7]]),
}


@pytest.mark.parametrize("name", MATRICES)
def test_noise_is_learnt_where_probabilities_are_right(name):
    T = MATRICES[name]
    q, true, given = noisy_classes(T)
    noise = learn_noise(q @ T, given)
    np.testing.assert_allclose(noise.T, T, atol=0.04)
    posterior = true_classes(q @ T, given, noise.T)
    suspicion = suspicion_of(posterior, given)
    wrong = given != true
    assert abs(suspicion.sum() - wrong.sum()) < 0.15 * len(wrong) * 0.2 + 30
    for low in (0.0, 0.5):
        some = (suspicion >= low) & (suspicion < low + 0.5)
        if some.sum() > 100:
            assert abs(suspicion[some].mean() - wrong[some].mean()) < 0.16


def test_noise_against_the_equation():
    rng = np.random.default_rng(1)
    p, codes = rng.dirichlet(np.ones(3), 40), rng.integers(0, 3, 40)
    counts = np.zeros((3, 3))
    for t in range(3):
        share = (codes == t).mean()
        sure = np.argsort(-p[:, t])[: max(MIN_SURE, int(SURE_PART * (codes == t).sum()))]
        weight = [(p[i, t] / p[:, t].max()) ** SURENESS for i in sure]
        mean = sum(w * p[i, t] for w, i in zip(weight, sure, strict=True)) / sum(weight)
        signal = min(max((mean - share) / (1 - share) / FULL_SIGNAL, 0), 1)
        for w, i in zip(weight, sure, strict=True):
            counts[t, codes[i]] += w * signal**2
    wrong = counts.sum() - np.trace(counts)
    rate = (wrong + FIRST_ROWS * FIRST_NOISE) / (counts.sum() + FIRST_ROWS)
    for t in range(3):
        for g in range(3):
            counts[t, g] += PRIOR_ROWS * (1 - rate if t == g else rate / 2)
    noise = learn_noise(p, codes)
    np.testing.assert_allclose(noise.counts, counts)
    np.testing.assert_allclose(noise.T, counts / counts.sum(axis=1, keepdims=True))


def test_posterior_against_bayes():
    rng = np.random.default_rng(2)
    T = MATRICES["to one class"]
    p, codes = rng.dirichlet(np.ones(3), 20), rng.integers(0, 3, 20)
    found = true_classes(p, codes, T)
    for i in range(20):
        q = p[i] @ np.linalg.inv(UNDONE * T + (1 - UNDONE) * np.eye(3))
        joint = np.maximum(q, MIN_PROBABILITY) * T[:, codes[i]]
        np.testing.assert_allclose(found[i], joint / joint.sum())


def test_expected_errors_sum_to_suspicion():
    rng = np.random.default_rng(3)
    posterior, codes = rng.dirichlet(np.ones(4), 50), rng.integers(0, 4, 50)
    expected = expected_errors(posterior, codes)
    assert expected.sum() == pytest.approx(suspicion_of(posterior, codes).sum())
    assert expected[1, 2] == pytest.approx(posterior[codes == 1, 2].sum())
    assert not np.diag(expected).any()


def test_draws_surround_what_is_expected():
    T = MATRICES["everywhere"]
    q, true, given = noisy_classes(T, 1000)
    noise = learn_noise(q @ T, given)
    draws = draw_errors(q @ T, given, noise, seed=0)
    total = draws.sum(axis=(1, 2))
    low, high = np.percentile(total, [5, 95])
    assert low < (given != true).sum() < high
    assert high - low < 0.5 * total.mean()
    np.testing.assert_array_equal(draws, draw_errors(q @ T, given, noise, seed=0))


def test_draws_of_many_rows_are_of_a_sample():
    p = np.tile([[0.9, 0.1], [0.1, 0.9]], (15_000, 1))
    codes = np.tile([0, 1], 15_000)
    draws = draw_errors(p, codes, learn_noise(p, codes), seed=0)
    assert draws.shape[1:] == (2, 2)


def test_flags_have_the_best_expected_f1():
    rng = np.random.default_rng(4)
    suspicion, codes = rng.beta(0.4, 2.0, 200), rng.integers(0, 2, 200)
    flagged = flag(suspicion, codes, 2)
    for c in range(2):
        s = suspicion[codes == c]

        def f1(threshold, s=s):
            chosen = s >= threshold
            return 2 * s[chosen].sum() / (chosen.sum() + s.sum() + MIN_PROBABILITY)

        best = max(s, key=f1)
        np.testing.assert_array_equal(flagged[codes == c], s >= max(best, MIN_THRESHOLD))


def test_nothing_is_flagged_where_nothing_is_suspect():
    assert not flag(np.full(30, 0.05), np.zeros(30, dtype=int), 2).any()
    assert not flag(np.zeros(3), np.zeros(3, dtype=int), 1).any()


def test_weights_go_to_the_model_that_knows():
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2, 300)
    good = np.where(np.arange(2) == codes[:, None], 0.8, 0.2)
    weights = pool_weights([good, np.full((300, 2), 0.5), good[:, ::-1]], codes)
    assert weights.sum() == pytest.approx(1.0)
    assert weights[0] > 0.9


def test_calibration_undoes_a_power():
    rng = np.random.default_rng(6)
    p = rng.dirichlet(np.ones(3), 4000)
    codes = np.array([rng.choice(3, p=row) for row in p])
    assert calibration_power(to_power(p, 0.5), codes) == pytest.approx(2.0, rel=0.1)
    np.testing.assert_allclose(to_power(p, 1.0), p, atol=5e-3)


def test_without_signal_little_is_claimed():
    rng = np.random.default_rng(7)
    codes = (rng.random(300) < 0.3).astype(int)
    p = np.clip(0.3 + 0.03 * rng.normal(size=300), 0.05, 0.95)
    p = np.stack([1 - p, p], axis=1)
    noise = learn_noise(p, codes)
    np.testing.assert_allclose(noise.T[0, 1], FIRST_NOISE, atol=0.05)
    np.testing.assert_allclose(noise.T[1, 0], FIRST_NOISE, atol=0.05)
