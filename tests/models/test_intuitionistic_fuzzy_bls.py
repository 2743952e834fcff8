import numpy as np
import pytest
from plain import plain_intuitionistic_scores, plain_ridge
from sklearn.datasets import load_iris, make_classification

from broadlearn import (
    BroadFeatures,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
)
from broadlearn.sample_scores import IntuitionisticScorer, intuitionistic_scores

MODELS = [IntuitionisticFuzzyBLSClassifier, IntuitionisticFuzzyTwinSVC]


@pytest.mark.parametrize("n_nodes", [20, 300])
@pytest.mark.parametrize("mu", [0.5, 4.0])
@pytest.mark.parametrize("epsilon", [None, 0.7])
def test_is_the_published_model(n_nodes, mu, epsilon):
    X, y = load_iris(return_X_y=True)
    model = IntuitionisticFuzzyBLSClassifier(
        3, 4, 1, n_nodes, C=10.0, kernel_width=mu, neighborhood_radius=epsilon, random_state=0
    ).fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    theta, nu, _, score, radius = plain_intuitionistic_scores(Z, y, mu, epsilon)
    np.testing.assert_allclose(model.membership_, theta, atol=1e-12)
    np.testing.assert_allclose(model.nonmembership_, nu, atol=1e-12)
    np.testing.assert_allclose(model.sample_scores_, score, atol=1e-12)
    assert model.neighborhood_radius_ == pytest.approx(radius, abs=1e-12)
    G = BroadFeatures(3, 4, 1, n_nodes, random_state=0).fit_transform(X)
    expected = G @ plain_ridge(G, np.eye(3)[y], 10.0, score)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-9)


def flipped_table(seed):
    X, y = make_classification(
        600, 6, n_clusters_per_class=1, flip_y=0.0, class_sep=1.5, random_state=seed
    )
    noisy = y.copy()
    flips = np.random.default_rng(seed).permutation(400)[:100]
    noisy[flips] = 1 - noisy[flips]
    return X, y, noisy


@pytest.mark.parametrize("mu", [2.0, "auto"])
def test_flipped_samples_are_trusted_less(mu):
    for seed in range(5):
        X, y, noisy = flipped_table(seed)
        model = IntuitionisticFuzzyBLSClassifier(kernel_width=mu, random_state=0)
        score = model.fit(X[:400], noisy[:400]).sample_scores_
        wrong = noisy[:400] != y[:400]
        assert score[wrong].mean() < 0.9 * score[~wrong].mean()


def test_vanishing_class_is_named_with_the_remedy():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(200, 2)), rng.uniform(-0.3, 0.3, size=(3, 2)) * 8])
    y = np.array(["many"] * 200 + ["few"] * 3)
    with pytest.raises(ValueError, match=r"class 'few' are zero.*larger kernel_width \(now 2\)"):
        IntuitionisticFuzzyBLSClassifier(kernel_width=2.0).fit(X, y)


@pytest.mark.parametrize("model", MODELS)
def test_all_scores_zero_is_named(model):
    # Every sample has a twin of the other class at the rim of its own class.
    X, y = np.array([[0.0], [1.0], [0.0], [1.0]]), np.array([0, 0, 1, 1])
    with pytest.raises(ValueError, match=r"scores of every class are zero.*larger kernel_width"):
        model(kernel_width=1.0).fit(X, y)


def test_landmarks_come_near():
    X, _, noisy = flipped_table(0)
    exact = IntuitionisticFuzzyBLSClassifier(kernel_width=2.0, random_state=0).fit(X, noisy)
    near = IntuitionisticFuzzyBLSClassifier(kernel_width=2.0, landmarks=150, random_state=0)
    near.fit(X, noisy)
    assert np.corrcoef(exact.membership_, near.membership_)[0, 1] > 0.95
    assert np.mean(exact.predict(X) == near.predict(X)) > 0.9


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kernel_width", 0.0),
        ("kernel_width", "wide"),
        ("neighborhood_radius", -1.0),
        ("delta", 0.0),
        ("landmarks", 1),
        ("landmarks", "all"),
    ],
)
def test_bad_parameters_are_named(name, value):
    with pytest.raises(ValueError, match=name):
        IntuitionisticFuzzyBLSClassifier(**{name: value}).fit([[0.0], [1.0]], [0, 1])


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    return rng.normal(size=(120, 3)) * [1, 10, 100] + y[:, None], y


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("width", [1.0, "auto"])
def test_scores_are_those_of_the_standardised_samples(model, width, table):
    X, y = table
    fitted = model(kernel_width=width).fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = intuitionistic_scores(Z, y, kernel_width=fitted.kernel_width_)
    np.testing.assert_allclose(fitted.sample_scores_, expected.score, atol=1e-10)
    np.testing.assert_allclose(fitted.membership_, expected.membership, atol=1e-10)
    np.testing.assert_allclose(fitted.nonmembership_, expected.nonmembership, atol=1e-10)
    assert fitted.neighborhood_radius_ == pytest.approx(expected.radius)


def test_many_samples_without_landmarks_warn(monkeypatch, table):
    monkeypatch.setattr("broadlearn.sample_scores.intuitionistic.MANY_SAMPLES", 100)
    model = IntuitionisticFuzzyBLSClassifier(n_enhancement_nodes=10, landmarks=None)
    with pytest.warns(UserWarning, match='landmarks="auto"'):
        model.fit(*table)


@pytest.mark.parametrize("model", MODELS)
def test_auto_draws_landmarks_of_many_samples_only(monkeypatch, model):
    monkeypatch.setattr("broadlearn.sample_scores.intuitionistic.LANDMARKS", 15)
    X, _, y = flipped_table(0)
    auto, exact, drawn = (model(landmarks=n, random_state=0) for n in ("auto", None, 15))
    assert model().landmarks == "auto"
    exact.fit(X, y)
    np.testing.assert_array_equal(auto.fit(X, y).sample_scores_, exact.sample_scores_)
    monkeypatch.setattr(IntuitionisticScorer, "max_exact", len(X) - 1)
    np.testing.assert_array_equal(auto.fit(X, y).sample_scores_, drawn.fit(X, y).sample_scores_)
    assert not np.array_equal(auto.sample_scores_, exact.sample_scores_)
    # Many samples are standardised when they are asked for, which changes no score.
    scores = exact.sample_scores_, drawn.sample_scores_
    monkeypatch.setattr("broadlearn.models.base.BLOCK_NUMBERS", 10)
    for one, expected in zip((exact, drawn), scores, strict=True):
        np.testing.assert_array_equal(one.fit(X, y).sample_scores_, expected)
