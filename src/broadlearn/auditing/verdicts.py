"""What is wrong with a row, if anything, in a word and in a sentence."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.auditing.cells import CellTexts
from broadlearn.auditing.duplicates import Duplicates
from broadlearn.auditing.findings import (
    AMBIGUOUS,
    CONTRADICTING,
    DUPLICATE,
    FINE,
    MISLABELLED,
    OUTLYING,
)
from broadlearn.auditing.neighbours import Neighbours
from broadlearn.auditing.opinions import Opinion
from broadlearn.auditing.outlying import Outlying
from broadlearn.auditing.rows import Rows
from broadlearn.utils import Array, percent

# Both labels are plausible where the own one is wrong with at least this probability.
MIN_AMBIGUOUS = 0.25
# A contradiction is at least as urgent as a label that is a toss-up.
URGENCY_OF_CONTRADICTION = 0.5
# A row is among others where the distance of so many of them is within so many times what nine in
# ten rows have; what is further from all is outlying.
COMPANY, USUAL_TIMES = 5, 2.0
# Nearest rows whose classes a sentence counts.
COUNTED = 10
MAX_COLUMNS, MIN_SHARE = 3, 0.1
MAX_NAME_LENGTH = 40


class Verdicts(NamedTuple):
    """Judgement of every row.

    Attributes
    ----------
    verdict : ndarray of shape (n_samples,)
        One of `VERDICTS`.
    why : list of str
        A sentence.
    columns : list of str
        The columns that set the row apart most from rows of its class, with their shares.
    urgency : ndarray of shape (n_samples,)
        What rows are sorted by: the suspicion, or more where something else is wrong.
    """

    verdict: NDArray[np.object_]
    why: list[str]
    columns: list[str]
    urgency: Array

    def after(self, count: int) -> Verdicts:
        """Of all but the first rows."""
        return Verdicts(
            self.verdict[count:], self.why[count:], self.columns[count:], self.urgency[count:]
        )


def judge(
    rows: Rows, opinion: Opinion, near: Neighbours, outlying: Outlying, copies: Duplicates
) -> Verdicts:
    """Judge every row; what is named first here is the verdict where several apply.

    Contradicting duplicate; outlying, unless the row is mislabelled and among other rows;
    likely mislabelled; ambiguous; duplicate; fine.
    """
    far = outlying.is_outlying & ~(opinion.flagged & _has_company(near))
    verdict = np.full(len(rows.Z), FINE, dtype=object)
    verdict[copies.copy] = DUPLICATE
    verdict[opinion.suspicion >= MIN_AMBIGUOUS] = AMBIGUOUS
    verdict[opinion.flagged] = MISLABELLED
    verdict[far] = OUTLYING
    verdict[copies.contradicting] = CONTRADICTING
    urgency = opinion.suspicion.copy()
    urgency[far] = np.maximum(urgency[far], 1.0 - 0.5 / outlying.degree[far])
    wrong = copies.contradicting
    urgency[wrong] = np.maximum(urgency[wrong], URGENCY_OF_CONTRADICTION)
    columns = column_texts(rows, outlying.column_shares)
    say = _say_target if rows.is_regression else _say_class
    why, texts = say(rows, opinion, near), CellTexts(rows)
    for i in np.flatnonzero(verdict != FINE):
        parts = []
        if verdict[i] == CONTRADICTING:
            others = np.flatnonzero(copies.group == copies.group[i]).size - 1
            parts.append(
                f"it equals {others} other {'row' if others == 1 else 'rows'}, which "
                f"{'has' if others == 1 else 'have'} another label"
            )
        elif verdict[i] == DUPLICATE:
            parts.append("it is a copy of another row with the same label")
        if far[i]:
            widest = int(outlying.column_shares[i].argmax())
            parts.append(
                f"it is far from all rows like it, mostly by {columns[i]}; "
                f"{texts.describe(int(i), rows.columns[widest])}"
            )
        sentence = "; ".join([*parts, f"{why[i][0].lower()}{why[i][1:]}"])
        why[i] = f"{sentence[0].upper()}{sentence[1:]}"
    return Verdicts(verdict, why, columns, urgency)


def _has_company(near: Neighbours) -> NDArray[np.bool_]:
    """Whether the nearest rows of a row, of whatever class, are about as near as is usual."""
    distance = near.distance[:, min(COMPANY, near.distance.shape[1]) - 1]
    return np.nan_to_num(distance, nan=np.inf) <= USUAL_TIMES * np.nanquantile(distance, 0.9)


def _say_class(rows: Rows, opinion: Opinion, near: Neighbours) -> list[str]:
    """A sentence for every row on its class."""
    every = np.arange(len(rows.Z))
    likely = opinion.likely
    own_p = opinion.proba[every, rows.codes].tolist()
    likely_p = opinion.proba[every, likely].tolist()
    seen = near.nearest[:, :COUNTED]
    foreign = ((rows.codes[seen] != rows.codes[:, None]) & (seen >= 0)).sum(axis=1).tolist()
    counted = (seen >= 0).sum(axis=1).tolist()
    label = [short(name) for name in rows.classes]
    why = []
    for i, (c, other) in enumerate(zip(rows.codes.tolist(), likely.tolist(), strict=True)):
        around = f"{foreign[i]} of its {counted[i]} nearest rows are of another class"
        if other == c:
            why.append(f"Held out, its label {label[c]} has {percent(own_p[i])}, and {around}.")
        else:
            more = "more than like" if likely_p[i] > own_p[i] else "as well as like"
            why.append(
                f"Held out, it looks like {label[other]} ({percent(likely_p[i])}) {more} "
                f"its label {label[c]} ({percent(own_p[i])}), and {around}."
            )
    return why


def _say_target(rows: Rows, opinion: Opinion, near: Neighbours) -> list[str]:
    """A sentence for every row on its target."""
    low, high = np.percentile(np.abs(rows.labels - opinion.proba[:, 0]), [50, 90])
    return [
        f"Its target is {value:.4g} where {guess:.4g} is expected, held out; half of the rows are "
        f"within {low:.3g} of it, nine in ten within {high:.3g}."
        for value, guess in zip(rows.labels.tolist(), opinion.proba[:, 0].tolist(), strict=True)
    ]


def column_texts(rows: Rows, shares: Array) -> list[str]:
    """Names of the columns with the largest shares, and the shares."""
    count = min(MAX_COLUMNS, shares.shape[1])
    largest = np.argsort(-shares, axis=1, kind="stable")[:, :count]
    values = np.take_along_axis(shares, largest, axis=1)
    names = [short(name) for name in rows.columns]
    texts = []
    for columns, part in zip(largest.tolist(), values.tolist(), strict=True):
        kept = [j for j, share in zip(columns, part, strict=True) if share >= MIN_SHARE]
        texts.append(
            ", ".join(f"{names[j]} ({percent(s)})" for j, s in zip(kept, part, strict=False))
        )
    return texts


def short(name: Any) -> str:
    """A name, without its middle where it is long: long names often differ at their ends."""
    text, half = str(name), MAX_NAME_LENGTH // 2
    return text if len(text) <= MAX_NAME_LENGTH else f"{text[: half - 1]}…{text[-half:]}"
