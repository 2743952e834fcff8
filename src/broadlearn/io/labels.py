"""The target column of a table: labels of one spelling each, or the numbers of a quantity."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from broadlearn.io.column_deciding import decide_reading
from broadlearn.io.column_levels import common_spellings, spelling_key
from broadlearn.io.column_reading import Reading, as_floats, content_of
from broadlearn.utils import Array

if TYPE_CHECKING:
    import pandas as pd

TASKS = ("classification", "regression", "auto")
# A numeric target with more distinct values than this may be a quantity instead of a class.
MAX_NUMERIC_LABELS = 50
# Single letters of more kinds are told apart by their case, as letters to be recognised are.
MAX_LETTERS = 4
# Labels that are hardly the name of a class.
VOID_LABELS = frozenset(("-", "--", "---", ".", "..", "n.a.", "n.a", "k.a.", "k. a.", "n/d", "s/d"))
# Merged labels that a sentence names.
MAX_NAMED = 5
_TEXTS = ("string", "categorical", "mixed", "mixed-integer", "time")


def read_labels(
    column: pd.Series,
    what: str,
    task: str,
    where: Callable[[int], str] = "row {}".format,
    classes: Sequence[Any] | NDArray[Any] = (),
) -> NDArray[Any]:
    """Labels of a target column, or the numbers of a regression target.

    Texts lose outer spaces. Those that differ in case or inner spaces only are one label, in its
    most frequent spelling, which a warning says. Text that holds numbers is read as numbers.

    Parameters
    ----------
    column : pandas.Series
    what : str
        How errors call the column.
    task : {"classification", "regression", "auto"}
        As in `broadlearn.io.read_table`.
    where : callable
        Says where the row at a position is.
    classes : sequence, default=()
        Classes of a model, as which labels are spelt that differ in case or spaces only.

    Examples
    --------
    >>> import pandas as pd
    >>> read_labels(pd.Series(["1", "0.0", "1.0 "]), "The target", "classification").tolist()
    [1, 0, 1]
    """
    if len(classes) and task == "classification":
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".* has labels that differ")
            labels = _read(column, what, task, where)
        cells = [str(cell) for cell in column] if content_of(column) in _TEXTS else None
        return _spelt_as(labels, cells, np.asarray(classes), what)
    return _read(column, what, task, where)


def _read(column: pd.Series, what: str, task: str, where: Callable[[int], str]) -> NDArray[Any]:
    expected = "numbers" if task == "regression" else "classes"
    if column.dtype == object and not all(isinstance(cell, Hashable) for cell in column):
        raise ValueError(f"{what} holds lists or records, where {expected} are expected.")
    content = content_of(column)
    missing = column.isna()
    if content in ("string", "mixed", "mixed-integer"):
        missing |= column.map(lambda cell: isinstance(cell, str) and not cell.strip())
    rows = np.flatnonzero(missing)
    if rows.size:
        raise ValueError(
            f"{what} has no label in {rows.size} of {len(column)} rows, "
            f"the first of them {where(int(rows[0]))}."
        )
    if content == "boolean" and task != "regression":
        return column.to_numpy(dtype=bool)
    if content in _TEXTS:
        reading = decide_reading(column)
        if reading.kind == "date":
            raise ValueError(f"{what} holds dates, where classes are expected.")
        numbers = _as_numbers(column, reading, task)
        if numbers is None:
            if task == "regression":
                raise ValueError(f"{what} holds {_unread(column, reading, where)}.")
            labels = _merged([str(cell) for cell in column], what)
            _warn_of_voids(labels, what)
            return labels
        return _of_numbers(numbers, what, task)
    if content not in ("integer", "floating", "mixed-integer-float", "decimal"):
        noun = "booleans" if content == "boolean" else "dates"
        raise ValueError(f"{what} holds {noun}, where {expected} are expected.")
    try:
        return _of_numbers(as_floats(column), what, task)
    except ValueError as error:
        if "must hold finite numbers" in str(error):
            raise ValueError(f"{what} must hold finite numbers.") from error
        raise


def _as_numbers(column: pd.Series, reading: Reading, task: str) -> Array | None:
    """Numbers of a column of texts, if every text is one that a target would have."""
    try:
        return column.astype(str).astype(float).to_numpy(dtype=np.float64)
    except ValueError:
        pass
    if reading.kind != "number as text" or reading.how != "number":
        return None
    numbers = reading.read(column)
    few = np.unique(numbers).size <= MAX_NUMERIC_LABELS
    if np.isnan(numbers).any() or (task != "regression" and few):
        return None
    return numbers


def _of_numbers(numbers: Array, what: str, task: str) -> NDArray[Any]:
    if not np.isfinite(numbers).all():
        raise ValueError(f"{what} must hold finite numbers.")
    distinct = np.unique(numbers).size
    whole = bool(np.all(numbers == np.round(numbers)))
    quantity = distinct > MAX_NUMERIC_LABELS and (not whole or distinct > len(numbers) / 2)
    if task == "regression" or (quantity and task == "auto"):
        return numbers
    if quantity:
        raise ValueError(
            f"{what} looks like a regression target: "
            f"{distinct} different numbers in {len(numbers)} rows, where classes are expected; "
            "for quantities there is BroadEnsembleRegressor in Python."
        )
    # scikit-learn's classifiers refuse labels that are fractions.
    return numbers.astype(np.int64) if whole else np.array([f"{number:g}" for number in numbers])


def _merged(texts: list[str], what: str) -> NDArray[Any]:
    """Labels in their most frequent spelling, with a warning where there were several."""
    counts = Counter(" ".join(text.split()) for text in texts)
    keys = {text: spelling_key(text) for text in counts}
    if len(set(keys.values())) > MAX_LETTERS and all(len(text) == 1 for text in counts):
        return np.array([" ".join(text.split()) for text in texts])
    spellings = common_spellings(counts)
    merged: dict[str, list[str]] = {}
    for raw in dict.fromkeys(texts):
        chosen = spellings[spelling_key(raw)]
        if raw.strip() != chosen:
            merged.setdefault(chosen, []).append(raw)
    if merged:
        said = [f"{', '.join(map(repr, raw))} as {kept!r}" for kept, raw in merged.items()]
        more = " and others" if len(said) > MAX_NAMED else ""
        warnings.warn(
            f"{what} has labels that differ in case or spaces only, which are one: "
            f"{'; '.join(said[:MAX_NAMED])}{more}.",
            UserWarning,
            stacklevel=4,
        )
    return np.array([spellings[spelling_key(text)] for text in texts])


def _unread(column: pd.Series, reading: Reading, where: Callable[[int], str]) -> str:
    """What a target holds that is no number, where most of it is."""
    expected = "texts, where numbers are expected"
    if reading.kind != "number as text" or reading.how != "number":
        return expected
    bad = np.isnan(reading.read(column))
    first = int(bad.argmax())
    text = str(column.iloc[first])[:30]
    return f"{expected}, in {bad.sum()} of {len(column)} rows, such as {text!r} in {where(first)}"


def _warn_of_voids(labels: NDArray[Any], what: str) -> None:
    """Warn of classes that are called as missing values are."""
    found, counts = np.unique(labels, return_counts=True)
    void = [j for j, label in enumerate(found.tolist()) if spelling_key(label) in VOID_LABELS]
    if void and found.size > 2:
        said = f"{str(found[void[0]])!r} in {counts[void[0]]} of {labels.size} rows"
        warnings.warn(
            f"{what} has a class that may stand for a missing label: {said}; leave these rows out "
            "if it does.",
            UserWarning,
            stacklevel=5,
        )


def _spelt_as(
    labels: NDArray[Any], cells: list[str] | None, classes: NDArray[Any], what: str
) -> NDArray[Any]:
    """Labels as the classes of a model that they are, with a warning where they are spelt anew."""
    keys = [spelling_key(str(label)) for label in classes.tolist()]
    by_key = {k: c for k, c in zip(keys, classes.tolist(), strict=True) if keys.count(k) == 1}
    exact = {str(label): label for label in classes.tolist()}
    # The test files of some data sets end labels by a full stop.
    by_key = {**{f"{key}.": label for key, label in by_key.items()}, **by_key}
    raw = [str(label) for label in labels.tolist()] if cells is None else cells
    found: list[Any] = []
    merged: dict[str, str] = {}
    for text, label in zip(raw, labels.tolist(), strict=True):
        known = exact.get(text.strip(), by_key.get(spelling_key(text), label))
        if cells is not None and text.strip() != str(known) and spelling_key(text) in by_key:
            merged[text] = str(known)
        found.append(known)
    texts = {text: kept for text, kept in merged.items() if not _same_number(text, kept)}
    if texts:
        said = [f"{text!r} as {kept!r}" for text, kept in list(texts.items())[:MAX_NAMED]]
        more = " and others" if len(texts) > MAX_NAMED else ""
        warnings.warn(
            f"{what} has labels that are classes of the model in another spelling, which are read "
            f"as these: {', '.join(said)}{more}.",
            UserWarning,
            stacklevel=4,
        )
    if all(label in exact.values() for label in set(found)):
        return np.array(found, dtype=classes.dtype)
    return labels if classes.dtype.kind != labels.dtype.kind else np.array(found)


def _same_number(text: str, other: str) -> bool:
    try:
        return float(text) == float(other)
    except ValueError:
        return False
