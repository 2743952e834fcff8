"""Which rows of a table are suspect, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.decomposition import PCA

from broadlearn.auditing.duplicates import find_duplicates
from broadlearn.auditing.errors import count_errors
from broadlearn.auditing.findings import MISLABELLED, OUTLYING
from broadlearn.auditing.health import check_table
from broadlearn.auditing.neighbours import Neighbours, find_neighbours
from broadlearn.auditing.opinions import Opinion, form_opinion
from broadlearn.auditing.outlying import find_outlying
from broadlearn.auditing.result import Audit, Evidence
from broadlearn.auditing.rows import Rows, join_rows, prepare_rows
from broadlearn.auditing.values import row_values
from broadlearn.auditing.verdicts import Verdicts, judge
from broadlearn.io import import_pandas, rank_columns
from broadlearn.utils import Array, draw_seed

if TYPE_CHECKING:
    import pandas as pd

# Nearest rows that are looked for: as many as models use.
N_NEAR = 15
# Deviations beyond which values do not stretch the map of the rows.
MAX_DEVIATIONS = 5.0
# Stages and their shares of the time.
STAGES = {
    "columns": 0.02,
    "neighbours": 0.13,
    "nearest rows": 0.05,
    "extremely random trees": 0.15,
    "random forest": 0.2,
    "broad learning": 0.3,
    "noise": 0.02,
    "values": 0.07,
    "verdicts": 0.06,
}


def audit(
    X: Any,
    y: ArrayLike,
    *,
    task: str = "auto",
    reference: Audit | None = None,
    random_state: int | np.random.RandomState | None = 0,
    progress: Callable[[str, float], object] | None = None,
) -> Audit:
    """Judge every row of a table, and the table as a whole.

    Several kinds of models that did not see a row (broad learning at infinite width with each row
    left out exactly, forests by the trees that did not draw it, the nearest rows) give the
    probability of its label. From the labels of rows that they are surest of, the audit learns how
    labels were corrupted, class by class, and what that makes of each row: ``suspicion`` is the
    probability that its label is wrong. Where classes overlap or one is rare, that is less than
    models alone would make one believe.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), pandas or polars DataFrame
        Numbers, or a frame that may also have text, categories, booleans and missing values, see
        `broadlearn.io.TablePreparation`.
    y : array-like of shape (n_samples,)
        Class labels, at least two different ones, or a quantity.
    task : {"auto", "classification", "regression"}, default="auto"
        "auto" takes fractions for a quantity, and everything else for classes.
    reference : Audit, default=None
        An audit of other rows of the same table. Models learn from these only, and the rows given
        here are judged as new ones.
    random_state : int, RandomState or None, default=0
        Seeds the models.
    progress : callable, default=None
        Called as ``progress(stage, share)`` at the beginning of each stage, with the share of the
        work that is done.

    Returns
    -------
    Audit
        Needs pandas.

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
    <Audit of 100 rows: 1 likely mislabelled, 1 outlying, 98 fine>
    >>> found.table["verdict"].head(2).to_dict()
    {70: 'likely mislabelled', 20: 'outlying'}
    >>> found.table.loc[70, ["label", "likely_label"]].tolist()
    ['low', 'high']
    """
    done = 0.0

    def step(stage: str) -> None:
        nonlocal done
        if progress is not None:
            progress(stage, done)
        done += STAGES[stage]

    step("columns")
    if reference is None:
        rows, n_known = prepare_rows(X, y, task), 0
    else:
        rows, n_known = join_rows(reference.evidence.rows, X, y), len(reference.table)
    seed = draw_seed(random_state)
    step("neighbours")
    near = find_neighbours(rows, N_NEAR, seed=seed)
    opinion = form_opinion(rows, near, seed, step, n_known)
    step("values")
    value = row_values(rows, seed=seed)
    step("verdicts")
    columns = rank_columns(rows.frame)
    outlying = find_outlying(rows, near)
    copies = find_duplicates(rows, near.nearest, near.distance, columns=columns)
    verdicts = judge(rows, opinion, near, outlying, copies)
    if n_known:
        # Models and neighbours knew the reference; what is said from here on is of the new rows.
        rows, opinion, verdicts = (
            rows.after(n_known),
            opinion.after(n_known),
            verdicts.after(n_known),
        )
        near, value, columns = near.after(n_known), value[n_known:], rank_columns(rows.frame)
        copies = copies.after(n_known)
    errors = count_errors(rows, opinion, verdicts.verdict == MISLABELLED, seed)
    far = np.flatnonzero(verdicts.verdict == OUTLYING)
    health = check_table(
        rows,
        opinion.proba,
        opinion.suspicion,
        errors.total,
        copies,
        outlying=far[np.argsort(-verdicts.urgency[far], kind="stable")],
        columns=columns,
    )
    evidence = Evidence(
        rows,
        opinion.proba,
        opinion.posterior,
        opinion.suspicion,
        near,
        outlying.column_shares[n_known:],
        _project(rows),
        opinion.pool,
    )
    table = _table(rows, opinion, near, verdicts, value)
    return Audit(table, rows.classes, errors, health, evidence)


def _table(
    rows: Rows, opinion: Opinion, near: Neighbours, verdicts: Verdicts, value: Array
) -> pd.DataFrame:
    """One line per row, the most urgent first, with the columns of X."""
    pandas, every = import_pandas(), np.arange(len(rows.Z))
    index = rows.frame.index
    if rows.is_regression:
        likely, own_p = opinion.proba[:, 0], 1.0 - opinion.suspicion
        likely_p = np.full(every.size, np.nan)
    else:
        codes = opinion.likely
        likely, own_p = rows.classes[codes], opinion.proba[every, rows.codes]
        likely_p = opinion.proba[every, codes]
    order = np.argsort(-verdicts.urgency, kind="stable")
    found = pandas.DataFrame(
        {
            "position": every,
            "suspicion": opinion.suspicion,
            "verdict": verdicts.verdict,
            "why": verdicts.why,
            "label": rows.labels,
            "likely_label": likely,
            "own_probability": own_p,
            "likely_probability": likely_p,
            "nearest_own": _labels_of(index, near.own[:, 0]),
            "nearest_other": _labels_of(index, near.other[:, 0]),
            "columns": verdicts.columns,
            "value": value,
        },
        index=index,
    )
    # Commands and corrections call positions and lines of a file so.
    taken = {*found.columns, "row", "line"}
    frame = rows.frame.rename(columns=lambda name: f"X: {name}" if name in taken else name)
    return pandas.concat([found, frame], axis=1).iloc[order]


def _labels_of(index: pd.Index, positions: NDArray[np.intp]) -> Any:
    """Labels of an index, missing where there is no row."""
    return import_pandas().Series(index.take(positions), index=index).where(positions >= 0)


def _project(rows: Rows) -> Array:
    """First two principal components, of values that are not far out."""
    places = np.zeros((len(rows.Z), 2))
    Z = np.clip(rows.Z, -MAX_DEVIATIONS, MAX_DEVIATIONS)
    n_components = min(2, *Z.shape)
    if np.ptp(Z, axis=0).any():
        places[:, :n_components] = PCA(n_components, random_state=0).fit_transform(Z)
    return places
