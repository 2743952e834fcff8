"""What to fit on, after an audit: suspect rows left out, relabelled, or of little weight."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from broadlearn.auditing.changes import RowChanges, replace_labels, row_changes
from broadlearn.auditing.findings import CONTRADICTING, MISLABELLED
from broadlearn.utils.sklearn_compat import safe_indexing

if TYPE_CHECKING:
    from broadlearn.auditing.result import Audit

ACTIONS = ("drop", "relabel", "weight")


def suspect_rows(audit: Audit) -> NDArray[np.intp]:
    """Return the positions of rows whose label is taken to be wrong.

    They are the likely mislabelled ones, and contradicting duplicates whose label is more likely
    wrong than right: of two copies with different labels that are equally likely, both stay.
    """
    table = audit.table
    wrong = (table["verdict"] == CONTRADICTING) & (table["suspicion"] > 0.5)
    suspect = table.loc[(table["verdict"] == MISLABELLED) | wrong, "position"]
    return np.sort(suspect.to_numpy(dtype=np.intp))


def decide(
    audit: Audit, action: str, confirmed: Sequence[int] | NDArray[np.intp] = ()
) -> RowChanges:
    """Return what "drop" or "relabel" makes of the suspect rows, but for confirmed ones."""
    suspect = np.setdiff1d(suspect_rows(audit), confirmed)
    if action == "drop":
        return row_changes(audit.rows.size, suspect)
    if audit.rows.is_regression:
        raise ValueError(
            "action='relabel' needs classes, but the target is a quantity; use 'drop' or 'weight'."
        )
    likely = audit.table.set_index("position")["likely_label"]
    wrong = suspect[audit.evidence.suspicion[suspect] > 0.5]
    new = {i: likely[i] for i in wrong.tolist() if likely[i] != audit.rows.labels[i]}
    return row_changes(audit.rows.size, relabelled=new)


def clean(audit: Audit, X: Any, y: Any, action: str) -> tuple[Any, ...]:
    """Return what to fit on; `Audit.clean` says more."""
    if action not in ACTIONS:
        raise ValueError(f"action must be one of {', '.join(map(repr, ACTIONS))}, got {action!r}.")
    _check_same_rows(audit, X, y)
    if not hasattr(y, "to_numpy"):
        y = column_or_1d(y)
    if action == "weight":
        return X, y, audit.sample_weight
    changes = decide(audit, action)
    if action == "relabel":
        return X, replace_labels(y, changes)
    labels, kept = audit.rows.labels, changes.kept
    lost = {*labels.tolist()} - {*labels[kept].tolist()}
    if lost and not audit.rows.is_regression:
        warnings.warn(
            f"Dropping suspect rows removes all rows of {', '.join(map(repr, sorted(lost)))}.",
            UserWarning,
            stacklevel=3,
        )
    X = X if hasattr(X, "shape") else np.asarray(X)
    return safe_indexing(X, kept), safe_indexing(y, kept)


def _check_same_rows(audit: Audit, X: Any, y: Any) -> None:
    """Raise an error if y differs from the audited labels, or X from their number."""
    audited, given = audit.rows.labels, column_or_1d(y)
    for name, length in (("X", X.shape[0] if hasattr(X, "shape") else len(X)), ("y", given.size)):
        if length != audited.size:
            raise ValueError(f"{name} must have the {audited.size} audited rows, got {length}.")
    other = np.flatnonzero(given.astype(object) != audited.astype(object))
    if other.size:
        i = other[0]
        raise ValueError(
            f"y must be the audited labels in the same order, but {other.size} of {given.size} "
            f"differ, first in row {i}: {given[i]!s} instead of {audited[i]!s}."
        )
