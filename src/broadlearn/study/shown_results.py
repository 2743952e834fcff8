"""Results of a study as a notebook shows them: counts and means first, all else where it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from broadlearn.study.former import in_use
from broadlearn.utils import html_table

if TYPE_CHECKING:
    from broadlearn.study.unit_server import Outcome

# What results must share to be averaged.
_CONDITION = ["protocol", "noise", "grid", "scoring"]
_NEEDED = {*_CONDITION, "dataset", "model", "status", "mean", "seconds", "former"}
_HEADS = {"accuracy": "accuracy, %", "mean_rank": "mean rank", "data_sets": "data sets"}
MAX_SHOWN = 30


class ResultFrame(pd.DataFrame):
    """A frame of units, from `ResultStore.to_frame`, that a notebook shows by model.

    What is made from it, by selecting or sorting, is a plain frame.
    """

    def _repr_html_(self) -> str | None:
        if not _NEEDED <= set(self.columns):
            shown: str | None = super()._repr_html_()
            return shown
        used = in_use(pd.DataFrame(self))
        table = mean_results(used)
        columns = [name for name in table.columns if name not in _CONDITION or _varies(table, name)]
        alike = [f"{name} {table[name].iloc[0]}" for name in _CONDITION if not _varies(table, name)]
        former = len(self) - len(used)
        note = (
            f"{', '.join(alike)}{'. ' if alike else ''}"
            "Means over data sets, ranks on those that all models have. "
            f"{f'{former:,} units of former models or data are left out. ' if former else ''}"
            "A row for each unit: .head(); a page: write_report."
        )
        rows = table[columns][:MAX_SHOWN].itertuples(index=False, name=None)
        title = f"{len(used):,} units: {count_words(used['status'])}"
        return html_table(title, [_HEADS.get(name, name) for name in columns], rows, note)


class Outcomes(list["Outcome"]):
    """The outcomes of a run, a list that a notebook shows as a table, failures first."""

    def _repr_html_(self) -> str:
        columns = ["dataset", "noise", "model", "protocol", "seed"]
        urgent = sorted(self, key=lambda outcome: outcome.status == "done")[:MAX_SHOWN]
        rows = [
            [
                *(getattr(outcome.unit, name) for name in columns),
                outcome.status,
                "" if outcome.result is None else 100 * outcome.result.mean,
                "" if outcome.result is None else outcome.result.seconds,
                outcome.error,
            ]
            for outcome in urgent
        ]
        title = f"{len(self):,} units run: {count_words(outcome.status for outcome in self)}"
        names = ["data set", *columns[1:], "status", "accuracy, %", "seconds", "error"]
        part = f"The first {MAX_SHOWN} of them." if len(self) > MAX_SHOWN else ""
        return html_table(title, names, rows, part)


def mean_results(units: pd.DataFrame) -> pd.DataFrame:
    """Means of each model over the data sets of a condition, the best rank first.

    Parameters
    ----------
    units : DataFrame
        As `ResultStore.to_frame` gives it; only units that are done count.

    Returns
    -------
    DataFrame
        protocol, noise, grid, scoring, model, accuracy in percent, mean_rank (over the data sets
        that all models of the condition have), data_sets and seconds.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.study.shown_results import mean_results
    >>> units = pd.DataFrame({"dataset": ["iris", "iris"], "model": ["BLS", "ELM"]})
    >>> units = units.assign(protocol="nested", noise="none", grid="paper", scoring="accuracy",
    ...                      status="done", mean=[0.9, 0.8], seconds=1.0)
    >>> mean_results(units)[["model", "accuracy", "mean_rank", "data_sets"]]
      model  accuracy  mean_rank  data_sets
    0   BLS      90.0        1.0          1
    1   ELM      80.0        2.0          1
    """
    done = units[units["status"] == "done"].sort_values("noise", key=lambda n: n != "none")
    rows: list[dict[str, Any]] = []
    for condition, part in done.groupby(_CONDITION, sort=False):
        table = part.pivot_table(values="mean", index="dataset", columns="model", aggfunc="mean")
        ranks = table.dropna().rank(axis=1, ascending=False).mean()
        seconds = part.groupby("model")["seconds"].sum()
        found = [
            {
                **dict(zip(_CONDITION, condition, strict=True)),
                "model": model,
                "accuracy": 100 * table[model].mean(),
                "mean_rank": ranks[model],
                "data_sets": int(table[model].count()),
                "seconds": seconds[model],
            }
            for model in table.columns
        ]
        rows += sorted(found, key=lambda row: (row["mean_rank"], -row["accuracy"]))
    columns = [*_CONDITION, "model", "accuracy", "mean_rank", "data_sets", "seconds"]
    return pd.DataFrame(rows, columns=columns)


def count_words(statuses: Iterable[str] | Mapping[str, int]) -> str:
    """How many there are of each, in words.

    Examples
    --------
    >>> from broadlearn.study.shown_results import count_words
    >>> count_words(["done", "failed", "done"])
    '2 done, 1 failed'
    """
    return ", ".join(f"{n:,} {status}" for status, n in Counter(statuses).items()) or "none"


def _varies(table: pd.DataFrame, name: str) -> bool:
    return table[name].nunique() != 1
