import numpy as np
import pytest

from broadlearn.auditing.many_tests import holm


@pytest.mark.parametrize("n", [0, 1, 20])
def test_holm(n):
    p = np.random.default_rng(n).random(n) ** 4
    order = np.argsort(p)
    slow = np.empty(n)
    for k, i in enumerate(order):
        slow[i] = min(1.0, max(p[j] * (n - m) for m, j in enumerate(order[: k + 1])))
    np.testing.assert_allclose(holm(p), slow)
