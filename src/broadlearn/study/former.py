"""Which units of a store are of a model or of data that are not in use any more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

# What a unit is about, whatever version of the model and of the data.
CELL = ("dataset", "noise", "model", "protocol", "seed", "grid", "scoring")
FORMER_DATA, FORMER_MODEL = "data", "model"


def former_units(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Find the units that others have replaced.

    Of the contents of a data set under a protocol, the one that a study had in its plan last is in
    use; units on any other are former ones. Of the rest, the unit of a cell (one model on one data
    set with one noise under one protocol, once) that a study had in its plan last is in use: a unit
    of an edited model replaces that of the model before, where it has been run or tried.

    Parameters
    ----------
    rows : iterable of mappings
        As `ResultStore.rows` gives them.

    Returns
    -------
    dict of str to {"data", "model"}
        What has changed, by the key of the former unit.

    Examples
    --------
    >>> from broadlearn.study.former import CELL, former_units
    >>> unit = dict.fromkeys(CELL, "") | {"fingerprint": "5ac1", "started": ""}
    >>> before = {**unit, "key": "a", "asked": 1.0}
    >>> edited = {**unit, "key": "b", "asked": 2.0}
    >>> former_units([before, edited])
    {'a': 'model'}
    """
    ordered = sorted(rows, key=lambda row: (row["asked"], row["started"], row["key"]))
    content = {(row["dataset"], row["protocol"]): row["fingerprint"] for row in ordered}
    former: dict[str, str] = {}
    latest: dict[tuple[Any, ...], str] = {}
    for row in ordered:
        if row["fingerprint"] != content[row["dataset"], row["protocol"]]:
            former[row["key"]] = FORMER_DATA
        else:
            cell = tuple(row[name] for name in CELL)
            if cell in latest:
                former[latest[cell]] = FORMER_MODEL
            latest[cell] = row["key"]
    return former


def in_use(frame: pd.DataFrame) -> pd.DataFrame:
    """The units of a frame, from `ResultStore.to_frame`, that are not former ones."""
    if "former" not in frame.columns:
        return frame
    return frame[frame["former"] == ""].reset_index(drop=True)


def older_versions(frame: pd.DataFrame) -> dict[str, int]:
    """Units in use that an older version of their model made, counted by model.

    There are some where a model was edited, or its package replaced by another version, and only
    some of its units were run again.

    Parameters
    ----------
    frame : DataFrame
        As `ResultStore.to_frame` gives it.
    """
    used = in_use(frame)
    if "recipe" not in used.columns:
        return {}
    replaced = frame.loc[frame["former"] == FORMER_MODEL, ["model", "recipe"]]
    gone = set(replaced.itertuples(index=False, name=None))
    counts: dict[str, int] = {}
    for (model, _, _), units in used.groupby(["model", "protocol", "grid"]):
        newest = units.sort_values(["asked", "started"])["recipe"].iloc[-1]
        older = units["recipe"].map(lambda r, m=model, n=newest: r != n or (m, r) in gone)
        counts[model] = counts.get(model, 0) + int((older & (units["status"] == "done")).sum())
    return {model: count for model, count in counts.items() if count}
