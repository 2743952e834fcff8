"""Rank a model among the 179 classifiers of Fernández-Delgado et al. (2014)."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from broadlearn.study.plan import GIVEN_SPLITS
from broadlearn.study.published_results import published_classifiers
from broadlearn.study.statistics import ranks
from broadlearn.study.store import newest

# As the published accuracies, so that ties are fair.
DECIMALS = 1


@dataclass(frozen=True)
class Standing:
    """A model among the published classifiers.

    Attributes
    ----------
    model : str
    column : str
        Its name in `accuracies`, where a published one might have the same.
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
        return f"<Standing of {self.sentence()}>"

    def table(self) -> pd.DataFrame:
        """Return all classifiers, the best mean rank first.

        Columns: position; mean_rank (Friedman's); accuracy; share_of_best, the mean share of the
        best accuracy on a data set; p90 and p95, the share of data sets on which 90 and 95 % of the
        best accuracy are reached. All in percent but the ranks.
        """
        accuracies = self.accuracies
        share = accuracies.div(accuracies.max(axis=1), axis=0)
        # An accuracy of 90.0 is 90 % of 100.0, whatever the quotient rounds to.
        share = (100 * share).round(9)
        table = pd.DataFrame(
            {
                "mean_rank": self.ranks.mean(),
                "accuracy": accuracies.mean(),
                "share_of_best": share.mean(),
                "p90": 100 * (share >= 90).mean(),
                "p95": 100 * (share >= 95).mean(),
            }
        )
        table.insert(0, "position", table["mean_rank"].round(9).rank(method="min").astype(int))
        # Of those that tie, ours comes last.
        order = pd.DataFrame({"position": table["position"], "ours": table.index == self.column})
        return table.loc[order.sort_values(["position", "ours"], kind="stable").index]

    def sentence(self) -> str:
        """Say where the model stands."""
        table = self.table()
        own, best = table.loc[self.column], table.drop(index=self.column).iloc[0]
        lead = best["mean_rank"] - own["mean_rank"]
        failed = f"; it failed on {', '.join(self.failed)}" if self.failed else ""
        return (
            f"{self.model}: number {own['position']:.0f} of {len(table)} on {len(self.ranks)} data "
            f"sets with the authors' splits, mean rank {own['mean_rank']:.1f}, {abs(lead):.1f} "
            f"{'ahead of' if lead >= 0 else 'behind'} the best published classifier, {best.name}"
            f"{failed}"
        )


def rank_among_published(accuracy: pd.Series, model: str) -> Standing:
    """Rank a model among the 179 published classifiers.

    Parameters
    ----------
    accuracy : Series
        In percent, by data set; NaN where the model failed.
    model : str
        Its name.

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
    >>> standing.table().loc["mine (run here)", ["position", "mean_rank"]].tolist()
    [18.0, 29.0]
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
    return Standing(model, column, table, ranks(table), failed)


def standings(frame: pd.DataFrame) -> list[Standing]:
    """Rank every model that has units on the authors' splits, each alone among the 179.

    The best mean rank comes first. A data set where a split failed counts as failed.
    """
    units = newest(frame[frame["protocol"] == GIVEN_SPLITS])
    found = []
    for model, part in units.groupby("model", sort=False):
        # A failed split makes the mean NaN.
        means = part["mean"].where(part["status"] == "done").groupby(part["dataset"])
        accuracy = 100 * means.agg(lambda values: values.mean(skipna=False))
        if accuracy.notna().any():
            found.append(rank_among_published(accuracy, str(model)))
    return sorted(found, key=lambda standing: standing.table().loc[standing.column, "mean_rank"])
