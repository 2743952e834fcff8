import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV

from broadlearn import IntuitionisticFuzzyTwinSVC, PathSearchCV

pytestmark = pytest.mark.slow

GRID = {
    "C1": [1e-4, 1e4],
    "C2": [1e-2, 1e2],
    "kernel_width": [0.5, "auto"],
    "regularization": [1e-2],
}


@pytest.fixture(params=["two", "several"])
def table(request):
    if request.param == "several":
        return load_iris(return_X_y=True)
    return make_classification(150, 6, flip_y=0.2, random_state=0)


def check_against_grid_search(model, grid, X, y, weight=None):
    options = {"cv": 2, "refit": False, "return_train_score": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitFailedWarning)
        ours = PathSearchCV(model, grid, **options).fit(X, y, sample_weight=weight)
        theirs = GridSearchCV(model, grid, **options).fit(X, y, sample_weight=weight)
    assert list(ours.cv_results_["params"]) == theirs.cv_results_["params"]
    for part in ("test", "train"):
        for split in range(2):
            key = f"split{split}_{part}_score"
            np.testing.assert_allclose(ours.cv_results_[key], theirs.cv_results_[key], atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "weighted"), [("linear", True), ("rbf", False)])
def test_scores_are_those_of_grid_search(table, kernel, weighted):
    X, y = table
    model = IntuitionisticFuzzyTwinSVC(kernel=kernel, n_basis_rows=30, random_state=0)
    weight = np.random.default_rng(0).integers(1, 3, len(y)) if weighted else None
    check_against_grid_search(model, GRID, X, y, weight)


def test_scores_of_probabilities_are_refused():
    X, y = make_classification(60, 4, random_state=0)
    search = PathSearchCV(IntuitionisticFuzzyTwinSVC(), {"C1": [1.0]}, scoring="neg_log_loss")
    with pytest.raises(ValueError, match="predict_proba"):
        search.fit(X, y)


def test_widths_without_trust_are_told():
    X, y = np.array([[0.0], [1.0], [0.0], [1.0]] * 6), np.array([0, 0, 1, 1] * 6)
    search = PathSearchCV(IntuitionisticFuzzyTwinSVC(), {"kernel_width": [1.0]}, cv=2)
    with pytest.raises(ValueError, match="scores of every class are zero"):
        search.fit(X, y)
