import numpy as np

from broadlearn.ensemble import kernel_average
from broadlearn.ensemble.candidates import KERNELS
from broadlearn.ensemble.kernel_average import KernelAverage, samples_in, shared_order
from broadlearn.random_features import KernelBasis, SamplePairs, learn_forms, learn_units

X = np.random.default_rng(0).normal(size=(30, 3))


def average(kernels=KERNELS, n_outputs=2):
    forms = learn_forms(X)
    kernels = sorted(kernels, key=shared_order)
    coefficients = np.random.default_rng(1).normal(size=(len(kernels), 30, n_outputs))
    return KernelAverage(
        forms, learn_units(samples_in(forms, X, KERNELS)), X, kernels, coefficients
    )


def plain_average(average, rows):
    """Member by member and sample by sample."""
    out = np.zeros((len(rows), average.coefficients.shape[2]))
    for kernel, weights in zip(average.kernels, average.coefficients, strict=True):
        for i, x in enumerate(rows):
            for basis, a in zip(average.basis, weights, strict=True):
                forms = ({kernel.inputs: average.forms(z[None], kernel.inputs)} for z in (basis, x))
                pair = SamplePairs(KernelBasis(next(forms)), next(forms))
                out[i] += (pair.values(kernel, average.units)[0, 0] + 1.0) * a
    return out


def test_it_is_the_sum_over_members_and_samples():
    model, rows = average(), np.random.default_rng(2).normal(size=(3, 3)) * 2
    np.testing.assert_allclose(model(rows), plain_average(model, rows), atol=1e-6)


def test_blocks_change_nothing(monkeypatch):
    model, rows = average(), np.random.default_rng(2).normal(size=(25, 3))
    whole = model(rows)
    monkeypatch.setattr(kernel_average, "CACHED_NUMBERS", 4 * 30)
    np.testing.assert_allclose(model(rows), whole, atol=1e-9)
    np.testing.assert_allclose(model(rows[:1]), whole[:1], atol=1e-9)
