from functools import partial, reduce
from itertools import pairwise

import numpy as np
import pytest

from broadlearn import BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier
from broadlearn._passes.classes import (
    draw_references,
    learn_geometry,
    merge_references,
)
from broadlearn._passes.rows import Reader, fold
from broadlearn.random_features._standardize import identity_standardization
from broadlearn.sample_scores._geometry import KernelGeometry


class Blocks:
    def __init__(self, X, y, weight, cuts):
        self.blocks = [
            (X[i], y[i], None if weight is None else weight[i])
            for i in np.split(np.arange(len(X)), cuts)
        ]

    def reduce(self, stage, part, merge):
        return fold(part, merge, self.blocks)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    return rng.normal(y[:, None], 1.0, size=(300, 4)), y, rng.integers(0, 3, 300)


def reader_of(model):
    model.n_features_in_, model.classes_ = 4, np.arange(3)
    return Reader(model, identity_standardization(4), np.empty(0))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        FuzzyBLSClassifier(),
        IntuitionisticFuzzyBLSClassifier(),
        IntuitionisticFuzzyBLSClassifier(landmarks=30, kernel_width=2.0),
        IntuitionisticFuzzyBLSClassifier(landmarks=30, neighborhood_radius=0.4),
        IntuitionisticFuzzyBLSClassifier(landmarks=30, sample_scores="fuzzy"),
    ],
)
def test_geometry_is_that_of_one_block(rows, model, weighted):
    X, y, weight = rows
    if not weighted:
        weight = None
    reader = reader_of(model)
    batch = reader(X, y, weight)
    expected = model._learn_geometry(lambda: [(batch.X, batch.codes, batch.weight)], 3, 7)
    found = learn_geometry(model, reader, Blocks(X, y, weight, [10, 11, 150]), 7)
    for name, value in vars(expected).items():
        np.testing.assert_allclose(getattr(found, name), value, rtol=1e-9, atol=1e-12)
    if isinstance(found, KernelGeometry):
        assert model.neighborhood_radius_ == found.epsilon


@pytest.mark.parametrize(
    "model", [BLSClassifier(), IntuitionisticFuzzyBLSClassifier(sample_scores="uniform")]
)
def test_a_model_that_trusts_all_rows_has_none(rows, model):
    assert learn_geometry(model, reader_of(model), Blocks(*rows, [20]), 0) is None


@pytest.mark.parametrize("scores", ["neighbors", "held_out"])
def test_scores_that_need_all_rows_at_once_are_refused(rows, scores):
    model = IntuitionisticFuzzyBLSClassifier(sample_scores=scores)
    with pytest.raises(ValueError, match="compares all rows with each other"):
        learn_geometry(model, reader_of(model), Blocks(*rows, [20]), 0)


def test_references_do_not_depend_on_the_order_of_merges(rows):
    X, y, _ = rows
    part = partial(draw_references, reader_of(IntuitionisticFuzzyBLSClassifier()), 3, 20, 5)
    cuts = np.array([0, 50, 100, 170, 300])
    parts = [part(X[i:j], y[i:j], None, i) for i, j in pairwise(cuts)]
    merge = partial(merge_references, 20)
    whole, left = part(X, y, None, 0), reduce(merge, parts)
    tree = merge(merge(*parts[:2]), merge(*parts[2:]))
    for found in (left, tree):
        for a, b in zip(found, whole, strict=True):
            np.testing.assert_array_equal(a, b)
    assert np.bincount(whole.codes).tolist() == [20, 20, 20]


@pytest.mark.parametrize("kind", [FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier])
def test_a_class_without_rows_is_refused(rows, kind):
    X, y, _ = rows
    model = kind()
    reader = reader_of(model)
    with pytest.raises(ValueError, match="1 of 3 classes have none"):
        learn_geometry(model, reader, Blocks(X[y < 2], y[y < 2], None, [20]), 0)
