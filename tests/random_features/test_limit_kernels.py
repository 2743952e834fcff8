import math

import numpy as np
import pytest
from scipy.special import erf

from broadlearn.random_features import limit_kernels
from broadlearn.random_features.limit_kernels import (
    METRICS,
    KernelBasis,
    LimitKernel,
    SamplePairs,
    few_input_features,
    few_input_points,
    learn_units,
    unit_name,
)

FORM = "ranks"
UNITS = {unit_name(metric, FORM): 1.0 for metric in ("squared", "city", "product", "columns")}
KERNELS = [
    *(LimitKernel("gaussian", FORM, g) for g in (0.25, 1.0)),
    *(LimitKernel("spherical_cauchy", FORM, g) for g in (0.25, 1.0)),
    *(LimitKernel("cauchy", FORM, g) for g in (0.25, 1.0)),
    *(LimitKernel("few_inputs", FORM, 0.5, k) for k in (2, 4, 8)),
    *(LimitKernel("arcsine", FORM, g) for g in (0.3, 1.0)),
    LimitKernel("linear", FORM),
]
ALL = pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: f"{k.family}-{k.width}-{k.n_inputs}")


def samples(n=12, d=3, seed=0):
    return np.random.default_rng(seed).uniform(-1.7, 1.7, (n, d))


def values(kernel, A, B=None, units=UNITS):
    pairs = SamplePairs(
        KernelBasis({FORM: A if B is None else B}), None if B is None else {FORM: A}
    )
    return pairs.values(kernel, units)


def plain_value(kernel, a, b, unit=1.0):
    """The closed form for one pair."""
    g, d = kernel.width, len(a)
    if kernel.family == "gaussian":
        return math.exp(-g * sum((x - z) ** 2 for x, z in zip(a, b, strict=True)) / unit**2)
    if kernel.family == "spherical_cauchy":
        return math.exp(-g * math.dist(a, b) / unit)
    if kernel.family == "cauchy":
        return math.exp(-g * sum(abs(x - z) for x, z in zip(a, b, strict=True)) / unit)
    if kernel.family == "few_inputs":
        columns = [math.exp(-g * (x - z) ** 2) for x, z in zip(a, b, strict=True)]
        return (sum(columns) / d) ** kernel.n_inputs
    product = sum(x * z for x, z in zip(a, b, strict=True))
    if kernel.family == "linear":
        return product / unit**2
    variance = g**2 / math.sqrt(d)
    lengths = [1 + 2 * variance * (1 + sum(x * x for x in row)) for row in (a, b)]
    return 2 / math.pi * math.asin(2 * variance * (1 + product) / math.sqrt(math.prod(lengths)))


@ALL
def test_values_are_the_closed_form(kernel):
    A, B = samples(), samples(9, seed=1)
    units = {**UNITS, unit_name(METRICS[kernel.family], FORM): 1.7}
    expected = [[plain_value(kernel, a, b, 1.7) for b in B] for a in A]
    tolerance = 1e-3 if kernel.family == "few_inputs" else 1e-9
    np.testing.assert_allclose(values(kernel, A, B, units), expected, atol=tolerance)


def draw_nodes(kernel, A, q, rng):
    """Outputs of q random nodes (sines and cosines of each weight are two)."""
    n, d = A.shape
    if kernel.family == "linear":
        return A @ rng.normal(size=(d, q)) / np.sqrt(q)
    if kernel.family == "arcsine":
        W = rng.normal(size=(d + 1, q)) * np.sqrt(kernel.width**2 / np.sqrt(d))
        return erf(np.column_stack([A, np.ones(n)]) @ W) / np.sqrt(q)
    W = rng.normal(size=(d, q)) * np.sqrt(2 * kernel.width)
    if kernel.family == "cauchy":
        W = kernel.width * rng.standard_cauchy((d, q))
    elif kernel.family == "spherical_cauchy":
        W = kernel.width * rng.normal(size=(d, q)) / np.abs(rng.normal(size=q))
    elif kernel.family == "few_inputs":
        W = np.zeros((d, q))
        for _ in range(kernel.n_inputs):
            W[rng.integers(0, d, q), np.arange(q)] += rng.normal(size=q) * np.sqrt(2 * kernel.width)
    return np.hstack([np.cos(A @ W), np.sin(A @ W)]) / np.sqrt(q)


@ALL
def test_drawn_nodes_approach_it_like_one_over_the_root_of_their_number(kernel):
    A, rng = samples(), np.random.default_rng(2)
    limit = values(kernel, A)

    def error(q, draws):
        found = [draw_nodes(kernel, A, q, rng) for _ in range(draws)]
        return np.sqrt(np.mean([(E @ E.T - limit) ** 2 for E in found]))

    few, many = error(100, 40), error(3600, 20)
    assert few / many == pytest.approx(6.0, rel=0.25)


@ALL
def test_it_is_positive_semidefinite_and_symmetric(kernel):
    K = values(kernel, samples(40, 2))
    np.testing.assert_allclose(K, K.T, atol=1e-12)
    assert np.linalg.eigvalsh(K).min() > -1e-10


@ALL
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_with_a_buffer_equal_the_whole_and_keep_their_type(kernel, dtype):
    A = samples(20).astype(dtype)
    whole, basis = values(kernel, A), KernelBasis({FORM: A})
    buffer = np.full((8, 20), np.nan, dtype=dtype)
    for rows in (slice(0, 8), slice(8, 16)):
        found = SamplePairs(basis, {FORM: A[rows]}).values(kernel, UNITS, out=buffer)
        assert found is buffer
        assert whole.dtype == dtype
        np.testing.assert_allclose(found, whole[rows], atol=1e-12 if dtype is np.float64 else 5e-3)


@pytest.mark.parametrize("family", ["gaussian", "spherical_cauchy", "cauchy"])
@pytest.mark.parametrize("in_place", [False, True])
def test_squares_of_a_narrower_kernel_equal_its_exponential(family, in_place):
    A = samples(20)
    pairs, out = SamplePairs(KernelBasis({FORM: A})), np.empty((20, 20)) if in_place else None
    for width in (1 / 16, 1 / 4, 1.0, 3.0, 6.0):
        kernel = LimitKernel(family, FORM, width)
        np.testing.assert_allclose(
            pairs.values(kernel, UNITS, out=out), values(kernel, A), atol=1e-12
        )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("family", ["gaussian", "spherical_cauchy", "cauchy"])
def test_equal_samples_have_no_distance(family, dtype):
    A = (samples(30) * [1.0, 1e3, 1.0]).astype(dtype)
    kernel = LimitKernel(family, FORM, 4.0)
    assert (np.diag(values(kernel, A)) == 1.0).all()
    assert (np.diag(values(kernel, A, A.copy())) == 1.0).all()


@pytest.mark.parametrize("width", [0.1, 0.5, 2.0])
def test_features_of_few_inputs_are_close_enough(width):
    x = np.linspace(-np.sqrt(3), np.sqrt(3), 101)[:, None]
    features = few_input_features(x, width)
    np.testing.assert_allclose(features @ features.T, np.exp(-width * (x - x.T) ** 2), atol=3e-4)
    points = few_input_points(width)[1][:, None]
    exact = few_input_features(points, width)
    np.testing.assert_allclose(
        exact @ exact.T, np.exp(-width * (points - points.T) ** 2), atol=1e-4
    )


def test_units_are_mean_distances_between_all_pairs():
    A = samples(15)
    units = learn_units({FORM: A})
    distances = np.array([[np.abs(a - b).sum() for b in A] for a in A])
    squared = np.array([[((a - b) ** 2).sum() for b in A] for a in A])
    assert units[unit_name("city", FORM)] == pytest.approx(distances.mean())
    assert units[unit_name("squared", FORM)] == pytest.approx(np.sqrt(squared.mean()))
    assert units[unit_name("product", FORM)] == pytest.approx(np.sqrt((A**2).sum(axis=1).mean()))
    assert units[unit_name("columns", FORM)] == 1.0


def test_units_with_weights_are_those_with_copies():
    A, weight = samples(15), np.random.default_rng(0).integers(1, 4, 15)
    copied = learn_units({FORM: np.repeat(A, weight, axis=0)})
    assert learn_units({FORM: A}, weight.astype(float)) == pytest.approx(copied)


def test_units_of_equal_samples_are_one_and_large_tables_are_thinned(monkeypatch):
    assert set(learn_units({FORM: np.zeros((5, 2))}).values()) == {1.0}
    A = samples(200)
    monkeypatch.setattr(limit_kernels, "MAX_UNIT_SAMPLES", 100)
    assert learn_units({FORM: A}) == learn_units({FORM: A[::2]})
    assert learn_units({FORM: A}, np.ones(200)) == pytest.approx(learn_units({FORM: A[::2]}))
