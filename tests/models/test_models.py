"""The models are the ridge problems of their equations."""

import pickle
from dataclasses import dataclass
from threading import Thread

import numpy as np
import pytest
from plain import plain_fuzzy_membership, plain_intuitionistic_scores, plain_ridge
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.multioutput import MultiOutputClassifier

from broadlearn import (
    PUBLISHED_FORM,
    BLSClassifier,
    BLSRegressor,
    BroadEnsembleClassifier,
    BroadFeatures,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
)
from broadlearn.models import in_one_step
from broadlearn.sample_scores import FuzzyScorer, IntuitionisticScorer, SampleScorer, Trust
from broadlearn.utils import row_slices

SIZES = {
    "n_feature_groups": 6,
    "n_feature_nodes": 5,
    "n_enhancement_groups": 2,
    "n_enhancement_nodes": 40,
    "random_state": 3,
}
FORMS = [
    {},
    PUBLISHED_FORM,
    {"feature_weights": "sparse", "feature_scaling": "robust"},
    {"feature_scaling": None, "standardize": False},
    {"feature_activation": "tanh", "activation": "relu"},
    {"enhancement_inputs": 3, "enhancement_scale": (0.5, 2.0), "standardize": "robust"},
    {"enhancement_bias": 8.0, "activation": "sine", "feature_activation": "sigmoid"},
]


def make(n, n_classes=2):
    return make_classification(n, 8, n_informative=6, n_classes=n_classes, random_state=0)


def flipped_table(seed=0):
    X, y = make_classification(
        400, 6, n_clusters_per_class=1, flip_y=0.0, class_sep=1.5, random_state=seed
    )
    noisy = y.copy()
    flips = np.random.default_rng(seed).permutation(400)[:100]
    noisy[flips] = 1 - noisy[flips]
    return X, y, noisy


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize(("n", "C"), [(70, 1.0), (400, 1e6)])
def test_a_classifier_is_ridge_on_the_design_matrix(form, n, C):
    X, y = make(n)
    G = BroadFeatures(**SIZES, **form).fit_transform(X)
    W = plain_ridge(G, np.where(y == 1, 1.0, -1.0)[:, None], C)
    model = BLSClassifier(**SIZES, **form, C=C).fit(X, y)
    assert model.output_weights_.shape == (110, 1)
    np.testing.assert_allclose(model.decision_function(X), (G @ W).ravel(), atol=1e-7)
    np.testing.assert_allclose((G @ model.output_weights_).ravel(), (G @ W).ravel(), atol=1e-7)


def test_several_classes_have_one_hot_targets():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = BLSClassifier(3, 4, 1, 20, C=10.0, random_state=0).fit(X, names)
    G = BroadFeatures(3, 4, 1, 20, random_state=0).fit_transform(X)
    expected = G @ plain_ridge(G, np.eye(3)[y], 10.0)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.classes_[expected.argmax(axis=1)])


def test_one_column_decides_as_two_would():
    X, y = make(150)
    model = BLSClassifier(3, 4, 1, 20, random_state=0).fit(X, y)
    G = BroadFeatures(3, 4, 1, 20, random_state=0).fit_transform(X)
    two = G @ plain_ridge(G, np.eye(2)[y], 1.0)
    np.testing.assert_allclose(model.decision_function(X), two[:, 1] - two[:, 0], atol=1e-9)


@pytest.mark.parametrize("n_nodes", [20, 300])
def test_fuzzy_bls_is_the_published_model(n_nodes):
    X, y = load_iris(return_X_y=True)
    model = FuzzyBLSClassifier(3, 4, 1, n_nodes, C=10.0, delta=1e-3, random_state=0).fit(X, y)
    membership = plain_fuzzy_membership((X - X.mean(axis=0)) / X.std(axis=0), y, delta=1e-3)
    np.testing.assert_allclose(model.sample_scores_, membership, atol=1e-12)
    np.testing.assert_array_equal(model.membership_, model.sample_scores_)
    G = BroadFeatures(3, 4, 1, n_nodes, random_state=0).fit_transform(X)
    expected = G @ plain_ridge(G, np.eye(3)[y], 10.0, membership)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-9)


@pytest.mark.parametrize(("n_nodes", "mu", "epsilon"), [(20, 0.5, None), (300, 4.0, 0.7)])
def test_intuitionistic_fuzzy_bls_is_the_published_model(n_nodes, mu, epsilon):
    X, y = load_iris(return_X_y=True)
    model = IntuitionisticFuzzyBLSClassifier(
        3, 4, 1, n_nodes, C=10.0, kernel_width=mu, neighborhood_radius=epsilon, random_state=0
    ).fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    theta, nu, _, score, radius = plain_intuitionistic_scores(Z, y, mu, epsilon)
    np.testing.assert_allclose(model.membership_, theta, atol=1e-12)
    np.testing.assert_allclose(model.nonmembership_, nu, atol=1e-12)
    np.testing.assert_allclose(model.sample_scores_, score, atol=1e-12)
    assert model.neighborhood_radius_ == pytest.approx(radius, abs=1e-12)
    G = BroadFeatures(3, 4, 1, n_nodes, random_state=0).fit_transform(X)
    expected = G @ plain_ridge(G, np.eye(3)[y], 10.0, score)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-9)


def test_a_regressor_is_ridge_around_the_mean():
    X, _ = make(150)
    Y = np.column_stack([X[:, 0] ** 2 + 7, X[:, 1]])
    model = BLSRegressor(**SIZES, C=10.0).fit(X, Y)
    G = BroadFeatures(**SIZES).fit_transform(X)
    expected = Y.mean(axis=0) + G @ plain_ridge(G, Y - Y.mean(axis=0), 10.0)
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-8)
    alone = BLSRegressor(**SIZES, C=10.0).fit(X, Y[:, 0]).predict(X)
    assert alone.shape == (150,)
    np.testing.assert_allclose(alone, expected[:, 0], atol=1e-8)


def test_the_smaller_gram_matrix_is_factorised_and_both_forms_agree():
    # 30 feature nodes of rank 9 and 80 enhancement nodes: 89 columns.
    assert BLSClassifier(**SIZES).fit(*make(88)).solver_ == "dual"
    assert BLSClassifier(**SIZES).fit(*make(89)).solver_ == "primal"
    X, y = make(100)
    primal = BLSClassifier(**SIZES, solver="primal", C=100.0).fit(X, y)
    dual = BLSClassifier(**SIZES, solver="dual", C=100.0).fit(X, y)
    np.testing.assert_allclose(primal.predict_proba(X), dual.predict_proba(X), atol=1e-9)
    with pytest.warns(UserWarning, match="the primal is solved instead"):
        assert BLSClassifier(**SIZES, solver="dual").fit(*make(300)).solver_ == "primal"


def test_a_class_of_weight_zero_stays_but_is_not_predicted():
    X, y = make(90, 3)
    model = BLSClassifier(**SIZES).fit(X, y, sample_weight=(y != 2).astype(float))
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])
    assert 2 not in model.predict(X)


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_probabilities_beat_the_prior(load):
    X, y = load(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)
    model = BLSClassifier(random_state=0).fit(X, y)
    p = model.predict_proba(X_test)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X_test))
    prior = np.tile(np.bincount(y) / len(y), (len(y_test), 1))
    assert log_loss(y_test, p) < 0.9 * log_loss(y_test, prior)


def test_labels_of_any_kind_come_back():
    X = np.random.default_rng(0).normal(size=(40, 2))
    for labels in ([False, True], ["no", "yes"], [3, -7], [1.0, 2.0]):
        y = np.array(labels)[(X[:, 0] > 0).astype(int)]
        model = BLSClassifier(**SIZES).fit(X, y)
        np.testing.assert_array_equal(model.classes_, np.unique(y))
        assert model.predict(X).dtype == y.dtype
        assert model.score(X, y) > 0.9


def test_prediction_in_blocks_equals_one_block(monkeypatch):
    X, y = make(500)
    models = [BLSClassifier(**SIZES), BLSClassifier(**SIZES, **PUBLISHED_FORM)]
    whole = [model.fit(X, y).decision_function(X) for model in models]
    monkeypatch.setattr("broadlearn.models.base.row_slices", lambda n, k: row_slices(n, k, 1 << 8))
    for model, expected in zip(models, whole, strict=True):
        np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-12)


# Sample scores


@pytest.mark.parametrize(
    ("scores", "same"),
    [
        ("fuzzy", FuzzyBLSClassifier()),
        ("intuitionistic", IntuitionisticFuzzyBLSClassifier()),
        (
            IntuitionisticScorer(2.0, 0.4, 1e-3, 100),
            IntuitionisticFuzzyBLSClassifier(
                kernel_width=2.0, neighborhood_radius=0.4, delta=1e-3, landmarks=100
            ),
        ),
    ],
)
def test_scores_of_a_published_model_give_that_model(scores, same):
    X, _, noisy = flipped_table()
    model = BLSClassifier(**SIZES, sample_scores=scores).fit(X, noisy)
    same.set_params(**SIZES).fit(X, noisy)
    fitted = {name for name in vars(same) if name.endswith("_")}
    assert fitted == {name for name in vars(model) if name.endswith("_")}
    for name in fitted:
        np.testing.assert_array_equal(getattr(model, name), getattr(same, name))
    np.testing.assert_array_equal(model.predict_proba(X), same.predict_proba(X))


@pytest.mark.parametrize(
    "scores", ["held_out", "intuitionistic", "correntropy", "huber", "residual_density"]
)
def test_flipped_labels_lose_weight(scores):
    X, y, noisy = flipped_table()
    score = BLSClassifier(sample_scores=scores, random_state=0).fit(X, noisy).sample_scores_
    wrong = noisy != y
    assert score[wrong].mean() < 0.9 * score[~wrong].mean()


@dataclass(frozen=True)
class NearZero(SampleScorer):
    """A scorer of a user."""

    width: float = 2.0

    def check(self):
        if not self.width > 0:
            raise ValueError(f"width must be positive, got {self.width!r}.")

    def score(self, samples):
        distance = np.linalg.norm(samples.Z, axis=1)
        return Trust(np.exp(-distance / self.width), {"distance_": distance})


def test_a_scorer_of_a_user():
    X, _, noisy = flipped_table()
    model = BLSClassifier(2, 3, 1, 20, sample_scores=NearZero(), random_state=0).fit(X, noisy)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    scores = np.exp(-np.linalg.norm(Z, axis=1) / 2.0)
    np.testing.assert_allclose(model.sample_scores_, scores, atol=1e-12)
    np.testing.assert_allclose(model.distance_, np.linalg.norm(Z, axis=1), atol=1e-12)
    G = BroadFeatures(2, 3, 1, 20, random_state=0).fit_transform(X)
    expected = G @ plain_ridge(G, 2.0 * noisy[:, None] - 1.0, 1.0, scores)
    np.testing.assert_allclose(model.decision_function(X), expected.ravel(), atol=1e-9)
    for other in (clone(model).fit(X, noisy), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))
    assert not hasattr(model, "partial_fit")
    assert not hasattr(model.set_params(sample_scores="uniform").fit(X, noisy), "distance_")


@dataclass(frozen=True)
class Fixed(SampleScorer):
    scores: object

    def score(self, samples):
        return Trust(np.asarray(self.scores))


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ("fuzy", "sample_scores"),
        (NearZero, "sample_scores"),
        (NearZero(-1.0), "width must be positive, got -1.0"),
        (FuzzyScorer(0.0), "delta"),
        (Fixed([1.0, 0.5]), "a score between 0 and 1"),
        (Fixed([1.0, np.nan, 1.0]), "a score between 0 and 1"),
    ],
)
def test_bad_scores_are_named(scores, message):
    with pytest.raises(ValueError, match=message):
        BLSClassifier(sample_scores=scores).fit([[0.0], [1.0], [2.0]], [0, 1, 1])


def test_a_vanishing_class_is_named_with_the_remedy():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(200, 2)), rng.uniform(-0.3, 0.3, size=(3, 2)) * 8])
    y = np.array(["many"] * 200 + ["few"] * 3)
    model = IntuitionisticFuzzyBLSClassifier(kernel_width=2.0, small_class=0)
    with pytest.warns(UserWarning, match=r"class 'few' are zero.*larger kernel_width \(now 2\)"):
        model.fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


# Bad data


@pytest.mark.parametrize(
    ("X", "y", "weight", "message"),
    [
        ([[0.0], [1.0]], ["a", "a"], None, "only one class: 'a'"),
        ([[0.0], [1.0]], ["a", "b"], [1, 0], "Only one class has samples"),
        ([[0.0], [1.0]], ["a", None], None, "missing label at position 1"),
        ([["lo"], ["hi"]], [0, 1], None, r"(?i)column 0 .*'lo'.*TablePreparation"),
        ([[0.0], [np.inf]], [0, 1], None, "infinity"),
    ],
)
def test_bad_data_is_named(X, y, weight, message):
    with pytest.raises(ValueError, match=message):
        BLSClassifier().fit(X, y, sample_weight=weight)


@pytest.mark.parametrize(
    "model", [BLSClassifier(**SIZES), BroadEnsembleClassifier(), IntuitionisticFuzzyTwinSVC()]
)
def test_several_labels_are_refused_with_the_remedy(model):
    X, y = make(60)
    several = np.column_stack([y, X[:, 0] > 0])
    with pytest.raises(ValueError, match=r"y has 2 columns.*MultiOutputClassifier"):
        model.fit(X, several)
    if isinstance(model, BLSClassifier):
        assert MultiOutputClassifier(model).fit(X, several).predict(X).shape == (60, 2)


# State


def test_a_refit_leaves_nothing_of_other_scores():
    X, y = make(100)
    model = BLSClassifier(sample_scores="intuitionistic", random_state=0).fit(X, y)
    assert {"membership_", "nonmembership_", "kernel_width_"} <= vars(model).keys()
    model.set_params(sample_scores="fuzzy").fit(X, y)
    assert not {"nonmembership_", "kernel_width_", "neighborhood_radius_"} & vars(model).keys()


@pytest.mark.parametrize(
    "model",
    [BLSClassifier(**SIZES), BroadEnsembleClassifier(ensemble_size=1), BLSRegressor(**SIZES)],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.usefixtures("few_kernels")
def test_predictions_during_a_refit_belong_to_one_of_the_models(model):
    X, y = make(60)
    tables = [(X, y), (X * 50.0, 1 - y)]
    method = "predict" if isinstance(model, BLSRegressor) else "predict_proba"
    known = [getattr(clone(model).fit(*table), method)(X) for table in tables]
    model.fit(*tables[0])
    stop = False

    def refit():
        for i in range(1, 7):
            model.fit(*tables[i % 2])
        nonlocal stop
        stop = True

    thread = Thread(target=refit)
    thread.start()
    while not stop:
        found = getattr(model, method)(X)
        assert any(np.allclose(found, expected, atol=1e-9) for expected in known)
    thread.join()


@pytest.mark.parametrize("place", ["draw_map", "learn_slopes"])
def test_an_interrupted_refit_leaves_the_old_model(place, monkeypatch):
    X, y = make(60)
    model = BLSClassifier(**SIZES).fit(X, y)
    before = dict(vars(model))

    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"broadlearn.models.base.{place}", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :3], y)
    assert vars(model).keys() == before.keys()
    assert all(value is before[name] for name, value in vars(model).items())


def test_every_class_documents_all_of_its_parameters():
    for kind in (BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier, BLSRegressor):
        for name in (*kind().get_params(), "output_weights_", "n_features_in_"):
            assert f"    {name} : " in kind.__doc__
        assert "    {" not in kind.__doc__


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("n_nodes", [20, 400])
def test_integer_class_weights_are_not_copies(n_nodes, stream):
    X, y = load_iris(return_X_y=True)
    slopes = []
    for weight in (3, 3.0000001):
        model = BLSClassifier(
            n_enhancement_nodes=n_nodes, class_weight={0: weight}, C=100.0, random_state=0
        )
        model = model.warm_up(X, y).partial_fit(X, y) if stream else model.fit(X, y)
        slopes.append(model.proba_slope_)
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-4)


def test_a_lack_of_memory_is_said_in_a_sentence():
    @in_one_step
    def fit(model):
        model.C = 2.0
        raise MemoryError

    model = BLSClassifier()
    with pytest.raises(ValueError, match="BLSClassifier does not fit into memory"):
        fit(model)
    assert model.C == 1.0
