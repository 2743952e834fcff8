"""The corrections file: a list of suspect rows in which a person decides on each."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from broadlearn.auditing.changes import RowChanges, replace_labels, row_changes
from broadlearn.auditing.cleaning import suspect_rows
from broadlearn.auditing.findings import FINE
from broadlearn.tables import read_frame
from broadlearn.utils import harmless, listed

if TYPE_CHECKING:
    from broadlearn.auditing.result import Audit

NEEDED = ["row", "label", "action", "new_label"]
CHOICES = ("keep", "relabel", "drop")
# Ends an action that is only a suggestion.
SUGGESTED = "?"
# Prefix of a new label that the table does not have.
NEW = "new:"


class Corrections(NamedTuple):
    """What a person decided.

    Attributes
    ----------
    changes : RowChanges
        Which rows are dropped and which relabelled.
    kept : ndarray
        Positions of the rows that the person said are right.
    n_undecided : int
        Rows of the file that nothing was said of: an empty action, or one with a "?".
    labels : ndarray of shape (n_rows,)
        Labels of the table that the file was checked against.
    """

    changes: RowChanges
    kept: NDArray[np.intp]
    n_undecided: int
    labels: NDArray[Any]

    def apply(self, frame: Any, target: str) -> Any:
        """Return a table without the dropped rows and with the new labels, all else unchanged."""
        return self.changes.apply(frame, target)

    @property
    def corrected(self) -> NDArray[Any]:
        """The labels of the rows that stay, corrected."""
        labels: NDArray[Any] = replace_labels(self.labels, self.changes)
        return labels[self.changes.kept]

    @property
    def confirmed(self) -> NDArray[np.intp]:
        """Rows of the corrected table that the person decided on."""
        decided = np.r_[self.kept, self.changes.relabelled]
        return np.flatnonzero(np.isin(self.changes.kept, decided))


def corrections_table(audit: Audit) -> pd.DataFrame:
    """Return all rows that are not fine; `Audit.corrections` says more."""
    table = audit.table
    position = table["position"].to_numpy()
    suspect = np.isin(position, suspect_rows(audit))
    # A person knows what a quantity should be; a prediction is no measurement.
    quantity = audit.rows.is_regression
    suggested = "drop" if quantity else "relabel"
    likely = table["likely_label"].to_numpy(dtype=object)
    lines = pd.DataFrame(
        {
            "row": position,
            "index": table.index.to_flat_index(),
            "label": table["label"].to_numpy(),
            "likely_label": table["likely_label"].to_numpy(),
            "suspicion": table["suspicion"].to_numpy(),
            "verdict": table["verdict"].to_numpy(),
            "action": np.where(suspect, f"{suggested}{SUGGESTED}", f"keep{SUGGESTED}"),
            "new_label": np.where(suspect & (not quantity), likely, ""),
        }
    )
    return lines[lines["verdict"] != FINE].reset_index(drop=True)


def read_corrections(path: str | PathLike[str], y: ArrayLike) -> Corrections:
    r"""Read and check a corrections file that a person has edited.

    Parameters
    ----------
    path : str or path-like
        A CSV file or Excel workbook with the columns ``row`` (counted from 0), ``label``,
        ``action`` and ``new_label``, and any others. An action is "keep", "relabel" or "drop";
        where it is empty or a suggestion ("relabel?"), nothing is done. A new label is one that the
        table has, or "new:" and one that it has not.
    y : array-like of shape (n_samples,)
        Labels of the table: those of the file must agree with them. Floats are a regression
        target, of which any number is a label.

    Returns
    -------
    Corrections
        ``corrections.apply(frame, target)`` returns the corrected table.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> from broadlearn.auditing import read_corrections
    >>> frame = pd.DataFrame({"age": [61, 70, 52], "state": ["ill", "well", "ill"]})
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "fixes.csv")
    ...     _ = path.write_text("row,label,action,new_label\n0,ill,drop,\n2,ill,relabel,well\n")
    ...     corrections = read_corrections(path, frame["state"])
    >>> corrections.apply(frame, "state")
       age state
    1   70  well
    2   52  well
    """
    labels, table = column_or_1d(y), read_frame(path, as_text=True).astype(object).fillna("")
    lacking = [name for name in NEEDED if name not in table]
    if lacking:
        raise ValueError(
            f"{path} must have the columns {listed(NEEDED)}, but has no {listed(lacking)}."
        )
    classes = list(dict.fromkeys(labels.tolist())) if labels.dtype.kind != "f" else []
    chosen: dict[int, tuple[str, Any]] = {}
    seen: set[int] = set()
    for text, label, action, new_label in table[NEEDED].astype(str).to_numpy().tolist():
        if not any((text, label, action, new_label)):
            continue
        row, where = _number(text), f"{path}, row {text}"
        if row is None or row not in range(len(labels)):
            raise ValueError(f"{where}: row must be an integer from 0 to {len(labels) - 1}.")
        row = int(row)
        if row in seen:
            raise ValueError(f"{where}: this row is listed twice.")
        seen.add(row)
        if not _is(label, labels[row]):
            raise ValueError(
                f"{where}: the label is {str(labels[row])!r} in the table and {label!r} in the "
                "file; was the table changed?"
            )
        action = action.strip().lower()
        if not action or action.endswith(SUGGESTED):
            continue
        if action not in CHOICES:
            raise ValueError(
                f"{where}: action must be keep, relabel, drop, or empty, got {action!r}."
            )
        new = None
        if action == "relabel":
            new = _new_label(new_label, labels, classes, where)
            action = "keep" if new == labels[row] else action
        chosen[row] = action, new
    rows = {choice: [i for i in chosen if chosen[i][0] == choice] for choice in CHOICES}
    if len(rows["drop"]) == len(labels):
        raise ValueError(f"{path} drops every row of the table.")
    changes = row_changes(len(labels), rows["drop"], {i: chosen[i][1] for i in rows["relabel"]})
    kept = np.array(sorted(rows["keep"]), dtype=np.intp)
    return Corrections(changes, kept, len(seen) - len(chosen), labels)


def _new_label(text: str, labels: NDArray[Any], classes: list[Any], where: str) -> Any:
    """Return the label that a text names, of the kind that the table has."""
    kind, number = labels.dtype.kind, _number(text.removeprefix(NEW))
    if kind == "f":
        if number is None or not np.isfinite(number):
            raise ValueError(f"{where}: new_label must be a number, got {text!r}.")
        return number
    # A label that is written just so comes first: "'=1" may also stand for "=1".
    for label in sorted(classes, key=lambda label: str(label) != text):
        if _is(text, label):
            return label
    new = text.removeprefix(NEW)
    if not text.startswith(NEW) or not new or kind == "b":
        raise ValueError(
            f"{where}: new_label {text!r} is not a label of the table, which has "
            f"{listed(classes)}." + ("" if kind == "b" else f" For a new one, write {NEW + new!r}.")
        )
    if kind not in "iu":
        return new[1:] if new[:1] == "'" and harmless(new[1:]) == new else new
    if number is None or not number.is_integer():
        raise ValueError(f"{where}: new_label must be an integer like the others, got {new!r}.")
    return int(number)


def _is(text: str, label: Any) -> bool:
    """Whether a text of the file is the label; spreadsheets write 1 as 1.0 and True as TRUE."""
    own = str(label)
    if text in (own, harmless(own)):
        return True
    if isinstance(label, bool | np.bool_):
        return text.strip().lower() == own.lower()
    return not isinstance(label, str) and _number(text) == float(label)


def _number(text: str) -> float | None:
    try:
        return float(text.strip().removeprefix("'"))
    except ValueError:
        return None
