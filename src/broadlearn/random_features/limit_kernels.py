r"""Kernels that layers of infinitely many random nodes become.

Ridge sees the nodes of a layer only through the products of samples, and the mean product of two
samples a, b over all nodes of a kind is a kernel in closed form:

- sine nodes with Gaussian weights: :math:`\exp(-g \|a - b\|^2)`, ``"gaussian"``;
- with independent Cauchy weights: :math:`\exp(-g \|a - b\|_1)`, ``"cauchy"``;
- with spherical Cauchy weights: :math:`\exp(-g \|a - b\|)`, ``"spherical_cauchy"``;
- with Gaussian weights on k columns only, drawn with repeats:
  :math:`(\frac1D \sum_j \exp(-g (a_j - b_j)^2))^k`, ``"few_inputs"``;
- erf nodes with Gaussian weights: the arcsine kernel, ``"arcsine"``;
- nodes that are linear: the product, ``"linear"``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from broadlearn.utils import Array, Floats

# What each family is a function of.
METRICS = {
    "gaussian": "squared",
    "spherical_cauchy": "squared",
    "cauchy": "city",
    "few_inputs": "columns",
    "arcsine": "product",
    "linear": "product",
}
# Samples used for a mean distance: half a million pairs.
MAX_UNIT_SAMPLES = 1000


class LimitKernel(NamedTuple):
    """The mean product over infinitely many nodes of one kind.

    The width g is in units of the mean distance (its square for "gaussian") between training
    samples, or of the columns' deviations for "few_inputs" and "arcsine"; "linear" has none.
    `n_inputs` is k, the columns of a node of "few_inputs": a power of two from 2 on.
    """

    family: str  # one of `METRICS`
    inputs: str  # form of the columns, see `InputForms`
    width: float = 1.0
    n_inputs: int = 0

    @property
    def base(self) -> tuple[str, str, float]:
        """What kernels that share work have in common."""
        metric = METRICS[self.family]
        return metric, self.inputs, self.width if metric == "columns" else 0.0


# Mean distances of training samples, by `unit_name`.
Units = Mapping[str, float]


def unit_name(metric: str, form: str) -> str:
    """Return the name of the unit of a metric on a form of the inputs."""
    return f"{metric} {form}"


class KernelBasis:
    """Samples by the form of their inputs, with quantities that kernels share computed once."""

    def __init__(self, samples: Mapping[str, Floats]) -> None:
        self.samples = samples
        self._squares: dict[str, Floats] = {}
        self._features: dict[tuple[str, float], Floats] = {}

    def squares(self, form: str) -> Floats:
        """Return the squared lengths of the samples."""
        if form not in self._squares:
            Z = self.samples[form]
            self._squares[form] = np.einsum("ij,ij->i", Z, Z)
        return self._squares[form]

    def lowered_squares(self, form: str) -> Floats:
        """Return squared lengths, minus what rounding may leave between equal samples.

        The square root would show it.
        """
        squares = self.squares(form)
        return squares - 8 * np.finfo(squares.dtype).eps * squares.max(initial=0.0)

    def features(self, form: str, width: float) -> Floats:
        """Return the features of "few_inputs", one row per feature."""
        if (form, width) not in self._features:
            features = few_input_features(self.samples[form], width).T
            self._features[form, width] = np.ascontiguousarray(features)
        return self._features[form, width]


class SamplePairs:
    """Kernels between samples and a basis, with shared work done once.

    Kernels with the same `base` should follow each other, in increasing order of width. Without
    samples, by the form of their inputs, those of the basis are taken. `scratch`, of shape
    (n_samples, n_basis), is memory for shared work, as allocating it for small blocks is slow.
    """

    def __init__(
        self,
        basis: KernelBasis,
        samples: Mapping[str, Floats] | None = None,
        scratch: Floats | None = None,
    ) -> None:
        self._scratch = scratch
        self.basis, self.same = basis, samples is None
        self.own = basis if samples is None else KernelBasis(samples)
        self._bases: dict[tuple[str, str, float], Floats] = {}
        self._last: LimitKernel | None = None
        self._last_values: Floats = np.empty(0)

    def values(self, kernel: LimitKernel, units: Units, out: Floats | None = None) -> Floats:
        """Return the kernel of all pairs, in `out` if given; do not change it."""
        base = self._base(kernel.base)
        unit = units[unit_name(METRICS[kernel.family], kernel.inputs)]
        K = np.empty_like(base) if out is None else out
        if kernel.family == "few_inputs":
            np.multiply(base, base, out=K)
            for _ in range(kernel.n_inputs.bit_length() - 2):
                np.multiply(K, K, out=K)
        elif kernel.family == "linear":
            np.multiply(base, 1.0 / unit**2, out=K)
        elif kernel.family == "arcsine":
            self._arcsine(kernel, base, K)
        else:
            self._exponential(kernel, base, unit, K)
        return K

    def _exponential(self, kernel: LimitKernel, base: Floats, unit: float, out: Floats) -> None:
        """Compute ``exp(-width * distance)``, by squaring the last kernel if possible."""
        if squared := squarings(self._last, kernel):
            np.multiply(self._last_values, self._last_values, out=out)
            for _ in range(squared - 1):
                np.multiply(out, out, out=out)
        else:
            rate, distance = kernel.width / unit, base
            if kernel.family == "gaussian":
                rate = kernel.width / unit**2
            elif kernel.family == "spherical_cauchy":
                distance = np.sqrt(base, out=out)
            np.multiply(distance, -rate, out=out)
            np.exp(out, out=out)
        self._last, self._last_values = kernel, out

    def _base(self, key: tuple[str, str, float]) -> Floats:
        if key not in self._bases:
            self._bases = {key: self._make_base(*key)}
        return self._bases[key]

    def _make_base(self, metric: str, form: str, width: float) -> Floats:
        A, B = self.own.samples[form], self.basis.samples[form]
        if metric == "city":
            double = self._scratch if A.dtype == np.float64 else None
            return cdist(A, B, "cityblock", out=double).astype(A.dtype, copy=False)
        if metric == "columns":
            own = few_input_features(A, width)
            # Features of the basis are kept for further samples.
            features = own.T if self.same else self.basis.features(form, width)
            return np.matmul(own / own.dtype.type(A.shape[1]), features, out=self._scratch)
        if metric == "product":
            return np.matmul(A, B.T, out=self._scratch)
        base = np.matmul(-2.0 * A, B.T, out=self._scratch)
        base += self.own.squares(form)[:, None]
        base += self.basis.lowered_squares(form)
        np.maximum(base, 0.0, out=base)
        if self.same:
            np.fill_diagonal(base, 0.0)
        return base

    def _arcsine(self, kernel: LimitKernel, products: Floats, out: Floats) -> None:
        # Variance of the weights: sums over columns grow with the root of their number.
        n_features = self.basis.samples[kernel.inputs].shape[1]
        twice = 2.0 * kernel.width**2 / float(np.sqrt(n_features))
        np.add(products, 1.0, out=out)
        out *= twice
        for axis, samples in ((1, self.own), (0, self.basis)):
            lengths = np.sqrt(1.0 + twice * (1.0 + samples.squares(kernel.inputs)))
            out /= np.expand_dims(lengths, axis)
        np.clip(out, -1.0, 1.0, out=out)
        np.arcsin(out, out=out)
        out *= 2.0 / np.pi


def squarings(last: LimitKernel | None, kernel: LimitKernel) -> int:
    """Return how often to square the last kernel to get another one; 0 if impossible.

    Examples
    --------
    >>> narrow = LimitKernel("cauchy", "ranks", 0.25)
    >>> squarings(narrow, narrow._replace(width=1.0)), squarings(None, narrow)
    (2, 0)
    """
    if last is None or (last.family, last.inputs) != (kernel.family, kernel.inputs):
        return 0
    if kernel.family not in ("gaussian", "cauchy", "spherical_cauchy"):
        return 0
    doublings = np.log2(kernel.width / last.width)
    return int(doublings) if doublings in (1.0, 2.0, 4.0, 6.0) else 0


def few_input_points(width: float) -> tuple[Array, Array]:
    """Return the matrix from Chebyshev polynomials to features of "few_inputs", and its points.

    The matrix combines the polynomials 0, 1, ... of a column divided by √3 to its features. At the
    points, products of features are ``exp(-width (a - b)²)``, up to dropped features.
    """
    n_points = 8 + int(6.0 * np.sqrt(width))
    angles = (np.arange(n_points) + 0.5) * np.pi / n_points
    points = np.sqrt(3.0) * np.cos(angles)
    values, vectors = np.linalg.eigh(np.exp(-width * (points[:, None] - points) ** 2))
    to_features = np.cos(np.outer(np.arange(n_points), angles)) * (2.0 / n_points)
    to_features[0] /= 2.0
    # Directions of tiny eigenvalues would cost as much as the others. Coefficients of saved models
    # depend on the share of the largest one from which on they are kept.
    kept = values > 1e-5 * values[-1]
    return to_features @ (vectors[:, kept] * np.sqrt(values[kept])), points


def few_input_features(A: Floats, width: float) -> Floats:
    """Return features whose products are ``exp(-width (a - b)²)``, summed over columns.

    Columns are in [-√3, √3]. ``exp(-width (a - b)²)`` is ``l(a)ᵗ M l(b)`` with the Lagrange
    polynomials l of Chebyshev points and M the same function of the points, to 2e-4 or better with
    the points used here. One matrix product then serves all columns.
    """
    to_features = few_input_points(width)[0].astype(A.dtype, copy=False)
    x = np.clip(A / A.dtype.type(np.sqrt(3.0)), -1.0, 1.0)
    polynomials = np.empty((*A.shape, len(to_features)), dtype=A.dtype)
    polynomials[..., 0] = 1.0
    polynomials[..., 1] = x
    for k in range(2, len(to_features)):
        polynomials[..., k] = 2.0 * x * polynomials[..., k - 1] - polynomials[..., k - 2]
    return np.asarray((polynomials @ to_features).reshape(len(A), -1))


def learn_units(samples: Mapping[str, Floats], weight: Array | None = None) -> dict[str, float]:
    """Return mean distances between samples for every metric and form; 1 without a distance."""
    units = {}
    for form, Z in samples.items():
        step = -(-len(Z) // MAX_UNIT_SAMPLES)
        basis = KernelBasis({form: Z[::step].astype(np.float64)})
        w = np.ones(len(basis.samples[form])) if weight is None else weight[::step]
        w = w / w.sum()
        means = {
            metric: float(w @ SamplePairs(basis)._base((metric, form, 0.0)) @ w)
            for metric in ("squared", "city")
        }
        means["product"] = float(w @ basis.squares(form))
        for metric, mean in means.items():
            unit = mean if metric == "city" else float(np.sqrt(mean))
            units[unit_name(metric, form)] = unit if unit > 0.0 else 1.0
        units[unit_name("columns", form)] = 1.0
    return units
