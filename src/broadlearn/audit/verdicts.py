"""What is wrong with a row, if anything, in a word and in a sentence."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.audit.neighbours import Neighbours
from broadlearn.audit.rows import Rows
from broadlearn.utils import Array

VERDICTS = ("fine", "far from its class", "among another class", "both")
# Another label must be this many times as probable as the row's own.
CLEARLY_MORE = 2.0
# Tukey's fence for what is far out, in interquartile ranges above the upper quartile.
FENCE = 3.0
# A far row is at least as suspect as one whose label is a toss-up.
SUSPICION_OF_FAR = 0.5
MAX_COLUMNS = 3
MIN_SHARE = 0.1
MAX_NAME_LENGTH = 40


class Verdicts(NamedTuple):
    """Judgement of every row.

    Attributes
    ----------
    suspicion : ndarray of shape (n_samples,)
        ``1 - p`` of the own label, at least a half where the row is far from its class.
    verdict : ndarray of shape (n_samples,)
        Index into `VERDICTS`.
    likely : ndarray of shape (n_samples,)
        The most probable class.
    far_columns : list of str
        Columns that make the row differ most from its nearest rows of the same class.
    why : list of str
        A sentence.
    """

    suspicion: Array
    verdict: NDArray[np.intp]
    likely: NDArray[np.intp]
    far_columns: list[str]
    why: list[str]


def judge(rows: Rows, p: Array, near: Neighbours) -> Verdicts:
    """Judge every row by the probabilities `p` of its classes, held out, and its neighbours."""
    every = np.arange(rows.codes.size)
    own = p[every, rows.codes]
    others = p.copy()
    others[every, rows.codes] = -1.0
    rival = others.argmax(axis=1)
    among = others[every, rival] >= CLEARLY_MORE * own
    distance = np.sqrt(np.einsum("ij,ij->i", near.gap, near.gap))
    median, far = _far(rows, distance)
    columns = _far_columns(rows, near.gap)
    label = [_short(name) for name in rows.classes]
    why = []
    for i, c in enumerate(rows.codes.tolist()):
        parts = []
        if among[i]:
            parts.append(
                f"held out, it looks like {label[rival[i]]} "
                f"({_percent(others[i, rival[i]])}) and not like its label {label[c]} "
                f"({_percent(own[i])}), and {near.n_foreign[i]} of its {near.n_near} nearest rows "
                "are of another class"
            )
        if far[i] and near.own[i] < 0:
            parts.append(f"it is the only row of class {label[c]}")
        elif far[i]:
            parts.append(
                f"its distance from the nearest rows of class {label[c]} is {distance[i]:.3g}, "
                f"where {median[c]:.3g} is usual, mostly by {columns[i]}"
            )
        if not parts:
            parts.append(
                f"held out, its label {label[c]} has a probability of {_percent(own[i])}, and it "
                "is not far from rows of its class"
            )
        sentence = "; ".join(parts)
        why.append(f"{sentence[0].upper()}{sentence[1:]}.")
    suspicion = np.maximum(1.0 - own, np.where(far, SUSPICION_OF_FAR, 0.0))
    return Verdicts(suspicion, far + 2 * among, p.argmax(axis=1), columns, why)


def _far(rows: Rows, distance: Array) -> tuple[Array, NDArray[np.bool_]]:
    """The usual distance of each class, and which rows are far out; a lone row always is.

    A far row is also farther away than two rows of the class usually are from each other, or
    the thin tail of a class that is dense elsewhere would count as far.
    """
    far = np.isnan(distance)
    median = np.zeros(rows.classes.size)
    for c in range(rows.classes.size):
        members = np.flatnonzero(rows.codes == c)
        if members.size == 1:
            continue
        low, median[c], high = np.percentile(distance[members], [25, 50, 75])
        # The root mean square distance of two rows.
        within = np.sqrt(2.0 * rows.Z[members].var(axis=0).sum())
        fence = max(high + FENCE * (high - low), within)
        far[members] = distance[members] > fence
    return median, far


def _far_columns(rows: Rows, gap: Array) -> list[str]:
    """Columns with the largest shares of the squared distance, and the shares."""
    shares = np.add.reduceat(gap * gap, rows.starts, axis=1)
    total = shares.sum(axis=1)
    count = min(MAX_COLUMNS, shares.shape[1])
    largest = np.argsort(-shares, axis=1, kind="stable")[:, :count]
    names = [_short(name) for name in rows.columns]
    texts = []
    for i, columns in enumerate(largest):
        if not total[i] > 0.0:
            texts.append("")
            continue
        share = shares[i, columns] / total[i]
        kept = max(int((share >= MIN_SHARE).sum()), 1)
        texts.append(
            ", ".join(
                f"{names[j]} ({_percent(s)})"
                for j, s in zip(columns[:kept], share[:kept], strict=True)
            )
        )
    return texts


def _percent(share: float) -> str:
    if share < 0.01:
        return "under 1 %"
    return "over 99 %" if 0.99 < share < 1.0 else f"{100.0 * share:.0f} %"


def _short(name: Any) -> str:
    text = str(name)
    return text if len(text) <= MAX_NAME_LENGTH else f"{text[: MAX_NAME_LENGTH - 1]}…"
