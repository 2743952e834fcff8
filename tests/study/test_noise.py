import numpy as np
import pytest

from broadlearn.study.noise import KINDS, Noise, apply_noise, parse_noise


def table(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal([3.0, -50.0, 0.0, 7.0], [1.0, 20.0, 1e-3, 0.0], (n, 4))
    return X, np.array(["a", "b", "c"])[rng.choice(3, n, p=[0.6, 0.3, 0.1])]


def changed_rows(before, after):
    return np.flatnonzero((before != after).any(axis=1))


@pytest.mark.parametrize(
    ("text", "noise"),
    [
        ("none", Noise()),
        ("labels:0.10:train", Noise("labels", 0.1, "train")),
        ("labels:0.2", Noise("labels", 0.2, "train")),
        ("deviation:2:all", Noise("deviation", 2.0, "all")),
        ("one-sided-labels:1:all", Noise("one-sided-labels", 1.0, "all")),
    ],
)
def test_text_is_read(text, noise):
    assert parse_noise(text) == noise
    assert parse_noise(str(noise)) == noise


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "kind:level:where"),
        ("deviation", "kind:level:where"),
        ("deviation:much", "kind:level:where"),
        ("deviation:0.1:train:twice", "kind:level:where"),
        ("salt:0.1:train", "kind of noise must be one of none, deviation"),
        ("labels:0.1:test", '"train" or "all", got \'test\''),
        ("labels:0:train", "share of rows above 0 and at most 1"),
        ("outliers:1.5:train", "share of rows above 0 and at most 1"),
        ("deviation:-1:train", "positive number"),
        ("deviation:nan:train", "positive number"),
        ("none:0.1", "takes no level"),
    ],
)
def test_bad_text_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parse_noise(text)


@pytest.mark.parametrize("kind", KINDS)
def test_seeded_and_never_in_place(kind):
    X, y = table()
    kept = X.copy(), y.copy()
    noise = Noise() if kind == "none" else Noise(kind, 0.2)
    first, again, other = (apply_noise(X, y, noise, seed) for seed in (3, 3, 4))
    for ours, same, original, before in zip(first, again, (X, y), kept, strict=True):
        np.testing.assert_array_equal(ours, same)
        np.testing.assert_array_equal(original, before)
        assert not np.shares_memory(ours, original)
        assert ours.dtype == original.dtype
    differs = any((a != b).any() for a, b in zip(first, other, strict=True))
    assert differs == (kind != "none")


def test_feature_noise_has_its_share_of_each_feature():
    X, y = table(50_000)
    noisy, labels = apply_noise(X, y, Noise("deviation", 0.15), 0)
    added = noisy - X
    np.testing.assert_allclose(added.std(axis=0), 0.15 * X.std(axis=0), rtol=0.02)
    np.testing.assert_allclose(np.corrcoef(added[:, :3].T), np.eye(3), atol=0.03)
    np.testing.assert_array_equal(noisy[:, 3], X[:, 3])
    np.testing.assert_array_equal(labels, y)


def test_outliers_lie_far_out_on_either_side():
    X, y = table()
    noisy, labels = apply_noise(X, y, Noise("outliers", 0.1), 0)
    rows = changed_rows(X, noisy)
    assert len(rows) == 20
    distance = (noisy - X.mean(axis=0))[rows, :3] / X.std(axis=0)[:3]
    assert np.abs(distance).min() >= 5.0 - 1e-9
    assert np.abs(distance).max() <= 10.0 + 1e-9
    assert (distance > 0).any()
    assert (distance < 0).any()
    np.testing.assert_array_equal(labels, y)


def test_symmetric_flips_go_to_every_other_class():
    X, y = table(30_000)
    same, flipped = apply_noise(X, y, Noise("labels", 0.3), 0)
    np.testing.assert_array_equal(same, X)
    changed = flipped != y
    assert changed.sum() == 9_000
    for label in "abc":
        assert changed[y == label].mean() == pytest.approx(0.3, abs=0.03)
        _, counts = np.unique(flipped[changed & (y == label)], return_counts=True)
        np.testing.assert_allclose(counts / counts.sum(), [0.5, 0.5], atol=0.05)


def test_one_sided_flips_leave_all_other_classes_alone():
    X, y = table()
    y[:60] = "b"
    _, flipped = apply_noise(X, y, Noise("one-sided-labels", 0.25), 0)
    changed = flipped != y
    assert (y[changed] == "b").all()
    assert changed.sum() == round(0.25 * (y == "b").sum())


def test_heavy_tails_are_in_units_of_the_deviation():
    X, y = table(20_000)
    noisy, labels = apply_noise(X, y, Noise("heavy-tails", 0.5), 0)
    offsets = (noisy - X)[:, :3] / X.std(axis=0)[:3] / 0.5
    # Half of a t distribution with 2 degrees of freedom lies within 0.816, 99 % within 9.92.
    np.testing.assert_allclose(np.quantile(np.abs(offsets), [0.5, 0.99]), [0.816, 9.92], rtol=0.1)
    np.testing.assert_array_equal(labels, y)


def test_a_level_that_is_not_a_number_is_refused():
    with pytest.raises(ValueError, match="positive number, got 'much'"):
        Noise("deviation", "much")


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [2.0]], [0, 0], "at least two classes for labels noise, got only 0"),
        ([[1.0], [np.nan]], [0, 1], "X contains NaN"),
        ([[1.0], [2.0]], [0, 1, 1], "inconsistent numbers of samples"),
    ],
)
def test_bad_input_is_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        apply_noise(X, y, Noise("labels", 0.5), 0)
