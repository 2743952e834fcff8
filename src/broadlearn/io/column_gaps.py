"""Numbers that stand for a missing value: -999, 9999, -1 where all others are counts."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadlearn.utils import Array

# Different numbers that there must be, so that one can be far off.
MIN_NUMBERS = 4
# A number below all others is far off by this share of their range; one above by so many ranges.
BELOW, ABOVE = 0.5, 2.0
# -1 among whole numbers from 0 on: there are so many different ones, each so much rarer.
MIN_COUNTS, MIN_EXCESS = 10, 3.0
# Numbers that surveys have for no answer, where all others are counts.
NO_COUNTS = (-1.0, -7.0, -8.0, -9.0)
_REPEATED = re.compile(r"(?:9{2,}|8{3,}|7{3,})(?:\.(?:9+|8+|7+|0+))?")


def may_be_gap(number: float) -> bool:
    """Whether a number is written with one digit, as those for missing values are, or -1 or -9.

    Examples
    --------
    >>> may_be_gap(-999.9), may_be_gap(99.0), may_be_gap(-888.0), may_be_gap(98.0)
    (True, True, True, False)
    """
    text = f"{abs(number):.10g}"
    return number in NO_COUNTS or bool(_REPEATED.fullmatch(text) and len(set(text) - {"."}) == 1)


def empty_numbers(distinct: Array, counts: NDArray[Any]) -> tuple[float, ...]:
    """Numbers far off all others, of nines and the like, which occur more than once.

    Parameters
    ----------
    distinct : ndarray
        Numbers of a column, in ascending order.
    counts : ndarray
        How often each occurs.

    Examples
    --------
    >>> numbers = np.array([-999.0, -888.0, 1.0, 2.0, 3.5, 7.0])
    >>> empty_numbers(numbers, np.array([4, 2, 1, 1, 1, 1]))
    (-999.0, -888.0)
    >>> empty_numbers(np.array([1.0, 2.0, 3.0, 4.0, 99.0]), np.array([5, 5, 5, 5, 1]))
    ()
    """

    def part(start: int, stop: int) -> tuple[Array, NDArray[Any]]:
        return distinct[start:stop], counts[start:stop]

    low, high = 0, distinct.size
    found = []
    while high - low > MIN_NUMBERS - 1:
        if _is_far(distinct[low], counts[low], *part(low + 1, high)):
            found.append(float(distinct[low]))
            low += 1
        elif _is_far(distinct[high - 1], counts[high - 1], *part(low, high - 1)):
            found.append(float(distinct[high - 1]))
            high -= 1
        else:
            break
    return tuple(found)


def _is_far(end: float, count: float, others: Array, counts: NDArray[Any]) -> bool:
    if count < 2 or not may_be_gap(float(end)):
        return False
    usual = np.array([not may_be_gap(float(number)) for number in others], dtype=bool)
    others, counts = others[usual], counts[usual]
    if others.size < MIN_NUMBERS - 1:
        return False
    if end in NO_COUNTS:
        whole = bool((others == np.round(others)).all() and others[0] >= 0.0)
        return whole and others.size >= MIN_COUNTS and count > MIN_EXCESS * float(counts.mean())
    width = max(float(others[-1] - others[0]), 1e-9)
    gap = float(np.min(np.abs(others - end)))
    return gap > (BELOW if end < 0 else ABOVE) * width
