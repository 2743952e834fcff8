"""Rank a model among the 179 classifiers of Fernández-Delgado et al. (2014)."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from broadlearn.study.plan import GIVEN_SPLITS
from broadlearn.study.published_results import published_classifiers
from broadlearn.study.statistics import ranks
from broadlearn.study.store import newest
from broadlearn.utils import counted


@dataclass(frozen=True)
class Standing:
    """A model among the published classifiers.

    Attributes
    ----------
    model : str
    accuracies : DataFrame
        In percent; rows are data sets, columns the 179 and the model.
    failed : tuple of str
        Data sets where the model failed and has the mean accuracy of the 179.
    """

    model: str
    accuracies: pd.DataFrame
    failed: tuple[str, ...] = ()

    @property
    def column(self) -> str:
        """Name of the model in `accuracies`, where a published one might have the same."""
        return str(self.accuracies.columns[-1])

    def __repr__(self) -> str:
        return f"<Standing of {self.sentence()}>"

    def table(self) -> pd.DataFrame:
        """Return all classifiers, the best mean rank first.

        Columns: position; mean_rank (Friedman's); accuracy; share_of_best, the mean share of the
        best accuracy on a data set; p90 and p95, the share of data sets on which 90 and 95 % of the
        best accuracy are reached. All in percent but the ranks.
        """
        best = self.accuracies.max(axis=1)
        # An accuracy of 90.0 is 90 % of 100.0, whatever the quotient rounds to.
        share = (100 * self.accuracies.div(best, axis=0)).round(9)
        table = pd.DataFrame(
            {
                "mean_rank": ranks(self.accuracies).mean(),
                "accuracy": self.accuracies.mean(),
                "share_of_best": share.mean(),
                "p90": 100 * (share >= 90).mean(),
                "p95": 100 * (share >= 95).mean(),
            }
        )
        table.insert(0, "position", table["mean_rank"].round(9).rank(method="min").astype(int))
        # Ours is the last column, hence the last of those that tie.
        return table.sort_values("position", kind="stable")

    def sentence(self) -> str:
        """Say where the model stands."""
        table = self.table()
        own, best = table.loc[self.column], table.drop(index=self.column).iloc[0]
        lead = best["mean_rank"] - own["mean_rank"]
        failed = f"; it failed on {', '.join(self.failed)}" if self.failed else ""
        return (
            f"{self.model}: number {own['position']:.0f} of {len(table)} on "
            f"{counted(len(self.accuracies), 'data set')} with the authors' splits, "
            f"mean rank {own['mean_rank']:.1f}, {abs(lead):.1f} "
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
    As in the publication accuracies are rounded to one decimal, and a failure counts as the mean
    accuracy of the published classifiers that did not fail. The authors' mean ranks follow exactly.

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
    ours = accuracy.astype(float).round(1).fillna(mean)
    table = published.assign(**{f"{model} (run here)": ours})
    return Standing(model, table, tuple(map(str, accuracy.index[accuracy.isna()])))


def standings(frame: pd.DataFrame) -> list[Standing]:
    """Rank every model that has units on the authors' splits, each alone among the 179.

    The best mean rank comes first. A data set where a split failed counts as failed.
    """
    units = newest(frame[frame["protocol"] == GIVEN_SPLITS])
    done = units["mean"].where(units["status"] == "done").astype(float)
    # A failed split makes the mean NaN.
    means = done.groupby([units["model"], units["dataset"]]).agg(lambda v: v.mean(skipna=False))
    ranked = [
        rank_among_published(100 * means[model], model)
        for model in units["model"].unique()
        if means[model].notna().any()
    ]
    return sorted(ranked, key=lambda standing: standing.table().loc[standing.column, "mean_rank"])
