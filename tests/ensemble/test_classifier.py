import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from threadpoolctl import threadpool_limits

from broadlearn import BroadEnsembleClassifier
from broadlearn.ensemble.weights import temper_weights
from broadlearn.random_features import KernelBasis, SamplePairs

MEMBER_KEYS = ["family", "inputs", "width", "n_inputs", "C", "scores", "weight", "held_out_loss"]


def table(n=60, k=2, seed=0, dtype=np.float64):
    X, y = make_classification(
        n, 4, n_informative=3, n_redundant=0, n_classes=k, n_clusters_per_class=1, random_state=seed
    )
    return X.astype(dtype), np.array(["a", "b", "c"])[y]


def held_out_by_refits(model, X, T, weight, score):
    """The members of a fitted model, fitted without each sample or one of its copies.

    Weights that are no whole numbers do not count copies, and those of classes count by their root.
    """
    whole = (weight != np.rint(weight)).any()
    if whole:
        weight = temper_weights(weight, np.unique(T, axis=0, return_inverse=True)[1].ravel())[0]
    average, n = model._average, len(X)
    out = np.zeros_like(T)
    for member, kernel in zip(model.members_, average.kernels, strict=True):
        samples = {kernel.inputs: average.forms(X, kernel.inputs)}
        gram = SamplePairs(KernelBasis(samples)).values(kernel, average.units) + 1.0
        for i in range(n):
            left = weight.copy()
            left[i] -= weight[i] if whole else min(1.0, weight[i])
            counts = left * score**2
            kept = counts > 0
            inner = gram[np.ix_(kept, kept)] + np.diag(1 / (member["C"] * counts[kept]))
            out[i] += member["weight"] * gram[i, kept] @ np.linalg.solve(inner, T[kept])
    return out if average.offset is None else out + average.offset


@pytest.mark.usefixtures("few_kernels")
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("robust", [True, False])
@pytest.mark.parametrize("weighted", [None, "copies", "importance"])
def test_leave_one_out_decisions_equal_refits(k, robust, weighted):
    X, y = table(45, k)
    rng = np.random.default_rng(0)
    weight = rng.uniform(0.5, 3, 45) if weighted == "importance" else rng.integers(1, 4, 45) * 1.0
    weight = weight if weighted else np.ones(45)
    model = BroadEnsembleClassifier(robust=robust).fit(X, y, weight if weighted else None)
    assert (model._average.offset is not None) == (weighted == "importance")
    T = (y[:, None] == model.classes_) * 1.0
    T = 2 * T[:, 1:] - 1 if k == 2 else T
    assert (model.members_[0]["scores"] == "held_out") == robust
    expected = held_out_by_refits(model, X, T, weight, model.sample_scores_)
    found = model.leave_one_out_decision_.reshape(expected.shape)
    np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("k", [2, 3])
def test_what_is_learnt(k):
    X, y = table(k=k)
    model = BroadEnsembleClassifier(ensemble_size=5).fit(X, y)
    assert model.classes_.tolist() == list("abc"[:k])
    assert [list(member) for member in model.members_] == [MEMBER_KEYS] * 5
    assert sum(member["weight"] for member in model.members_) == pytest.approx(1.0)
    assert len(pd.DataFrame(model.members_).groupby(["family", "inputs", "width", "n_inputs"])) == 5
    assert model.leave_one_out_decision_.shape == ((60,) if k == 2 else (60, k))
    assert model.leave_one_out_proba_.shape == (60, k)
    np.testing.assert_allclose(model.leave_one_out_proba_.sum(axis=1), 1.0)
    assert model.sample_scores_.shape == (60,)
    assert (model.proba_slopes_ >= 0).all()
    decision, shares = model.decision_function(X), model.predict_proba(X)
    assert decision.shape == model.leave_one_out_decision_.shape
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    labels = model.classes_[shares.argmax(axis=1)]
    np.testing.assert_array_equal(model.predict(X), labels)
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("max_exact_samples", [4000, 20])
def test_a_sample_of_weight_zero_is_absent(max_exact_samples):
    X, y = table()
    weight = (np.arange(60) % 5 > 0) * 1.0
    model = BroadEnsembleClassifier(max_exact_samples=max_exact_samples, random_state=0)
    weighted = clone(model).fit(X, y, weight)
    without = model.fit(X[weight > 0], y[weight > 0])
    expected = without.decision_function(X)
    np.testing.assert_allclose(weighted.decision_function(X), expected, atol=1e-9)
    absent = weighted.leave_one_out_decision_[weight == 0]
    np.testing.assert_allclose(absent, expected[weight == 0], atol=1e-9)
    kept = weighted.leave_one_out_proba_[weight > 0]
    np.testing.assert_allclose(kept, without.leave_one_out_proba_, atol=1e-9)


@pytest.mark.parametrize("robust", [True, False])
def test_weights_are_copies(robust):
    X, y = table()
    weight = np.random.default_rng(0).integers(0, 4, 60)
    model = BroadEnsembleClassifier(robust=robust)
    weighted = clone(model).fit(X, y, weight).predict_proba(X)
    copies = np.repeat(np.arange(60), weight)
    copied = clone(model).fit(X[copies], y[copies]).predict_proba(X)
    np.testing.assert_allclose(weighted, copied, atol=1e-7)


def test_class_weights_multiply_sample_weights():
    X, y = table(k=3)
    weight = np.random.default_rng(0).uniform(1, 2, 60)
    by_class = np.select([y == "a", y == "b"], [2.0, 3.0], 1.0)
    model = BroadEnsembleClassifier(class_weight={"a": 2.0, "b": 3.0}).fit(X, y, weight)
    expected = BroadEnsembleClassifier().fit(X, y, weight * by_class)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), atol=1e-12)


def test_balanced_classes_find_more_of_a_rare_one():
    X, y = table(120)
    few = np.r_[np.flatnonzero(y == "a"), np.flatnonzero(y == "b")[:8]]
    X, y = X[few] + np.random.default_rng(0).normal(size=(len(few), 4)), y[few]
    found = [
        (BroadEnsembleClassifier(class_weight=weight).fit(X, y).predict(X) == "b").sum()
        for weight in (None, "balanced")
    ]
    assert found[1] > found[0]


def test_wrong_labels_count_less():
    X, y = table(120)
    wrong = np.random.default_rng(0).random(120) < 0.25
    codes = (y == "b") ^ wrong
    plain, auto, robust = (
        BroadEnsembleClassifier(robust=robust).fit(X, codes) for robust in (False, "auto", True)
    )
    assert (plain.sample_scores_ == 1.0).all()
    assert robust.sample_scores_[wrong].mean() < 0.5 * robust.sample_scores_[~wrong].mean()
    # Here scores of one half do not pay on the other.
    np.testing.assert_array_equal(auto.sample_scores_, plain.sample_scores_)
    np.testing.assert_array_equal(auto.decision_function(X), plain.decision_function(X))


@pytest.mark.usefixtures("few_kernels")
@pytest.mark.parametrize("max_exact_samples", [4000, 30])
def test_the_same_on_one_and_two_threads(max_exact_samples):
    X, y = table(120, 3)
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, "blas"):
            model = BroadEnsembleClassifier(max_exact_samples=max_exact_samples, random_state=0)
            found.append(model.fit(X, y).predict_proba(X))
    np.testing.assert_allclose(*found, atol=1e-9)


def test_landmarks_are_nearly_as_good():
    X, y = make_classification(400, 5, n_informative=4, n_redundant=0, random_state=0)
    scores = [
        BroadEnsembleClassifier(max_exact_samples=most, random_state=0)
        .fit(X[:200], y[:200])
        .score(X[200:], y[200:])
        for most in (4000, 100)
    ]
    assert scores[1] == pytest.approx(scores[0], abs=0.03)


@pytest.mark.parametrize("max_exact_samples", [4000, 20])
@pytest.mark.parametrize("kind", ["constant", "all constant", "one", "huge", "tiny"])
def test_columns_of_any_kind(kind, max_exact_samples):
    X, y = table()
    X = {
        "constant": np.column_stack([X, np.full(60, 3.0)]),
        "all constant": np.ones((60, 2)),
        "one": X[:, :1],
        "huge": X * 1e130,
        "tiny": X * 1e-130,
    }[kind]
    model = BroadEnsembleClassifier(max_exact_samples=max_exact_samples, random_state=0).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()
    if kind in ("constant", "huge", "tiny"):
        assert model.score(X, y) > 0.9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": np.full((60, 4), np.inf)}, "X contains infinity"),
        ({"y": np.zeros(60)}, "at least two classes"),
        ({"y": np.linspace(0, 1, 60)}, "Unknown label type"),
        ({"sample_weight": np.zeros(60)}, "sample_weight is zero for every sample"),
        ({"sample_weight": -np.ones(60)}, "sample_weight"),
        ({"sample_weight": (table()[1] == "a") * 1.0}, "Only one class has samples"),
    ],
)
def test_bad_input_is_named(change, message):
    X, y = table()
    with pytest.raises(ValueError, match=message):
        BroadEnsembleClassifier().fit(**{"X": X, "y": y, **change})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ensemble_size", 0),
        ("ensemble_size", 2.5),
        ("robust", "yes"),
        ("class_weight", "equal"),
        ("max_exact_samples", 0),
        ("random_state", "seed"),
    ],
)
def test_bad_parameters_are_named(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of BroadEnsembleClassifier"):
        BroadEnsembleClassifier(**{name: value}).fit(*table())


def test_conformal_sets_follow_from_leave_one_out_probabilities():
    X, y = load_iris(return_X_y=True)
    y = np.array(["a", "b", "c"])[y]
    model = BroadEnsembleClassifier(ensemble_size=3, robust=False).fit(X, y)
    own = model.leave_one_out_proba_[np.arange(150), np.searchsorted(model.classes_, y)]
    np.testing.assert_allclose(model.calibration_scores_, 1 - own)
    # Scores of other samples know a sample's label: they have no say in calibration.
    scored = BroadEnsembleClassifier(ensemble_size=3, robust=True).fit(X, y)
    np.testing.assert_allclose(scored.calibration_scores_, 1 - own)
    np.testing.assert_allclose(scored.proba_slopes_, model.proba_slopes_)
    assert np.abs(scored.leave_one_out_proba_ - model.leave_one_out_proba_).max() > 1e-4
    for coverage in (0.8, 0.9, 0.99):
        rank = int(np.ceil(151 * coverage))
        least = np.sort(1 - own)[rank - 1] if rank <= 150 else np.inf
        sets = model.predict_set(X, coverage)
        np.testing.assert_array_equal(sets, 1 - model.predict_proba(X) <= least)
    with pytest.raises(ValueError, match="coverage must be a number between 0 and 1"):
        model.predict_set(X, 90)


def test_class_weights_are_no_copies_even_if_they_are_whole_numbers():
    X, y = make_classification(300, 6, n_informative=4, weights=[0.9], flip_y=0.05, random_state=0)
    whole, other = (
        BroadEnsembleClassifier(ensemble_size=2, class_weight={1: w}).fit(X, y).predict_proba(X)
        for w in (10.0, 10.0 + 1e-9)
    )
    np.testing.assert_allclose(whole, other, atol=1e-6)


def test_verbose_prints_ten_lines(capsys):
    X, y = make_classification(60, 4, random_state=0)
    BroadEnsembleClassifier(ensemble_size=2).fit(X, y)
    assert capsys.readouterr().out == ""
    BroadEnsembleClassifier(ensemble_size=2, verbose=True).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 10
    assert lines[-1].startswith("[BroadEnsembleClassifier] ")


def test_sparse_samples_are_refused_with_a_model_that_takes_them():
    X, y = make_classification(60, 4, random_state=0)
    with pytest.raises(TypeError, match="BLSClassifier or BLSRegressor, which accept sparse data"):
        BroadEnsembleClassifier().fit(csr_matrix(X), y)
