"""What `cv` may be: folds that are given one by one, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# What cv="loo" is for.
NO_CLOSED_FORM = (
    'cv="loo" is in closed form for a model on a random map that is searched alone, with '
    'draws="nested", without groups and with scorers of scikit-learn; use cv=LeaveOneOut() of '
    "scikit-learn where something else is searched."
)
Split = tuple[NDArray[Any], NDArray[Any]]


def as_pairs(cv: Any) -> list[Split]:
    """Pairs of positions, as they were given, or a sentence on what `cv` may be.

    Examples
    --------
    >>> as_pairs([([0, 1], [2, 3])])
    [([0, 1], [2, 3])]
    >>> as_pairs([])
    Traceback (most recent call last):
        ...
    ValueError: cv must be a number of folds, a splitter or pairs (train, test), got [].
    """
    try:
        pairs = [(train, test) for train, test in cv]
        kinds = {np.asarray(part).dtype.kind for pair in pairs for part in pair}
    except (TypeError, ValueError):
        kinds = set()
    if not kinds or not kinds <= {"i", "u", "b"} or isinstance(cv, dict):
        raise ValueError(
            f"cv must be a number of folds, a splitter or pairs (train, test), got {str(cv)[:50]}."
        )
    return pairs
