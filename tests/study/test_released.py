import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import Lasso
from sklearn.preprocessing import StandardScaler

from broadlearn import BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier
from broadlearn.registry import REGISTRY
from broadlearn.study import find_model, make_study, published_table
from broadlearn.study.models import PUBLISHED_MODELS
from broadlearn.study.released import (
    COLUMNS,
    PRINTED_COLUMNS,
    PRINTED_F_BLS,
    RELEASED,
    RELEASED_GRIDS,
    ReleasedHierarchicalELM,
    sparse_codes,
)
from broadlearn.study.reproduction import compare_with_print


def test_all_but_one_of_the_published_models_are_known():
    published = {entry.name for entry in REGISTRY.values() if entry.published}
    assert published - set(RELEASED) == {"NeuroFBLS"}
    for name, grid in RELEASED_GRIDS.items():
        assert set(grid) <= set(RELEASED[name].get_params())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_h_elm_learns_and_repeats(n_classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    labels = np.array(["a", "b", "c"])[y]
    model = ReleasedHierarchicalELM(45, 0.01, random_state=0).fit(X, labels)
    assert np.mean(model.predict(X) == labels) > 0.85
    again = clone(model).fit(X, labels)
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))


def test_predictions_of_h_elm_depend_on_the_company():
    X, y = make_classification(100, 5, random_state=0)
    model = ReleasedHierarchicalELM(25, 0.01, random_state=0).fit(X, y)
    alone = model.decision_function(X[:30])
    assert not np.allclose(alone, model.decision_function(X)[:30])


def test_settings_and_training_labels_have_draws_of_their_own():
    X, y = make_classification(60, 5, random_state=0)
    model = ReleasedHierarchicalELM(5, 1.0, random_state=0)
    others = [clone(model).set_params(C=10.0).fit(X, y), clone(model).fit(X, 1 - y)]
    first = clone(model).fit(X, y)._layers[0]
    assert not any(np.allclose(first, other._layers[0]) for other in others)


def test_sparse_codes_are_those_of_the_lasso():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(50, 6)), rng.normal(size=(50, 2))
    expected = Lasso(alpha=5.0 / 50, fit_intercept=False, tol=1e-12).fit(A, B).coef_.T
    np.testing.assert_allclose(sparse_codes(A, B, 5.0, 2000), expected, atol=1e-8)


def test_every_column_of_paper_is_what_its_name_says():
    kinds = {"BLS": BLSClassifier, "F-BLS": FuzzyBLSClassifier}
    kinds["IF-BLS"] = IntuitionisticFuzzyBLSClassifier
    for name, kind in kinds.items():
        published = find_model(name).as_published()
        model = published.estimator
        assert type(model) is kind
        assert published.grids["paper"] == "paper"
        assert model.get_params() == kind.published().get_params()
    printed = find_model(PRINTED_F_BLS).as_published()
    assert printed.estimator.get_params() == BLSClassifier.published().get_params()
    assert printed.grids["paper"] == "paper"
    assert set(COLUMNS) == {*PUBLISHED_MODELS, *PRINTED_COLUMNS}


def test_the_twin_svm_works_and_has_its_whole_grid():
    X, y = make_classification(120, 5, weights=[0.7], class_sep=1.5, random_state=0)
    X = StandardScaler().fit_transform(X)
    search = find_model("IF-TSVM").as_published().search("paper", 3, 0, refit=False).fit(X, y)
    assert len(search.cv_results_["params"]) == 7 * 7 * 11
    assert search.best_score_ > np.mean(y == 0) + 0.1


def test_a_study_of_the_paper_has_the_printed_models_beside_their_names():
    plan = make_study(["iris"], protocols=["paper", "nested"]).plan
    paper = [unit.model for unit in plan if unit.protocol == "paper"]
    nested = [unit.model for unit in plan if unit.protocol == "nested"]
    assert paper == list(COLUMNS)
    assert nested == list(PUBLISHED_MODELS)


def test_printed_columns_are_compared_with_what_comes_near_to_them():
    unit = {"protocol": "paper", "noise": "none", "dataset": "pima", "grid": "paper"}
    unit |= {"status": "done", "mean": 0.65, "sd": 0.01}
    cells = compare_with_print(pd.DataFrame([{**unit, "model": m} for m in PRINTED_COLUMNS]))
    printed = published_table().loc["pima", list(PRINTED_COLUMNS.values())]
    np.testing.assert_array_equal(cells["printed"], printed)
