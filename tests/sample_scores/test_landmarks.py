import numpy as np
import pytest

from broadlearn import IntuitionisticFuzzyBLSClassifier
from broadlearn.random_features import learn_standardization
from broadlearn.sample_scores import (
    IntuitionisticScorer,
    Samples,
    intuitionistic_scores,
    landmarks,
    pairs,
)
from broadlearn.sample_scores.landmarks import draw_landmarks, landmark_pair_sums
from broadlearn.sample_scores.pairs import sort_points, symmetric_pair_sums
from broadlearn.utils import draw_seed


def outline(X, codes, weight):
    return sort_points(X, np.arange(len(X)), codes, weight, 2)


def make(weights, n=120):
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(n, 4)), np.sort(rng.integers(0, 2, n))
    weight = rng.integers(0, 4, n) * 1.0 if weights == "unequal" else np.ones(n)
    return X, codes, weight


@pytest.mark.parametrize("weights", ["equal", "unequal"])
def test_all_samples_as_landmarks_are_exact(weights, monkeypatch):
    for module in (pairs, landmarks):
        monkeypatch.setattr(module, "BLOCK_ROWS", 16)
    X, codes, weight = make(weights)
    points = outline(X, codes, weight)
    drawn = draw_landmarks(points, 1000, np.random.default_rng(0))
    estimate = landmark_pair_sums(points, drawn, [1.0, 2.0], kernels=True, radii=[0.8, 0.8])
    every = sort_points(X, np.arange(len(X)), codes, weight, 2)
    exact = symmetric_pair_sums(every, [1.0, 2.0], kernels=True, radii=[0.8, 0.8])
    # A row of weight 0 meets itself with weight 0 in both.
    for part in ("kernel", "own", "other"):
        np.testing.assert_allclose(getattr(estimate, part), getattr(exact, part), atol=1e-10)


@pytest.mark.parametrize("weights", ["equal", "unequal"])
def test_estimates_are_unbiased(weights):
    X, codes, weight = make(weights)
    every, points = sort_points(X, np.arange(len(X)), codes, weight, 2), outline(X, codes, weight)
    exact = symmetric_pair_sums(every, [2.0], kernels=True, radii=[1.0])
    rng = np.random.default_rng(1)
    runs = []
    for _ in range(600):
        drawn = draw_landmarks(points, 12, rng)
        sums = landmark_pair_sums(points, drawn, [2.0], kernels=True, radii=[1.0])
        runs.append([sums.kernel[0], sums.own[0], sums.other[0]])
    mean, error = np.mean(runs, axis=0), np.std(runs, axis=0) / np.sqrt(600)
    expected = [exact.kernel[0], exact.own[0], exact.other[0]]
    # 360 means, each within 4.5 standard errors.
    assert (np.abs(mean - expected) <= 4.5 * error + 1e-9).all()


def test_error_falls_with_landmarks():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 5)), rng.integers(0, 2, 1500)
    exact = intuitionistic_scores(X, y, kernel_width=2.0)
    errors = [
        np.abs(
            intuitionistic_scores(X, y, kernel_width=2.0, landmarks=n, random_state=0).membership
            - exact.membership
        ).mean()
        for n in (20, 80, 320)
    ]
    assert errors[0] > 1.5 * errors[1] > 2.25 * errors[2]


def test_classes_are_taken_whole_or_drawn_by_their_weights():
    X, codes, weight = make("unequal")
    counts = np.bincount(codes)
    points = outline(X, codes, weight)
    whole = draw_landmarks(points, counts.max(), np.random.default_rng(0))
    np.testing.assert_array_equal(whole, points.weight)
    drawn = draw_landmarks(points, 12, np.random.default_rng(0))
    np.testing.assert_array_equal(np.add.reduceat(drawn, points.bounds[:-1]), 12)
    assert not drawn[points.weight == 0].any()
    equal = outline(X, codes, np.full(120, 0.3))
    drawn = draw_landmarks(equal, 12, np.random.default_rng(0))
    np.testing.assert_array_equal(np.unique(drawn), [0.0, 1.0])


def test_models_score_by_landmarks_without_a_copy_of_the_samples(monkeypatch):
    monkeypatch.setattr("broadlearn.models.training_data.BLOCK_NUMBERS", 10)
    X, codes, weight = make("unequal", 300)
    X[::7, 2] = np.nan
    model = IntuitionisticFuzzyBLSClassifier(2, 3, 1, 20, landmarks=20, random_state=0)
    found = model.fit(X, codes, sample_weight=weight).sample_scores_
    Z = learn_standardization(X, weight).affine(X)[:, :-1]
    scorer = IntuitionisticScorer(landmarks=20)
    samples = Samples(Z, codes, weight, 2, draw_seed(0))
    np.testing.assert_allclose(found, scorer.score(samples).score, rtol=0, atol=1e-11)
