import numpy as np
import pytest
from sklearn.model_selection import KFold

from broadlearn import BLSClassifier, PathSearchCV
from broadlearn.search.folds import as_pairs

X = np.random.default_rng(0).normal(size=(12, 2))
y = np.arange(12) % 2


@pytest.mark.parametrize(
    "cv", [[], {}, [1, 2], {"a": 1}, [([0.5], [1.5])], b"xy", np.array([1.0, 2.0])]
)
def test_what_is_no_fold_is_named(cv):
    with pytest.raises(ValueError, match=r"^cv must be a number of folds, a splitter or pairs"):
        PathSearchCV(BLSClassifier(random_state=0), {"C": [1.0]}, cv=cv).fit(X, y)


def test_pairs_are_taken_as_they_are():
    pairs = list(KFold(3).split(X))
    assert as_pairs(iter(pairs)) == pairs
    search = PathSearchCV(BLSClassifier(random_state=0), {"C": [0.1, 1.0]}, cv=pairs).fit(X, y)
    same = PathSearchCV(BLSClassifier(random_state=0), {"C": [0.1, 1.0]}, cv=KFold(3)).fit(X, y)
    np.testing.assert_array_equal(
        search.cv_results_["mean_test_score"], same.cv_results_["mean_test_score"]
    )
