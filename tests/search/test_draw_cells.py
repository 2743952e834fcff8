import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import get_scorer

from broadlearn import PUBLISHED_FORM, IntuitionisticFuzzyBLSClassifier
from broadlearn.random_features import draw_map
from broadlearn.search.cells import Axes, Cell
from broadlearn.search.draw_cells import DrawCell
from broadlearn.search.engine import prepare_fold
from broadlearn.search.scoring import batch_scorer
from broadlearn.utils import draw_seed

WIDTHS = [2.0**k for k in range(-5, 6)]
CS = [10.0**k for k in range(-6, 7, 2)]


def make_cell(kind, n_train, name="accuracy", tolerance=1e-8, n_classes=2, numbers=1 << 20):
    X, y = make_classification(
        n_train + 100, 6, n_informative=4, n_classes=n_classes, flip_y=0.1, random_state=0
    )
    split = np.arange(n_train), np.arange(n_train, n_train + 100)
    model = IntuitionisticFuzzyBLSClassifier(3, 20, 1, 60, random_state=0, **PUBLISHED_FORM)
    fold = prepare_fold(model, X, y, None, split, WIDTHS)
    data, scorer = fold.data, batch_scorer(get_scorer(name), classifier=True)
    broad_map = draw_map(model.feature_map(), data.X, data.standardization, draw_seed(0))
    affine = {"train": data.standardization.affine(data.X)}
    affine["test"] = data.standardization.affine(fold.X_test)
    axes = Axes([scorer], name == "neg_log_loss", tolerance, numbers, True, [60], CS)
    return kind(broad_map, fold, affine, axes)


@pytest.mark.parametrize("n_train", [90, 110, 400])
@pytest.mark.parametrize("name", ["accuracy", "roc_auc", "neg_log_loss"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_are_those_of_factorisations(n_train, name, n_classes):
    if name == "roc_auc" and n_classes > 2:
        name = "balanced_accuracy"
    expected = make_cell(Cell, n_train, name, n_classes=n_classes).judge()
    found = make_cell(DrawCell, n_train, name, n_classes=n_classes).judge()
    np.testing.assert_allclose(found, expected, atol=0 if "accuracy" in name else 1e-7)


def test_small_penalties_of_widths_with_few_samples_are_solved_together():
    cell = make_cell(DrawCell, 110)
    counted = {w: cell._counted(w) for w in cell.left}
    rows = np.unique(np.concatenate(list(counted.values())))
    cell._solve_together(list(counted), rows, cell.judge())
    left = sum(map(len, cell.left.values()))
    assert 0 < left < 0.5 * len(WIDTHS) * len(CS)


def test_widths_of_equal_scores_are_solved_once():
    cell = make_cell(DrawCell, 400)
    scores = list(cell.fold.scores)
    scores[1], scores[4] = scores[0].copy(), scores[3].copy()
    fold = cell.fold._replace(scores=scores)
    again = DrawCell(cell.map, fold, cell.affine, cell.axes)
    assert list(again.left) == [0, 2, 3, *range(5, len(WIDTHS))]
    found = again.judge()
    np.testing.assert_array_equal(found[:, :, 1], found[:, :, 0])
    np.testing.assert_array_equal(found[:, :, 4], found[:, :, 3])
    np.testing.assert_array_equal(found[:, :, 5:], cell.judge()[:, :, 5:])


def test_a_design_matrix_in_several_blocks_is_factorised():
    cell = make_cell(DrawCell, 400, numbers=1000)
    np.testing.assert_array_equal(cell.judge(), make_cell(Cell, 400).judge())
