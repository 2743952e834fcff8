import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from plain import plain_ridge
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split

from broadlearn import (
    BLSClassifier,
    BroadFeatures,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
)
from broadlearn.sample_scores import (
    FuzzyScorer,
    IntuitionisticScorer,
    NeighborScorer,
    SampleScorer,
    Trust,
    neighbor_agreement,
)


def flipped_table(seed=0):
    X, y = make_classification(
        600, 6, n_clusters_per_class=1, flip_y=0.0, class_sep=1.5, random_state=seed
    )
    noisy = y.copy()
    flips = np.random.default_rng(seed).permutation(400)[:100]
    noisy[flips] = 1 - noisy[flips]
    return X, y, noisy


def test_several_classes_solve_one_hot_targets():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = BLSClassifier(3, 4, 1, 20, C=10.0, random_state=0).fit(X, names)
    G = BroadFeatures(3, 4, 1, 20, random_state=0).fit_transform(X)
    expected = G @ plain_ridge(G, np.eye(3)[y], 10.0)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.classes_[expected.argmax(axis=1)])
    np.testing.assert_array_equal(model.sample_scores_, 1.0)


def test_one_column_decides_as_two_would():
    X, y = load_breast_cancer(return_X_y=True)
    model = BLSClassifier(3, 4, 1, 20, random_state=0).fit(X, y)
    G = BroadFeatures(3, 4, 1, 20, random_state=0).fit_transform(X)
    two = G @ plain_ridge(G, np.eye(2)[y], 1.0)
    np.testing.assert_allclose(model.decision_function(X), two[:, 1] - two[:, 0], atol=1e-9)


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e6])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_probabilities_beat_the_prior(load, C):
    X, y = load(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)
    p = BLSClassifier(C=C, random_state=0).fit(X, y).predict_proba(X_test)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    prior = np.tile(np.bincount(y) / len(y), (len(y_test), 1))
    assert log_loss(y_test, p) < 0.9 * log_loss(y_test, prior)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="only one class: 'a'"):
        BLSClassifier().fit([[0.0], [1.0]], ["a", "a"])
    with pytest.raises(ValueError, match="sample_weight leaves rows of only one class"):
        BLSClassifier().fit([[0.0], [1.0]], ["a", "b"], sample_weight=[1, 0])


def test_one_sample_per_class():
    model = BLSClassifier(random_state=0).fit([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], [0, 1, 2])
    np.testing.assert_array_equal(model.predict([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]), [0, 1, 2])


def test_learns_what_no_linear_model_can():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 2))
    y = X[:, 0] * X[:, 1] > 0
    model = BLSClassifier(C=1e4, random_state=0).fit(X[:500], y[:500])
    assert model.score(X[500:], y[500:]) > 0.95


def test_large_biases_learn_a_checkerboard():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (1200, 2))
    y = X[:, 0] * X[:, 1] > 0
    small, large = (
        BLSClassifier(1, 8, 1, 60, enhancement_bias=bias, random_state=0)
        .fit(X[:600], y[:600])
        .score(X[600:], y[600:])
        for bias in (0.0, 8.0)
    )
    assert small < 0.65 < 0.9 < large


@pytest.mark.parametrize(
    ("scores", "same"),
    [
        ("fuzzy", FuzzyBLSClassifier()),
        ("intuitionistic", IntuitionisticFuzzyBLSClassifier()),
        (FuzzyScorer(0.1), FuzzyBLSClassifier(delta=0.1)),
        (
            IntuitionisticScorer(2.0, 0.4, 1e-3, 100),
            IntuitionisticFuzzyBLSClassifier(
                kernel_width=2.0, neighborhood_radius=0.4, delta=1e-3, landmarks=100
            ),
        ),
    ],
)
def test_scores_of_a_published_model_give_that_model(scores, same):
    X, _, noisy = flipped_table()
    model = BLSClassifier(n_enhancement_nodes=200, sample_scores=scores, random_state=0)
    model.fit(X, noisy)
    same.set_params(n_enhancement_nodes=200, random_state=0).fit(X, noisy)
    fitted = {name for name in vars(same) if name.endswith("_")}
    assert fitted == {name for name in vars(model) if name.endswith("_")}
    for name in fitted:
        np.testing.assert_array_equal(getattr(model, name), getattr(same, name))
    np.testing.assert_array_equal(model.decision_function(X), same.decision_function(X))
    np.testing.assert_array_equal(model.predict_proba(X), same.predict_proba(X))
    for stream in (model, same):
        stream.warm_up(X, noisy).partial_fit(X[:300], noisy[:300])
        stream.partial_fit(X[300:], noisy[300:])
    np.testing.assert_array_equal(model.decision_function(X), same.decision_function(X))


def test_a_stream_with_scores_is_the_fit_with_scores():
    X, _, noisy = flipped_table()
    for scores in ("uniform", "fuzzy", "intuitionistic"):
        model = BLSClassifier(n_enhancement_nodes=200, sample_scores=scores, random_state=0)
        stream = clone(model).warm_up(X, noisy).partial_fit(X, noisy)
        np.testing.assert_allclose(
            stream.decision_function(X), model.fit(X, noisy).decision_function(X), atol=1e-8
        )


def test_uniform_scores_show_nothing_but_ones():
    X, _, noisy = flipped_table()
    model = BLSClassifier(random_state=0).fit(X, noisy)
    np.testing.assert_array_equal(model.sample_scores_, 1.0)
    assert not hasattr(model, "kernel_width_")
    assert not hasattr(model, "membership_")


def test_neighbours_are_those_of_the_standardised_columns():
    X, _, noisy = flipped_table()
    X = X * np.array([1.0, *[100.0] * (X.shape[1] - 1)])
    model = BLSClassifier(sample_scores=NeighborScorer(7)).fit(X, noisy)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_allclose(
        model.sample_scores_, neighbor_agreement(Z, noisy, n_neighbors=7), atol=1e-12
    )


@pytest.mark.parametrize("scores", ["neighbors", "held_out"])
def test_flipped_labels_lose_weight(scores):
    X, y, noisy = flipped_table()
    model = BLSClassifier(sample_scores=scores, random_state=0).fit(X, noisy)
    wrong = noisy != y
    assert model.sample_scores_[wrong].mean() < 0.8 * model.sample_scores_[~wrong].mean()
    assert (model.sample_scores_ > 0).all()


@dataclass(frozen=True)
class NearZero(SampleScorer):
    """A scorer of a user's own."""

    width: float = 2.0

    def check(self):
        if not self.width > 0:
            raise ValueError(f"width must be positive, got {self.width!r}.")

    def score(self, samples):
        distance = np.linalg.norm(samples.Z, axis=1)
        return Trust(np.exp(-distance / self.width), {"distance_": distance})


def test_a_scorer_of_ones_own():
    X, _, noisy = flipped_table()
    model = BLSClassifier(2, 3, 1, 20, sample_scores=NearZero(), random_state=0).fit(X, noisy)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    scores = np.exp(-np.linalg.norm(Z, axis=1) / 2.0)
    np.testing.assert_allclose(model.sample_scores_, scores, atol=1e-12)
    np.testing.assert_allclose(model.distance_, np.linalg.norm(Z, axis=1), atol=1e-12)
    G = BroadFeatures(2, 3, 1, 20, random_state=0).fit_transform(X)
    expected = G @ plain_ridge(G, 2.0 * noisy[:, None] - 1.0, 1.0, scores)
    np.testing.assert_allclose(model.decision_function(X), expected.ravel(), atol=1e-9)
    same = clone(model)
    assert same.sample_scores == NearZero()
    for other in (same.fit(X, noisy), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))
    assert cross_val_score(model, X, noisy, cv=3, error_score="raise").shape == (3,)


def test_a_search_over_scorers():
    X, _, noisy = flipped_table()
    grid = {"sample_scores": ["uniform", "neighbors", NearZero(1.0), NearZero(4.0)]}
    model = BLSClassifier(2, 3, 1, 20, random_state=0)
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(X, noisy)
    assert search.best_params_["sample_scores"] in grid["sample_scores"]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ("fuzy", "sample_scores"),
        (NearZero, "sample_scores"),
        (None, "sample_scores"),
        (NearZero(-1.0), "width must be positive, got -1.0"),
        (FuzzyScorer(0.0), "delta"),
        (NeighborScorer(0), "n_neighbors"),
    ],
)
def test_bad_scores_are_named(scores, message):
    with pytest.raises(ValueError, match=message):
        BLSClassifier(sample_scores=scores).fit([[0.0], [1.0], [2.0]], [0, 1, 1])


def test_nothing_stays_of_a_scorer_of_ones_own():
    X, _, noisy = flipped_table()
    model = BLSClassifier(2, 3, 1, 20, sample_scores=NearZero(), random_state=0).fit(X, noisy)
    assert not hasattr(model.set_params(sample_scores="uniform").fit(X, noisy), "distance_")


@dataclass(frozen=True)
class Wrong(SampleScorer):
    scores: object

    def score(self, samples):
        return Trust(np.asarray(self.scores))


@pytest.mark.parametrize("scores", [[1.0, 0.5], [1.0, np.nan, 1.0], [1.0, -0.1, 1.0], 0.5])
def test_wrong_scores_of_ones_own_are_refused(scores):
    model = BLSClassifier(sample_scores=Wrong(scores))
    with pytest.raises(ValueError, match=r"Wrong\(.*must give each sample a score between 0 and 1"):
        model.fit([[0.0], [1.0], [2.0]], [0, 1, 1])
