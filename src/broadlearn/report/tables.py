"""The tables of a study: accuracy, ranks, optimism, noise, time, and what was not done."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from broadlearn.experiments.noise import parse_noise
from broadlearn.experiments.published_results import (
    published_accuracy,
    published_noise,
)
from broadlearn.experiments.statistics import ranks
from broadlearn.report.pooling import (
    PROTOCOLS,
    accuracies,
    in_order,
    noise_label,
    noise_order,
    not_done,
    optimism,
    part,
)
from broadlearn.report.result_table import Cell, ResultTable

PROTOCOL_NOTES = {
    "paper": (
        "Protocol: paper (optimistic: the settings were chosen on the test folds themselves, "
        "data scaled before splitting)."
    ),
    "nested": (
        "Protocol: nested (honest: the settings were chosen on inner folds of the training rows "
        "only, all else learnt there too)."
    ),
}
SPREAD_NOTE = "Mean ± standard deviation over folds, in percent; the best of a row is bold."
PUBLISHED_NOTE = "The second figure is the published one, of the paper protocol."
# The readings of "Gaussian noise of x %" that are in use.
GAUSSIAN = ("variance", "deviation", "rows")


def protocol_note(cells: pd.DataFrame, protocol: str) -> str:
    """The protocol and its grid, as captions say it."""
    grid = cells.loc[cells.index.get_level_values("protocol") == protocol, "grid"].iloc[0]
    return f"{PROTOCOL_NOTES[protocol]} Grid: {grid}."


def left_out_note(left_out: Sequence[Hashable]) -> str:
    """Data sets that take no part, as captions say it."""
    if not len(left_out):
        return ""
    names = ", ".join(map(str, left_out))
    return f" Left out, as not every model has an accuracy there: {names}."


def accuracy_table(cells: pd.DataFrame, protocol: str) -> ResultTable:
    """Accuracy of each model on each data set, the published figure beside ours.

    Parameters
    ----------
    cells : DataFrame
        From `pool`.
    protocol : {"paper", "nested"}
    """
    table = part(cells, protocol)
    means = accuracies(cells, protocol)
    published = published_accuracy().reindex(index=means.index, columns=means.columns)
    rows = [
        [Cell(dataset), *_accuracy_row(table.loc[dataset], published.loc[dataset])]
        for dataset in means.index
    ]
    notes = ["Without noise.", SPREAD_NOTE]
    notes += [PUBLISHED_NOTE] if published.notna().any(axis=None) else []
    complete = means.dropna()
    label = "mean" if len(complete) == len(means) else f"mean of {len(complete)} with all models"
    foot = [Cell(label), *_mean_row(complete, published.loc[complete.index], ".2f", best="largest")]
    return ResultTable(
        f"accuracy_{protocol}",
        f"Accuracy, {protocol} protocol",
        " ".join([*notes, protocol_note(cells, protocol)]),
        ["data set", *means.columns],
        rows,
        [foot] if len(complete) else [],
    )


def _accuracy_row(row: pd.DataFrame, published: pd.Series) -> list[Cell]:
    """A cell for each model of one data set."""
    # As in the statistics: means that differ in the 16th decimal tie.
    means = row["mean"].round(10)
    cells = []
    for model, cell in row.iterrows():
        theirs = _known(published[model])
        if not cell["n_done"]:
            cells.append(Cell(cell["status"], published=theirs))
            continue
        partial = cell["n_done"] < cell["n_seeds"]
        cells.append(
            Cell(
                cell["mean"],
                spread=_known(cell["sd"]),
                published=theirs,
                note=f"{cell['n_done']} of {cell['n_seeds']} seeds" if partial else "",
                best=bool(means[model] == means.max()),
            )
        )
    return cells


def _mean_row(values: pd.DataFrame, published: pd.DataFrame, form: str, *, best: str) -> list[Cell]:
    """Means over data sets; the published ones where all of them are known."""
    means = values.mean()
    theirs = published.mean(skipna=False)
    winner = {"largest": means.max(), "smallest": means.min(), "none": np.nan}[best]
    return [
        Cell(
            means[model],
            form,
            published=_known(theirs[model]),
            best=bool(means[model] == winner),
        )
        for model in values.columns
    ]


def rank_table(cells: pd.DataFrame, protocol: str) -> ResultTable:
    """Rank of each model on each data set, 1 the best.

    Parameters
    ----------
    cells : DataFrame
        From `pool`.
    protocol : {"paper", "nested"}
    """
    result = ranks(accuracies(cells, protocol))
    table = result.table
    theirs = published_accuracy().reindex(index=table.index, columns=table.columns)
    published = theirs.dropna().rank(axis=1, ascending=False).reindex(table.index)
    rows = [
        [
            Cell(dataset),
            *(
                Cell(
                    row[model],
                    ".1f",
                    published=_known(published.loc[dataset, model]),
                    best=bool(row[model] == row.min()),
                )
                for model in table.columns
            ),
        ]
        for dataset, row in table.iterrows()
    ]
    notes = ["By accuracy without noise, 1 the best, ties shared; the best of a row is bold."]
    notes += [PUBLISHED_NOTE] if published.notna().any(axis=None) else []
    return ResultTable(
        f"ranks_{protocol}",
        f"Ranks, {protocol} protocol",
        " ".join([*notes, protocol_note(cells, protocol)]) + left_out_note(result.left_out),
        ["data set", *table.columns],
        rows,
        [[Cell("mean rank"), *_mean_row(table, published, ".2f", best="smallest")]],
    )


def optimism_table(cells: pd.DataFrame) -> ResultTable:
    """What the paper protocol adds to the accuracy of each model on each data set.

    Parameters
    ----------
    cells : DataFrame
        From `pool`; with both protocols.
    """
    points = optimism(cells)
    status = {protocol: part(cells, protocol)["status"] for protocol in PROTOCOLS}
    rows = []
    for dataset, row in points.iterrows():
        shown = [Cell(dataset)]
        for model, value in row.items():
            lost = [
                f"{status[protocol][dataset, model]} ({protocol})"
                for protocol in PROTOCOLS
                if status[protocol][dataset, model] != "done"
            ]
            shown.append(Cell(", ".join(lost)) if lost else Cell(value, "+z.2f"))
        rows.append(shown)
    nothing = points * np.nan
    foot = [Cell("mean, where both are done"), *_mean_row(points, nothing, "+z.2f", best="none")]
    grids = sorted(set(cells["grid"]))
    both = [accuracies(cells, protocol) for protocol in PROTOCOLS]
    single = [
        *both[0].index.symmetric_difference(both[1].index),
        *both[0].columns.symmetric_difference(both[1].columns),
    ]
    return ResultTable(
        "optimism",
        "Optimism on each data set, paper less nested protocol",
        "Accuracy under the paper protocol (settings chosen on the test folds) less that "
        "under the nested one (chosen on inner folds), in percentage points, without noise."
        + (f" The two searched different grids: {' and '.join(grids)}." if len(grids) > 1 else "")
        + (f" Under one protocol only, so not here: {', '.join(single)}." if single else ""),
        ["data set", *points.columns],
        rows,
        [foot],
    )


def noise_table(cells: pd.DataFrame, protocol: str) -> ResultTable:
    """Accuracy of each model on each data set that has noise, level by level.

    Parameters
    ----------
    cells : DataFrame
        From `pool`; with noise under the protocol.
    protocol : {"paper", "nested"}
    """
    table = cells.xs(protocol, level="protocol")
    models = in_order(set(table.index.get_level_values("model")))
    noisy = table[table.index.get_level_values("noise") != "none"]
    printed = published_noise()
    rows, any_published = [], False
    for dataset in sorted(set(noisy.index.get_level_values("dataset"))):
        found = table.xs(dataset, level="dataset")
        for noise in sorted(set(found.index.get_level_values("noise")), key=noise_order):
            parsed = parse_noise(noise)
            key = (dataset, round(100 * parsed.level, 6))
            published = pd.Series(np.nan, index=models)
            if parsed.kind in GAUSSIAN and key in printed.index:
                published.update(printed.loc[key])
            any_published |= bool(published.notna().any())
            label = Cell(noise_label(noise))
            rows.append([Cell(dataset), label, *_accuracy_row(found.loc[noise], published)])
    notes = ["Noise on training rows only (train) or on all rows (all).", SPREAD_NOTE]
    if any_published:
        notes.append(
            f"{PUBLISHED_NOTE} It stands beside each reading of Gaussian noise of that level: "
            f"{', '.join(GAUSSIAN)}."
        )
    return ResultTable(
        f"noise_{protocol}",
        f"Accuracy with noise, {protocol} protocol",
        " ".join([*notes, protocol_note(cells, protocol)]),
        ["data set", "noise", *models],
        rows,
        n_keys=2,
    )


def time_table(units: pd.DataFrame) -> ResultTable:
    """Seconds that each model took under each protocol.

    Parameters
    ----------
    units : DataFrame
        From `check_units`.
    """
    rows = []
    for protocol in PROTOCOLS:
        done = units[units["done"] & (units["protocol"] == protocol)]
        for model in in_order(set(done["model"])):
            seconds = done.loc[done["model"] == model, "seconds"].dropna()
            rows.append(
                [
                    Cell(model),
                    Cell(protocol),
                    Cell(len(seconds), ",d"),
                    *(
                        Cell(float(value), ",.1f")
                        for value in (seconds.sum(), seconds.median(), seconds.max())
                    ),
                ]
            )
    return ResultTable(
        "time",
        "Time, both protocols",
        "Seconds that units took, search included, under the protocols paper and nested; only "
        "units that are done.",
        ["model", "protocol", "units", "sum", "median", "longest"],
        rows,
        n_keys=2,
    )


def not_done_table(units: pd.DataFrame) -> ResultTable:
    """Units without a score, and why.

    Parameters
    ----------
    units : DataFrame
        From `check_units`.
    """
    lost = not_done(units)
    rows = [
        [
            Cell(row.dataset),
            Cell(noise_label(row.noise)),
            Cell(row.model),
            Cell(row.protocol),
            Cell(int(row.seed), "d"),
            Cell(row.status),
            Cell(row.error),
        ]
        for row in lost.itertuples()
    ]
    return ResultTable(
        "not_done",
        "Not done, both protocols",
        "Units without a score under the protocols paper and nested.",
        ["data set", "noise", "model", "protocol", "seed", "status", "error"],
        rows,
    )


def _known(value: float) -> float | None:
    return None if pd.isna(value) else float(value)
