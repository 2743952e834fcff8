"""Tables of a leaderboard: where models stand, the first of 180, each data set, what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from broadlearn.study.datasets import Dataset
from broadlearn.study.leaderboard_ranks import Standing
from broadlearn.study.report.result_table import Entry, ResultTable

# Classifiers that a table of ranks shows.
TOP = 20
MEASURES = ("mean rank", "accuracy", "share of best", "P90", "P95")


def standing_table(standings: Sequence[Standing]) -> ResultTable:
    """Each model on all data sets, on those among the 28, and on the others."""
    rows = []
    for standing in standings:
        for name, datasets in standing.subsets().items():
            found = standing.summary(datasets)
            measures = (found.accuracy, found.share_of_best, found.p90, found.p95)
            rows.append(
                [
                    Entry(standing.model),
                    Entry(name),
                    Entry(found.n_datasets, "d"),
                    Entry(found.position, "d", best=found.position == 1),
                    Entry(found.mean_rank),
                    Entry(found.lead, "+.2f"),
                    *(Entry(value, ".1f") for value in measures),
                    Entry(found.best_published),
                    Entry(found.best_published_rank),
                ]
            )
    return ResultTable(
        "standing",
        "Standing among 179 published classifiers",
        "Each model alone among the 179, on all data sets, on those among the 28 of the published "
        "study of broad learning, and on the others. The lead is how much lower its mean rank is "
        "than that of the best published classifier on the same data sets.",
        [
            *("model", "data sets", "number", "position", MEASURES[0], "lead"),
            *MEASURES[1:],
            *("best published", "its rank"),
        ],
        rows,
        n_keys=2,
    )


def top_table(standing: Standing, number: int, top: int = TOP) -> ResultTable:
    """The first classifiers by mean rank; the model's own line is bold, wherever it stands."""
    table = standing.table()
    shown = table[(pd.RangeIndex(len(table)) < top) | (table.index == standing.column)]
    rows = []
    for name, line in shown.iterrows():
        own = name == standing.column
        rows.append(
            [
                Entry(str(name)),
                Entry(int(line["position"]), "d", best=own),
                Entry(line["mean_rank"], best=own),
                *(
                    Entry(line[column], ".1f", best=own)
                    for column in ("accuracy", "share_of_best", "p90", "p95")
                ),
            ]
        )
    return ResultTable(
        f"top_{number}",
        f"Mean ranks, the first {top} of {len(table)}, with {standing.model}",
        f"On {len(standing.accuracies)} data sets, by Friedman's mean rank. The bold line was run "
        "here.",
        ["classifier", "position", *MEASURES],
        rows,
    )


def dataset_table(
    standing: Standing, number: int, results: pd.DataFrame, data: Mapping[str, Dataset]
) -> ResultTable:
    """The model's accuracy and rank on each data set, and the best published classifier there."""
    rows = []
    published = standing.accuracies.drop(columns=standing.column)
    for name in standing.accuracies.index:
        info = data[name].info
        accuracy = float(standing.accuracies.loc[name, standing.column])
        best = float(published.loc[name].max())
        failed = name in standing.failed
        rows.append(
            [
                Entry(name),
                *(Entry(n, ",d") for n in (info.n_rows, info.n_columns, len(info.class_counts))),
                Entry(
                    accuracy,
                    ".1f",
                    spread=None if pd.isna(sd := results.loc[name, "sd"]) else float(sd),
                    note="failed: the mean of the published" if failed else "",
                    best=accuracy >= best,
                ),
                Entry(float(standing.ranks.loc[name, standing.column]), ".1f"),
                Entry(best, ".1f"),
                Entry(str(published.loc[name].idxmax())),
                Entry(float(published.loc[name].mean()), ".1f"),
                Entry(float(results.loc[name, "seconds"]), ",.1f"),
            ]
        )
    return ResultTable(
        f"datasets_{number}",
        f"Each data set, {standing.model}",
        "Accuracies in percent, of the model with its standard deviation over the splits; bold "
        "where no published classifier is better. Its rank is among 180. Of several published "
        "classifiers that are best, one is named. Seconds are those of all splits, on one core.",
        [
            "data set",
            "rows",
            "columns",
            "classes",
            standing.model,
            "rank",
            "best published",
            "by",
            "mean published",
            "seconds",
        ],
        rows,
    )


def left_out_table(left_out: Mapping[str, str], results: pd.DataFrame) -> ResultTable | None:
    """Data sets that take no part, and models that failed or are not finished; None if all did."""
    rows = [[Entry(name), Entry("all"), Entry(reason)] for name, reason in left_out.items()]
    for (model, dataset), line in results[results["status"] != "done"].iterrows():
        reason = f"failed: {line['error']}" if line["status"] == "failed" else line["status"]
        rows.append([Entry(dataset), Entry(model), Entry(reason)])
    if not rows:
        return None
    return ResultTable(
        "left_out",
        "Left out, failed or not finished",
        "Data sets in the folder that take no part, and models without an accuracy on one. A model "
        "that failed on a data set has the mean accuracy of the published classifiers there; one "
        "that is not finished is ranked without it.",
        ["data set", "model", "why"],
        rows,
        n_keys=2,
    )
