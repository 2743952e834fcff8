"""The tables of a study: accuracy, ranks, optimism, noise, time, and what was not done."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from broadlearn.study.metrics import DEFAULT_METRIC, METRICS, Metric
from broadlearn.study.noise import parse_noise
from broadlearn.study.plan import PROTOCOLS
from broadlearn.study.published_results import published_table
from broadlearn.study.report.pooling import (
    accuracies,
    in_order,
    merits,
    metric_of,
    noise_label,
    noise_order,
    not_done,
    optimism,
    part,
)
from broadlearn.study.report.protocol_words import PROTOCOL_NOTES, protocols_to_subtract
from broadlearn.study.report.result_table import Entry, ResultTable
from broadlearn.study.statistics import ranks

PUBLISHED_NOTE = "The second figure is the published one, of the paper protocol."
# The readings of "Gaussian noise of x %" that are in use.
GAUSSIAN = ("variance", "deviation", "rows")


def published_figures(cells: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Published accuracies of the same data sets and models; none for another metric."""
    printed = published_table() if metric_of(cells).name == DEFAULT_METRIC else pd.DataFrame()
    return printed.reindex(index=table.index, columns=table.columns)


def spread_note(metric: Metric) -> str:
    """What the figures of a table are, as captions say it."""
    lower = ", the lower the better" if metric.lower_is_better else ""
    percent = ", in percent" if metric.percent else ""
    return f"Mean ± standard deviation over folds{percent}{lower}; the best of a row is bold."


def protocol_note(cells: pd.DataFrame, protocol: str) -> str:
    """The protocol and its grid, as captions say it."""
    here = cells[cells.index.get_level_values("protocol") == protocol].iloc[0]
    metric = METRICS[here["scoring"]]
    tuned = "" if metric.name == DEFAULT_METRIC else f" Settings chosen by {metric.words}."
    return f"{PROTOCOL_NOTES[protocol]} Grid: {here['grid']}.{tuned}"


def left_out_note(left_out: Sequence[Hashable], metric: Metric = METRICS[DEFAULT_METRIC]) -> str:
    """Data sets that take no part, as captions say it."""
    if not len(left_out):
        return ""
    names = ", ".join(map(str, left_out))
    return f" Left out, as not every model has {metric.article} {metric.words} there: {names}."


def accuracy_table(cells: pd.DataFrame, protocol: str) -> ResultTable:
    """Accuracy of each model on each data set, the published figure beside ours."""
    table = part(cells, protocol)
    means = accuracies(cells, protocol)
    metric, published = metric_of(cells), published_figures(cells, means)
    rows = [
        [Entry(dataset), *_accuracy_row(metric, table.loc[dataset], published.loc[dataset])]
        for dataset in means.index
    ]
    notes = ["Without noise.", spread_note(metric)]
    notes += [PUBLISHED_NOTE] if published.notna().any(axis=None) else []
    complete = means.dropna()
    label = "mean" if len(complete) == len(means) else f"mean of {len(complete)} with all models"
    mean, theirs = complete.mean(), published.loc[complete.index].mean(skipna=False)
    best = (metric.sign * mean).max() * metric.sign
    foot = [Entry(label), *_figures(mean, metric.form, theirs, best)]
    return ResultTable(
        f"{metric.name}_{protocol}",
        f"{metric.title}, {protocol} protocol",
        " ".join([*notes, protocol_note(cells, protocol)]),
        ["data set", *means.columns],
        rows,
        [foot] if len(complete) else [],
    )


def _accuracy_row(metric: Metric, row: pd.DataFrame, published: pd.Series) -> list[Entry]:
    """A cell for each model of one data set."""
    # As in the statistics: means that differ in the 16th decimal tie.
    means = metric.sign * row["mean"].round(10)
    cells = []
    for model, cell in row.iterrows():
        theirs = _known(published[model])
        if not cell["n_done"]:
            cells.append(Entry(cell["status"], published=theirs))
            continue
        partial = cell["n_done"] < cell["n_seeds"]
        cells.append(
            Entry(
                cell["mean"],
                metric.form,
                spread=_known(cell["sd"]),
                published=theirs,
                note=f"{cell['n_done']} of {cell['n_seeds']} seeds" if partial else "",
                best=bool(means[model] == means.max()),
            )
        )
    return cells


def _figures(values: pd.Series, form: str, published: pd.Series, best: float) -> list[Entry]:
    """A cell for each value, the published one beside it where it is known."""
    return [
        Entry(value, form, published=_known(published[model]), best=bool(value == best))
        for model, value in values.items()
    ]


def rank_table(cells: pd.DataFrame, protocol: str) -> ResultTable:
    """Rank of each model on each data set, 1 the best."""
    metric, result = metric_of(cells), ranks(merits(cells, protocol))
    table = result.table
    theirs = published_figures(cells, table)
    published = theirs.dropna().rank(axis=1, ascending=False).reindex(table.index)
    rows = [
        [Entry(dataset), *_figures(row, ".1f", published.loc[dataset], row.min())]
        for dataset, row in table.iterrows()
    ]
    means = _figures(result.mean, ".2f", published.mean(skipna=False), result.mean.min())
    notes = [
        f"By {metric.words} without noise, 1 the best, ties shared; the best of a row is bold."
    ]
    notes += [PUBLISHED_NOTE] if published.notna().any(axis=None) else []
    return ResultTable(
        f"ranks_{protocol}",
        f"Ranks, {protocol} protocol",
        " ".join([*notes, protocol_note(cells, protocol)]) + left_out_note(result.left_out, metric),
        ["data set", *table.columns],
        rows,
        [[Entry("mean rank"), *means]],
    )


def optimism_table(cells: pd.DataFrame) -> ResultTable:
    """What choosing settings on test folds adds to each model on each data set."""
    points = optimism(cells)
    pair = protocols_to_subtract()
    status = {protocol: part(cells, protocol)["status"] for protocol in pair}

    def shown(dataset: str, model: str) -> Entry:
        found = {protocol: status[protocol][dataset, model] for protocol in pair}
        lost = [f"{state} ({protocol})" for protocol, state in found.items() if state != "done"]
        return Entry(", ".join(lost)) if lost else Entry(points.loc[dataset, model], "+z.2f")

    rows = [[Entry(d), *(shown(d, model) for model in points.columns)] for d in points.index]
    foot = [Entry("mean, where both are done"), *(Entry(mean, "+z.2f") for mean in points.mean())]
    here = cells.index.get_level_values("protocol").isin(pair)
    grids = sorted(set(cells.loc[here, "grid"]))
    both = [accuracies(cells, protocol) for protocol in pair]
    single = [
        *both[0].index.symmetric_difference(both[1].index),
        *both[0].columns.symmetric_difference(both[1].columns),
    ]
    return ResultTable(
        "optimism",
        f"Optimism on each data set, {' less '.join(pair)} protocol",
        "Accuracy with settings chosen on the test folds less that with settings chosen on inner "
        "folds of the training rows, on the same folds, in percentage points, without noise."
        + (f" The two searched different grids: {' and '.join(grids)}." if len(grids) > 1 else "")
        + (f" Under one protocol only, so not here: {', '.join(single)}." if single else ""),
        ["data set", *points.columns],
        rows,
        [foot],
    )


def noise_table(cells: pd.DataFrame, protocol: str) -> ResultTable:
    """Accuracy of each model on each data set that has noise, level by level."""
    table = cells.xs(protocol, level="protocol")
    models = in_order(set(table.index.unique("model")))
    noisy = table[table.index.get_level_values("noise") != "none"]
    metric = metric_of(cells)
    printed = published_table("noise") if metric.name == DEFAULT_METRIC else pd.DataFrame()
    rows, any_published = [], False
    for dataset in sorted(noisy.index.unique("dataset")):
        found = table.xs(dataset, level="dataset")
        for noise in sorted(found.index.unique("noise"), key=noise_order):
            parsed = parse_noise(noise)
            key = (dataset, round(100 * parsed.level, 6))
            published = pd.Series(np.nan, index=models)
            if parsed.kind in GAUSSIAN and key in printed.index:
                published.update(printed.loc[key])
            any_published |= bool(published.notna().any())
            label = Entry(noise_label(noise))
            rows.append(
                [Entry(dataset), label, *_accuracy_row(metric, found.loc[noise], published)]
            )
    notes = ["Noise on training rows only (train) or on all rows (all).", spread_note(metric)]
    if any_published:
        notes.append(
            f"{PUBLISHED_NOTE} It stands beside each reading of Gaussian noise of that level: "
            f"{', '.join(GAUSSIAN)}."
        )
    return ResultTable(
        f"noise_{protocol}",
        f"{metric.title} with noise, {protocol} protocol",
        " ".join([*notes, protocol_note(cells, protocol)]),
        ["data set", "noise", *models],
        rows,
        n_keys=2,
    )


def time_table(units: pd.DataFrame) -> ResultTable:
    """Seconds that each model took under each protocol."""
    rows = []
    for protocol in PROTOCOLS:
        done = units[units["done"] & (units["protocol"] == protocol)]
        for model in in_order(set(done["model"])):
            seconds = done.loc[done["model"] == model, "seconds"].dropna()
            figures = (seconds.sum(), seconds.median(), seconds.max())
            shown = [Entry(len(seconds), ",d"), *(Entry(float(value), ",.1f") for value in figures)]
            rows.append([Entry(model), Entry(protocol), *shown])
    return ResultTable(
        "time",
        "Time, all protocols",
        "Seconds that units took, search included; only units that are done.",
        ["model", "protocol", "units", "sum", "median", "longest"],
        rows,
        n_keys=2,
    )


def not_done_table(units: pd.DataFrame) -> ResultTable:
    """Units without a score, and why."""
    lost = not_done(units)
    lost["noise"] = lost["noise"].map(noise_label)
    shown = lost[["dataset", "noise", "model", "protocol", "seed", "status", "error"]]
    return ResultTable(
        "not_done",
        "Not done, all protocols",
        "Units without a score.",
        ["data set", *shown.columns[1:]],
        [[Entry(value, "d") for value in row] for row in shown.itertuples(index=False)],
    )


def _known(value: float) -> float | None:
    return None if pd.isna(value) else float(value)
