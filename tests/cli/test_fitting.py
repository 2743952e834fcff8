from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline

from broadlearn import ELMClassifier, PathSearchCV
from broadlearn.cli import console
from broadlearn.cli.fitting import FOLDS, check_storable, fit_model, needs_folds
from broadlearn.cli.tables import Labelled
from broadlearn.io import TablePreparation
from broadlearn.io.sources import Source
from broadlearn.registry import find_entry

# Its sign is the label.
pytestmark = pytest.mark.filterwarnings("ignore:Column 'a' alone")


@pytest.fixture
def table():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=list("abc"))
    y = np.where(X["a"] > 0, "yes", "no")
    classes = {"no": int((y == "no").sum()), "yes": int((y == "yes").sum())}
    return Labelled(X, y, classes, Source(Path("rows.csv")), "answer")


def test_only_the_ensemble_needs_no_folds():
    assert not needs_folds(find_entry("Ensemble"))
    assert needs_folds(find_entry("ELM"))


def test_what_a_model_file_has_no_room_for_is_refused_before_the_fit(table, monkeypatch):
    prepare = TablePreparation()
    check_storable(table, prepare)
    words = table._replace(X=table.X.assign(word=[f"w{i % 9}" for i in range(60)]))
    monkeypatch.setattr("broadlearn.cli.fitting.MANY_TEXTS", 5)
    check_storable(words, prepare)
    monkeypatch.setattr("broadlearn.io.model_files.MAX_TREE_BYTES", 100)
    with pytest.raises(ValueError, match=r"no room .* column 'word' has 9 different texts; leave"):
        check_storable(words, prepare)


def test_a_plain_fit_is_cross_validated_and_says_how_far_it_is(table, monkeypatch):
    shown = []
    monkeypatch.setattr(console, "is_terminal", lambda: True)
    monkeypatch.setattr(
        "rich.progress.Progress.update", lambda self, task, **changes: shown.append(changes)
    )
    found = fit_model(table, find_entry("ELM"), TablePreparation(), tune=False, seed=3, jobs=1)
    model = make_pipeline(TablePreparation(), ELMClassifier(random_state=3))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=3)
    expected = cross_val_score(model, table.X, table.y, cv=folds)
    np.testing.assert_allclose(found.held_out.scores, expected)
    assert (found.how, found.optimistic) == ("5-fold cross-validation", False)
    assert found.model.score(table.X, table.y) == model.fit(table.X, table.y).score(
        table.X, table.y
    )
    shares = [change["completed"] for change in shown]
    assert shares == sorted(shares)
    assert shown[0] == {"description": "cross-validation", "completed": 0.0}
    assert shown[-1] == {"description": "fit to all rows", "completed": FOLDS / (FOLDS + 1)}


@pytest.mark.parametrize("name", ["ELM", "Ensemble"])
def test_what_is_chosen_on_the_same_rows_is_optimistic(table, name):
    found = fit_model(table, find_entry(name), TablePreparation(), tune=True, seed=0, jobs=1)
    assert found.optimistic
    assert "optimistic" in found.how
    assert len(found.held_out.scores) == (FOLDS if name == "ELM" else len(table.X))


def test_a_tuned_fit_is_judged_as_the_search_judged_it(table):
    found = fit_model(table, find_entry("ELM"), TablePreparation(), tune=True, seed=0, jobs=1)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    grid = {"model__" + name: [getattr(found.model[-1], name)] for name in ("C", "n_hidden_nodes")}
    model = Pipeline([("prepare", TablePreparation()), ("model", ELMClassifier(random_state=0))])
    search = PathSearchCV(model, grid, cv=folds).fit(table.X, table.y)
    assert found.held_out.scores.mean() == pytest.approx(search.best_score_)


def test_classes_are_weighed_and_other_metrics_tuned(table):
    found = fit_model(
        table,
        find_entry("BLS"),
        TablePreparation(),
        tune=True,
        seed=0,
        jobs=1,
        class_weight="balanced",
        scoring="f1",
    )
    assert found.model[-1].class_weight == "balanced"
