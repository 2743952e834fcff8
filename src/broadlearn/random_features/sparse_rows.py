"""Standardised samples of a sparse matrix, for products only, without making it dense."""

from __future__ import annotations

from typing import Any

import numpy as np

from broadlearn.utils import Array, Floats


class SparseRows:
    """``[Z, c]`` with ``Z = (X - mean) / scale`` of a CSR matrix X and constants c.

    Replaces the dense array in products with weights W from the right:
    ``[Z, c] W = X (W_Z / scale) + (c W_c - (mean / scale) W_Z)`` takes one operation per
    entry of X and column of W. Entries of X are clipped at the bounds, which 0 is between.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> X = csr_array(np.array([[0.0, 2.0], [4.0, 0.0]]))
    >>> rows = SparseRows(X, np.array([2.0, 1.0]), np.array([2.0, 1.0]), np.ones(1))
    >>> rows @ np.eye(3)
    array([[-1.,  1.,  1.],
           [ 1., -1.,  1.]])
    """

    def __init__(
        self,
        X: Any,
        mean: Array,
        scale: Array,
        constants: Array,
        bounds: Array | None = None,
    ) -> None:
        self.X, self.learnt = X, (mean, scale, constants, bounds)
        self.shape: tuple[int, int] = (X.shape[0], X.shape[1] + constants.size)
        self.dtype: np.dtype[Any] = X.dtype

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> SparseRows:
        if isinstance(rows, tuple):
            raise TypeError("Only whole rows of a sparse matrix can be selected.")
        return SparseRows(self.X[rows], *self.learnt)

    def astype(self, dtype: Any, copy: bool = True) -> SparseRows:
        """Return the rows in another type."""
        return SparseRows(self.X.astype(dtype, copy=copy), *self.learnt)

    def __matmul__(self, W: Floats) -> Floats:
        mean, scale, constants, bounds = self.learnt
        n = mean.size
        scaled, X = W[:n] / scale[:, None], self.X
        if bounds is not None:
            X = X.copy()
            X.data = clip_entries(X, bounds.astype(X.dtype))
        product = X @ scaled
        product += constants @ W[n:] - mean @ scaled
        return np.asarray(product, dtype=np.result_type(self.dtype, W.dtype))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Support ``numpy.matmul(rows, W, out=...)`` only."""
        if ufunc is not np.matmul or method != "__call__" or inputs[0] is not self:
            return NotImplemented
        product, out = self @ inputs[1], options.get("out")
        if out is None:
            return product
        out[0][...] = product
        return out[0]


def clip_entries(X: Any, bounds: Array) -> Any:
    """Return the entries of a CSR matrix, clipped at the bounds of their columns."""
    low, high = bounds
    return np.clip(X.data, low[X.indices], high[X.indices])
