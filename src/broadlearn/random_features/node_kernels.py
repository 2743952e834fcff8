"""The kernel of infinitely many enhancement nodes: the mean product of their values.

A ridge model sees nodes only through sums of products of two samples. Their mean over all nodes
that might be drawn is a kernel in closed form. Weights are Gaussian, with the second moments of
those that are drawn: the inputs u and v of a node for two samples are then Gaussian, and the kernel
is a function of their variances and covariance.

=========  ======================================================================================
sine       ``(E cos(u - v) - E cos(u + v)) / 2``: Gaussians of the difference and of the sum
tanh       replaced by ``erf(√π u / 2)``, of the same slope at 0: the arcsine kernel
sigmoid    replaced by ``(1 + erf(√π u / 4)) / 2``, likewise
relu       the arc-cosine kernel of order 1
=========  ======================================================================================

Biases of nodes on the inputs are uniform with sine, which has a closed form, and Gaussian with
other activations. For nodes on few inputs the kernel is the mean over all choices of inputs: in
closed form with sine, otherwise over all choices, or over some with equally frequent inputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb, exp, pi

import numpy as np
from numpy.typing import NDArray

from broadlearn.utils import Array, row_slices

# Number of choices of several inputs, or more until every input is among them.
MIN_CHOICES = 8
# Numbers computed at a time, so that they stay in the cache.
TILE = 1 << 14


@dataclass(frozen=True)
class NodeKernel:
    """Mean product of two samples over infinitely many nodes of a layer.

    Attributes
    ----------
    activation : {"tanh", "sigmoid", "relu", "sine"}
    scales : tuple of float
        Factors on the input of the activation; the kernel is the mean over them.
    bias : float
        Factor on the biases.
    n_weights : int
        Number of weights of a node on all inputs; their squares sum to 1.
    max_inputs : int or None
        Half of the nodes combine 1 to `max_inputs` inputs, with equal probability, and biases are
        uniform on [-1, 1]. None if all nodes combine all inputs, the bias being one of them.

    Examples
    --------
    >>> import numpy as np
    >>> kernel = NodeKernel("sine", (1.0,), bias=0.0, n_weights=1, max_inputs=None)
    >>> kernel(np.array([[1.0]]), np.array([[1.0], [-1.0]])).round(3)
    array([[ 0.432, -0.432]])
    """

    activation: str
    scales: tuple[float, ...]
    bias: float
    n_weights: int
    max_inputs: int | None

    def __call__(self, A: Array, B: Array, out: Array | None = None) -> Array:
        """Mean products of the rows of A with those of B."""
        K = np.empty((len(A), len(B))) if out is None else out
        if len(A) == len(B) and np.array_equal(A, B):
            for rows in row_slices(len(A), len(A), TILE):
                rest = slice(rows.start, None)
                K[rows, rest] = self._tile(A[rows], B[rest])
                K[rest, rows] = K[rows, rest].T
        else:
            for rows in row_slices(len(A), len(B), TILE):
                K[rows] = self._tile(A[rows], B)
        return K

    def _tile(self, A: Array, B: Array) -> Array:
        total = np.zeros((len(A), len(B)))
        for scale in self.scales:
            variance = scale**2 / self.n_weights
            if self.max_inputs is None:
                bias = self.bias**2 * variance
                total += self._all_inputs(A, B, variance, bias, exp(-2.0 * bias))
                continue
            # The variance of a uniform bias b, and the mean of cos 2b.
            spread = scale * self.bias
            bias, cosine = spread**2 / 3.0, float(np.sinc(2.0 * spread / pi))
            total += 0.5 * self._all_inputs(A, B, variance, bias, cosine)
            total += 0.5 * self._few_inputs(A, B, scale**2, bias, cosine)
        total /= len(self.scales)
        return total

    def _all_inputs(self, A: Array, B: Array, variance: float, bias: float, cosine: float) -> Array:
        """Return the kernel of nodes on all inputs with weights of a variance."""
        if self.activation != "sine":
            return self._product(A, B, variance, bias)
        squares = np.einsum("ij,ij->i", A, A)[:, None] + np.einsum("ij,ij->i", B, B)
        products = 2.0 * (A @ B.T)
        near, far = (np.maximum(d, 0.0) for d in (squares - products, squares + products))
        K: Array = 0.5 * (np.exp(-0.5 * variance * near) - cosine * np.exp(-0.5 * variance * far))
        return K

    def _few_inputs(self, A: Array, B: Array, variance: float, bias: float, cosine: float) -> Array:
        """Return the kernel of nodes on 1 to `max_inputs` inputs, with a total variance."""
        few = min(self.max_inputs or 0, A.shape[1])
        if self.activation == "sine":
            near, far = (_mean_of_products(A, other, few, variance) for other in (B, -B))
            return 0.5 * (near - cosine * far)
        total = np.zeros((len(A), len(B)))
        for n in range(1, few + 1):
            choices = input_choices(A.shape[1], n)
            part = np.zeros_like(total)
            for chosen in choices:
                part += self._product(A[:, chosen], B[:, chosen], variance / n, bias)
            part /= few * len(choices)
            total += part
        return total

    def _product(self, A: Array, B: Array, variance: float, bias: float) -> Array:
        """Return the mean product of nodes with Gaussian weights and biases of these variances."""
        flatness = {"tanh": 2.0 / pi, "sigmoid": 8.0 / pi, "relu": 0.0}[self.activation]
        (P, p), (Q, q) = (_unit_rows(rows, variance, bias, flatness) for rows in (A, B))
        cosine = P @ Q.T
        np.clip(cosine, -1.0, 1.0, out=cosine)
        if self.activation == "relu":
            sine = np.sqrt(1.0 - cosine * cosine)
            sine += cosine * (0.5 * pi + np.arcsin(cosine))
            sine *= p[:, None] * q / (2.0 * pi)
            return sine
        angle = np.arcsin(cosine, out=cosine)
        if self.activation == "tanh":
            angle *= 2.0 / pi
        else:
            angle *= 0.5 / pi
            angle += 0.25
        return angle


def _unit_rows(rows: Array, variance: float, bias: float, flatness: float) -> tuple[Array, Array]:
    """Return inputs and bias, divided by the root of their variance plus `flatness`."""
    whole = np.empty((len(rows), rows.shape[1] + 1))
    np.multiply(rows, variance**0.5, out=whole[:, :-1])
    whole[:, -1] = bias**0.5
    length = np.sqrt(np.einsum("ij,ij->i", whole, whole) + flatness)
    whole /= np.where(length == 0.0, 1.0, length)[:, None]
    return whole, length


def _mean_of_products(A: Array, B: Array, few: int, variance: float) -> Array:
    """Return the mean product of Gaussians over n from 1 to `few` and all choices of n columns.

    For n columns they are ``exp(-variance (a - b)² / 2n)``. Products over all choices sum to an
    elementary symmetric polynomial, built column by column.
    """
    shape, n_columns = (len(A), len(B)), A.shape[1]
    sums = {n: np.zeros((n, *shape)) for n in range(1, few + 1)}
    product = np.empty(shape)
    for j in range(n_columns):
        exponent = A[:, j, None] - B[:, j]
        exponent *= exponent
        exponent *= -0.5 * variance
        factors: dict[int, Array] = {}
        for n in range(few, 0, -1):
            known = factors.get(2 * n)
            factors[n] = np.exp(exponent / n) if known is None else known * known
            for i in range(min(n, j + 1) - 1, 0, -1):
                sums[n][i] += np.multiply(factors[n], sums[n][i - 1], out=product)
            sums[n][0] += factors[n]
    total: Array = sum(sums[n][-1] / comb(n_columns, n) for n in sums) / few
    return total


@cache
def input_choices(n_inputs: int, n: int) -> Sequence[NDArray[np.intp]]:
    """Return choices of n inputs: all of them, or a list in which inputs are equally frequent.

    Examples
    --------
    >>> [choice.tolist() for choice in input_choices(3, 2)]
    [[0, 1], [0, 2], [1, 2]]
    >>> len(input_choices(20, 1)), len(input_choices(20, 2)), len(input_choices(20, 4))
    (20, 10, 8)
    """
    if n == 1 or comb(n_inputs, n) <= MIN_CHOICES:
        return [np.array(choice) for choice in combinations(range(n_inputs), n)]
    return list(_balanced(n_inputs, n))


def _balanced(n_inputs: int, n: int) -> Iterator[NDArray[np.intp]]:
    """Yield runs of n inputs, cycling through a random order until every input occurred."""
    order = np.random.default_rng(0).permutation(n_inputs)
    for i in range(max(MIN_CHOICES, -(-n_inputs // n))):
        yield order[np.arange(n * i, n * (i + 1)) % n_inputs]
