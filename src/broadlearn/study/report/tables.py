"""Tables of a study: texts for the page, unrounded values for files."""

from __future__ import annotations

import re
from collections.abc import Iterable
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

PUBLISHED_NOTE = " In brackets: the published figure, of the paper protocol."


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


def _figures(
    cells: Cells,
    means: pd.DataFrame,
    deviations: pd.DataFrame,
    published: pd.DataFrame,
    status: pd.DataFrame,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Texts, values and marks of the best: figures, their deviations and published ones."""
    form = f".{cells.metric.decimals}f"
    text = means.map(lambda value: shown(value, form)).where(means.notna(), status)
    text += deviations.map(lambda value: "" if np.isnan(value) else f" ± {value:{form}}")
    text += _in_brackets(published, form)
    parts = {"": means, " sd": deviations, " published": published.dropna(how="all", axis=1)}
    values = pd.concat([table.add_suffix(word) for word, table in parts.items()], axis=1)
    merits = (cells.metric.sign * means).round(10)
    return text, values, merits.eq(merits.max(axis=1), axis=0)


def _in_brackets(published: pd.DataFrame, form: str) -> pd.DataFrame:
    return published.map(lambda value: "" if np.isnan(value) else f"\n({value:{form}})")


def _published(cells: Cells, table: pd.DataFrame, noise: str = "none") -> pd.DataFrame:
    """Printed accuracies of the same data sets and models; NaN where there are none."""
    printed = printed_cells()
    if cells.metric.name != DEFAULT_METRIC:
        printed = printed[:0]
    wide = printed[printed["noise"] == noise].pivot(
        index="dataset", columns="model", values="printed"
    )
    return wide.reindex(index=table.index, columns=table.columns).astype(float)


def _note(cells: Cells, protocol: str, published: pd.DataFrame) -> str:
    known = published.notna().any(axis=None)
    return f"{PUBLISHED_NOTE if known else ''} {protocol_note(cells, protocol)}"


def _mean_row(
    name: str, table: pd.DataFrame, form: str, published: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Means of complete rows, those of the published figures in brackets."""
    text = table.mean().to_frame(name).T.map(lambda value: shown(value, form))
    if published is not None:
        theirs = published.loc[table.index].mean(skipna=False)
        text += _in_brackets(theirs.to_frame(name).T, form)
    return text


def accuracy_table(cells: Cells, protocol: str) -> Table:
    """Figure of each model on each data set, the published one in brackets."""
    metric, means = cells.metric, cells.means(protocol)
    published, complete = _published(cells, means), means.dropna()
    name = "mean" if len(complete) == len(means) else f"mean of the {len(complete)} complete"
    return Table(
        f"{metric.name}_{protocol}",
        f"{metric.title}, {protocol} protocol",
        "Without noise. Mean ± standard deviation over folds; the best of a row is bold."
        f"{_note(cells, protocol, published)}",
        *_figures(cells, means, cells.deviations(protocol), published, cells.status(protocol)),
        _mean_row(name, complete, f".{metric.decimals}f", published) if len(complete) else None,
    )


def rank_table(cells: Cells, protocol: str) -> Table:
    """Rank of each model on each data set, 1 the best, and its mean."""
    table = ranks(cells.merits(protocol))
    published = _published(cells, table)
    published = published.dropna().rank(axis=1, ascending=False).reindex(table.index)
    return Table(
        f"ranks_{protocol}",
        f"Ranks, {protocol} protocol",
        f"By {cells.metric.words} without noise, 1 the best, ties shared."
        f"{_note(cells, protocol, published)}{left_out_note(cells.incomplete(protocol))}",
        table.map("{:.1f}".format) + _in_brackets(published, ".1f"),
        table,
        table.eq(table.min(axis=1), axis=0),
        _mean_row("mean rank", table, ".2f", published),
    )


def noise_table(cells: Cells, protocol: str) -> Table:
    """Figure of each model on each data set with each noise."""
    noises = cells.noises(protocol)
    means = {noise: cells.means(protocol, noise) for noise in noises}
    datasets = sorted({name for noise in noises if noise != "none" for name in means[noise].index})
    rows = [(name, noise) for name in datasets for noise in noises if name in means[noise].index]

    def stacked(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
        whole = pd.concat(dict(zip(noises, tables, strict=True))).swaplevel()
        return whole.loc[rows].rename_axis(["data set", "noise"])

    published = stacked(_published(cells, means[noise], noise) for noise in noises)
    return Table(
        f"noise_{protocol}",
        f"{cells.metric.title} with noise, {protocol} protocol",
        "Mean ± standard deviation over folds; noise on training rows (train) or all rows (all)."
        f"{_note(cells, protocol, published)}",
        *_figures(
            cells,
            stacked(means.values()),
            stacked(cells.deviations(protocol, noise) for noise in noises),
            published,
            stacked(cells.status(protocol, noise) for noise in noises),
        ),
    )


def pair_table(cells: Cells, protocol: str) -> Table:
    """The reference against each other model, ours and published, with Friedman's test of all."""
    table = cells.merits(protocol).dropna()
    published = _published(cells, table).dropna(axis=1)
    reference, sides = cells.reference(protocol), {"ours": table}
    if reference in published and published.shape[1] > 1:
        sides["published"] = published
    pairs = {name: compare_pairs(side, reference=reference) for name, side in sides.items()}
    values = pd.concat(pairs, names=["accuracies", ""]).droplevel(1).drop(columns="model")
    values = values.set_index("other", append=True).rename_axis(["accuracies", "against"])
    tests = {name: friedman(side) for name, side in sides.items()}
    alike = "; ".join(
        f"{name} χ² = {test.chi2:.2f}, p = {shown(test.chi2_p_value, 'p')}, F = {test.f:.2f}, "
        f"p = {shown(test.f_p_value, 'p')}"
        for name, test in tests.items()
    )
    return plain_table(
        f"pairs_{protocol}",
        f"{reference} against each other model, {protocol} protocol",
        f"On {len(table)} data sets: wins, ties and losses, exact sign test, Wilcoxon's test, its "
        "p after Holm's adjustment, and the published variant of the test, on ranks. "
        f"Friedman's test of all models: {alike}. {protocol_note(cells, protocol)}"
        f"{left_out_note(cells.incomplete(protocol))}",
        values,
    )


def optimism_table(cells: Cells) -> Table:
    """What choosing settings on the test folds adds to each model on each data set."""
    points = cells.optimism()
    return Table(
        "optimism",
        f"Optimism on each data set, {PAPER} less {INSIDE}",
        "Accuracy with settings chosen on the test folds less that with settings chosen on inner "
        "folds of the training rows, on the same folds, in percentage points.",
        points.map(lambda value: shown(value, "+z.2f")),
        points,
        foot=_mean_row("mean", points, "+z.2f"),
    )


def time_table(cells: Cells) -> Table:
    """CPU seconds that each model took under each protocol."""
    done = cells.units[cells.units["done"]]
    seconds = done.groupby(["protocol", "model"])["seconds"]
    values = seconds.agg(runs="count", sum="sum", median="median", longest="max")
    caption = "CPU seconds of runs that are done, search included. Each runs on one thread."
    return plain_table("time", "Time", caption, values)


def not_done_table(cells: Cells) -> Table:
    """Units without a score, and why."""
    lost = cells.not_done.set_index("dataset").rename_axis("data set")
    return plain_table("not_done", "Not done", "Runs without a score.", lost)


def code_table(frame: pd.DataFrame) -> Table:
    """Code that made the results."""
    named = frame.assign(commit=frame["commit"].replace("", "changed"))
    values = named.groupby(["version", "commit", "source"], sort=False).agg(
        runs=("model", "size"),
        models=("model", lambda models: ", ".join(in_order(models))),
        last=("finished", lambda times: max(times)[:16]),
    )
    caption = "Version, commit (of an unchanged checkout) and hash of the source of broadlearn."
    return plain_table("code", "Code that made the results", caption, values)


def standing_table(standing: Standing) -> Table:
    """The first twenty of the published classifiers, and the model."""
    table = standing.table()
    return plain_table(
        f"leaderboard_{re.sub(r'[^A-Za-z0-9]+', '_', standing.model)}",
        f"{standing.model} among 179 published classifiers",
        f"On {len(standing.ranks)} data sets, by Friedman's mean rank. {standing.column} is not of "
        "the publication. P90 and P95: percent of data sets on which 90 and 95 % of the best are "
        "reached.",
        table[(np.arange(len(table)) < 20) | (table.index == standing.column)],
    )


def reproduction_tables(judged: pd.DataFrame) -> list[Table]:
    """Differences from print and verdicts by model, and the cells that are not within reach."""
    tables = []
    for noisy, words in ((False, ""), (True, " with noise")):
        cells = judged[(judged["noise"] != "none") == noisy]
        if len(cells):
            tables.append(
                plain_table(
                    f"reproduction{words.replace(' ', '_')}",
                    f"Print and ours{words}, by model",
                    "Mean difference, mean absolute difference, and that of the deviations over "
                    "folds, in percentage points; then numbers of cells.",
                    summarize_cells(cells, ["model"]),
                )
            )
    apart = judged[judged["median"].notna() & (judged["verdict"] != WITHIN_REACH)]
    if len(apart):
        columns = ["verdict", "printed", "lowest", "median", "highest", "ours"]
        values = apart.set_index(["model", "dataset"])[columns]
        caption = "Accuracies in percent: print, redraws, and the best of our grid."
        tables.append(plain_table("reproduction_cells", "Out of reach", caption, values))
    return tables
