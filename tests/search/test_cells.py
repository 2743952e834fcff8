import numpy as np
import pytest
from searches import more_rows_than_nodes, splits_of
from sklearn.datasets import make_classification
from sklearn.metrics import get_scorer

from broadlearn import IntuitionisticFuzzyBLSClassifier, PathSearchCV
from broadlearn.search import cells
from broadlearn.search.cells import Axes, Cell
from broadlearn.search.engine import prepare_fold
from broadlearn.search.scoring import batch_scorer
from broadlearn.solvers import residuals_of_sums
from broadlearn.utils import draw_seed

WIDTHS, SIZES, CS = [1.0, 4.0], [10, 60], [0.1, 100.0]


def make_cell(X, y, train, test, names, tolerance=1e-11, weight=None, sizes=SIZES):
    model = IntuitionisticFuzzyBLSClassifier(2, 4, 1, max(sizes), random_state=0)
    fold = prepare_fold(model, X, y, weight, (train, test), WIDTHS)
    data, recipe, seed = fold.data, model.feature_map(), draw_seed(0)
    scorers = [batch_scorer(get_scorer(name), classifier=True) for name in names]
    axes = Axes(scorers, "neg_log_loss" in names, tolerance, 1 << 20, True, sizes, CS)
    family = recipe.learn(data.X, data.standardization, seed, data.weight)
    broad_map = family.cut(2, 4, recipe.draw_layer(seed, 8, data.X.shape[1]))
    affine = {"train": data.standardization.affine(data.X)}
    affine["test"] = data.standardization.affine(fold.X_test)
    return Cell(broad_map, fold, affine, axes)


@pytest.mark.parametrize("n_train", [40, 300])
@pytest.mark.parametrize("names", [["accuracy", "roc_auc"], ["neg_log_loss"]])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sizes", [SIZES, ["infinite"]], ids=str)
def test_scores_are_those_of_single_fits(n_train, names, weighted, sizes):
    X, y = make_classification(n_train + 100, 6, flip_y=0.1, random_state=0)
    train, test = np.arange(n_train), np.arange(n_train, n_train + 100)
    weight = np.random.default_rng(1).integers(0, 3, len(y)) * 1.0 if weighted else None
    given = lambda rows: None if weight is None else weight[rows]  # noqa: E731
    found = make_cell(X, y, train, test, names, weight=weight, sizes=sizes).judge()
    assert found.shape == (len(names), 2, len(WIDTHS), len(sizes), len(CS))
    for w, width in enumerate(WIDTHS):
        for j, q in enumerate(sizes):
            for c, C in enumerate(CS):
                model = IntuitionisticFuzzyBLSClassifier(
                    2, 4, 1, q, C, kernel_width=width, random_state=0
                )
                model.fit(X[train], y[train], sample_weight=given(train))
                for i, scorer in enumerate(map(get_scorer, names)):
                    for t, part in enumerate((test, train)):
                        expected = scorer(model, X[part], y[part], sample_weight=given(part))
                        assert found[i, t, w, j, c] == pytest.approx(expected, abs=1e-9)


def test_dual_is_taken_only_where_rows_are_fewer():
    X, y = make_classification(140, 6, random_state=0)
    few = make_cell(X, y, np.arange(20), np.arange(40, 140), ["accuracy"])
    assert few._dual_is_cheaper(1, 0, len(few._counted(0)))
    many = make_cell(X, y, np.arange(130), np.arange(130, 140), ["accuracy"])
    assert not many._dual_is_cheaper(0, 0, len(many._counted(0)))
    assert not many._dual_is_cheaper(1, 0, len(many._counted(0)))


def test_rows_are_made_again_only_where_rounding_of_the_sums_may_show(monkeypatch):
    sure = []

    def spied(*arguments):
        found = residuals_of_sums(*arguments)
        sure.extend(found[0].tolist())
        return found

    monkeypatch.setattr(cells, "residuals_of_sums", spied)
    X, y = more_rows_than_nodes()
    Cs = [10.0 ** (k / 2) for k in range(13)]
    grid = {"C": Cs, "n_enhancement_nodes": [20, 60], "kernel_width": [2.0]}
    model = IntuitionisticFuzzyBLSClassifier(n_feature_nodes=5, random_state=0)
    plain, blocks = (
        splits_of(
            PathSearchCV(model, grid, cv=3, scoring="roc_auc", memory_budget=budget)
            .fit(X, y)
            .cv_results_
        )
        for budget in (16, 0.05)
    )
    assert set(sure) == {True, False}
    np.testing.assert_allclose(blocks, plain, atol=1e-12)
