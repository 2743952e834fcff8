import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, make_moons
from sklearn.metrics.pairwise import rbf_kernel

from broadlearn import IntuitionisticFuzzyTwinSVC


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X, np.array(["benign", "malignant"])[1 - y]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("C", [1e-2, 1.0, 1e4])
def test_dual_coefficients_satisfy_the_optimality_conditions(cancer, kernel, C):
    X, y = cancer
    model = IntuitionisticFuzzyTwinSVC(
        C, 2 * C, 4.0, kernel, n_basis_rows=40, regularization=1e-2, random_state=0
    ).fit(X, y)
    F = (X - X.mean(axis=0)) / X.std(axis=0)
    if kernel == "rbf":
        F = rbf_kernel(F, model.basis_, gamma=1 / 16)
    F = np.column_stack([F, np.ones(len(F))])
    first = y == model.classes_[0]
    for i, (near, bound) in enumerate([(first, C), (~first, 2 * C)]):
        H, G, c = F[near], F[~near], bound * model.sample_scores_[~near]
        z = np.linalg.solve(H.T @ H + 1e-2 * np.eye(H.shape[1]), G.T @ model.dual_coef_[i])
        slope, alpha = G @ z - 1, model.dual_coef_[i]
        assert (alpha >= 0).all()
        assert (alpha <= c).all()
        assert np.abs(alpha - np.clip(alpha - slope, 0, c)).max() <= 1e-6
        normal = z[:-1] / np.linalg.norm(z[:-1])
        np.testing.assert_allclose((2 * i - 1) * normal, model.coef_[i], atol=1e-6)
    assert model.duality_gap_.max() <= 1e-9


def test_decision_is_the_difference_of_the_distances(cancer):
    X, y = cancer
    model = IntuitionisticFuzzyTwinSVC(standardize=False).fit(X, y)
    far = np.abs(X @ model.coef_.T + model.intercept_)
    np.testing.assert_allclose(model.decision_function(X), far[:, 0] - far[:, 1], atol=1e-9)
    np.testing.assert_array_equal(
        model.predict(X), model.classes_[(far[:, 1] < far[:, 0]).astype(int)]
    )


def test_several_classes_go_one_against_the_rest():
    X, y = load_iris(return_X_y=True)
    model = IntuitionisticFuzzyTwinSVC(kernel="rbf", kernel_width=2.0, random_state=0).fit(X, y)
    assert model.coef_.shape[0] == 6
    assert model.decision_function(X).shape == (150, 3)
    assert model.score(X, y) > 0.9


def test_curved_classes_need_the_kernel():
    X, y = make_moons(300, noise=0.1, random_state=0)
    scores = [
        IntuitionisticFuzzyTwinSVC(10, 10, 1.0, kernel, random_state=0).fit(X, y).score(X, y)
        for kernel in ("linear", "rbf")
    ]
    assert scores[0] < 0.92
    assert scores[1] > 0.97


def test_samples_without_trust_have_no_say():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (50, 2)), rng.normal(5, 1, (50, 2))])
    y = np.repeat([0, 1], 50)
    y[99] = 0
    model = IntuitionisticFuzzyTwinSVC().fit(X, y)
    assert model.sample_scores_[99] == 0.0
    assert model.dual_coef_[1][-1] == 0.0


def test_bounds_scale_with_weights(cancer):
    X, y = cancer
    weight = np.random.default_rng(0).integers(0, 4, len(y)) * 1.0
    model = IntuitionisticFuzzyTwinSVC(10.0, 10.0).fit(X, y, sample_weight=weight)
    assert model.sample_scores_.shape == weight.shape
    kept = weight > 0
    for side, away in enumerate((y != model.classes_[0], y == model.classes_[0])):
        bound = 10.0 * (model.sample_scores_ * weight)[kept & away]
        assert (model.dual_coef_[side] <= bound).all()
        assert (model.dual_coef_[side] == bound).any()


def test_samples_that_nobody_trusts_are_told():
    X, y = np.array([[0.0], [1.0], [0.0], [1.0]] * 3), np.array([0, 0, 1, 1] * 3)
    with pytest.raises(ValueError, match="All sample scores of every class are zero"):
        IntuitionisticFuzzyTwinSVC(kernel_width=1.0).fit(X, y)


def test_integers_beyond_int64_are_numbers(cancer):
    X, y = cancer
    model = IntuitionisticFuzzyTwinSVC(regularization=10**30).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
