import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import get_scorer

from broadlearn import IntuitionisticFuzzyBLSClassifier
from broadlearn._search.cells import Axes, Cell, _scored, affine_rows
from broadlearn._search.folds import family_of, prepare_fold
from broadlearn._search.scoring import batch_scorer
from broadlearn.random_features._draws import draw_seed

WIDTHS, SIZES, CS = [1.0, 4.0], [10, 60], [0.1, 100.0]


def make_cell(X, y, train, test, names, tolerance=1e-11):
    model = IntuitionisticFuzzyBLSClassifier(2, 4, 1, max(SIZES), random_state=0)
    fold = prepare_fold(model, X, y, None, train, test, WIDTHS)
    scorers = [batch_scorer(get_scorer(name), classifier=True) for name in names]
    axes = Axes(SIZES, CS, scorers, "neg_log_loss" in names, tolerance, 1 << 20, True)
    layer = model._draw_layer(draw_seed(0), 8)
    broad_map = family_of(model, fold, draw_seed(0)).cut(2, 4, layer)
    return Cell(
        broad_map, fold, affine_rows(fold.task.X, fold), affine_rows(fold.X_test, fold), axes
    )


@pytest.mark.parametrize("n_train", [40, 300])
@pytest.mark.parametrize("names", [["accuracy", "roc_auc"], ["neg_log_loss"]])
def test_scores_are_those_of_single_fits(n_train, names):
    X, y = make_classification(n_train + 100, 6, flip_y=0.1, random_state=0)
    train, test = np.arange(n_train), np.arange(n_train, n_train + 100)
    found = make_cell(X, y, train, test, names).scores()
    assert found.shape == (len(names), 2, len(WIDTHS), len(SIZES), len(CS))
    for w, width in enumerate(WIDTHS):
        for j, q in enumerate(SIZES):
            for c, C in enumerate(CS):
                model = IntuitionisticFuzzyBLSClassifier(
                    2, 4, 1, q, C, kernel_width=width, random_state=0
                ).fit(X[train], y[train])
                for i, name in enumerate(names):
                    for t, part in enumerate((test, train)):
                        expected = get_scorer(name)(model, X[part], y[part])
                        assert found[i, t, w, j, c] == pytest.approx(expected, abs=1e-9)


def test_dual_is_taken_only_where_rows_are_fewer():
    X, y = make_classification(140, 6, random_state=0)
    few = make_cell(X, y, np.arange(20), np.arange(40, 140), ["accuracy"])
    assert few._dual_is_cheaper(1)
    many = make_cell(X, y, np.arange(130), np.arange(130, 140), ["accuracy"])
    assert not many._dual_is_cheaper(0)
    assert not many._dual_is_cheaper(1)


def test_rows_of_score_zero_are_left_out():
    rows, s = np.ones((4, 2)), np.array([0.5, 0.0, 0.0, 2.0])
    np.testing.assert_array_equal(_scored(rows, s, np.empty((4, 2))), [[0.5, 0.5], [2.0, 2.0]])
