"""Tables of a study: texts for the page, unrounded values for files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from broadlearn.study.leaderboard import Standing
from broadlearn.study.metrics import DEFAULT_METRIC
from broadlearn.study.plan import INSIDE, PAPER
from broadlearn.study.report.cells import Cells, in_order
from broadlearn.study.report.words import left_out_note, protocol_note
from broadlearn.study.reproduction import WITHIN_REACH, printed_cells, summarize_cells
from broadlearn.study.statistics import compare_pairs, friedman, ranks
from broadlearn.utils import safe_csv


@dataclass(frozen=True)
class Table:
    """A captioned table; `name` is that of its files and its id on the page.

    `text` has the cells as shown, `values` the unrounded ones, and `best` marks cells to print
    bold. `foot`, such as a row of means, is not sorted with the others.
    """

    name: str
    title: str
    caption: str
    text: pd.DataFrame
    values: pd.DataFrame
    best: pd.DataFrame | None = None
    foot: pd.DataFrame | None = None

    @property
    def rows(self) -> list[tuple[tuple[Any, ...], list[tuple[str, bool]]]]:
        """Names of each row, and its cells with whether they are bold."""
        names = self.text.index.to_frame().itertuples(index=False, name=None)
        bold = np.zeros(self.text.shape, bool) if self.best is None else self.best.to_numpy()
        cells = zip(self.text.to_numpy(), bold, strict=True)
        return [(key, list(zip(*row, strict=True))) for key, row in zip(names, cells, strict=True)]

    def to_latex(self) -> str:
        r"""Return a tabular environment; needs ``\usepackage{booktabs}``."""
        text = self.text if self.foot is None else pd.concat([self.text, self.foot])
        style = text.style.format(escape="latex")
        style.format_index(escape="latex").format_index(escape="latex", axis=1)
        if self.best is not None:
            best = self.best.reindex(text.index, fill_value=False)
            style.apply(lambda _: np.where(best, "textbf:--rwrap;", ""), axis=None)
        latex: str = style.to_latex(hrules=True, sparse_index=False)
        return latex

    def to_csv(self) -> str:
        """Return the unrounded values; texts that a spreadsheet would run are made harmless."""
        return safe_csv(self.values)


def shown(value: Any, form: str = ".2f") -> str:
    """Return a number in a format, or "p" for a p-value; texts stay as they are."""
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return "–"
    if form == "p":
        return "<0.0001" if value < 1e-4 else f"{value:.3g}"
    return f"{value:{form}}"


def plain_table(name: str, title: str, caption: str, values: pd.DataFrame) -> Table:
    """Return a table of p-values (columns named so), whole numbers, other numbers and texts."""
    text = pd.DataFrame(index=values.index)
    for column in values.columns:
        numbers = pd.to_numeric(values[column], errors="coerce")
        whole = (numbers.dropna() % 1 == 0).all()
        form = "p" if column.startswith("p_") else ".0f" if whole else ".2f"
        text[column.replace("_", " ")] = [shown(value, form) for value in values[column]]
    return Table(name, title, caption, text, values)


def noise_table(cells: Cells) -> Table:
    """Make the table of figures by data set, noise and model."""
    metric, noises = cells.metric, cells.noises()
    means = {noise: cells.means(noise) for noise in noises}
    datasets = sorted({name for noise in noises if noise != "none" for name in means[noise].index})
    rows = [(name, noise) for name in datasets for noise in noises if name in means[noise].index]
    return _figure_table(
        cells,
        rows,
        f"noise_{cells.protocol}",
        f"{metric.title} with noise, {cells.protocol} protocol",
        "Mean ± standard deviation over folds; noise on training rows (train) or all rows (all).",
    )


def accuracy_table(cells: Cells) -> Table:
    """Make the table of figures by data set and model, with mean ranks."""
    metric = cells.metric
    return _figure_table(
        cells,
        [(name, "none") for name in cells.means().index],
        f"{metric.name}_{cells.protocol}",
        f"{metric.title}, {cells.protocol} protocol",
        "Without noise. Mean ± standard deviation over folds; the best of a row is bold.",
        _mean_rows(cells),
    )


def _mean_rows(cells: Cells) -> pd.DataFrame | None:
    """Return means over complete data sets, published ones in brackets, and mean ranks."""
    means, form = cells.means(), f".{cells.metric.decimals}f"
    complete = means.dropna()
    if complete.empty:
        return None
    name = "mean" if len(complete) == len(means) else f"mean of the {len(complete)} complete"
    published = _published(cells, [(name, "none") for name in complete.index], complete.columns)
    rows = complete.mean().map(lambda value: shown(value, form)).to_frame(name).T
    rows += _in_brackets(published.mean(skipna=False).to_frame(name).T, form)
    if len(complete.columns) > 1:
        rows.loc["mean rank"] = ranks(cells.metric.sign * complete).mean().map("{:.2f}".format)
    return rows


def _figure_table(
    cells: Cells,
    rows: Sequence[tuple[str, str]],
    name: str,
    title: str,
    caption: str,
    foot: pd.DataFrame | None = None,
) -> Table:
    """Make a table of pairs of data set and noise, with deviations and published figures."""
    noises = list(dict.fromkeys(noise for _, noise in rows))
    means, deviations, status = (
        pd.concat({noise: part(noise) for noise in noises}).swaplevel().loc[list(rows)]
        for part in (cells.means, cells.deviations, cells.status)
    )
    published = _published(cells, rows, means.columns)
    form = f".{cells.metric.decimals}f"
    text = means.map(lambda value: shown(value, form)).where(means.notna(), status)
    text += deviations.map(lambda value: "" if np.isnan(value) else f" ± {value:{form}}")
    text += _in_brackets(published, form)
    parts = {"": means, " sd": deviations, " published": published.dropna(how="all", axis=1)}
    values = pd.concat([table.add_suffix(word) for word, table in parts.items()], axis=1)
    merits = (cells.metric.sign * means).round(10)
    best = merits.eq(merits.max(axis=1), axis=0)
    frames = [part.rename_axis(["data set", "noise"]) for part in (text, values, best)]
    if noises == ["none"]:
        frames = [frame.droplevel("noise").rename_axis(None) for frame in frames]
    if published.notna().any(axis=None):
        caption += " In brackets: the published figure, of the paper protocol."
    text, values, best = frames
    return Table(name, title, f"{caption} {protocol_note(cells)}", text, values, best, foot)


def _published(
    cells: Cells, rows: Sequence[tuple[str, str]], models: Sequence[str] | pd.Index
) -> pd.DataFrame:
    """Return printed accuracies of pairs of data set and noise; NaN where there are none."""
    printed = printed_cells().set_index(["dataset", "noise", "model"])["printed"].unstack()
    index = pd.MultiIndex.from_tuples(rows)
    table = printed.reindex(index=index, columns=models).astype(float)
    return table if cells.metric.name == DEFAULT_METRIC else table * np.nan


def _in_brackets(published: pd.DataFrame, form: str) -> pd.DataFrame:
    return published.map(lambda value: "" if np.isnan(value) else f"\n({value:{form}})")


def pair_table(cells: Cells) -> Table:
    """Compare the reference with each other model, and all models by Friedman's test."""
    table = cells.merits().dropna()
    pairs = compare_pairs(table, reference=cells.reference).drop(columns="model")
    test = friedman(table)
    return plain_table(
        f"pairs_{cells.protocol}",
        f"{cells.reference} against each other model, {cells.protocol} protocol",
        f"On {len(table)} data sets: wins, ties and losses, exact sign test, Wilcoxon's test, its "
        "p after Holm's adjustment, and the published variant of the test, on ranks. "
        f"Friedman's test of all models: χ² = {test.chi2:.2f}, "
        f"p = {shown(test.chi2_p_value, 'p')}, F = {test.f:.2f}, "
        f"p = {shown(test.f_p_value, 'p')}. {protocol_note(cells)}{left_out_note(cells)}",
        pairs.set_index("other").rename_axis("against"),
    )


def optimism_table(paper: Cells, inside: Cells) -> Table:
    """Make the table of what choosing settings on the test folds adds to the accuracy."""
    points = paper.means() - inside.means()
    points = points.dropna(how="all").dropna(how="all", axis=1)
    return plain_table(
        "optimism",
        f"Optimism on each data set, {PAPER} less {INSIDE}",
        "Accuracy with settings chosen on the test folds less that with settings chosen on inner "
        "folds of the training rows, on the same folds, in percentage points.",
        points[in_order(points.columns)],
    )


def time_table(frame: pd.DataFrame) -> Table:
    """Make the table of CPU seconds by protocol and model."""
    seconds = frame[frame["status"] == "done"].groupby(["protocol", "model"])["seconds"]
    values = seconds.agg(runs="count", sum="sum", median="median", longest="max")
    caption = "CPU seconds of runs that are done, search included. Each runs on one thread."
    return plain_table("time", "Time", caption, values)


def not_done_table(cells: Cells) -> Table:
    """List the units without a score, and why."""
    lost = cells.not_done.set_index("dataset").rename_axis("data set")
    name, title = f"not_done_{cells.protocol}", f"Not done, {cells.protocol} protocol"
    return plain_table(name, title, "Runs without a score.", lost)


def code_table(frame: pd.DataFrame) -> Table:
    """List the states of the code that made the results."""
    named = frame.assign(commit=frame["commit"].replace("", "changed"))
    values = named.groupby(["version", "commit", "source"], sort=False).agg(
        runs=("model", "size"),
        models=("model", lambda models: ", ".join(in_order(models))),
        last=("finished", lambda times: max(times)[:16]),
    )
    caption = "Version, commit (of an unchanged checkout) and hash of the source of broadlearn."
    return plain_table("code", "Code that made the results", caption, values)


def standing_table(standing: Standing) -> Table:
    """List the first twenty classifiers, and the model."""
    table = standing.table()
    return plain_table(
        f"leaderboard_{re.sub(r'[^A-Za-z0-9]+', '_', standing.model)}",
        f"{standing.model} among 179 published classifiers",
        f"On {len(standing.accuracies)} data sets, by Friedman's mean rank. {standing.column} is "
        "not of the publication. P90 and P95: percent of data sets on which 90 and 95 % of the "
        "best are reached.",
        table[(np.arange(len(table)) < 20) | (table.index == standing.column)],
    )


def reproduction_tables(judged: pd.DataFrame) -> list[Table]:
    """Compare with print by model, and list the cells that are not within reach."""
    clean = judged["noise"] == "none"
    apart = judged[judged["median"].notna() & (judged["verdict"] != WITHIN_REACH)]
    columns = ["verdict", "printed", "lowest", "median", "highest", "ours"]
    caption = (
        "Mean difference, mean absolute difference, and that of the deviations over folds, in "
        "percentage points; then numbers of cells."
    )
    return [
        plain_table(
            "reproduction",
            "Print and ours, by model",
            caption,
            summarize_cells(judged[clean]),
        ),
        plain_table(
            "reproduction_with_noise",
            "Print and ours with noise, by model",
            caption,
            summarize_cells(judged[~clean]),
        ),
        plain_table(
            "reproduction_cells",
            "Out of reach",
            "Accuracies in percent: print, redraws, and the best of our grid.",
            apart.set_index(["model", "dataset"])[columns],
        ),
    ]
