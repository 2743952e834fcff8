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
    like : ndarray
        For each of `relabelled`, a row that has its new label, or -1 if there is none.
    labels : ndarray
        The new labels themselves.
    """

    n_rows: int
    dropped: NDArray[np.intp]
    relabelled: NDArray[np.intp]
    like: NDArray[np.intp]
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
        column = frame[target]
        if hasattr(frame, "with_columns"):
            labels = replace_labels(column.to_pandas(), self).tolist()
            new = type(column)(target, labels)
            same = new.cast(column.dtype, strict=False)
            return frame.with_columns(same if same.to_list() == labels else new)[self.kept]
        return frame.assign(**{target: replace_labels(column, self)}).iloc[self.kept]


def row_changes(
    labels: NDArray[Any],
    dropped: Sequence[int] | NDArray[np.intp] = (),
    relabelled: Mapping[int, Any] | None = None,
) -> RowChanges:
    """Return changes to a table with these labels; `relabelled` has the new ones by position.

    Examples
    --------
    >>> import numpy as np
    >>> changes = row_changes(np.array(["a", "b", "a"]), [1], {0: "b", 2: "c"})
    >>> changes.kept.tolist(), changes.relabelled.tolist(), changes.like.tolist()
    ([0, 2], [0, 2], [1, -1])
    """
    new = dict(sorted((relabelled or {}).items()))
    first: dict[Any, int] = {}
    if new:
        for i, label in enumerate(labels.tolist()):
            first.setdefault(label, i)
    found = [first.get(label, -1) for label in new.values()]
    texts = np.empty(len(new), dtype=object)
    texts[:] = list(new.values())
    gone, rows, like = (np.array([*part], dtype=np.intp) for part in (sorted(dropped), new, found))
    return RowChanges(len(labels), gone, rows, like, texts)


def chain_changes(labels: NDArray[Any], first: RowChanges, then: RowChanges) -> RowChanges:
    """Return two changes as one, the second to the table that the first leaves.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array(["a", "b", "a"])
    >>> first = row_changes(labels, [0], {2: "b"})
    >>> both = chain_changes(labels, first, row_changes(np.array(["b", "b"]), [0]))
    >>> both.kept.tolist(), both.relabelled.tolist()
    ([2], [2])
    """
    dropped = {*first.dropped.tolist(), *first.kept[then.dropped].tolist()}
    new = dict(zip(first.relabelled.tolist(), first.labels.tolist(), strict=True))
    new |= dict(zip(first.kept[then.relabelled].tolist(), then.labels.tolist(), strict=True))
    return row_changes(
        labels, [*dropped], {row: label for row, label in new.items() if row not in dropped}
    )


def replace_labels(column: pd.Series, changes: RowChanges) -> pd.Series:
    """Return a copy of a column of labels with the new ones, of the type that it has.

    Examples
    --------
    >>> import pandas as pd
    >>> column = pd.Series(["a", "b", "a"], dtype="category")
    >>> changes = row_changes(column.to_numpy(), relabelled={0: "b", 1: "c"})
    >>> replace_labels(column, changes).tolist()
    ['b', 'c', 'a']
    """
    copy, old = column.copy(), changes.like >= 0
    copy.iloc[changes.relabelled[old]] = column.iloc[changes.like[old]].to_numpy()
    if not old.all():
        new = changes.labels[~old].tolist()
        if isinstance(copy.dtype, pd.CategoricalDtype):
            copy = copy.cat.add_categories(list(dict.fromkeys(new)))
        elif copy.dtype.kind in "iu":
            whole = all(label == int(label) for label in new)
            copy, new = (copy, [*map(int, new)]) if whole else (copy.astype(np.float64), new)
        copy.iloc[changes.relabelled[~old]] = new
    return copy
