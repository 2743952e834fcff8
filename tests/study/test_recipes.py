import functools
import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from broadlearn import BLSClassifier
from broadlearn.study import ModelSpec, find_model
from broadlearn.study import recipes as module
from broadlearn.study.recipes import describe, recipe_of


def recipe(estimator, grid=None):
    grids = {} if grid is None else {"paper": grid}
    return recipe_of(ModelSpec("model", estimator, grids), "nested", "paper")


def double(X):
    return 2 * X


@pytest.mark.parametrize(
    ("one", "same"),
    [
        (SVC(C=1.0), SVC(C=np.float64(1.0))),
        (SVC(class_weight={0: 1, 1: 2}), SVC(class_weight={1: 2, 0: 1})),
        (SVC(random_state=1), SVC(random_state=np.random.RandomState(3))),
        (make_pipeline(StandardScaler(), SVC()), make_pipeline(StandardScaler(), SVC())),
        (GaussianProcessClassifier(1.0 * RBF(2.0)), GaussianProcessClassifier(1.0 * RBF(2.0))),
        (FunctionTransformer(double), FunctionTransformer(double)),
        (KNeighborsClassifier().fit([[0.0], [1.0]], [0, 1]), KNeighborsClassifier()),
    ],
)
def test_the_same_model_has_the_same_recipe(one, same):
    assert recipe(one) == recipe(same)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (SVC(C=1.0), SVC(C=2.0)),
        (make_pipeline(StandardScaler(), SVC()), make_pipeline(StandardScaler(), SVC(C=2))),
        (GaussianProcessClassifier(1.0 * RBF(2.0)), GaussianProcessClassifier(1.0 * RBF(3.0))),
        (FunctionTransformer(double), FunctionTransformer(np.sin)),
        (FunctionTransformer(lambda X: X), FunctionTransformer(lambda X: 2 * X)),
        (SVC(class_weight={0: 1}), SVC(class_weight={0: 2})),
        (BLSClassifier(), BLSClassifier(2)),
    ],
)
def test_another_model_has_another_recipe(one, other):
    assert recipe(one) != recipe(other)


def test_grids_count_in_any_order_of_their_names():
    grid = {"C": [1, 2], "gamma": np.array([0.1, 1.0])}
    assert recipe(SVC(), grid) == recipe(SVC(), dict(reversed(grid.items())))
    assert recipe(SVC(), grid) != recipe(SVC(), {**grid, "C": [2, 1]})
    assert recipe(SVC(), grid) != recipe(SVC())


def test_a_protocol_that_runs_the_released_model_has_its_recipe():
    spec = find_model("BLS")
    assert recipe_of(spec, "paper", "paper") != recipe_of(spec, "nested", "paper")
    assert recipe_of(spec, "paper-columns", "paper") == recipe_of(spec, "nested", "paper")
    assert recipe_of(spec, "nested", "reduced") != recipe_of(spec, "nested", "paper")


def test_another_version_of_the_package_is_another_model(monkeypatch):
    before = recipe(SVC()), recipe(BLSClassifier())
    monkeypatch.setattr(module, "package_version", lambda found: f"{found.__name__} 99")
    assert recipe(SVC()) != before[0]
    assert recipe(BLSClassifier()) != before[1]


def test_anything_can_be_described():
    loop = SimpleNamespace(name="loop")
    loop.self = loop
    values = [
        functools.partial(double, X=3), {1, 2}, np.array(["a"]), float("nan"), double, SVC, len,
        stats.uniform(0, 1), KFold(3), np.random.default_rng(0), np, loop, KFold(3).split, 1j,
        np.datetime64("2020-01-01"), print, np.exp, frozenset("ab"), object(), b"a",
    ]  # fmt: skip
    for value in values:
        text = json.dumps(describe(value))
        assert "0x" not in text
        assert text == json.dumps(describe(value))
    assert describe({2, 1}) == describe({1, 2})
    assert describe(functools.partial(double, X=3)) != describe(functools.partial(double, X=4))


@pytest.mark.slow
def test_recipes_are_the_same_in_every_process():
    script = (
        "from broadlearn.study import find_model\n"
        "from broadlearn.study.recipes import recipe_of\n"
        "for name in ('BLS', 'SVC', 'GaussianProcess', 'Ensemble'):\n"
        "    print(recipe_of(find_model(name), 'nested', 'paper'))\n"
    )
    command = [sys.executable, "-c", script]
    there = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    here = [
        recipe_of(find_model(name), "nested", "paper")
        for name in ("BLS", "SVC", "GaussianProcess", "Ensemble")
    ]
    assert there == here
