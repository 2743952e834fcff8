"""What to fit on, after an audit: suspect rows left out, relabelled, or of little weight."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from broadlearn.auditing.findings import CONTRADICTING, MISLABELLED
from broadlearn.io import RowChanges, import_pandas, replace_labels, row_changes
from broadlearn.utils import Array
from broadlearn.utils.sklearn_compat import safe_indexing

if TYPE_CHECKING:
    import pandas as pd

    from broadlearn.auditing.result import Evidence

ACTIONS = ("drop", "relabel", "weight")


class Audited(Protocol):
    """What is asked of an `Audit` here."""

    @property
    def table(self) -> pd.DataFrame:
        """One line per row, with its ``position``."""

    @property
    def evidence(self) -> Evidence:
        """What was audited."""


def sample_weight(audit: Audited) -> Array:
    """The probability of each row's label to be right, in the order of X."""
    return np.asarray(1.0 - in_order(audit, "suspicion").astype(np.float64))


def suspect_rows(audit: Audited) -> NDArray[np.intp]:
    """Positions of the rows whose label is taken to be wrong.

    They are the likely mislabelled ones, and those of a group of contradicting duplicates whose
    label is more likely wrong than right: of two copies with different labels that are equally
    likely, both stay. Outlying and ambiguous rows have labels that may well be right, and tell a
    model where classes end; copies with one label are a matter of how rows were collected.
    """
    verdict, suspicion = in_order(audit, "verdict"), in_order(audit, "suspicion")
    wrong = (verdict == CONTRADICTING) & (suspicion > 0.5)
    return np.flatnonzero((verdict == MISLABELLED) | wrong)


def decide(
    audit: Audited, action: str, settled: Sequence[int] | NDArray[np.intp] = ()
) -> RowChanges:
    """What "drop" or "relabel" makes of the suspect rows, but for those that are settled."""
    rows, label = np.setdiff1d(suspect_rows(audit), settled), in_order(audit, "label")
    if action == "drop":
        return row_changes(label, rows)
    if audit.evidence.rows.is_regression:
        raise ValueError(
            "action='relabel' needs classes: of a quantity there is only a prediction, from which "
            "a model would learn nothing; use 'drop' or 'weight'."
        )
    likely = in_order(audit, "likely_label").tolist()
    wrong = rows[in_order(audit, "suspicion")[rows].astype(np.float64) > 0.5]
    return row_changes(label, (), {i: likely[i] for i in wrong.tolist() if likely[i] != label[i]})


def clean(audit: Audited, X: Any, y: Any, action: str = "drop") -> tuple[Any, ...]:
    """Give back what to fit on; `Audit.clean` says more."""
    if action not in ACTIONS:
        raise ValueError(f"action must be one of {', '.join(map(repr, ACTIONS))}, got {action!r}.")
    _check_same_rows(audit, X, y)
    if hasattr(y, "iloc") and y.ndim == 2:
        y = y.iloc[:, 0]
    elif not hasattr(y, "to_numpy"):
        y = column_or_1d(y)
    if action == "weight":
        return X, y, sample_weight(audit)
    changes = decide(audit, action)
    if action == "relabel":
        return X, _relabelled(y, changes)
    label, kept = in_order(audit, "label"), changes.kept
    lost = {*label.tolist()} - {*label[kept].tolist()}
    if lost and not audit.evidence.rows.is_regression:
        warnings.warn(
            f"Without suspect rows, none is left of {', '.join(map(repr, sorted(lost)))}.",
            UserWarning,
            stacklevel=3,
        )
    X = X if hasattr(X, "shape") else np.asarray(X)
    return safe_indexing(X, kept), safe_indexing(y, kept)


def in_order(audit: Audited, name: str) -> NDArray[Any]:
    """A column of the table in the order of X."""
    values = np.asarray(audit.table[name])
    ordered = np.empty_like(values)
    ordered[audit.table["position"].to_numpy()] = values
    return ordered


def _check_same_rows(audit: Audited, X: Any, y: Any) -> None:
    """Raise where X and y are seen not to be the audited rows in their order.

    The labels are compared, and of frames whether the same index is in another order; columns may
    have been scaled or added since.
    """
    audited, given = in_order(audit, "label"), column_or_1d(y)
    for name, length in (("X", X.shape[0] if hasattr(X, "shape") else len(X)), ("y", given.size)):
        if length != audited.size:
            raise ValueError(f"{name} must have the {audited.size} rows audited, got {length}.")
    other = np.flatnonzero(given.astype(object) != audited.astype(object))
    if other.size:
        i = other[0]
        raise ValueError(
            f"y must be the labels that were audited, in their order: {other.size} of {given.size} "
            f"differ, the first in row {i}, which has {given[i]!s} and had {audited[i]!s}."
        )
    # Arrays have rows in place of an index.
    if isinstance(X, import_pandas().DataFrame) and audit.table.index.name != "row":
        index = audit.table.index[np.argsort(audit.table["position"].to_numpy())]
        if not X.index.equals(index) and X.index.isin(index).all():
            raise ValueError(
                "X must have the audited rows in their order; its index is in another."
            )


def _relabelled(y: Any, changes: RowChanges) -> Any:
    """A copy of labels with some of them replaced, of the same type."""
    if hasattr(y, "iloc"):
        return replace_labels(y, changes)
    labels = changes.labels.tolist()
    if hasattr(y, "to_numpy"):  # of Polars
        replaced = dict(zip(changes.relabelled.tolist(), labels, strict=True))
        values = [replaced.get(i, label) for i, label in enumerate(y.to_list())]
        return type(y)(y.name, values, dtype=y.dtype)
    # A text may be longer than those that there is room for.
    dtype = np.result_type(y, np.array(labels)) if labels and y.dtype.kind == "U" else y.dtype
    copy = np.array(y, dtype=dtype)
    copy[changes.relabelled] = changes.labels
    return copy
