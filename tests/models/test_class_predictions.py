import numpy as np
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss
from sklearn.utils.class_weight import compute_sample_weight

from broadlearn import BLSClassifier
from broadlearn.models.class_predictions import labels_of


def test_labels_are_those_of_the_sign_or_of_the_largest_decision():
    assert labels_of(np.array([-1.0, 2.0]), np.array(["a", "b"])).tolist() == ["a", "b"]
    decision = np.array([[0.1, 0.3, 0.2], [3.0, 1.0, 2.0]])
    assert labels_of(decision, np.array(["a", "b", "c"])).tolist() == ["b", "a"]
    assert labels_of(decision - 0.2, None).tolist() == [[0, 1, 0], [1, 1, 1]]


def test_balanced_classes_do_not_make_probabilities_too_sure():
    X, y = make_classification(
        600, 15, n_informative=6, weights=[0.92], flip_y=0.05, random_state=0
    )
    model = BLSClassifier(C=10.0, class_weight="balanced", random_state=0).fit(X[:300], y[:300])
    weight = compute_sample_weight("balanced", y[300:])
    found = log_loss(y[300:], model.predict_proba(X[300:]), sample_weight=weight)
    assert found < log_loss(y[300:], np.full(300, 0.5), sample_weight=weight)
