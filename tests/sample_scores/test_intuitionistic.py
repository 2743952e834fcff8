import numpy as np
import pytest
from plain import plain_intuitionistic_scores

from broadlearn.sample_scores import (
    IntuitionisticScorer,
    Samples,
    intuitionistic,
    intuitionistic_scores,
)
from broadlearn.sample_scores.intuitionistic import MULTIPLES, choose_kernel_width, score_rows

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


def test_class_without_weight_is_ignored():
    X, y = make("random", 3)
    present = y != 2
    found = intuitionistic_scores(X, y, kernel_width=1.0, sample_weight=present.astype(float))
    expected = intuitionistic_scores(X[present], y[present], kernel_width=1.0)
    np.testing.assert_allclose(found.score[present], expected.score, atol=1e-12)
    np.testing.assert_array_equal(found.score[~present], 0.0)


def test_membership_is_that_of_explicit_feature_vectors():
    # The rows of a Cholesky factor of the kernel matrix are feature vectors with these products.
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(9, 4)), np.array([0] * 5 + [1] * 4)
    found = score_rows(X, codes, np.ones(9), 2, [1.5], epsilon=None, delta=1e-4)
    psi = np.linalg.cholesky(np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / 1.5**2))
    radii = []
    for c in (0, 1):
        distance = np.linalg.norm(psi[codes == c] - psi[codes == c].mean(axis=0), axis=1)
        radii.append(distance.max())
        expected = 1 - distance / (distance.max() + 1e-4)
        np.testing.assert_allclose(found.membership[0, codes == c], expected, atol=1e-9)
    np.testing.assert_allclose(found.radius, max(radii))


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    codes = (rng.random(300) < 0.15).astype(int)
    return rng.normal(size=(300, 4)) + codes[:, None], codes


def typical_distance(X, codes):
    """Root mean square distance of two samples of a class, over all pairs."""
    squared = [
        ((X[codes == c][:, None] - X[codes == c][None]) ** 2).sum(axis=2).mean() for c in (0, 1)
    ]
    return np.sqrt(np.bincount(codes) / len(codes) @ squared)


def test_takes_the_width_that_serves_the_least_trusted_class_best(table):
    X, codes = table
    chosen = choose_kernel_width(X, codes, np.ones(300), 2)
    widths = typical_distance(X, codes) * MULTIPLES
    scores = intuitionistic_scores(X, codes, kernel_width=widths).score
    least = [min(s[codes == 0].mean(), s[codes == 1].mean()) for s in scores]
    assert chosen == pytest.approx(widths[int(np.argmax(least))])


def test_no_class_vanishes_though_it_is_small():
    rng = np.random.default_rng(1)
    X, codes = rng.normal(size=(400, 5)), np.r_[np.zeros(380, dtype=int), np.ones(20, dtype=int)]
    score = intuitionistic_scores(X, codes, kernel_width="auto").score
    assert score[codes == 1].max() > 0
    assert score[codes == 0].max() > 0


def test_follows_the_units_of_the_data(table):
    X, codes = table
    one = choose_kernel_width(X, codes, np.ones(300), 2)
    assert choose_kernel_width(8.0 * X, codes, np.ones(300), 2) == pytest.approx(8.0 * one)


def test_copies_and_order_do_not_matter(table):
    X, codes = table
    weight = np.random.default_rng(2).integers(0, 3, 300) * 1.0
    copies = np.repeat(np.arange(300), weight.astype(int))[::-1]
    assert choose_kernel_width(X, codes, weight, 2) == pytest.approx(
        choose_kernel_width(X[copies], codes[copies], np.ones(copies.size), 2)
    )


# The scorer


def samples(n=90, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    Z = rng.normal(size=(n, 4)) + codes[:, None]
    return Samples(Z, codes, rng.integers(1, 4, n) * 1.0, n_classes, seed=5)


@pytest.mark.parametrize("landmarks", [None, 12])
def test_several_widths_at_once_are_those_of_each_alone(landmarks):
    some = samples()
    widths = [0.5, "auto", None, 1.0]
    together = IntuitionisticScorer(2.0, landmarks=landmarks).score_widths(some, widths)
    assert len(together) == 4
    for width, trust in zip([0.5, "auto", 2.0, 1.0], together, strict=True):
        alone = IntuitionisticScorer(width, landmarks=landmarks).score(some)
        np.testing.assert_allclose(trust.score, alone.score, atol=1e-12)
        assert trust.attributes["kernel_width_"] == alone.attributes["kernel_width_"]
        found, expected = (t.attributes["neighborhood_radius_"] for t in (trust, alone))
        assert found == pytest.approx(expected, rel=1e-12)


def test_auto_compares_all_pairs_of_few_samples_only(monkeypatch):
    some, auto = samples(), IntuitionisticScorer(1.0)
    exact = IntuitionisticScorer(1.0, landmarks=None).score(some).score
    np.testing.assert_array_equal(auto.score(some).score, exact)
    assert not auto.draws(some.codes.size)
    monkeypatch.setattr(IntuitionisticScorer, "max_exact", some.codes.size - 1)
    # Classes are taken whole where they have no more samples.
    np.testing.assert_allclose(auto.score(some).score, exact, atol=1e-12)
    assert auto.draws(some.codes.size)
    assert not auto.draws(some.codes.size - 1)
    for number, limits in ((12, (12, 40_000, 5)), (8, (2000, 24, 5)), (10, (2000, 6, 10))):
        for name, limit in zip(
            ("LANDMARKS", "ALL_LANDMARKS", "MIN_LANDMARKS"), limits, strict=True
        ):
            monkeypatch.setattr(intuitionistic, name, limit)
        drawn = IntuitionisticScorer(1.0, landmarks=number).score(some).score
        np.testing.assert_array_equal(auto.score(some).score, drawn)
        assert not np.array_equal(drawn, exact)


@pytest.mark.parametrize(
    "parameters",
    [
        {"kernel_width": 0.0},
        {"kernel_width": "wide"},
        {"neighborhood_radius": -1.0},
        {"landmarks": 1},
        {"landmarks": 2.5},
        {"delta": 0.0},
        {"small_class": -1},
    ],
    ids=str,
)
def test_bad_parameters_of_the_scorer_are_named(parameters):
    with pytest.raises(ValueError, match=f"The '{next(iter(parameters))}' parameter"):
        IntuitionisticScorer(**parameters).check()


def test_all_pairs_of_many_samples_warn(monkeypatch):
    monkeypatch.setattr(intuitionistic, "SLOW_SAMPLES", 80)
    some = samples()
    with pytest.warns(UserWarning, match='Scoring all pairs of 90 samples.*landmarks="auto"'):
        IntuitionisticScorer(1.0, landmarks=None).score(some)
    monkeypatch.setattr(IntuitionisticScorer, "max_exact", 80)
    IntuitionisticScorer(1.0).score(some)
    IntuitionisticScorer(1.0, landmarks=20).score(some)
