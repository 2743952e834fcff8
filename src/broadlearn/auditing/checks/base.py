"""What every check is given, and what it must offer."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from broadlearn.auditing.errors import ErrorCounts
from broadlearn.auditing.findings import Finding
from broadlearn.auditing.neighbours import Neighbours
from broadlearn.auditing.rows import Rows
from broadlearn.utils import Array

# False discovery rate of tests.
ALPHA = 0.01
# Tests of fewer rows have little power, and fewer integers may be distinct by chance.
MIN_ROWS = 20


class Evidence(NamedTuple):
    """What the models say of the rows, for checks to judge by.

    Attributes
    ----------
    near : Neighbours
        The nearest rows of every row.
    proba : ndarray of shape (n_samples, n_classes)
        Out-of-sample probabilities of the given labels; for a regression target of shape
        (n_samples, 1), the out-of-sample prediction.
    suspicion : ndarray of shape (n_samples,)
        Probability that the label is wrong.
    flagged : ndarray of shape (n_samples,)
        Whether that is enough to call it mislabelled.
    likely : ndarray of shape (n_samples,)
        The class most likely to be true; of flagged rows, the most likely other one.
    errors : ErrorCounts
        How many labels are wrong.
    pool : dict of str to float
        Weight of each kind of model in `proba`.
    reference : pandas.DataFrame or None
        Other rows of the same table, to compare columns with.
    """

    near: Neighbours
    proba: Array
    suspicion: Array
    flagged: NDArray[np.bool_]
    likely: NDArray[np.intp]
    errors: ErrorCounts
    pool: dict[str, float]
    reference: pd.DataFrame | None

    def loss(self, rows: Rows) -> Array:
        """Return the out-of-sample error of each row: absolute, or 0 and 1 for classes."""
        if rows.is_regression:
            return np.abs(rows.labels - self.proba[:, 0])
        return (self.proba.argmax(axis=1) != rows.codes).astype(np.float64)


class Check(Protocol):
    """A check of a table.

    Examples
    --------
    >>> from broadlearn.auditing import Finding, audit
    >>> class NegativeAges:
    ...     '''A check of one's own.'''
    ...     limit = 5.0
    ...     def find(self, rows, evidence):
    ...         wrong = np.flatnonzero(rows.frame["age"] < 0)
    ...         reasons = ["Its age is negative."] * wrong.size
    ...         return [Finding("ages", f"{wrong.size} ages are negative.", 1.0 * wrong.size, wrong,
    ...                         ["age"], "negative age", reasons)]
    >>> X = pd.DataFrame({"age": [*range(1, 30), -7]})
    >>> audit(X, X["age"] > 15, checks=[NegativeAges()]).lists["negative age"]["why"].to_dict()
    {29: 'Its age is negative.'}
    """

    @property
    def limit(self) -> float:
        """The most points that the check can take from the health of a table."""

    def find(self, rows: Rows, evidence: Evidence) -> list[Finding]:
        """Return what was found; a finding without a penalty may say that nothing was."""
