"""What becomes of the rows of a table: some are dropped, some get another label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray


class RowChanges(NamedTuple):
    """Changes to the rows of a table.

    Attributes
    ----------
    n_rows : int
        Rows of the table.
    dropped, relabelled : ndarray
        Positions of rows, counted from 0.
    labels : ndarray
        New label of each of `relabelled`.
    """

    n_rows: int
    dropped: NDArray[np.intp]
    relabelled: NDArray[np.intp]
    labels: NDArray[Any]

    @property
    def kept(self) -> NDArray[np.intp]:
        """Positions of the rows that stay."""
        return np.setdiff1d(np.arange(self.n_rows), self.dropped)

    def apply(self, frame: Any, target: str) -> Any:
        """Return a table without the dropped rows and with the new labels, all else unchanged.

        Parameters
        ----------
        frame : pandas or polars DataFrame
            It is not changed.
        target : str
            Its column of labels.
        """
        if target not in frame.columns:
            raise ValueError(f"frame must have the target column {target!r}.")
        if len(frame) != self.n_rows:
            raise ValueError(f"frame must have {self.n_rows} rows, got {len(frame)}.")
        column = replace_labels(frame[target], self)
        if hasattr(frame, "with_columns"):
            return frame.with_columns(column)[self.kept]
        return frame.assign(**{target: column}).iloc[self.kept]


def row_changes(
    n_rows: int,
    dropped: Sequence[int] | NDArray[np.intp] = (),
    relabelled: Mapping[int, Any] | None = None,
) -> RowChanges:
    """Return changes to a table; `relabelled` has the new labels by position.

    Examples
    --------
    >>> changes = row_changes(3, [1], {2: "c", 0: "b"})
    >>> changes.kept.tolist(), changes.relabelled.tolist(), changes.labels.tolist()
    ([0, 2], [0, 2], ['b', 'c'])
    """
    new = dict(sorted((relabelled or {}).items()))
    labels = np.empty(len(new), dtype=object)
    labels[:] = list(new.values())
    gone, rows = (np.array([*part], dtype=np.intp) for part in (sorted(dropped), new))
    return RowChanges(n_rows, gone, rows, labels)


def replace_labels(labels: Any, changes: RowChanges) -> Any:
    """Return a copy of labels with the new ones, of the same type where that can hold them.

    Parameters
    ----------
    labels : ndarray, or column of pandas or Polars
    changes : RowChanges

    Examples
    --------
    >>> import pandas as pd
    >>> column = pd.Series(["a", "b", "a"], dtype="category")
    >>> replace_labels(column, row_changes(3, relabelled={0: "b", 1: "c"})).tolist()
    ['b', 'c', 'a']
    >>> as_written = pd.Series(["1", "2", "1"], dtype="str")
    >>> replace_labels(as_written, row_changes(3, relabelled={0: 2})).tolist()
    ['2', '2', '1']
    """
    new = changes.labels.tolist()
    if hasattr(labels, "iloc"):
        copy = labels.copy()
        if isinstance(copy.dtype, pd.CategoricalDtype):
            unknown = [label for label in dict.fromkeys(new) if label not in copy.cat.categories]
            copy = copy.cat.add_categories(unknown)
        elif pd.api.types.is_string_dtype(copy):
            new = list(map(str, new))
        elif copy.dtype.kind in "iu" and any(label != int(label) for label in new):
            copy = copy.astype(np.float64)
        copy.iloc[changes.relabelled] = new
        return copy
    if hasattr(labels, "to_list"):  # of Polars
        values = labels.to_list()
        for row, label in zip(changes.relabelled.tolist(), new, strict=True):
            values[row] = label
        replaced = type(labels)(labels.name, values)
        same = replaced.cast(labels.dtype, strict=False)
        return same if same.to_list() == values else replaced
    # A new label may be longer than the array's strings.
    is_text = new and labels.dtype.kind == "U"
    copy = np.array(labels, dtype=np.result_type(labels, np.array(new)) if is_text else None)
    copy[changes.relabelled] = new
    return copy
