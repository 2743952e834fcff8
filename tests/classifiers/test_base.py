import numpy as np
import pytest
from plain import plain_ridge
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

from broadlearn import BLSClassifier, BroadFeatures

MAP = {
    "n_feature_groups": 6,
    "n_feature_nodes": 5,
    "n_enhancement_groups": 2,
    "n_enhancement_nodes": 40,
    "random_state": 3,
}
FORMS = [
    {},
    {"feature_weights": "random"},
    {"feature_weights": "sparse"},
    {"feature_scaling": "robust"},
    {"feature_scaling": None},
    {"feature_scaling": "sample"},
    {"feature_activation": "tanh", "activation": "relu"},
    {"standardize": False},
    {"enhancement_scale": 3.0, "activation": "sine"},
    {"enhancement_bias": 8.0},
    {"enhancement_inputs": 3, "enhancement_scale": (0.5, 2.0), "standardize": "robust"},
    {"enhancement_inputs": 3, "feature_activation": "tanh"},
]


def make(n):
    return make_classification(n, 8, n_informative=6, random_state=0)


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("n", [70, 400])
@pytest.mark.parametrize("C", [1.0, 1e6])
def test_equals_ridge_on_the_whole_design_matrix(form, n, C):
    X, y = make(n)
    G = BroadFeatures(**MAP, **form).fit_transform(X)
    W = plain_ridge(G, np.where(y == 1, 1.0, -1.0)[:, None], C)
    model = BLSClassifier(**MAP, **form, C=C).fit(X, y)
    assert model.output_weights_.shape == (110, 1)
    np.testing.assert_allclose(model.decision_function(X), (G @ W).ravel(), atol=1e-7)
    np.testing.assert_allclose((G @ model.output_weights_).ravel(), (G @ W).ravel(), atol=1e-7)


def test_smaller_gram_matrix_is_taken():
    # 30 feature nodes of rank 9 and 80 enhancement nodes: 89 columns.
    assert BLSClassifier(**MAP).fit(*make(88)).solver_ == "dual"
    assert BLSClassifier(**MAP).fit(*make(89)).solver_ == "primal"


def test_solvers_agree():
    X, y = make(100)
    primal = BLSClassifier(**MAP, solver="primal", C=100.0).fit(X, y)
    dual = BLSClassifier(**MAP, solver="dual", C=100.0).fit(X, y)
    assert (primal.solver_, dual.solver_) == ("primal", "dual")
    np.testing.assert_allclose(primal.predict_proba(X), dual.predict_proba(X), atol=1e-9)


def test_no_rows_by_rows_matrix_where_rows_are_many():
    X, y = make(300)
    with pytest.warns(UserWarning, match="the primal is solved instead"):
        model = BLSClassifier(**MAP, solver="dual").fit(X, y)
    assert model.solver_ == "primal"


@pytest.mark.parametrize("n", [60, 3000])
@pytest.mark.parametrize("C", [1.0, 1e6])
def test_threads_do_not_matter(n, C):
    X, y = make(n)
    decisions = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            decisions.append(BLSClassifier(random_state=0, C=C).fit(X, y).decision_function(X))
    np.testing.assert_allclose(decisions[0], decisions[1], rtol=0, atol=1e-10)


def test_standardisation_is_learnt_on_training_rows():
    X, y = make(200)
    model = BLSClassifier(**MAP).fit(X, y)
    far = X.copy()
    far[0] += 1e6
    np.testing.assert_allclose(
        model.decision_function(far)[1:], model.decision_function(X)[1:], atol=1e-10
    )


@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_extreme_and_constant_columns(scale):
    X, y = make(200)
    stretched = np.column_stack([X * scale, np.full(200, 7.0)])
    plain = np.column_stack([X, np.full(200, 7.0)])
    np.testing.assert_allclose(
        BLSClassifier(**MAP).fit(stretched, y).decision_function(stretched),
        BLSClassifier(**MAP).fit(plain, y).decision_function(plain),
        atol=1e-8,
    )


def test_all_columns_constant():
    X, y = np.ones((30, 3)), np.repeat([0, 1, 1], 10)
    model = BLSClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), 1)


def test_prediction_in_blocks_equals_one_block(monkeypatch):
    X, y = make(500)
    model = BLSClassifier(**MAP).fit(X, y)
    whole = model.decision_function(X)
    monkeypatch.setattr("broadlearn.classifiers._base.BLOCK_NUMBERS", 1 << 8)
    np.testing.assert_allclose(model.decision_function(X), whole, atol=1e-12)
    np.testing.assert_allclose(
        BLSClassifier(**MAP).fit(X, y).decision_function(X), whole, atol=1e-9
    )
