"""Every kind of model that can be saved comes back as it was."""

import make_model_files as kept
import numpy as np
import pytest
from faults.mutants import odd_table
from scipy.sparse import csr_matrix
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadEnsembleClassifier,
    BroadEnsembleRegressor,
    ELMClassifier,
    IntuitionisticFuzzyTwinSVC,
    PathSearchCV,
    load,
    save,
)
from broadlearn.evaluation import with_threshold
from broadlearn.io import TablePreparation
from broadlearn.io.column_reading import KINDS
from broadlearn.registry import REGISTRY
from broadlearn.sample_scores import SCORERS

X, NAMES, TABLE = kept.X, kept.NAMES, kept.TABLE
TWO = NAMES == NAMES[0]
LABELS = np.column_stack([X[:, 0] > 5.8, X[:, 1] > 3, X[:, 2] > 0]) * 1
GAPS = X.copy()
GAPS[::4, 1] = np.nan
NODES = {"n_feature_nodes": 3, "n_enhancement_nodes": 5, "random_state": 0}
SIZES = {
    **{"n_feature_nodes": 3, "n_enhancement_nodes": 5, "n_hidden_nodes": 5, "ensemble_size": 3},
    **{"n_autoencoder_nodes": 3, "n_fuzzy_groups": 1, "n_fuzzy_rules": 2, "n_draws": 1},
    **{"param_grid": {"C": np.array([1.0, 10.0]), "sample_scores": ["uniform", "fuzzy"]}},
    **{"cv": 3, "random_state": 0, "landmarks": 10},
}
METHODS = ("predict", "predict_proba", "decision_function", "transform", "predict_set")


def small(estimator, **more):
    """An estimator of few nodes."""
    model = estimator()
    known = model.get_params(deep=False)
    return model.set_params(**{k: v for k, v in (SIZES | more).items() if k in known})


def assert_the_same(model, rows, path, same_bytes=True):
    """A model says the same of rows after it was saved and loaded, and is then saved the same.

    But that texts of one content may be one object or several, which changes numbers in the file.
    """
    save(model, path)
    again, second = load(path), path.with_suffix(".again")
    save(again, second)
    assert not same_bytes or second.read_bytes() == path.read_bytes()
    assert repr(again) == repr(model)
    for name in (*METHODS, "predict_interval"):
        assert hasattr(again, name) == hasattr(model, name)
        if hasattr(model, name):
            expected, found = getattr(model, name)(rows), getattr(again, name)(rows)
            np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


@pytest.mark.slow
@pytest.mark.parametrize("name", REGISTRY)
@pytest.mark.parametrize("class_weight", [None, "balanced", {NAMES[0]: 2.0}], ids=str)
def test_every_model_of_the_registry(name, class_weight, tmp_path):
    model = small(REGISTRY[name].estimator, class_weight=class_weight)
    real = name.endswith("regressor")
    if class_weight is not None and "class_weight" not in model.get_params():
        pytest.skip("has no class weights")
    for rows in (X, GAPS):
        model.fit(rows, rows[:, 0] if real else NAMES)
        assert_the_same(model, rows, tmp_path / "model.blm")


def test_every_model_unfitted(tmp_path):
    for entry in REGISTRY.values():
        save(entry.estimator(), tmp_path / "model.blm")
        assert repr(load(tmp_path / "model.blm")) == repr(entry.estimator())


@pytest.mark.parametrize("scores", SCORERS)
def test_every_way_to_trust_samples(scores, tmp_path):
    for given in (scores, SCORERS[scores]()):
        model = BLSClassifier(sample_scores=given, **NODES).fit(X, NAMES)
        assert_the_same(model, X, tmp_path / "model.blm")


@pytest.mark.parametrize("n_nodes", [5, "infinite"])
@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "relu", "sine"])
@pytest.mark.parametrize("n_inputs", [None, 2])
def test_nodes_of_all_kinds(n_nodes, activation, n_inputs, tmp_path):
    model = BLSClassifier(
        n_feature_groups=2,
        n_feature_nodes=4,
        n_enhancement_nodes=n_nodes,
        activation=activation,
        enhancement_inputs=n_inputs,
        enhancement_scale=[0.5, 2.0],
        standardize="robust",
        random_state=0,
    )
    for targets in (NAMES, TWO, LABELS):
        assert_the_same(model.fit(GAPS, targets), GAPS, tmp_path / "model.blm")


@pytest.mark.parametrize("scaling", [None, "node", "robust", "sample"])
@pytest.mark.parametrize("weights", ["orthonormal", "random", "sparse"])
def test_feature_nodes_of_all_kinds(scaling, weights, tmp_path):
    for activation in ("identity", "tanh"):
        nodes = {"feature_scaling": scaling, "feature_weights": weights}
        model = BLSClassifier(2, feature_activation=activation, **nodes, **NODES)
        assert_the_same(model.fit(X, NAMES), X, tmp_path / "model.blm")


@pytest.mark.parametrize(
    "model", [BLSClassifier(**NODES), ELMClassifier(5, random_state=0)], ids=lambda m: str(m)[:3]
)
def test_several_labels_and_sparse_samples(model, tmp_path):
    assert_the_same(model.fit(X, LABELS), X, tmp_path / "model.blm")
    rows = csr_matrix(np.where(X > 2, X, 0.0))
    assert_the_same(model.fit(rows, NAMES), rows, tmp_path / "model.blm")


def test_targets_of_one_and_several_columns(tmp_path):
    for model in (BLSRegressor(**NODES), BroadEnsembleRegressor(ensemble_size=2)):
        for targets in (X[:, 0], X[:, :1], X[:, :2]):
            weight = np.arange(len(X)) % 3 * 0.5
            model.fit(X, targets, sample_weight=weight)
            assert_the_same(model, X, tmp_path / "model.blm")


def test_conformal_sets_of_weighted_samples(tmp_path):
    model = BroadEnsembleClassifier(ensemble_size=2, robust=True)
    model.fit(X, NAMES, sample_weight=np.arange(len(X)) % 3 * 0.5)
    assert_the_same(model, X, tmp_path / "model.blm")


def test_planes_of_both_kernels(tmp_path):
    for kernel in ("linear", "rbf"):
        for targets in (NAMES, TWO):
            model = IntuitionisticFuzzyTwinSVC(kernel=kernel, n_basis_rows=5, random_state=0)
            assert_the_same(model.fit(GAPS, targets), GAPS, tmp_path / "model.blm")


@pytest.mark.slow
@pytest.mark.parametrize("threshold", [None, 0.3])
def test_pipelines_of_tables(threshold, tmp_path):
    table = TABLE.fillna({"town": "?"})
    by_hand = ColumnTransformer(
        [
            ("n", make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), ["a", "b"]),
            ("w", OneHotEncoder(handle_unknown="ignore", min_frequency=5), ["town", "side"]),
        ],
        remainder="passthrough",
    )
    for step in (TablePreparation(), TablePreparation({"a": "category"}), by_hand):
        model = make_pipeline(step, BLSClassifier(**NODES)).fit(table, TWO)
        if threshold is not None:
            model = with_threshold(model, True, threshold)
        assert_the_same(model, table, tmp_path / "model.blm", same_bytes=step is not by_hand)


def test_the_best_of_a_search(tmp_path):
    grid = {"C": np.logspace(-1, 1, 3), "n_enhancement_nodes": [3, 5]}
    search = PathSearchCV(BLSClassifier(**NODES), grid, cv=StratifiedKFold(3)).fit(X, NAMES)
    assert_the_same(search.best_estimator_, X, tmp_path / "model.blm")


def test_columns_of_every_kind(tmp_path):
    table = odd_table()
    model = make_pipeline(TablePreparation(), BLSClassifier(**NODES)).fit(table, TWO[: len(table)])
    read = {(reading.kind, reading.how) for reading, _ in model[0].plans().values()}
    assert {how for _, how in read} == {"number", "words", "date", "parts", "compound"}
    assert {kind for kind, _ in read} == set(KINDS)
    assert_the_same(model, table, tmp_path / "model.blm")
