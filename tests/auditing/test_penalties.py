import pytest

from broadlearn.auditing.findings import Finding
from broadlearn.auditing.penalties import LIMITS, within_limit


def test_limits_sum_to_100():
    assert sum(LIMITS.values()) == 100.0


@pytest.mark.parametrize(
    ("penalties", "expected"),
    [([], []), ([0.0, 0.0], [0.0, 0.0]), ([1.0, 2.0], [1.0, 2.0]), ([9.0, 1.0], [4.5, 0.5])],
)
def test_penalties_keep_their_proportions(penalties, expected):
    findings = [Finding("columns", f"{penalty}", penalty) for penalty in penalties]
    limited = within_limit("columns", findings)
    assert [finding.penalty for finding in limited] == pytest.approx(expected)
    assert [finding.sentence for finding in limited] == [f"{penalty}" for penalty in penalties]
