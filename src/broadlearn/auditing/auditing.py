"""Which rows of a table are suspect, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from broadlearn.auditing.checks import CHECKS, Check, Evidence
from broadlearn.auditing.errors import count_errors
from broadlearn.auditing.findings import FINE, VERDICTS, Finding, Health
from broadlearn.auditing.neighbours import find_neighbours
from broadlearn.auditing.noise import judge_labels
from broadlearn.auditing.opinions import form_opinions
from broadlearn.auditing.result import Audit
from broadlearn.auditing.rows import Rows, prepare_rows
from broadlearn.auditing.targets import judge_targets
from broadlearn.tables import TablePreparation
from broadlearn.utils import Array, draw_seed

# Stages and their usual shares of the time.
STAGES = {
    "columns": 0.05,
    "neighbours": 0.1,
    "random forest": 0.3,
    "folds": 0.25,
    "broad learning": 0.2,
    "noise": 0.05,
    "checks": 0.05,
}


def audit(
    X: Any,
    y: ArrayLike,
    *,
    task: str = "auto",
    preparation: TablePreparation | None = None,
    checks: Iterable[Check] | None = None,
    probabilities: ArrayLike | None = None,
    reference: Any = None,
    noise: pd.DataFrame | None = None,
    confirmed: Sequence[int] | np.ndarray = (),
    random_state: int | np.random.RandomState | None = 0,
    progress: Callable[[str, float], object] | None = None,
) -> Audit:
    """Judge every row of a table, and the table as a whole.

    Several kinds of models that did not see a row (broad learning at infinite width with each row
    left out exactly, a random forest by the trees that did not draw it, a linear model, a support
    vector machine, boosting, and the nearest rows) give the probability of its label. Models of
    the noise, weighted by how well they explain the labels, turn them into ``suspicion``, the
    probability that the label is wrong. Where classes overlap, that is less than models alone
    would make one believe. Then each check looks at the table.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), pandas or polars DataFrame
        Numbers, or a frame that may also have text, categories, booleans and missing values.
    y : array-like of shape (n_samples,)
        Class labels, at least two different ones, or a quantity.
    task : {"auto", "classification", "regression"}, default="auto"
        "auto" takes numbers with many distinct values for a quantity.
    preparation : TablePreparation, default=None
        How columns are read, with the kinds of those that you know; it is not changed.
    checks : iterable of checks, default=None
        Objects with ``limit`` and ``find(rows, evidence)``, see `broadlearn.auditing.Check`.
        By default all of `broadlearn.auditing.CHECKS`.
    probabilities : array-like of shape (n_samples, n_classes), default=None
        Out-of-fold class probabilities of your own model, classes in sorted order; of shape
        (n_samples,) out-of-fold predictions of a quantity. They are one more opinion.
    reference : Audit or table, default=None
        Other rows of the same table, such as the training rows: columns that have drifted are
        reported.
    noise : pandas.DataFrame, default=None
        ``noise_matrix`` of an audit of the same table before a part of its labels was corrected.
        By default the noise is learnt. `Audit.recheck` does this for you.
    confirmed : sequence of int, default=()
        Positions of rows whose label a person has checked: they are not suspect.
    random_state : int, RandomState or None, default=0
        Seeds the models.
    progress : callable, default=None
        Called as ``progress(stage, share)`` at the beginning of each stage, with the share of the
        work that is done; ``progress=print`` shows them.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import numpy as np
    >>> from broadlearn.auditing import audit
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(0, 1, (50, 2)), rng.normal(5, 1, (50, 2))])
    >>> y = np.repeat(["low", "high"], 50)
    >>> y[70], X[20] = "low", [-90, 0]
    >>> found = audit(X, y)
    >>> found
    <Audit of 100 rows: 1 likely mislabelled, 1 outlier, 98 fine>
    >>> found.table.iloc[0][["label", "likely_label", "verdict"]].tolist()
    ['low', 'high', 'likely mislabelled']
    >>> print(found.table.iloc[0]["why"].partition(";")[2])
     10 of its 10 nearest rows are 'high'.
    """
    done = 0.0

    def step(stage: str) -> None:
        nonlocal done
        if progress is not None:
            progress(stage, round(done, 2))
        done += STAGES[stage]

    step("columns")
    rows, seed = prepare_rows(X, y, task, preparation), draw_seed(random_state)
    step("neighbours")
    near = find_neighbours(rows.Z, seed=seed)
    opinions = form_opinions(rows, near.nearest, probabilities, seed, step)
    step("noise")
    if rows.is_regression:
        judged = judge_targets(opinions, rows.labels, near.nearest, confirmed, seed)
    else:
        known = None if noise is None else _known_noise(noise, rows)
        judged = judge_labels(opinions, rows.codes, known, confirmed, seed)
    if reference is not None:
        reference = reference.rows.frame if isinstance(reference, Audit) else rows.read(reference)
    evidence = Evidence(
        near,
        judged.proba,
        judged.suspicion,
        judged.flagged,
        judged.likely,
        count_errors(judged, rows.classes, rows.codes),
        judged.pool,
        reference,
    )
    step("checks")
    findings: list[Finding] = []
    for check in [make() for make in CHECKS] if checks is None else checks:
        findings += within_limit(check.find(rows, evidence), check.limit)
    health = Health(sorted(findings, key=lambda finding: -finding.penalty))
    return Audit(row_table(rows, evidence, findings), rows, evidence, health)


def within_limit(findings: Sequence[Finding], limit: float) -> list[Finding]:
    """Shrink the penalties of a check's findings so that they sum to no more than its limit.

    Examples
    --------
    >>> findings = [Finding("columns", "'a' is constant.", 4.0), Finding("columns", "...", 4.0)]
    >>> [finding.penalty for finding in within_limit(findings, 5.0)]
    [2.5, 2.5]
    """
    total = sum(finding.penalty for finding in findings)
    shrink = min(1.0, limit / total) if total else 1.0
    return [replace(finding, penalty=shrink * finding.penalty) for finding in findings]


def _known_noise(noise: pd.DataFrame, rows: Rows) -> Array:
    """Return a noise matrix that was learnt before, for the classes that there are now."""
    T = noise.reindex(index=rows.classes, columns=rows.classes).to_numpy(dtype=np.float64)
    # Labels of new classes are assumed correct.
    T = np.where(np.isnan(T), np.eye(len(T)), T)
    return np.asarray(T / T.sum(axis=1, keepdims=True))


def row_table(rows: Rows, evidence: Evidence, findings: Sequence[Finding]) -> pd.DataFrame:
    """Return one line per row, the most suspect label first, with the columns of X."""
    every = np.arange(rows.size)
    verdict, why = np.full(rows.size, FINE, dtype=object), np.full(rows.size, "", dtype=object)
    rank = {name: place for place, name in enumerate(VERDICTS)}
    # The first of VERDICTS wins; verdicts of a user's own checks come last.
    spoken = [finding for finding in findings if finding.verdict]
    for finding in sorted(spoken, key=lambda finding: -rank.get(finding.verdict, len(rank))):
        verdict[finding.rows] = finding.verdict
        for row, reason in zip(finding.rows.tolist(), finding.reasons, strict=True):
            why[row] = f"{reason} {why[row]}".rstrip()
    if rows.is_regression:
        likely = evidence.proba[:, 0]
        own_p, likely_p = 1.0 - evidence.suspicion, np.full(rows.size, np.nan)
    else:
        likely = rows.classes[evidence.likely]
        own_p = evidence.proba[every, rows.codes]
        likely_p = evidence.proba[every, evidence.likely]
    found = pd.DataFrame(
        {
            "position": every,
            "suspicion": evidence.suspicion,
            "verdict": verdict,
            "why": why,
            "label": rows.labels,
            "likely_label": likely,
            "own_probability": own_p,
            "likely_probability": likely_p,
        },
        index=rows.frame.index,
    )
    # The command line and corrections files use this name too.
    taken = {*found.columns, "row"}
    frame = rows.frame.rename(columns=lambda name: f"X: {name}" if name in taken else name)
    order = np.argsort(-evidence.suspicion, kind="stable")
    return pd.concat([found, frame], axis=1).iloc[order]
