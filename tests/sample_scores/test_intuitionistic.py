import numpy as np
import pytest
from plain import plain_intuitionistic_scores

from broadlearn.sample_scores import intuitionistic_scores

WIDTHS = 2.0 ** np.arange(-5, 6)
PARTS = ("membership", "nonmembership", "heterogeneity", "score", "radius")


def make(kind, n_classes, seed=0, n=90, d=6):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)), rng.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    if kind == "duplicates":
        X[n // 2 : n // 2 + n // 3] = X[: n // 3]
    if kind == "lattice":
        X = np.round(X)
    if kind == "one-row classes":
        y[n_classes:] = 0
    if kind == "far from the origin":
        X += 1000.0
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3, 10])
@pytest.mark.parametrize(
    "kind", ["random", "duplicates", "lattice", "one-row classes", "far from the origin"]
)
def test_equals_the_equations(kind, n_classes):
    X, y = make(kind, n_classes)
    together = intuitionistic_scores(X, y, kernel_width=WIDTHS)
    for k, mu in enumerate(WIDTHS):
        alone = intuitionistic_scores(X, y, kernel_width=mu)
        for part, expected in zip(PARTS, plain_intuitionistic_scores(X, y, mu), strict=True):
            np.testing.assert_allclose(getattr(alone, part), expected, rtol=0, atol=1e-12)
            np.testing.assert_allclose(getattr(together, part)[k], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 40])
def test_equals_the_equations_for_any_number_of_columns(d):
    X, y = make("random", 2, n=150, d=d)
    X[1] = X[0] + 1e-9
    for mu in (2.0**-5, 1.0, 2.0**5):
        found = intuitionistic_scores(X, y, kernel_width=mu)
        # Near the centre of a class the plain float64 sum itself errs by more than 1e-12.
        expected = plain_intuitionistic_scores(X.astype(np.longdouble), y, np.longdouble(mu))
        np.testing.assert_allclose(found.score, expected[3].astype(float), rtol=0, atol=1e-12)


def test_a_pair_at_exactly_epsilon_counts():
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])
    epsilon = np.sqrt(2 - 2 * np.exp(-1.0))
    found = intuitionistic_scores(X, y, kernel_width=1.0, neighborhood_radius=epsilon)
    np.testing.assert_array_equal(found.heterogeneity, [1 / 2, 1 / 3, 0.0])
    below = intuitionistic_scores(X, y, kernel_width=1.0, neighborhood_radius=0.999999 * epsilon)
    np.testing.assert_array_equal(below.heterogeneity, 0.0)


def test_radius_zero_counts_copies_only():
    X, y = np.array([[0.0], [0.0], [1e-6]]), np.array([0, 1, 1])
    found = intuitionistic_scores(X, y, kernel_width=1.0, neighborhood_radius=0.0)
    np.testing.assert_array_equal(found.heterogeneity, [0.5, 0.5, 0.0])


def test_large_radius_counts_all():
    X, y = make("random", 2)
    found = intuitionistic_scores(X, y, kernel_width=0.1, neighborhood_radius=1.5)
    np.testing.assert_allclose(found.heterogeneity, np.where(y == 0, np.mean(y), 1 - np.mean(y)))


@pytest.mark.parametrize("d", [3, 8])
def test_weight_equals_copies_and_zero_equals_absence(d):
    X, y = make("random", 3, n=60, d=d)
    weight = np.random.default_rng(1).integers(0, 4, 60)
    copies = np.repeat(np.arange(60), weight)
    weighted = intuitionistic_scores(X, y, kernel_width=[0.5, 1.0, 3.0], sample_weight=weight)
    repeated = intuitionistic_scores(X[copies], y[copies], kernel_width=[0.5, 1.0, 3.0])
    for part in PARTS[:-1]:
        np.testing.assert_allclose(
            getattr(weighted, part)[:, copies], getattr(repeated, part), rtol=0, atol=1e-12
        )
    np.testing.assert_allclose(weighted.radius, repeated.radius, atol=1e-12)
    assert np.isfinite(weighted.score).all()


def test_fractional_weights_scale_out():
    X, y = make("random", 2)
    one = intuitionistic_scores(X, y, kernel_width=2.0)
    tenth = intuitionistic_scores(X, y, kernel_width=2.0, sample_weight=np.full(90, 0.1))
    np.testing.assert_allclose(one.score, tenth.score, atol=1e-12)


def test_class_without_weight_is_ignored():
    X, y = make("random", 3)
    present = y != 2
    found = intuitionistic_scores(X, y, kernel_width=1.0, sample_weight=present.astype(float))
    expected = intuitionistic_scores(X[present], y[present], kernel_width=1.0)
    np.testing.assert_allclose(found.score[present], expected.score, atol=1e-12)
    np.testing.assert_array_equal(found.score[~present], 0.0)


def test_auto_width_is_reported_and_used():
    X, y = make("random", 2)
    auto = intuitionistic_scores(X, y, kernel_width="auto")
    named = intuitionistic_scores(X, y, kernel_width=auto.kernel_width)
    np.testing.assert_array_equal(auto.score, named.score)


def test_string_labels_and_float32():
    X, y = make("random", 2)
    plain = intuitionistic_scores(X, y, kernel_width=1.0)
    named = intuitionistic_scores(
        X.astype(np.float32), np.array(["no", "yes"])[y], kernel_width=1.0
    )
    assert named.score.dtype == np.float32
    np.testing.assert_allclose(named.membership, plain.membership, atol=1e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kernel_width": 0.0}, "kernel_width must be a positive number"),
        ({"kernel_width": "wide"}, "kernel_width must be a positive number"),
        ({"kernel_width": []}, "kernel_width must be a positive number"),
        ({"kernel_width": [1.0, np.inf]}, "kernel_width must be a positive number"),
        ({"neighborhood_radius": -1.0}, "neighborhood_radius must be None or"),
        ({"landmarks": 1}, "landmarks must be None or a whole number >= 2"),
        ({"landmarks": 2.5}, "landmarks must be None or a whole number >= 2"),
        ({"delta": -1.0}, "delta must be a positive number"),
    ],
)
def test_bad_input_is_named(change, message):
    X, y = make("random", 2)
    with pytest.raises(ValueError, match=message):
        intuitionistic_scores(X, y, **{"kernel_width": 1.0, **change})
