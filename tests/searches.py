"""Tables to search on, and our search beside scikit-learn's."""

import warnings

import numpy as np
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV

from broadlearn import PathSearchCV


def fewer_rows_than_nodes():
    return make_classification(70, 40, n_informative=8, random_state=0)


def more_rows_than_nodes():
    return make_classification(500, 6, n_informative=4, flip_y=0.2, random_state=0)


def one_hot_like():
    rng = np.random.default_rng(0)
    X = np.eye(3)[rng.integers(0, 3, (150, 5))].reshape(150, 15)
    return X, (X[:, 0] + X[:, 4] + X[:, 8] + 0.4 * rng.normal(size=150) > 1).astype(int)


def several_classes():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


def duplicated_rows():
    X, y = make_classification(180, 5, n_informative=4, n_redundant=1, random_state=1)
    return np.vstack([X, X[:20]]), np.r_[y, y[:20]]


TABLES = [
    fewer_rows_than_nodes,
    more_rows_than_nodes,
    one_hot_like,
    several_classes,
    duplicated_rows,
]


def splits_of(results):
    """Test scores of all splits."""
    keys = [key for key in results if key.startswith("split") and "_test_" in key]
    return np.array([results[key] for key in sorted(keys)], dtype=float)


def both_searches(model, grid, X, y, **options):
    """Our search and scikit-learn's, fitted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitFailedWarning)
        warnings.simplefilter("ignore", UserWarning)
        ours = PathSearchCV(model, grid, **options).fit(X, y)
        theirs = GridSearchCV(model, grid, **options).fit(X, y)
    return ours, theirs
