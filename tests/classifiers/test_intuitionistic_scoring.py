import numpy as np
import pytest

from broadlearn import IntuitionisticFuzzyBLSClassifier, IntuitionisticFuzzyTwinSVC
from broadlearn.sample_scores import intuitionistic_scores

MODELS = [IntuitionisticFuzzyBLSClassifier, IntuitionisticFuzzyTwinSVC]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    return rng.normal(size=(120, 3)) * [1, 10, 100] + y[:, None], y


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("width", [1.0, "auto"])
def test_scores_are_those_of_the_standardised_rows(model, width, table):
    X, y = table
    fitted = model(kernel_width=width).fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = intuitionistic_scores(Z, y, kernel_width=fitted.kernel_width_)
    np.testing.assert_allclose(fitted.sample_scores_, expected.score, atol=1e-10)
    np.testing.assert_allclose(fitted.membership_, expected.membership, atol=1e-10)
    np.testing.assert_allclose(fitted.nonmembership_, expected.nonmembership, atol=1e-10)
    assert fitted.neighborhood_radius_ == pytest.approx(expected.radius)


def test_several_widths_equal_one_at_a_time(table):
    X, y = table
    model = IntuitionisticFuzzyBLSClassifier()
    task = model._prepare(X, y, None)
    together = model._score_widths(X, y, None, task.standardization, [0.5, "auto", 8.0])
    for trust, width, _ in together:
        (alone,) = model._score_widths(X, y, None, task.standardization, [width])
        np.testing.assert_allclose(trust.score, alone[0].score, atol=1e-12)


def test_many_rows_without_landmarks_warn(monkeypatch, table):
    monkeypatch.setattr("broadlearn.classifiers._intuitionistic_scoring.MANY_ROWS", 100)
    with pytest.warns(UserWarning, match="landmarks=2000"):
        IntuitionisticFuzzyBLSClassifier(n_enhancement_nodes=10).fit(*table)


@pytest.mark.parametrize("model", MODELS)
def test_a_class_without_trust_is_named_with_the_remedy(model):
    X, y = np.array([[0.0], [1.0], [0.0], [1.0]]), np.array([0, 0, 1, 1])
    with pytest.raises(ValueError, match=r"scores of every class are zero.*larger kernel_width"):
        model(kernel_width=1.0).fit(X, y)
