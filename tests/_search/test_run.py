import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import get_scorer

from broadlearn import BLSClassifier
from broadlearn._search.cells import Axes
from broadlearn._search.grid import resolve_grids
from broadlearn._search.progress import Progress
from broadlearn._search.run import run_grid
from broadlearn._search.scoring import batch_scorer


def axes(sizes, Cs):
    scorers = [batch_scorer(get_scorer("accuracy"), classifier=True)]
    return Axes(sizes, Cs, scorers, False, 1e-8, 1 << 20, False)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_setting_is_filed_where_it_belongs(n_jobs):
    X, y = make_classification(120, 5, flip_y=0.2, random_state=0)
    splits = [(np.arange(80), np.arange(80, 120)), (np.arange(40, 120), np.arange(40))]
    model = BLSClassifier(random_state=0)
    grid = {
        "n_feature_nodes": [2, 7],
        "activation": ["relu", "tanh"],
        "C": [0.01, 100.0],
        "n_feature_groups": [1, 2],
        "n_enhancement_nodes": [3, 11, 30],
        "standardize": [True, False],
    }
    (sub_grid,) = resolve_grids(model, grid)
    progress = Progress(sub_grid.size * 2, show=False)
    found = run_grid(model, sub_grid, X, y, None, splits, axes, n_jobs, progress)
    assert found.scores.shape == (1, 1, sub_grid.size, 2)
    assert progress.done == sub_grid.size * 2
    assert (found.errors == "").all()
    for i in range(0, sub_grid.size, 7):
        for f, (train, test) in enumerate(splits):
            fitted = clone(model).set_params(**sub_grid.setting(i)).fit(X[train], y[train])
            assert found.scores[0, 0, i, f] == fitted.score(X[test], y[test])
