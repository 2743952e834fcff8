import os
import signal

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
)
from broadlearn.out_of_core import fit

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning"), pytest.mark.slow]

SIZES = {"n_feature_groups": 2, "n_feature_nodes": 5, "n_enhancement_nodes": 40}
MODELS = [BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier, BLSRegressor]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(2.0, 3.0, size=(500, 6))
    return X, (X[:, 0] > 2) + 2 * (X[:, 1] > 3)


@pytest.fixture(params=MODELS)
def model(request):
    return request.param(**SIZES, C=10.0, random_state=3)


@pytest.fixture
def in_threads():
    """Start workers in threads of this process."""

    def start(n_workers):
        return distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=False,
            dashboard_address="127.0.0.1:0",
        )

    return start


def output(model, X):
    return model.predict_proba(X) if is_classifier(model) else model.predict(X)


@pytest.mark.parametrize("weighted", [False, True])
def test_arrays_give_the_model_of_one_fit(model, rows, weighted):
    X, y = rows
    weight = np.random.default_rng(1).integers(0, 3, 500) if weighted else None
    if weighted:
        weight[:120] = 0
    fitted = clone(model).fit(X, y, sample_weight=weight)
    chunks = ((60, 0, 40, 1, 399), (4, 2))
    weights = None if weight is None else da.from_array(weight, chunks=200)
    fit(model, da.from_array(X, chunks=chunks), da.from_array(y, chunks=90), weights)
    np.testing.assert_allclose(output(model, X), output(fitted, X), rtol=0, atol=1e-8)


@pytest.mark.slow
def test_dataframes_give_the_model_of_one_fit(model, rows):
    X, y = rows
    table = pd.DataFrame(X, columns=list("abcdef"))
    table["y"] = np.array(list("pqrs"))[y] if is_classifier(model) else y
    table["w"] = np.random.default_rng(1).integers(1, 3, 500)
    fitted = clone(model).fit(table[list("abcdef")], table["y"], table["w"])
    parts = dd.from_pandas(table, npartitions=7, sort=False)
    parts = parts[parts["a"] < 1e9]
    fit(model, parts[list("abcdef")], parts["y"], parts["w"])
    expected = output(fitted, table[list("abcdef")])
    np.testing.assert_allclose(output(model, table[list("abcdef")]), expected, rtol=0, atol=1e-8)
    assert model.feature_names_in_.tolist() == list("abcdef")
    if is_classifier(model):
        assert model.classes_.tolist() == list("pqrs")


@pytest.mark.slow
def test_the_number_of_workers_changes_no_bit(rows, in_threads):
    X, y = rows
    model = IntuitionisticFuzzyBLSClassifier(**SIZES, random_state=3)
    X, y = da.from_array(X, chunks=(70, 6)), da.from_array(y, chunks=70)
    expected = fit(clone(model), X, y)
    for n_workers in (1, 3):
        with in_threads(n_workers) as cluster, distributed.Client(cluster):
            fit(model, X, y)
        np.testing.assert_array_equal(model.output_weights_, expected.output_weights_)
        assert model.proba_slope_ == expected.proba_slope_


def spoilt(X):
    X = X.copy()
    X[450, 2] = np.inf
    return X


@pytest.mark.parametrize(
    ("change_X", "y", "arguments", "message"),
    [
        (spoilt, None, {}, r"X contains infinity.* \(in partition 4 of X\)\.$"),
        (None, np.arange(499), {}, "y has 499 rows, but X has 500"),
        (None, np.zeros(500), {}, "only one class"),
        (None, None, {"sample_weight": np.zeros(500)}, "X has no rows with a positive weight"),
        (None, None, {"sample_weight": -np.ones(500)}, "sample_weight"),
        (None, np.linspace(0, 1, 500), {}, "continuous"),
    ],
)
def test_a_refused_table_leaves_the_model_as_it_was(rows, change_X, y, arguments, message):
    X, labels = rows
    model = BLSClassifier(**SIZES, random_state=0).fit(X, labels)
    before = dict(vars(model))
    table = da.from_array(X if change_X is None else change_X(X), chunks=(100, 6))
    weights = {name: da.from_array(value) for name, value in arguments.items()}
    y = da.from_array(labels if y is None else y)
    with pytest.raises(ValueError, match=message) as caught:
        fit(model, table, y, **weights)
    assert "\n" not in str(caught.value)
    assert vars(model).keys() == before.keys()
    assert all(value is before[name] for name, value in vars(model).items())


# Last, as it is the current client from its start on.
@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as started,
    ):
        yield started


@pytest.mark.soak
def test_a_killed_worker_changes_nothing(client, rows, tmp_path):
    X, y = rows
    model = BLSClassifier(**SIZES, random_state=0)
    plain = da.from_array(X, chunks=(50, 6))
    y = da.from_array(y, chunks=50)
    expected = fit(clone(model), plain, y)

    def visit(block, block_info):
        # The third visit of the third partition is within the sums; the fourth is the repair.
        if block_info[0]["chunk-location"][0] == 3:
            with open(tmp_path / "visits", "a") as file:
                file.write("x")
                file.flush()
                if file.tell() == 3:
                    os.kill(os.getpid(), signal.SIGKILL)
        return block

    fit(model, plain.map_blocks(visit, dtype=X.dtype), y)
    assert (tmp_path / "visits").read_text() == "xxxx"
    np.testing.assert_array_equal(model.output_weights_, expected.output_weights_)
