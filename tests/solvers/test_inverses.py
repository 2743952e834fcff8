import numpy as np
import pytest

from broadlearn.solvers.inverses import inverse_diagonal


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 130, 333])
@pytest.mark.parametrize("order", ["C", "F"])
def test_diagonal_is_that_of_the_inverse(n, order):
    rng = np.random.default_rng(n)
    G = rng.normal(size=(n, n + 5))
    M = G @ G.T + np.eye(n)
    # Above its diagonal a factor may hold anything.
    factor = np.array(np.linalg.cholesky(M) + np.triu(np.full((n, n), np.nan), 1), order=order)
    factor = np.where(np.isnan(factor), 7.0, factor) if order == "C" else factor
    given = factor.copy(order="K")
    np.testing.assert_allclose(inverse_diagonal(factor), np.diag(np.linalg.inv(M)), rtol=1e-10)
    np.testing.assert_array_equal(factor, given)
