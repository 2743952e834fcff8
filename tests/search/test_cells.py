"""Cells of a search against single fits and against sums over samples."""

import numpy as np
import pytest
from searches import more_rows_than_nodes, splits_of
from sklearn.datasets import make_classification
from sklearn.metrics import get_scorer

from broadlearn import IntuitionisticFuzzyBLSClassifier, PathSearchCV
from broadlearn.search import cells
from broadlearn.search.cells import Cell, Judge
from broadlearn.search.folds import SplitSamples, prepare_fold
from broadlearn.search.scoring import batch_scorer
from broadlearn.search.weighted_sums import common_squares, weighted_residual, weighted_sums
from broadlearn.solvers import propagated_error
from broadlearn.utils import draw_seed

WIDTHS, SIZES, CS = [1.0, 4.0], [10, 60], [0.1, 100.0]


def make_cell(X, y, split, names, weight=None, sizes=SIZES):
    model = IntuitionisticFuzzyBLSClassifier(2, 4, 1, max(sizes), random_state=0)
    fold = prepare_fold(model, SplitSamples(X, y, weight, split), WIDTHS)
    data, recipe, seed = fold.data, model.feature_map(), draw_seed(0)
    scorers = [batch_scorer(get_scorer(name), classifier=True) for name in names]
    judge = Judge(scorers, "neg_log_loss" in names, 1e-11, 1 << 20, ("test", "train"))
    family = recipe.learn(data.X, data.standardization, seed, data.weight)
    broad_map = family.cut(2, 4, recipe.draw_layer(seed, 8, data.X.shape[1]))
    affine = {"train": data.standardization.affine(data.X)}
    affine["test"] = data.standardization.affine(fold.X_test)
    return Cell(broad_map, fold, affine, sizes, CS, judge)


@pytest.mark.parametrize("n_train", [40, 300])
@pytest.mark.parametrize("names", [["accuracy", "roc_auc"], ["neg_log_loss"]])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_single_fits(n_train, names, weighted):
    X, y = make_classification(n_train + 100, 6, flip_y=0.1, random_state=0)
    train, test = np.arange(n_train), np.arange(n_train, n_train + 100)
    weight = np.random.default_rng(1).integers(0, 3, len(y)) * 1.0 if weighted else None
    given = lambda rows: None if weight is None else weight[rows]  # noqa: E731
    found = make_cell(X, y, (train, test), names, weight).scores()
    assert found.shape == (len(names), 2, len(SIZES), len(CS), len(WIDTHS))
    for w, width in enumerate(WIDTHS):
        for j, q in enumerate(SIZES):
            for c, C in enumerate(CS):
                model = IntuitionisticFuzzyBLSClassifier(
                    2, 4, 1, q, C, kernel_width=width, random_state=0
                )
                model.fit(X[train], y[train], sample_weight=given(train))
                for i, scorer in enumerate(map(get_scorer, names)):
                    for t, part in enumerate((test, train)):
                        expected = scorer(model, X[part], y[part], sample_weight=given(part))
                        assert found[i, t, j, c, w] == pytest.approx(expected, abs=1e-9)


def test_dual_is_taken_only_for_fewer_rows_than_columns():
    X, y = make_classification(140, 6, random_state=0)
    few = make_cell(X, y, (np.arange(20), np.arange(40, 140)), ["accuracy"])
    assert few._in_dual(20, 1)
    many = make_cell(X, y, (np.arange(130), np.arange(130, 140)), ["accuracy"])
    assert not many._in_dual(130, 0)
    assert not many._in_dual(130, 1)


def test_blocks_of_rows_do_not_change_refined_scores(monkeypatch):
    errors = []

    def spied(*arguments):
        errors.append(propagated_error(*arguments))
        return errors[-1]

    monkeypatch.setattr(cells, "propagated_error", spied)
    X, y = more_rows_than_nodes()
    Cs = [10.0 ** (k / 2) for k in range(13)]
    grid = {"C": Cs, "n_enhancement_nodes": [20, 60], "kernel_width": [2.0]}
    model = IntuitionisticFuzzyBLSClassifier(n_feature_nodes=5, random_state=0)
    search = PathSearchCV(model, grid, cv=3, scoring="roc_auc")
    plain = splits_of(search.fit(X, y).cv_results_)
    monkeypatch.setattr("broadlearn.search.path_search.BLOCK_NUMBERS", 6500)
    blocks = splits_of(search.fit(X, y).cv_results_)
    assert errors
    np.testing.assert_allclose(blocks, plain, atol=1e-12)


@pytest.mark.parametrize("step", [90, 25])
def test_sums_do_not_depend_on_blocks(step):
    rng = np.random.default_rng(0)
    R, few = rng.normal(size=(90, 6)), rng.uniform(size=90)
    few[::5] = 0.0
    codes = np.arange(90) % 2
    alike = np.where(np.arange(90) < 70, np.array([0.5, 0.2])[codes], few)
    given = [None, few, rng.uniform(size=90), np.zeros(90), alike, 0.5 * alike]
    squares = common_squares(dict(enumerate(given)), codes)
    assert list(squares) == [4, 5]
    shared = [squares.get(i) for i in range(len(given))]
    slices = [slice(start, min(start + step, 90)) for start in range(0, 90, step)]
    blocks = ((rows, R[rows, :5].copy()) for rows in slices)
    found = weighted_sums(blocks, 4, R[:, 5:], given, shared, codes)
    used = R[:, [0, 1, 2, 3, 5]]
    for sums, s in zip(found, [np.ones(90), *given[1:]], strict=True):
        expected = (used * s[:, None] ** 2).T @ used
        scale = max(np.abs(expected).max(), 1e-30)
        np.testing.assert_allclose(sums, expected, rtol=1e-11, atol=1e-12 * scale)
        np.testing.assert_array_equal(sums, sums.T)


@pytest.mark.parametrize("scored", [True, False])
def test_residual_of_weights(scored):
    rng = np.random.default_rng(3)
    G, T, columns, C = rng.normal(size=(40, 6)), rng.normal(size=(40, 2)), [2, 6], 5.0
    W = rng.normal(size=(2, 2, 6))
    W[0, :, 2:] = 0.0
    s = rng.uniform(size=40) if scored else None
    blocks = [(rows, G[rows]) for rows in (slice(0, 25), slice(25, 40))]
    found = weighted_residual(blocks, T, s, W, C)
    squares = np.ones(40) if s is None else s**2
    for j, n in enumerate(columns):
        missing = squares[:, None] * (T - G @ W[j].T)
        expected = (G.T @ missing).T - W[j] / C
        np.testing.assert_allclose(found[j, :, :n], expected[:, :n], atol=1e-12)
