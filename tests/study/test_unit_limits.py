import numpy as np
import pytest

from broadlearn.study import unit_limits
from broadlearn.study.unit_limits import Limits, limited_memory, n_bytes

needs_limits = pytest.mark.skipif(
    unit_limits.resource is None or unit_limits._private_memory() is None,
    reason="the system cannot limit memory",
)


def test_sizes_as_people_write_them():
    assert [n_bytes(text) for text in ("2GB", "2 gb", "1.5g", "500MB", "4096", "3kB", "1T")] == [
        2 * 10**9,
        2 * 10**9,
        1_500_000_000,
        5 * 10**8,
        4096,
        3000,
        10**12,
    ]


@pytest.mark.parametrize("text", ["", "much", "-1GB", "0", "2PB", "1e9", "GB"])
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match=r"memory must be a size such as 500MB or 2GB, got"):
        Limits(memory=text).checked()


@pytest.mark.parametrize("timeout", [0.0, -1.0, float("nan")])
def test_times_that_nobody_has_are_refused(timeout):
    with pytest.raises(ValueError, match="timeout must be a number of seconds above 0"):
        Limits(timeout).checked()


def test_where_memory_cannot_be_limited_that_is_said(monkeypatch):
    monkeypatch.setattr(unit_limits, "resource", None)
    assert Limits(3.0).checked() == Limits(3.0)
    with pytest.raises(ValueError, match="on this system"):
        Limits(memory="2GB").checked()


@needs_limits
def test_more_memory_is_refused_and_afterwards_it_is_not():
    with limited_memory("100MB"):
        held = np.ones(10**6)
        with pytest.raises(MemoryError):
            np.ones(10**8)
    assert np.ones(3 * 10**7).sum() == 3 * held.sum() * 10


def test_without_a_limit_nothing_changes():
    with limited_memory(None):
        assert np.ones(10).sum() == 10
