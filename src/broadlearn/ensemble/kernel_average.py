"""The average of many kernel models as one function of samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from broadlearn.random_features import InputForms, KernelBasis, LimitKernel, SamplePairs, Units
from broadlearn.utils import Array, Floats, row_slices

# Numbers per block of a kernel, so that a block stays in the cache of the processor.
CACHED_NUMBERS = 1 << 19


@dataclass(frozen=True)
class KernelAverage:
    """``f(x) = sum_m sum_i (k_m(x, x_i) + 1) a_mi`` over members m and basis samples i.

    Attributes
    ----------
    forms : InputForms
    units : dict
        Mean distances of the training samples.
    basis : ndarray of shape (n_basis, n_features)
        Training samples, all of them or landmarks.
    kernels : list of LimitKernel
        In `shared_order`.
    coefficients : ndarray of shape (n_members, n_basis, n_outputs)
        Include the weights of the members.
    offset : ndarray of shape (n_outputs,) or None
        Added to the sum.
    """

    forms: InputForms
    units: Units
    basis: Floats
    kernels: list[LimitKernel]
    coefficients: Array
    offset: Array | None = None

    @property
    def constant(self) -> Array:
        """Return the part of the sum that does not depend on the sample."""
        ones: Array = self.coefficients.sum(axis=(0, 1))
        return ones if self.offset is None else ones + self.offset

    def __call__(self, X: Floats) -> Floats:
        """Return the average for samples, computed in blocks."""
        rows_of_basis = samples_in(self.forms, self.basis.astype(X.dtype, copy=False), self.kernels)
        basis = KernelBasis(rows_of_basis)
        coefficients = self.coefficients.astype(X.dtype, copy=False)
        out = np.zeros((X.shape[0], coefficients.shape[2]), dtype=X.dtype)
        out[:] = self.constant
        parts = list(row_slices(X.shape[0], self.basis.shape[0], CACHED_NUMBERS))
        memory = np.empty((2, parts[0].stop, len(self.basis)), dtype=X.dtype)
        samples = samples_in(self.forms, X, self.kernels)
        for rows in parts:
            block = {form: Z[rows] for form, Z in samples.items()}
            scratch, K = memory[:, : rows.stop - rows.start]
            pairs = SamplePairs(basis, block, scratch)
            for kernel, weights in zip(self.kernels, coefficients, strict=True):
                out[rows] += pairs.values(kernel, self.units, out=K) @ weights
        return out


def samples_in(forms: InputForms, X: Floats, kernels: Sequence[LimitKernel]) -> dict[str, Floats]:
    """Return samples in all forms that some kernels need."""
    return {form: forms(X, form) for form in dict.fromkeys(kernel.inputs for kernel in kernels)}


def mean_kernel(pairs: SamplePairs, kernels: Sequence[LimitKernel], units: Units) -> Floats:
    """Return the mean of some kernels plus one, the kernel of a model with an intercept."""
    mean = pairs.values(kernels[0], units).copy()
    out = np.empty_like(mean)
    for kernel in kernels[1:]:
        mean += pairs.values(kernel, units, out=out)
    mean /= len(kernels)
    mean += 1.0
    return mean


def shared_order(kernel: LimitKernel) -> tuple[object, ...]:
    """Return a sort key by which kernels that share work follow each other."""
    return (*kernel.base, kernel.family, kernel.width)
