import numpy as np

from broadlearn.models.class_predictions import labels_of


def test_labels_are_those_of_the_sign_or_of_the_largest_decision():
    assert labels_of(np.array([-1.0, 2.0]), np.array(["a", "b"])).tolist() == ["a", "b"]
    decision = np.array([[0.1, 0.3, 0.2], [3.0, 1.0, 2.0]])
    assert labels_of(decision, np.array(["a", "b", "c"])).tolist() == ["b", "a"]
    assert labels_of(decision - 0.2, None).tolist() == [[0, 1, 0], [1, 1, 1]]
