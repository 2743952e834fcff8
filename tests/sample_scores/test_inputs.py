import numpy as np
import pytest

from broadlearn.sample_scores._inputs import check_score_inputs, check_weights


def test_labels_become_codes():
    checked = check_score_inputs([[1.0], [2.0], [3.0]], ["b", "a", "b"], 1e-4, None)
    np.testing.assert_array_equal(checked.codes, [1, 0, 1])
    np.testing.assert_array_equal(checked.classes, ["a", "b"])
    np.testing.assert_array_equal(checked.weight, 1.0)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([0.0, 0.0], "sample_weight is zero for every row"),
        ([1.0, -1.0], "sample_weight"),
        ([1.0, np.nan], "sample_weight contains NaN"),
        ([1.0], "sample_weight"),
    ],
)
def test_bad_weights_are_named(weight, message):
    with pytest.raises(ValueError, match=message):
        check_weights(weight, np.ones((2, 1)))
