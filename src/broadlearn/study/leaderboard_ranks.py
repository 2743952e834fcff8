"""Where a model stands among the 179 classifiers of Fernández-Delgado et al. (2014)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from broadlearn.study.datasets import dataset_names
from broadlearn.study.published_results import published_classifiers
from broadlearn.study.statistics import ranks
from broadlearn.utils import html_table

# As the published accuracies, so that ties are fair.
DECIMALS = 1
# Classifiers that a notebook shows.
MAX_SHOWN = 5
ALL, AMONG_28, OTHERS = "all", "among the 28", "the others"


@dataclass(frozen=True)
class Summary:
    """A model's standing in one line.

    Attributes
    ----------
    n_datasets : int
    position : int
        By mean rank among all classifiers, 1 the best.
    mean_rank : float
        Friedman's.
    accuracy : float
        Mean, in percent.
    share_of_best : float
        Mean share of the best accuracy on the data set, in percent.
    p90, p95 : float
        On how many of the data sets the model reaches 90 and 95 % of the best accuracy, in percent.
    best_published : str
        The published classifier with the best mean rank on the same data sets.
    best_published_rank : float
    """

    n_datasets: int
    position: int
    mean_rank: float
    accuracy: float
    share_of_best: float
    p90: float
    p95: float
    best_published: str
    best_published_rank: float

    @property
    def lead(self) -> float:
        """Ranks ahead of the best published classifier; negative if behind."""
        return self.best_published_rank - self.mean_rank


@dataclass(frozen=True)
class Standing:
    """A model among the published classifiers.

    Attributes
    ----------
    model : str
    column : str
        What it is called in `accuracies`, where a published one might have its name.
    accuracies : DataFrame
        In percent; rows are data sets, columns the model and the 179.
    ranks : DataFrame
        On each data set, 1 the best, ties averaged.
    failed : tuple of str
        Data sets where the model failed and has the mean accuracy of the 179.
    """

    model: str
    column: str
    accuracies: pd.DataFrame
    ranks: pd.DataFrame
    failed: tuple[str, ...] = ()

    def __repr__(self) -> str:
        own, of = self.summary(), len(self.ranks.columns)
        return (
            f"<Standing of {self.model}: number {own.position} of {of} on {own.n_datasets} data "
            f"sets, mean rank {own.mean_rank:.1f}>"
        )

    def _repr_html_(self) -> str:
        table = self.table()
        near = table[(table["position"] <= MAX_SHOWN) | (table.index == self.column)]
        columns = ["classifier", "position", "mean rank", "accuracy, %", "% of the best"]
        columns += ["P90, %", "P95, %"]
        note = f"The first {MAX_SHOWN} by mean rank, and the model; all of them: .table()."
        return html_table(repr(self)[1:-1], columns, near.itertuples(name=None), note)

    def table(self, datasets: Sequence[str] | None = None) -> pd.DataFrame:
        """All classifiers, the best mean rank first.

        Parameters
        ----------
        datasets : sequence of str, default=None
            Only on these.

        Returns
        -------
        DataFrame
            position, mean_rank, accuracy, share_of_best, p90 and p95 (see `Summary`) of the model
            and the 179.
        """
        chosen = list(self.accuracies.index if datasets is None else datasets)
        accuracies = self.accuracies.loc[chosen]
        share = accuracies.div(accuracies.max(axis=1), axis=0)
        # An accuracy of 90.0 is 90 % of 100.0, whatever the quotient rounds to.
        share = (100 * share).round(9)
        table = pd.DataFrame(
            {
                "mean_rank": self.ranks.loc[chosen].mean(),
                "accuracy": accuracies.mean(),
                "share_of_best": share.mean(),
                "p90": 100 * (share >= 90).mean(),
                "p95": 100 * (share >= 95).mean(),
            }
        )
        position = table["mean_rank"].round(9).rank(method="min").astype(int)
        table.insert(0, "position", position)
        # Of those that tie, ours comes last.
        table["ours"] = table.index == self.column
        return table.sort_values(["position", "ours"], kind="stable").drop(columns="ours")

    def summary(self, datasets: Sequence[str] | None = None) -> Summary:
        """The model's own line of the table, and the best of the others."""
        table = self.table(datasets)
        own, others = table.loc[self.column], table.drop(index=self.column)
        return Summary(
            n_datasets=len(self.accuracies if datasets is None else datasets),
            position=int(own["position"]),
            **{name: float(own[name]) for name in table.columns.drop("position")},
            best_published=str(others.index[0]),
            best_published_rank=float(others["mean_rank"].iloc[0]),
        )

    def subsets(self) -> dict[str, list[str]]:
        """All data sets and, where there are both, those among the 28 and the others."""
        known = set(dataset_names("uci28"))
        everything = [str(name) for name in self.accuracies.index]
        among = [name for name in everything if name.replace("-", "_") in known]
        others = [name for name in everything if name not in among]
        parts = {AMONG_28: among, OTHERS: others} if among and others else {}
        return {ALL: everything, **parts}


class Standings(list[Standing]):
    """Standings of several models, a list that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        found = [(standing.model, standing.summary()) for standing in self]
        rows = [
            (
                model,
                own.position,
                own.mean_rank,
                own.accuracy,
                own.n_datasets,
                f"{own.best_published} ({own.best_published_rank:.1f})",
            )
            for model, own in found
        ]
        columns = ["model", "position", "mean rank", "accuracy, %", "data sets"]
        columns += ["best published (its mean rank)"]
        return html_table("Among the published classifiers, each alone", columns, rows)


def rank_among_published(accuracy: pd.Series, model: str) -> Standing:
    """Rank a model among the 179 published classifiers.

    Parameters
    ----------
    accuracy : Series
        In percent, indexed by data set; NaN where the model failed.
    model : str

    Returns
    -------
    Standing

    Notes
    -----
    Accuracies are rounded to one decimal, as the published ones are. Where a classifier failed it
    gets the mean accuracy of the published ones that did not, as the authors do. Friedman's mean
    ranks of all 121 data sets that follow from this are those that the authors print.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.study import rank_among_published
    >>> standing = rank_among_published(pd.Series({"iris": 96.04, "wine": 100.0}), "mine")
    >>> standing.summary().position, standing.summary().mean_rank
    (18, 29.0)
    """
    published = published_classifiers().reindex(accuracy.index)
    if unknown := list(published.index[published.isna().all(axis=1)]):
        raise ValueError(f"accuracy has data sets without published accuracies: {unknown[0]!r}.")
    if accuracy.empty or not accuracy.index.is_unique:
        raise ValueError("accuracy must have one or more data sets, each once.")
    mean = published_classifiers(fill=False).mean(axis=1).reindex(accuracy.index)
    column = f"{model} (run here)"
    ours = accuracy.astype(float).round(DECIMALS).fillna(mean)
    table = pd.concat([ours.rename(column), published], axis=1)
    failed = tuple(str(name) for name in accuracy.index[accuracy.isna()])
    return Standing(model, column, table, ranks(table).table, failed)
