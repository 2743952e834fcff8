"""Labels that are likely wrong."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from broadlearn.auditing.checks.base import Evidence
from broadlearn.auditing.findings import AMBIGUOUS, MISLABELLED, Finding
from broadlearn.auditing.rows import Rows
from broadlearn.utils import percent

# Longer names would hide the rest of a sentence.
MAX_NAME_LENGTH = 40


class LabelErrors:
    """Labels that are unlikely by out-of-sample probabilities.

    Each percent of the labels that are estimated to be wrong costs 1.5 points.
    """

    limit: ClassVar[float] = 35.0

    def find(self, rows: Rows, evidence: Evidence) -> list[Finding]:
        """List the rows that are likely mislabelled, and those that are ambiguous."""
        order = np.argsort(-evidence.suspicion, kind="stable")
        wrong = order[evidence.flagged[order]]
        total = evidence.errors.total
        # Where classes overlap, more labels are wrong than can be called so one by one.
        most = order[: round(total.value)]
        unsure = most[~evidence.flagged[most]]
        say = _say_target if rows.is_regression else _say_class
        what = "targets" if rows.is_regression else "labels"
        if total.value < 0.5:
            sentence = f"No {what} are estimated to be wrong (at most {total.high:,.0f})."
        else:
            sentence = (
                f"About {total.value:,.0f} of {rows.size:,} {what} "
                f"({percent(total.value / rows.size)}) are estimated to be wrong, {total.low:,.0f} "
                f"to {total.high:,.0f} with a probability of 90 %."
            )
        points = 150.0 * total.value / rows.size
        findings = [
            Finding(
                "label errors",
                sentence,
                points,
                wrong,
                verdict=MISLABELLED,
                reasons=say(rows, evidence, wrong),
            )
        ]
        if unsure.size:
            sentence = f"{unsure.size:,} other {what} are doubtful: a second opinion may help."
            findings.append(
                Finding(
                    "doubtful labels",
                    sentence,
                    0.0,
                    unsure,
                    verdict=AMBIGUOUS,
                    reasons=say(rows, evidence, unsure),
                )
            )
        return findings


def _say_class(rows: Rows, evidence: Evidence, which: np.ndarray) -> list[str]:
    """Return a sentence on the class of each row."""
    name = [short(label) for label in rows.classes]
    reasons = []
    for i in which.tolist():
        own, likely = rows.codes[i], evidence.likely[i]
        near = evidence.near.nearest[i]
        near = rows.codes[near[near >= 0]]
        most = np.bincount(near, minlength=len(name)).argmax() if near.size else own
        around = f"{(near == most).sum()} of its {near.size} nearest rows are {name[most]!r}"
        said = (
            f"{name[own]!r} has an out-of-sample probability of {percent(evidence.proba[i, own])}"
        )
        if likely != own:
            said += f", {name[likely]!r} {percent(evidence.proba[i, likely])}"
        reasons.append(f"{said}; {around}.")
    return reasons


def _say_target(rows: Rows, evidence: Evidence, which: np.ndarray) -> list[str]:
    """Return a sentence on the target of each row."""
    half, most = np.percentile(evidence.loss(rows), [50, 90])
    return [
        f"Its target is {rows.labels[i]:.4g}, the out-of-sample prediction "
        f"{evidence.proba[i, 0]:.4g}; half of the rows are within {half:.3g} of theirs, nine in "
        f"ten within {most:.3g}."
        for i in which.tolist()
    ]


def short(name: Any) -> str:
    """Shorten a long name in its middle: long names often differ at their ends."""
    text, half = str(name), MAX_NAME_LENGTH // 2
    return text if len(text) <= MAX_NAME_LENGTH else f"{text[: half - 1]}…{text[-half:]}"
