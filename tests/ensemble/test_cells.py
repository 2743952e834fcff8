import numpy as np
import pytest

from broadlearn.ensemble.cells import OVERLAP, LocalModels, split_cells
from broadlearn.random_features import (
    KernelBasis,
    LimitKernel,
    SamplePairs,
    learn_forms,
    learn_units,
)


def rows(n=200, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 3))


@pytest.mark.parametrize("size", [20, 60, 200])
def test_every_sample_lies_in_one_cell_and_is_found_there(size):
    Z = rows()
    cells, members = split_cells(Z, size, np.random.default_rng(1))
    place = cells(Z)
    for cell, (known, inside) in enumerate(members):
        np.testing.assert_array_equal(np.flatnonzero(place == cell), np.sort(known[inside]))
        assert inside.sum() <= size
    assert sum(inside.sum() for _, inside in members) == 200
    assert (len(members) == 1) == (size == 200)


def test_cells_learn_from_samples_beyond_their_borders():
    Z = rows()
    _, members = split_cells(Z, 100, np.random.default_rng(1))
    assert [len(known) for known, _ in members] == [100 + int(OVERLAP * 200)] * 2


def test_equal_samples_are_never_cut():
    Z = np.repeat([[0.0], [1.0]], [30, 10], axis=0)
    cells, members = split_cells(Z, 5, np.random.default_rng(0))
    assert sorted(int(inside.sum()) for _, inside in members) == [10, 30]
    assert len(np.unique(cells(Z[:30]))) == 1


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_sample_is_predicted_by_the_model_of_its_cell(dtype):
    X, new = rows(), rows(50, 1)
    forms = learn_forms(X)
    kernel = LimitKernel("cauchy", "standardized", 4.0)
    units = learn_units({"standardized": forms(X, "standardized")})
    cells, members = split_cells(forms(X, "ranks"), 60, np.random.default_rng(1))
    basis = np.concatenate([known for known, _ in members])
    starts = np.cumsum([0, *(len(known) for known, _ in members)])
    weights = np.random.default_rng(2).normal(size=(len(basis), 2))
    models = LocalModels(cells, kernel, X[basis], starts, weights)
    place, expected = cells(forms(new, "ranks")), np.empty((50, 2))
    for i, cell in enumerate(place):
        part = slice(starts[cell], starts[cell + 1])
        own = KernelBasis({"standardized": forms(X[basis[part]], "standardized")})
        pairs = SamplePairs(own, {"standardized": forms(new[i : i + 1], "standardized")})
        expected[i] = pairs.values(kernel, units)[0] @ weights[part]
    found = models(new.astype(dtype), forms, units)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, atol=1e-10 if dtype == np.float64 else 1e-3)
