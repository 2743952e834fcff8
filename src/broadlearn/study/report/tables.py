"""Tables of a study: texts for the page, unrounded values for files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from broadlearn.study.leaderboard import Standing
from broadlearn.study.metrics import DEFAULT_METRIC
from broadlearn.study.noise import parse_noise
from broadlearn.study.plan import INSIDE, PAPER
from broadlearn.study.published_results import published_table
from broadlearn.study.report.cells import Cells, in_order
from broadlearn.study.report.words import left_out_note, protocol_note
from broadlearn.study.reproduction import WITHIN_REACH, summarize_cells
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
    published: pd.DataFrame | None,
    status: pd.DataFrame,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Texts, values and marks of the best: figures, their deviations and published ones."""
    form = f".{cells.metric.decimals}f"
    text = means.map(lambda value: shown(value, form)).where(means.notna(), status)
    text += deviations.map(lambda value: "" if np.isnan(value) else f" ± {value:{form}}")
    parts = {"": means, " sd": deviations}
    if published is not None:
        text += _in_brackets(published, form)
        parts[" published"] = published
    values = pd.concat([table.add_suffix(word) for word, table in parts.items()], axis=1)
    merits = (cells.metric.sign * means).round(10)
    return text, values, merits.eq(merits.max(axis=1), axis=0)


def _in_brackets(published: pd.DataFrame, form: str) -> pd.DataFrame:
    return published.map(lambda value: "" if np.isnan(value) else f"\n({value:{form}})")


def _published(cells: Cells, table: pd.DataFrame) -> pd.DataFrame | None:
    """Published accuracies of the same data sets and models; None without any."""
    if cells.metric.name != DEFAULT_METRIC:
        return None
    everything = pd.concat([published_table(), published_table("adni")])
    printed = everything.reindex(index=table.index, columns=table.columns)
    return printed if printed.notna().any(axis=None) else None


def _mean_row(
    name: str, table: pd.DataFrame, published: pd.DataFrame | None, form: str
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
        f"{'' if published is None else PUBLISHED_NOTE} {protocol_note(cells, protocol)}",
        *_figures(cells, means, cells.deviations(protocol), published, cells.status(protocol)),
        _mean_row(name, complete, published, f".{metric.decimals}f") if len(complete) else None,
    )


def rank_table(cells: Cells, protocol: str) -> Table:
    """Rank of each model on each data set, 1 the best, and its mean."""
    table = ranks(cells.merits(protocol))
    published = _published(cells, table)
    text = table.map("{:.1f}".format)
    if published is not None:
        published = published.dropna().rank(axis=1, ascending=False).reindex(table.index)
        text += _in_brackets(published, ".1f")
    return Table(
        f"ranks_{protocol}",
        f"Ranks, {protocol} protocol",
        f"By {cells.metric.words} without noise, 1 the best, ties shared."
        f"{'' if published is None else PUBLISHED_NOTE} "
        f"{protocol_note(cells, protocol)}{left_out_note(cells.incomplete(protocol))}",
        text,
        table,
        table.eq(table.min(axis=1), axis=0),
        _mean_row("mean rank", table, published, ".2f"),
    )


def noise_table(cells: Cells, protocol: str) -> Table:
    """Figure of each model on each data set with each noise."""
    printed = published_table("noise").unstack("noise_percent")
    parts: dict[str, list[pd.DataFrame]] = {}
    noises = cells.noises(protocol)
    noisy = {name for noise in noises if noise != "none" for name in cells.means(protocol, noise).T}
    for noise in noises:
        means, parsed = cells.means(protocol, noise), parse_noise(noise)
        level, published = round(100 * parsed.level, 6), pd.DataFrame()
        if parsed.kind == "deviation" and level in printed.columns.levels[1]:
            published = printed.xs(level, axis=1, level=1)
        published = published.reindex_like(means).astype(float)
        tables = (means, cells.deviations(protocol, noise), published)
        rows = [name for name in means.index if name in noisy]
        parts[noise] = [table.loc[rows] for table in (*tables, cells.status(protocol, noise))]
    means, deviations, theirs, status = (
        pd.concat(dict(zip(parts, tables, strict=True)), names=["noise", "data set"])
        .swaplevel()
        .sort_index(level=0, sort_remaining=False)
        for tables in zip(*parts.values(), strict=True)
    )
    known = theirs if theirs.notna().any(axis=None) else None
    return Table(
        f"noise_{protocol}",
        f"{cells.metric.title} with noise, {protocol} protocol",
        "Mean ± standard deviation over folds; noise on training rows (train) or all rows (all)."
        f"{'' if known is None else PUBLISHED_NOTE} {protocol_note(cells, protocol)}",
        *_figures(cells, means, deviations, known, status),
    )


def pair_table(cells: Cells, protocol: str) -> Table:
    """The reference against each other model, ours and published, with Friedman's test of all."""
    table = cells.merits(protocol).dropna()
    published, reference = _published(cells, table), cells.reference(protocol)
    sides = {"ours": table}
    if published is not None:
        published = published.dropna(axis=1)
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
        foot=_mean_row("mean", points, None, "+z.2f"),
    )


def time_table(cells: Cells) -> Table:
    """CPU seconds that each model took under each protocol."""
    done = cells.units[cells.units["done"]]
    seconds = done.groupby(["protocol", "model"])["seconds"]
    values = seconds.agg(units="count", sum="sum", median="median", longest="max")
    caption = "CPU seconds of units that are done, search included. Each unit runs on one thread."
    return plain_table("time", "Time", caption, values)


def not_done_table(cells: Cells) -> Table:
    """Units without a score, and why."""
    lost = cells.not_done.set_index("dataset").rename_axis("data set")
    return plain_table("not_done", "Not done", "Units without a score.", lost)


def code_table(frame: pd.DataFrame) -> Table:
    """Code that made the results."""
    named = frame.assign(commit=frame["commit"].replace("", "changed"))
    values = named.groupby(["version", "commit", "source"], sort=False).agg(
        units=("model", "size"),
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
