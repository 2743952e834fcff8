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
from broadlearn._passes.fit import fit_in_passes
from broadlearn._passes.rows import fold

MODELS = [BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier, BLSRegressor]
SIZES = {"n_feature_groups": 2, "n_feature_nodes": 5, "n_enhancement_nodes": 40}


class Halves:
    """Rows in blocks that merge from both ends, as on several workers."""

    def __init__(self, X, y, cuts):
        self.X, self.y, self.cuts, self.stages = X, y, [0, *cuts, len(X)], []

    def head(self):
        return self.X[:0], self.y.ndim

    def reduce(self, stage, part, merge):
        self.stages.append(stage)
        blocks = [(i, self.X[i:j], self.y[i:j]) for i, j in pairwise(self.cuts)]
        parts = [fold(part, merge, [(X, y, None)], first) for first, X, y in blocks]
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
