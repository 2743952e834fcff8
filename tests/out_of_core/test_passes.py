from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone, is_classifier

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
)
from broadlearn.out_of_core.passes import fit_in_passes
from broadlearn.out_of_core.rows import fold

MODELS = [BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier, BLSRegressor]
SIZES = {"n_feature_groups": 2, "n_feature_nodes": 5, "n_enhancement_nodes": 40}


class Halves:
    """Rows in blocks that merge from both ends, as on several workers."""

    def __init__(self, X, y, cuts, weight=None):
        self.X, self.y, self.weight, self.stages = X, y, weight, []
        self.cuts = [0, *cuts, len(X)]

    def head(self):
        return self.X[:0], self.y.ndim

    def reduce(self, stage, part, merge):
        self.stages.append(stage)
        parts = []
        for i, j in pairwise(self.cuts):
            weight = None if self.weight is None else self.weight[i:j]
            first = i if self.weight is None else np.count_nonzero(self.weight[:i])
            parts.append(fold(part, merge, [(self.X[i:j], self.y[i:j], weight)], first))
        parts = [found for found in parts if found is not None]
        while len(parts) > 1:
            parts[-2:] = [merge(*parts[-2:])]
        return parts[0]


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(2.0, 3.0, size=(900, 6))
    return X, (X[:, 0] > 2) + 2 * (X[:, 1] > 3)


@pytest.mark.parametrize(("C", "n_columns", "refined"), [(10.0, 6, False), (1e6, 2, True)])
@pytest.mark.parametrize("kind", MODELS)
def test_any_blocks_give_the_model_of_one_fit(kind, C, n_columns, refined, rows):
    X, y = rows[0][:, :n_columns], rows[1]
    model = kind(**SIZES, C=C, random_state=3).set_params(n_enhancement_nodes=200)
    source = Halves(X, y, [1, 100, 333, 800])
    found = fit_in_passes(clone(model), source)
    model.fit(X, y)
    method = "decision_function" if is_classifier(model) else "predict"
    np.testing.assert_allclose(
        getattr(found, method)(X), getattr(model, method)(X), rtol=0, atol=1e-8
    )
    assert source.stages[:2] == ["columns", "nodes"]
    assert ("refinement" in source.stages) == refined


def test_the_sample_does_not_depend_on_blocks(rows):
    samples = [
        fit_in_passes(BLSClassifier(**SIZES, random_state=0), Halves(*rows, cuts))._stream.sample
        for cuts in ([], [10, 600, 700])
    ]
    assert samples[0].codes.size == 512
    np.testing.assert_array_equal(samples[0].X, samples[1].X)


def test_a_known_class_may_have_no_rows_yet(rows):
    model = BLSClassifier(**SIZES, random_state=0)
    fit_in_passes(model, Halves(*rows, [400]), classes=[0, 1, 2, 3, 4])
    assert model.classes_.tolist() == [0, 1, 2, 3, 4]
    assert (model.predict(rows[0]) < 4).all()


def test_a_class_without_trust_is_named():
    X, y = np.array([[0.0], [1.0], [0.0], [1.0]]), np.array([0, 0, 1, 1])
    model = IntuitionisticFuzzyBLSClassifier(**SIZES, kernel_width=1.0)
    with pytest.warns(UserWarning, match=r"scores of every class are zero.*larger kernel_width"):
        fit_in_passes(model, Halves(X, y, [3]))


@pytest.mark.parametrize("kind", MODELS[:3])
def test_class_weights_of_a_dict(kind, rows):
    X, y = rows
    model = kind(**SIZES, C=10.0, class_weight={1: 3.0, 2: 0.5}, random_state=3)
    found = fit_in_passes(clone(model), Halves(X, y, [1, 100, 333, 800]))
    expected = model.fit(X, y).decision_function(X)
    np.testing.assert_allclose(found.decision_function(X), expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [("balanced", 'class_weight="balanced" needs all labels'), ({7: 1.0}, "unknown classes")],
)
def test_class_weights_that_cannot_be_used(class_weight, message, rows):
    model = BLSClassifier(**SIZES, class_weight=class_weight)
    with pytest.raises(ValueError, match=message):
        fit_in_passes(model, Halves(*rows, [100]))


@pytest.mark.parametrize("kind", MODELS)
def test_missing_values(kind, rows):
    X, y = rows
    X[::5, 2] = X[:150, 0] = np.nan
    model = kind(**SIZES, C=10.0, random_state=3)
    found = fit_in_passes(clone(model), Halves(X, y, [1, 100, 333, 800]))
    method = "decision_function" if is_classifier(model) else "predict"
    expected = getattr(model.fit(X, y), method)(X)
    np.testing.assert_allclose(getattr(found, method)(X), expected, rtol=0, atol=1e-8)
