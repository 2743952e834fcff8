import numpy as np
import pytest

from broadlearn.ensemble.weights import draw_heavy, heavy_first, temper_weights


def test_class_weights_are_tempered_and_others_kept():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], [60, 30, 10])
    own = rng.uniform(0.5, 1.5, 100)
    for k in range(3):
        own[codes == k] /= own[codes == k].mean()
    of_class = 100 / (3 * np.bincount(codes))[codes]
    fitted, counted = temper_weights(own * of_class, codes)
    np.testing.assert_allclose(counted, own)
    np.testing.assert_allclose(fitted, own * np.sqrt(of_class))
    np.testing.assert_allclose(temper_weights(7 * own * of_class, codes)[0], 7 * fitted)


def test_heavy_samples_come_early_in_proportion():
    weight = np.r_[np.ones(50), np.full(50, 3.0)]
    first = [heavy_first(weight, np.random.default_rng(seed)) for seed in range(2000)]
    assert all(np.array_equal(np.sort(order), np.arange(100)) for order in first[:5])
    assert np.mean([order[0] >= 50 for order in first]) == pytest.approx(0.75, abs=0.04)


def test_heavy_samples_are_drawn_and_all_stand_for_the_whole():
    weight = np.r_[np.full(990, 0.5), np.full(10, 49.5)]
    drawn = [draw_heavy(weight, 100, np.random.default_rng(seed)) for seed in range(200)]
    for rows, own in drawn:
        assert rows.size == np.unique(rows).size == 100
        np.testing.assert_array_equal(rows[-10:], np.arange(990, 1000))
        np.testing.assert_allclose(own[-10:], 0.1)
        np.testing.assert_allclose(own[:-10], 1.1)
    counts = np.bincount(np.concatenate([rows for rows, _ in drawn]), minlength=1000)
    assert counts[:990].mean() == pytest.approx(200 * 90 / 990)
    assert counts[:990].max() < 50
