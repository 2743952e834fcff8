"""The corrections file: a list of suspect rows in which a person decides on each."""

from __future__ import annotations

import csv
import difflib
import re
from collections import Counter
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from broadlearn.auditing.changes import RowChanges, replace_labels, row_changes
from broadlearn.auditing.cleaning import suspect_rows
from broadlearn.auditing.findings import FINE
from broadlearn.utils import harmless

if TYPE_CHECKING:
    from broadlearn.auditing.result import Audit

NEEDED = ("row", "label", "action", "new_label")
CHOICES = ("keep", "relabel", "drop")
# Ends an action that is only a suggestion.
SUGGESTED = "?"
# Prefix of a new label that the table does not have.
NEW = "new:"
MAX_NAMED = 5
_WHOLE = re.compile(r"\d{1,15}(\.0*)?")


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
    listed = pd.DataFrame(
        {
            "row": position,
            index_heading(table.index): table.index.to_flat_index(),
            "label": table["label"].to_numpy(),
            "likely_label": table["likely_label"].to_numpy(),
            "suspicion": table["suspicion"].to_numpy(),
            "verdict": table["verdict"].to_numpy(),
            "action": np.where(suspect, f"{suggested}{SUGGESTED}", f"keep{SUGGESTED}"),
            "new_label": np.where(suspect & (not quantity), likely, ""),
        }
    )
    return listed[listed["verdict"] != FINE].reset_index(drop=True)


def index_heading(index: pd.Index) -> str:
    """Return the name of a column of index values: "line" where they are lines of a file."""
    return "line" if index.name == "line" else "index"


def read_corrections(path: str | PathLike[str], y: ArrayLike) -> Corrections:
    r"""Read and check a corrections file that a person has edited.

    Parameters
    ----------
    path : str or path-like
        CSV with the columns ``row`` (counted from 0), ``label``, ``action`` and ``new_label``, and
        any others. An action is "keep", "relabel" or "drop"; where it is empty or a suggestion
        ("relabel?"), nothing is done. A new label is one that the table has, or "new:" and one
        that it has not.
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
    path, labels = Path(path), column_or_1d(y)
    classes = {} if labels.dtype.kind == "f" else _texts_of(labels)
    chosen: dict[int, tuple[str, Any]] = {}
    lines: dict[int, int] = {}
    for line, fields in _records(path):
        where = f"{path}, line {line}"
        row = _row(fields["row"], len(labels), where)
        if row in lines:
            raise ValueError(f"{where}: row {row} is in line {lines[row]} already.")
        lines[row] = line
        if not _is(fields["label"], labels[row]):
            raise ValueError(
                f"{where}: row {row} has label {str(labels[row])!r} in the table and "
                f"{fields['label']!r} in the file; was the table changed?"
            )
        action = fields["action"].strip().lower()
        if not action or action.endswith(SUGGESTED):
            continue
        if action not in CHOICES:
            raise ValueError(
                f"{where}: action must be keep, relabel, drop, or empty, got {fields['action']!r}."
            )
        new = None
        if action == "relabel":
            new = _new_label(fields["new_label"], labels, classes, where)
            action = "keep" if new == labels[row] else action
        chosen[row] = action, new
    rows = {choice: [i for i in chosen if chosen[i][0] == choice] for choice in CHOICES}
    if len(rows["drop"]) == len(labels):
        raise ValueError(f"{path} drops every row of the table.")
    changes = row_changes(len(labels), rows["drop"], {i: chosen[i][1] for i in rows["relabel"]})
    kept = np.array(sorted(rows["keep"]), dtype=np.intp)
    return Corrections(changes, kept, len(lines) - len(chosen), labels)


def _records(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Line and fields of each record that is not blank."""
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            file.seek(0)
            records = csv.reader(file, delimiter=max(",;\t", key=first.count), strict=True)
            header = [name.strip() for name in next(records, [])]
            _check_header(header, path)
            line = records.line_num + 1
            for record in records:
                if any(field.strip() for field in record):
                    if len(record) != len(header):
                        raise ValueError(
                            f"{path}, line {line}: {len(record)} fields, where the first line has "
                            f"{len(header)}."
                        )
                    yield line, dict(zip(header, record, strict=True))
                line = records.line_num + 1
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not text in UTF-8; save it as CSV in UTF-8.") from error
    except csv.Error as error:
        raise ValueError(f"{path}, line {records.line_num}: {error}.") from error


def _check_header(header: list[str], path: Path) -> None:
    missing = [name for name in NEEDED if name not in header]
    if missing:
        raise ValueError(
            f"The first line of {path} must name the columns {', '.join(NEEDED)}, but lacks "
            f"{', '.join(missing)}."
        )
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        raise ValueError(f"{path} has more than one column named {twice[0]!r}.")


def _row(text: str, n: int, where: str) -> int:
    if not _WHOLE.fullmatch(text.strip()):
        raise ValueError(f"{where}: row must be an integer >= 0, got {text!r}.")
    row = int(float(text))
    if row >= n:
        raise ValueError(f"{where}: row is {row}, but the last of the table is {n - 1}.")
    return row


def _new_label(text: str, labels: NDArray[Any], classes: dict[str, Any], where: str) -> Any:
    """The label that a text names, of the kind that the table has."""
    if labels.dtype.kind == "f":
        number = _number(text)
        if number is None or not np.isfinite(number):
            raise ValueError(f"{where}: new_label must be a number, got {text!r}.")
        return number
    if text in classes:
        return classes[text]
    for label in classes.values():
        if _is(text, label):
            return label
    if not text:
        raise ValueError(f"{where}: action is 'relabel', but new_label is empty.")
    kind, new = labels.dtype.kind, text.removeprefix(NEW)
    if new == text or kind == "b":
        known = list(dict.fromkeys(map(str, classes.values())))
        close = difflib.get_close_matches(text, known, n=1)
        raise ValueError(
            f"{where}: new_label {text!r} is not a label of the table, which has "
            f"{', '.join(map(repr, known[:MAX_NAMED]))}{', ...' if len(known) > MAX_NAMED else ''}"
            + (f"; did you mean {close[0]!r}?" if close else ".")
            + ("" if kind == "b" else f" For a new one, write {NEW + text!r}.")
        )
    if kind not in "iu":
        if not new.isprintable() or not new.strip():
            raise ValueError(f"{where}: new_label must be printable text, got {new!r}.")
        return _bare(new)
    number = _number(new)
    if number is None or not number.is_integer():
        raise ValueError(f"{where}: new_label must be an integer like the others, got {new!r}.")
    return int(number)


def _texts_of(labels: NDArray[Any]) -> dict[str, Any]:
    """Labels by how they are written: those behind an apostrophe, too."""
    unique = list(dict.fromkeys(labels.tolist()))
    return {harmless(str(label)): label for label in unique} | {
        str(label): label for label in unique
    }


def _is(text: str, label: Any) -> bool:
    """Whether a text of the file is the label; spreadsheets write 1 as 1.0 and True as TRUE."""
    own = str(label)
    if text in (own, harmless(own)):
        return True
    if isinstance(label, bool | np.bool_):
        return text.strip().lower() == own.lower()
    return not isinstance(label, str) and _number(text) == float(label)


def _bare(text: str) -> str:
    """The text without the apostrophe that keeps spreadsheets from running it."""
    return text[1:] if text[:1] == "'" and harmless(text[1:]) == text else text


def _number(text: str) -> float | None:
    try:
        return float(text.strip().removeprefix("'"))
    except ValueError:
        return None
