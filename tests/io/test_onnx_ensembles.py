import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from broadlearn import BroadEnsembleClassifier, BroadEnsembleRegressor
from broadlearn.io import to_onnx
from broadlearn.random_features import METRICS

pytest.importorskip("skl2onnx")
onnxruntime = pytest.importorskip("onnxruntime")

X, y = (part[::3] for part in load_iris(return_X_y=True))
NAMES = load_iris().target_names[y]
# Rows that were not learnt, and some far away.
ROWS = np.vstack([load_iris().data[1::3], X[:3] + 20.0, X[:3] - 20.0])
# All kernels.
EVERY = {"ensemble_size": 40}


def run(model, rows):
    """Outputs of a model's graph for rows in single precision."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        to_onnx(model).SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"X": rows.astype(np.float32)})


def check_parity(model, rows=ROWS):
    labels, shares = run(model, rows)
    single = rows.astype(np.float32).astype(np.float64)
    assert shares.dtype == np.float32
    np.testing.assert_allclose(shares, model.predict_proba(single), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(labels, model.predict(single))
    np.testing.assert_allclose(shares, model.predict_proba(rows), rtol=0, atol=1e-5)


@pytest.mark.parametrize("labels", [NAMES, y, NAMES == "setosa"], ids=["names", "codes", "two"])
@pytest.mark.parametrize("robust", [False, True])
def test_all_kernels_at_once(labels, robust):
    model = BroadEnsembleClassifier(**EVERY, robust=robust).fit(X, labels)
    assert {member["family"] for member in model.members_} == set(METRICS)
    check_parity(model)


def test_columns_by_how_much_they_matter():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(240, 8))
    rare = (rows[:, 1] > 0.5) & (rows[:, 4] < -0.3)
    rows[::9, 2] = np.nan
    model = BroadEnsembleClassifier(ensemble_size=3, class_weight="balanced").fit(rows, rare)
    assert any(member["inputs"].startswith("weighted") for member in model.members_)
    check_parity(model, rng.normal(size=(50, 8)))


@pytest.mark.parametrize("family", METRICS)
@pytest.mark.parametrize("k", [2, 3])
def test_each_family_alone(family, k, monkeypatch):
    from broadlearn.ensemble import candidates, exact

    kernels = tuple(kernel for kernel in candidates.KERNELS if kernel.family == family)
    monkeypatch.setattr(exact, "KERNELS", kernels)
    model = BroadEnsembleClassifier(**EVERY).fit(X, y if k == 3 else y > 0)
    assert {member["family"] for member in model.members_} == {family}
    check_parity(model)


def test_landmarks():
    check_parity(BroadEnsembleClassifier(max_exact_samples=20, random_state=0).fit(X, NAMES))


@pytest.mark.parametrize("target", [X[:, 3], X[:, 2:]], ids=["one", "two"])
@pytest.mark.parametrize("max_exact_samples", [4000, 20])
def test_regressors(target, max_exact_samples):
    model = BroadEnsembleRegressor(**EVERY, max_exact_samples=max_exact_samples, random_state=0)
    model.fit(X[:, :2], target)
    (found,) = run(model, ROWS[:, :2])
    expected = model.predict(ROWS[:, :2]).reshape(len(ROWS), -1)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


def test_pipelines():
    rows = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)
    model = make_pipeline(SimpleImputer(), StandardScaler(), BroadEnsembleClassifier(**EVERY))
    check_parity(model.fit(rows, NAMES), rows)
    check_parity(model, ROWS)


def test_one_column_constant_columns_and_single_precision():
    check_parity(BroadEnsembleClassifier(**EVERY).fit(X[:, 2:3], y), ROWS[:, 2:3])
    constant = np.column_stack([X, np.ones(len(X))])
    model = BroadEnsembleClassifier(**EVERY).fit(constant.astype(np.float32), y)
    check_parity(model, np.column_stack([ROWS, np.ones(len(ROWS))]))


def test_a_row_at_a_time():
    model = BroadEnsembleClassifier().fit(X, y)
    whole = run(model, ROWS[:2])[1]
    np.testing.assert_allclose(run(model, ROWS[1:2])[1][0], whole[1], atol=1e-6)
