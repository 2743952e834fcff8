import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, ParameterGrid, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from broadlearn import PathSearchCV
from broadlearn.registry import REGISTRY
from broadlearn.study.models import KNOWN, PUBLISHED_MODELS, ModelSpec, find_model
from broadlearn.study.published_results import published_grids, published_table
from broadlearn.study.released import PRINTED_F_BLS

X, y = load_iris(return_X_y=True)


def test_the_seven_models_are_those_of_the_published_table():
    assert list(PUBLISHED_MODELS) == list(published_table().columns)


@pytest.mark.parametrize("name", PUBLISHED_MODELS)
def test_published_grids_are_those_of_the_supplement(name):
    search = find_model(name).search("paper", 3, 0, refit=False)
    assert isinstance(search, PathSearchCV)
    from broadlearn.search.grid import resolve_grids

    (found,) = resolve_grids(search.estimator, search.param_grid)
    published = published_grids()[name]
    assert set(found.names) == set(published)
    for values, axis in zip(found.values, found.names, strict=True):
        assert list(values) == pytest.approx(published[axis])


@pytest.mark.parametrize("name", PUBLISHED_MODELS)
def test_reduced_grids_are_smaller_but_real(name):
    spec = find_model(name)
    assert 20 <= len(ParameterGrid(spec.grids["reduced"])) <= 500


def test_a_model_of_ones_own(monkeypatch):
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]})
    monkeypatch.setitem(sys.modules, "mine", SimpleNamespace(tuned=search, plain=GaussianNB))
    tuned = find_model("mine:tuned")
    assert tuned.name == "tuned"
    assert tuned.search("paper", 3, 0, refit=True).param_grid == {"C": [0.1, 1.0]}
    plain = find_model("mine:plain")
    assert isinstance(plain.search("paper", 3, 0, refit=True), GaussianNB)
    assert isinstance(plain.search("paper", 3, 0, refit=False), GridSearchCV)


def test_seeds_reach_the_model_and_its_steps():
    for name, parameter in (("BLS", "random_state"), ("MLP", "mlpclassifier__random_state")):
        search = find_model(name).search("paper", 3, 7, refit=False)
        assert search.estimator.get_params()[parameter] == 7
        assert find_model(name).estimator.get_params()[parameter] is None
    assert "random_state" not in str(find_model("k-NN").search("paper", 3, 7, refit=True))


@pytest.mark.parametrize("name", sorted(set(KNOWN) - {*REGISTRY, PRINTED_F_BLS}))
def test_other_models_have_one_grid_of_settings_that_they_know(name):
    grids = KNOWN[name].grids
    assert len({id(grid) for grid in grids.values()}) <= 1
    assert set(grids.get("paper", ())) <= set(KNOWN[name].estimator.get_params())


@pytest.mark.parametrize("name", ["SVC", "LogisticRegression", "k-NN"])
def test_the_search_of_scikit_learns_models_is_its_own(name):
    search = find_model(name).search("paper", StratifiedKFold(3), 0, refit=True)
    assert isinstance(search, GridSearchCV)
    assert search.fit(X, y).best_score_ > 0.9


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("XGBoost", "must be one of BLS"),
        ("no.such.module:x", "cannot be imported: ModuleNotFoundError"),
    ],
)
def test_unknown_models_are_named(name, message):
    with pytest.raises(ValueError, match=message):
        find_model(name)


def test_settings_that_a_fold_is_too_small_for_are_not_chosen():
    search = find_model("k-NN").search("paper", StratifiedKFold(3), 0, refit=True)
    with pytest.warns(UserWarning, match="Scoring failed|non-finite"):
        search.fit(X[45:57], y[45:57])
    assert search.best_params_["kneighborsclassifier__n_neighbors"] <= 8


@pytest.mark.parametrize("name", ["LightGBM", "CatBoost"])
def test_boosters_take_any_labels_and_one_thread(name):
    pytest.importorskip(name.lower(), reason=f"{name} is not installed")
    spec = find_model(name)
    model = spec.search("paper", StratifiedKFold(2), 7, refit=True)
    alone = model.estimator if isinstance(model, GridSearchCV) else model
    parameters = alone.get_params()
    assert parameters["random_state"] == 7
    assert parameters.get("thread_count", parameters.get("n_jobs")) == 1
    assert len(ParameterGrid(spec.grids.get("paper", {}))) <= 12
    quick = {"n_estimators" if name == "LightGBM" else "iterations": 10}
    labels = np.array(["a", "b", "c"])[y]
    assert alone.set_params(**quick).fit(X, labels).score(X, labels) > 0.9


def test_a_booster_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "catboost", None)
    with pytest.raises(ValueError, match=r"'CatBoost' needs a package .* pip install catboost"):
        find_model("CatBoost")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("thing = 1 / 0", "cannot be imported: ZeroDivisionError: division by zero"),
        ("thing = (", "cannot be imported: SyntaxError"),
        ("other = 1", "cannot be imported: AttributeError"),
        ("thing = 3", "must be a scikit-learn classifier, got 3"),
        ("from sklearn.svm import SVR as thing", r"must be a scikit-learn classifier, got SVR\(\)"),
        ("class thing:\n    def __init__(self, a): pass", "cannot be imported: TypeError"),
    ],
)
def test_what_is_wrong_with_a_model_of_ones_own_is_one_sentence(
    source, message, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "wrong_model.py").write_text(source)
    with pytest.raises(ValueError, match=message):
        find_model("wrong_model:thing")
    sys.modules.pop("wrong_model", None)


def test_parameters_and_grid_make_the_identity_of_a_model():
    base = ModelSpec("m", LogisticRegression(C=1.0), {"paper": {"C": [1.0, np.float64(2.0)]}})
    same = ModelSpec("n", LogisticRegression(C=1.0, random_state=3), {"paper": {"C": (1.0, 2.0)}})
    assert base.identity("paper") == same.identity("paper")
    others = [
        ModelSpec("m", LogisticRegression(C=2.0), base.grids),
        ModelSpec("m", LogisticRegression(C=1.0), {"paper": {"C": [1.0]}}),
        ModelSpec("m", GaussianNB(), base.grids),
    ]
    assert len({spec.identity("paper") for spec in (base, *others)}) == 4
    ours = find_model("F-BLS")
    assert ours.identity("paper") != ours.as_published().identity("paper")


def test_the_source_of_ones_own_model_is_known(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    text = "from sklearn.naive_bayes import GaussianNB\nclass Mine(GaussianNB):\n    pass\n"
    (tmp_path / "own_source_model.py").write_text(text)
    assert find_model("own_source_model:Mine").own_source() == text.encode()
    assert find_model("SVC").own_source() == find_model("BLS").own_source() == b""
    sys.modules.pop("own_source_model")
