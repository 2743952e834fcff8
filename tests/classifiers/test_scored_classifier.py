import numpy as np
import pytest

from broadlearn import BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyTwinSVC


def test_labels_of_any_kind_come_back():
    X = np.random.default_rng(0).normal(size=(40, 2))
    for labels in ([False, True], ["no", "yes"], [3, -7], [1.0, 2.0]):
        y = np.array(labels)[(X[:, 0] > 0).astype(int)]
        model = BLSClassifier(random_state=0).fit(X, y)
        np.testing.assert_array_equal(model.classes_, np.unique(y))
        assert model.predict(X).dtype == y.dtype
        assert model.score(X, y) > 0.9


def test_a_class_of_weight_zero_stays_but_is_not_predicted():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.repeat([0, 1, 2], 20)
    X[:, 0] += 4 * y
    model = BLSClassifier(random_state=0).fit(X, y, sample_weight=(y != 2).astype(float))
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])
    assert 2 not in model.predict(X)


@pytest.mark.parametrize("model", [FuzzyBLSClassifier, IntuitionisticFuzzyTwinSVC])
def test_every_row_keeps_a_score_also_those_of_weight_zero(model):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.repeat([0, 1], 20)
    weight = np.r_[np.zeros(3), np.ones(37)]
    fitted = model().fit(X, y, sample_weight=weight)
    assert fitted.sample_scores_.shape == (40,)


def test_weights_that_leave_one_class_are_refused():
    with pytest.raises(ValueError, match="only one class with a positive weight"):
        BLSClassifier().fit([[0.0], [1.0], [2.0]], [0, 0, 1], sample_weight=[1, 1, 0])
