from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from broadlearn.cli.held_out import (
    check_scoring,
    choose_threshold,
    cross_validated,
    rarer_class,
    search_scorer,
)
from broadlearn.cli.tables import Labelled
from broadlearn.io.sources import Source

FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)


def silent(stage, share):
    pass


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(150, 2)), columns=list("ab"))
    y = np.where(X["a"] + rng.normal(size=150) > 1.2, "rare", "usual")
    return Labelled(X, y, {}, Source(Path("rows.csv")), "y")


def test_predictions_are_those_of_scikit_learn(table):
    held = cross_validated(GaussianNB(), table, FOLDS, 1, silent)
    expected = cross_val_predict(GaussianNB(), table.X, table.y, cv=FOLDS, method="predict_proba")
    np.testing.assert_allclose(held.judged.proba, expected)
    labels = cross_val_predict(GaussianNB(), table.X, table.y, cv=FOLDS)
    np.testing.assert_array_equal(held.judged.classes[held.judged.predicted], labels)
    scores = [np.mean(labels[rows] == table.y[rows]) for _, rows in FOLDS.split(table.X, table.y)]
    np.testing.assert_allclose(held.scores, scores)
    assert cross_validated(LinearSVC(), table, FOLDS, 1, silent).judged.proba is None


@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
def test_a_class_that_a_fold_lacks_has_no_probability_there(table):
    y = table.y.copy()
    y[0] = "once"
    held = cross_validated(GaussianNB(), table._replace(y=y), FOLDS, 1, silent)
    assert held.judged.classes.tolist() == ["once", "rare", "usual"]
    assert held.judged.proba[0, 0] == 0.0
    np.testing.assert_allclose(held.judged.proba.sum(axis=1), 1.0)


def test_a_chosen_threshold_is_used(table):
    held = cross_validated(GaussianNB(), table, FOLDS, 1, silent)
    threshold, decided = choose_threshold(held, "auto", None, table.y)
    assert threshold.label == "rare" == rarer_class(table.y)
    rare = held.judged.proba[:, 0] >= threshold.value
    np.testing.assert_array_equal(decided.judged.predicted == 0, rare)
    before = balanced_accuracy_score(held.judged.true, held.judged.predicted)
    assert balanced_accuracy_score(decided.judged.true, decided.judged.predicted) > before
    assert choose_threshold(held, "0.3", None, table.y)[0].value == 0.3
    for bad in ("0", "1", "half", "nan"):
        with pytest.raises(ValueError, match="auto or a number between 0 and 1"):
            choose_threshold(held, bad, None, table.y)
    without = held._replace(judged=held.judged._replace(proba=None))
    with pytest.raises(ValueError, match="it gives none"):
        choose_threshold(without, "auto", None, table.y)


def test_metrics_of_one_class_are_of_the_rarer_one(table):
    model = GaussianNB().fit(table.X, table.y)
    scorer = search_scorer("recall", table.y)
    found = scorer(model, table.X, table.y)
    rare = table.y == "rare"
    assert found == pytest.approx(np.mean(model.predict(table.X)[rare] == "rare"))
    assert search_scorer("roc_auc", table.y) == "roc_auc"
    assert search_scorer(None, table.y) is None
    chance = model.predict_proba(table.X)[:, 0]
    precision = search_scorer("average_precision", table.y)(model, table.X, table.y)
    assert precision == pytest.approx(average_precision_score(rare, chance))
    brier = search_scorer("neg_brier_score", table.y)(model, table.X, table.y)
    assert brier == pytest.approx(-np.mean((rare - chance) ** 2))
    assert search_scorer("average_precision", np.arange(3)) == "average_precision"
    with pytest.raises(ValueError, match="needs two classes; of more, use f1_macro"):
        search_scorer("f1", np.arange(3))


def test_scorers_are_known_by_name():
    check_scoring(None)
    check_scoring("neg_log_loss")
    with pytest.raises(ValueError, match="--scoring must be the name of a scorer"):
        check_scoring("goodness")
