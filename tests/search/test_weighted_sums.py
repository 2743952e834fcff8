import numpy as np
import pytest

from broadlearn.search import weighted_sums as module
from broadlearn.search.weighted_sums import weighted_sums


@pytest.mark.parametrize("step", [90, 25, 7])
@pytest.mark.parametrize("numbers", [1 << 19, 30])
def test_sums_do_not_depend_on_blocks(step, numbers, monkeypatch):
    monkeypatch.setattr(module, "SCORED_NUMBERS", numbers)
    rng = np.random.default_rng(0)
    R, full = rng.normal(size=(90, 6)), rng.uniform(size=90)
    few, none = np.where(rng.uniform(size=90) < 0.5, 0.0, full), np.zeros(90)
    slices = [slice(start, min(start + step, 90)) for start in range(0, 90, step)]
    blocks = ((rows, R[rows, :5].copy()) for rows in slices)
    diagonals = [None, full, few, none]
    found = weighted_sums(blocks, 4, R[:, 5:], diagonals, several=len(slices) > 1)
    used = R[:, [0, 1, 2, 3, 5]]
    for sums, s in zip(found, [np.ones(90), full, few, none], strict=True):
        expected = (used * s[:, None] ** 2).T @ used
        np.testing.assert_allclose(sums, expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(sums, sums.T)
