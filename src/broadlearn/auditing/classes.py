"""How the rows of a table spread over its labels."""

from __future__ import annotations

import numpy as np

from broadlearn.auditing.findings import Finding
from broadlearn.auditing.penalties import within_limit
from broadlearn.auditing.rows import Rows
from broadlearn.utils import counted, listed, percent

# Classes of at most this many rows cannot be in every fold, nor be judged.
MAX_SINGLETON = 2
# Classes are out of balance from this ratio of the largest to the smallest on.
IMBALANCE = 10.0
# One value of a quantity is frequent from this share of the rows on.
FREQUENT = 0.3
# Points of health: for classes of one or two rows, for a tenfold imbalance, and for a target that
# is one value in all rows.
POINTS_SINGLETON = 1.0
POINTS_TENFOLD = 1.5
POINTS_FREQUENT = 4.0


def check_classes(rows: Rows) -> list[Finding]:
    """Find classes that are too small, or far smaller than others.

    Each class of one or two rows costs a point of health. Among the other classes, a ratio of
    10 to 1 or more of the largest to the smallest costs 1.5 points for each power of ten.
    A regression target that has one value in 30 % of the rows or more costs 4 points times that
    share. At most 5 points together.

    Examples
    --------
    >>> from broadlearn.auditing.rows import prepare_rows
    >>> rows = prepare_rows(np.arange(60.0)[:, None], ["a"] * 55 + ["b"] * 4 + ["c"])
    >>> for finding in check_classes(rows):
    ...     print(finding.sentence)
    1 class of 3 has one or two rows, too few to learn from: 'c'.
    The largest class, 'a', has 55 rows (92 %), the smallest, 'b', 4 (6.7 %): judge models by class.
    """
    if rows.is_regression:
        return _check_quantity(rows)
    counts = np.bincount(rows.codes, minlength=rows.classes.size)
    labels = rows.classes.tolist()
    findings = []
    few = np.flatnonzero(counts <= MAX_SINGLETON)
    if few.size:
        sentence = (
            f"{counted(few.size, 'class')} of {len(labels)} {'has' if few.size == 1 else 'have'} "
            f"one or two rows, too few to learn from: {listed([labels[c] for c in few])}."
        )
        positions = np.flatnonzero(np.isin(rows.codes, few))
        findings.append(Finding("small classes", sentence, POINTS_SINGLETON * few.size, positions))
    enough = np.flatnonzero(counts > MAX_SINGLETON)
    if enough.size > 1:
        findings.append(_balance(counts, labels, enough))
    return within_limit("classes", findings)


def _balance(counts: np.ndarray, labels: list[object], enough: np.ndarray) -> Finding:
    largest = enough[counts[enough].argmax()]
    smallest = enough[counts[enough].argmin()]
    ratio = counts[largest] / counts[smallest]
    share = counts / counts.sum()
    sizes = (
        f"The largest class, '{labels[largest]}', has {counts[largest]:,} rows "
        f"({percent(share[largest])}), the smallest, '{labels[smallest]}', "
        f"{counts[smallest]:,} ({percent(share[smallest])})"
    )
    if ratio < IMBALANCE:
        return Finding("class balance", f"{sizes}.")
    advice = "judge models by class"
    return Finding("class balance", f"{sizes}: {advice}.", POINTS_TENFOLD * np.log10(ratio))


def _check_quantity(rows: Rows) -> list[Finding]:
    values, counts = np.unique(rows.labels, return_counts=True)
    most = counts.argmax()
    share = counts[most] / rows.labels.size
    if share < FREQUENT:
        low, middle, high = np.quantile(rows.labels, [0.0, 0.5, 1.0])
        return [
            Finding(
                "target",
                f"The target goes from {low:.4g} to {high:.4g}, half of it below {middle:.4g}.",
            )
        ]
    positions = np.flatnonzero(rows.labels == values[most])
    sentence = (
        f"The target is {values[most]:.4g} in {percent(share)} of the rows: consider a model of "
        "whether it is, and another of how large it is where it is not."
    )
    return within_limit(
        "classes", [Finding("target", sentence, POINTS_FREQUENT * share, positions)]
    )
