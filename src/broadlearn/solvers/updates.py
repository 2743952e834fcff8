"""Ridge problems from sums over rows, ``[G, T]ᵗ S² [G, T]``, to which rows are added or removed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from scipy.linalg.lapack import dpotrs

from broadlearn.solvers.ridge import (
    Block,
    PrimalSolution,
    factorize,
    normal_equations,
    refine,
)
from broadlearn.utils import Array

# Estimated relative error of predictions above which available rows are visited again: a pass over
# a table is dear, and a stream promises 1e-8.
REFINE_SUMS = 1e-9


def remove_rows(sums: Array, blocks: Iterable[Block]) -> Array:
    """Return sums without some of their rows; the given sums are not changed."""
    rest = sums - normal_equations(blocks, sums.shape[0])
    squares = np.diagonal(rest)
    # Sums of a million rows round by less than this share of the largest square.
    if (squares < -1e-10 * np.diagonal(sums).max()).any():
        raise ValueError("Cannot forget samples that were not learnt.")
    return rest


def solve_sums(
    sums: Array,
    n_columns: int,
    C: float,
    residual: Callable[[Array], Array] | None = None,
) -> PrimalSolution:
    """Solve for ridge weights from sums.

    Without the rows, rounding of the sums cannot be refined away as in `solve_ridge`: for nearly
    dependent features, predictions differ by up to 1e-8 at C = 1e4 and 1e-6 at C = 1e6. `residual`
    returns ``GᵗS²(T - GW)`` for weights W by visiting the rows again, unless they are gone.
    """
    gram, right = sums[:n_columns, :n_columns], sums[:n_columns, n_columns:]
    factor = factorize(gram.copy(), C)
    W = dpotrs(factor, right, lower=1)[0]
    W += dpotrs(factor, right - gram @ W - W / C, lower=1)[0]
    if residual is not None:
        W = refine(W, factor, gram, right, C, residual, REFINE_SUMS)
    return PrimalSolution(W, factor, sums)
