"""Tables of a study, and their HTML, Markdown, LaTeX and CSV."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from broadlearn.study.leaderboard import Standing
from broadlearn.study.metrics import DEFAULT_METRIC
from broadlearn.study.noise import parse_noise
from broadlearn.study.plan import INSIDE, PAPER
from broadlearn.study.published_results import published_table
from broadlearn.study.report.cells import Cells, in_order
from broadlearn.study.report.words import left_out_note, protocol_note
from broadlearn.study.reproduction import WITHIN_REACH, summarize_cells
from broadlearn.study.statistics import compare_conditions, compare_pairs, friedman, nemenyi, ranks
from broadlearn.utils import safe_csv

# Text, values and marks of a table.
Parts = tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]
PUBLISHED_NOTE = "In brackets: the published figure, of the paper protocol."
_LATEX = str.maketrans(
    {"±": r"$\pm$", "−": "$-$", "χ": r"$\chi$", "²": r"$^2$", "μ": r"$\mu$", "\u00a0": "~"}
    | {c: f"\\{c}" for c in "{}$&#_%"}
    | {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
)
_MARKDOWN = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;"} | {c: f"\\{c}" for c in "\\`*_[]|~$#!"}
)


@dataclass(frozen=True)
class Table:
    r"""A captioned table that renders itself.

    Parameters
    ----------
    name : str
        File name without extension; also its id on the page.
    title, caption : str
    text : DataFrame of str
        Cells as shown; the index names the rows.
    values : DataFrame
        Unrounded values, for the CSV file.
    best : DataFrame of bool, default=None
        Cells to print bold.
    n_feet : int, default=0
        Number of last rows, such as means, that are not sorted with the others.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.study.report import Table
    >>> values = pd.DataFrame({"A_1": [89.7366]}, index=["bank"])
    >>> table = Table("t", "Accuracy", "Nested.", values.map("{:.2f}".format), values)
    >>> print(table.to_markdown())
    **Accuracy.** Nested.
    <BLANKLINE>
    |  | A\_1 |
    | :--- | ---: |
    | bank | 89.74 |
    """

    name: str
    title: str
    caption: str
    text: pd.DataFrame
    values: pd.DataFrame
    best: pd.DataFrame | None = None
    n_feet: int = 0

    def _quoted(self, quote: Any) -> pd.DataFrame:
        text = self.text.map(quote)
        text.columns = [quote(name) for name in text.columns]
        text.index = text.index.map(
            lambda key: tuple(map(quote, key)) if isinstance(key, tuple) else quote(key)
        )
        return text

    def _styled(self, text: pd.DataFrame, bold: str) -> Any:
        style = text.style
        if self.best is not None:
            style.apply(lambda _: np.where(self.best, bold, ""), axis=None)
        return style

    def to_html(self) -> Markup:
        """Return the table element; the page makes its headings sort it."""
        text = self._quoted(lambda value: str(Markup.escape(value)))
        style = self._styled(text, "font-weight: bold;")
        style.set_td_classes(pd.DataFrame("number", text.index, text.columns))
        style.set_table_attributes('class="results plain"')
        html = style.to_html(table_uuid=self.name, cell_ids=False, sparse_index=False)
        body, end = re.sub(r' class="data row\d+ col\d+ ?', ' class="', html).split("</tbody>")
        rows = body.split("<tr>")
        n_rows = len(rows) - self.n_feet
        foot = "".join(f"<tr>{row}" for row in rows[n_rows:])
        return Markup(f"{'<tr>'.join(rows[:n_rows])}</tbody><tfoot>{foot}</tfoot>{end}")

    def to_markdown(self) -> str:
        """Return caption and table in GitHub's Markdown."""
        text = self._quoted(lambda value: _one_line(value).translate(_MARKDOWN))
        if self.best is not None:
            text = text.mask(self.best.to_numpy(), "**" + text + "**")
        names = ["" if name is None else str(name) for name in text.index.names]
        rows = [*text.reset_index().itertuples(index=False, name=None)]
        rules = [":---"] * len(names) + ["---:"] * text.shape[1]
        lines = [" | ".join(map(str, row)) for row in ([*names, *text.columns], rules, *rows)]
        title, caption = (t.translate(_MARKDOWN) for t in (self.title, self.caption))
        return "\n".join([f"**{title}.** {caption}", "", *(f"| {line} |" for line in lines)])

    def to_latex(self) -> str:
        r"""Return a table environment; needs ``\usepackage{booktabs}``."""
        text = self._quoted(lambda value: _one_line(value).translate(_LATEX))
        latex: str = self._styled(text, "textbf:--rwrap;").to_latex(
            hrules=True,
            caption=f"{self.title}. {self.caption}".translate(_LATEX),
            label=f"tab:{self.name}",
            column_format="l" * text.index.nlevels + "r" * text.shape[1],
            position_float="centering",
            sparse_index=False,
        )
        return latex

    def to_csv(self) -> str:
        """Return the unrounded values; texts that a spreadsheet would run are made harmless."""
        return safe_csv(self.values)


def _one_line(text: object) -> str:
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", str(text)).strip()


def shown(value: Any, form: str = ".2f") -> str:
    """Return a number as tables show it: a format, or "p" for a p-value.

    Examples
    --------
    >>> shown(-1.234), shown(0.00001, "p"), shown(float("nan"))
    ('−1.23', '<0.0001', '–')
    """
    if isinstance(value, str):
        return value
    if value is None or math.isnan(value):
        return "–"
    if form == "p":
        return "<0.0001" if value < 1e-4 else f"{value:.3g}"
    return f"{value:{form}}".replace("-", "−")


def _plain_table(name: str, title: str, caption: str, values: pd.DataFrame) -> Table:
    """A table of p-values (columns named so), whole numbers, other numbers and texts."""
    text = pd.DataFrame(index=values.index)
    for column in values.columns:
        numbers = pd.to_numeric(values[column], errors="coerce")
        whole = (numbers.dropna() % 1 == 0).all()
        form = "p" if column.startswith("p_") else ".0f" if whole else ".2f"
        text[column.replace("_", " ")] = [shown(value, form) for value in values[column]]
    return Table(name, title, caption, text, values)


def _figures(
    means: pd.DataFrame,
    form: str,
    *,
    deviations: pd.DataFrame | None = None,
    published: pd.DataFrame | None = None,
    status: pd.DataFrame | None = None,
    lowest: bool = False,
) -> Parts:
    """Text, values and marks of a table of figures, with deviations and published ones."""
    text = means.map(lambda value: shown(value, form))
    if deviations is not None:
        with_sd = text + deviations.map(lambda value: f" ± {shown(value, form)}")
        text = with_sd.where(deviations.notna(), text)
    if status is not None:
        text = text.where(means.notna(), status)
    if published is not None:
        text += published.map(lambda value: "" if np.isnan(value) else f"\n({shown(value, form)})")
    values = {}
    for model in means.columns:
        values[model] = means[model]
        for word, table in (("sd", deviations), ("published", published), ("status", status)):
            if table is not None and (table[model].notna() & (table[model] != "")).any():
                values[f"{model} {word}"] = table[model]
    rounded = means.round(10)
    extreme = rounded.min(axis=1) if lowest else rounded.max(axis=1)
    return text, pd.DataFrame(values), rounded.eq(extreme, axis=0)


def _published(cells: Cells, table: pd.DataFrame) -> pd.DataFrame | None:
    """Published accuracies of the same data sets and models; None without any."""
    if cells.metric.name != DEFAULT_METRIC:
        return None
    everything = pd.concat([published_table(), published_table("adni")])
    printed = everything.reindex(index=table.index, columns=table.columns)
    return printed if printed.notna().any(axis=None) else None


def _with_means(
    body: Parts,
    name: str,
    means: pd.Series,
    form: str,
    published: pd.DataFrame | None,
    *,
    lowest: bool,
) -> Parts:
    """Add a last row of means."""
    theirs = None if published is None else published.mean(skipna=False).to_frame(name).T
    foot = _figures(means.to_frame(name).T, form, published=theirs, lowest=lowest)
    text, values, best = (pd.concat(pair) for pair in zip(body, foot, strict=True))
    return text, values, best


def accuracy_table(cells: Cells, protocol: str) -> Table:
    """Figure of each model on each data set, the published one in brackets."""
    metric, means = cells.metric, cells.means(protocol)
    form, lowest = f".{metric.decimals}f", metric.lower_is_better
    published, deviations = _published(cells, means), cells.deviations(protocol)
    body = _figures(
        means,
        form,
        deviations=deviations,
        published=published,
        status=cells.status(protocol),
        lowest=lowest,
    )
    complete = means.dropna()
    if len(complete):
        name = "mean" if len(complete) == len(means) else f"mean of the {len(complete)} complete"
        theirs = None if published is None else published.loc[complete.index]
        body = _with_means(body, name, complete.mean(), form, theirs, lowest=lowest)
    note = "" if published is None else f" {PUBLISHED_NOTE}"
    return Table(
        f"{metric.name}_{protocol}",
        f"{metric.words[0].upper()}{metric.words[1:]}, {protocol} protocol",
        "Without noise. Mean ± standard deviation over folds; the best of a row is bold."
        f"{note} {protocol_note(cells, protocol)}",
        *body,
        n_feet=int(len(complete) > 0),
    )


def rank_table(cells: Cells, protocol: str) -> Table:
    """Rank of each model on each data set, 1 the best, and its mean."""
    table = ranks(cells.merits(protocol))
    published = _published(cells, table)
    if published is not None:
        published = published.dropna().rank(axis=1, ascending=False).reindex(table.index)
    body = _figures(table, ".1f", published=published, lowest=True)
    note = "" if published is None else f" {PUBLISHED_NOTE}"
    return Table(
        f"ranks_{protocol}",
        f"Ranks, {protocol} protocol",
        f"By {cells.metric.words} without noise, 1 the best, ties shared.{note} "
        f"{protocol_note(cells, protocol)}{left_out_note(cells.incomplete(protocol))}",
        *_with_means(body, "mean rank", table.mean(), ".2f", published, lowest=True),
        n_feet=1,
    )


def condition_table(cells: Cells, protocol: str) -> Table | None:
    """Mean rank and mean figure of each model with each noise and in all; None below two."""
    tables, left_out = cells.conditions(protocol, cells.noises(protocol))
    n_datasets, n_models = next(iter(tables.values())).shape
    if min(len(tables), n_models, n_datasets) < 2:
        return None
    metric = cells.metric
    merits = {noise: metric.sign * table for noise, table in tables.items()}
    result = compare_conditions(merits, reference=next(iter(merits.values())).columns[0])
    mean_ranks, figures = result.mean_ranks.round(10), metric.sign * result.accuracies
    text = mean_ranks.map(shown) + figures.map(
        lambda value: f"\n{shown(value, f'.{metric.decimals}f')}{metric.unit}"
    )
    p_values = [friedman(table).f_p_value for table in merits.values()]
    text.loc["p, all alike"] = [*(shown(p, "p") for p in p_values), ""]
    values = pd.concat({"rank": mean_ranks, metric.name: figures}, axis=1)
    values.columns = [f"{name}, {noise}" for name, noise in values.columns]
    width = nemenyi(next(iter(merits.values()))).critical_difference
    return Table(
        f"conditions_{protocol}",
        f"Mean ranks with and without noise, {protocol} protocol",
        f"Mean rank among {n_models} models over {n_datasets} data sets, 1 the best, and below it "
        f"the mean {metric.words}. The last row is the p-value of Friedman's test (F). Ranks in a "
        f"column less than {width:.2f} apart do not differ by Nemenyi's test. The last column is "
        f"the mean of the others. {protocol_note(cells, protocol)}{left_out_note(left_out)}",
        text,
        values,
        mean_ranks.eq(mean_ranks.min()).reindex(text.index, fill_value=False),
        1,
    )


def noise_table(cells: Cells, protocol: str) -> Table:
    """Figure of each model on each data set with each noise."""
    metric, printed = cells.metric, published_table("noise").unstack("noise_percent")
    parts, noisy = [], set()
    for noise in cells.noises(protocol):
        means, parsed = cells.means(protocol, noise), parse_noise(noise)
        level, published = round(100 * parsed.level, 6), pd.DataFrame()
        if parsed.kind == "deviation" and level in printed.columns.levels[1]:
            published = printed.xs(level, axis=1, level=1)
        noisy |= set() if noise == "none" else set(means.index)
        theirs = published.reindex(index=means.index, columns=means.columns).astype(float)
        tables = (means, cells.deviations(protocol, noise), theirs, cells.status(protocol, noise))
        parts.append([pd.concat({noise: table}).swaplevel() for table in tables])
    joined = [
        pd.concat(tables).sort_index(level=0, sort_remaining=False)
        for tables in zip(*parts, strict=True)
    ]
    means, deviations, theirs, status = (
        table[[name in noisy for name, _ in table.index]].rename_axis(["data set", "noise"])
        for table in joined
    )
    body = _figures(
        means,
        f".{metric.decimals}f",
        deviations=deviations,
        published=theirs if theirs.notna().any(axis=None) else None,
        status=status,
        lowest=metric.lower_is_better,
    )
    note = f"{PUBLISHED_NOTE} " if theirs.notna().any(axis=None) else ""
    return Table(
        f"noise_{protocol}",
        f"{metric.words[0].upper()}{metric.words[1:]} with noise, {protocol} protocol",
        "Mean ± standard deviation over folds; noise on training rows (train) or all rows (all). "
        f"{note}{protocol_note(cells, protocol)}",
        *body,
    )


def pair_table(cells: Cells, protocol: str) -> Table:
    """The reference against each other model, ours and published, with Friedman's test of all."""
    table = cells.merits(protocol).dropna()
    published = _published(cells, table)
    sides = {"ours": table}
    reference = cells.reference(protocol)
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
    return _plain_table(
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
    text = points.map(lambda value: shown(value, "+z.2f"))
    text.loc["mean"] = [shown(mean, "+z.2f") for mean in points.mean()]
    return Table(
        "optimism",
        f"Optimism on each data set, {PAPER} less {INSIDE}",
        "Accuracy with settings chosen on the test folds less that with settings chosen on inner "
        "folds of the training rows, on the same folds, in percentage points.",
        text,
        points,
        n_feet=1,
    )


def time_table(cells: Cells) -> Table:
    """Seconds that each model took under each protocol."""
    done = cells.units[cells.units["done"]]
    seconds = done.groupby(["protocol", "model"])["seconds"]
    values = seconds.agg(units="count", sum="sum", median="median", longest="max")
    return _plain_table("time", "Time", "Seconds of units that are done, search included.", values)


def not_done_table(cells: Cells) -> Table:
    """Units without a score, and why."""
    lost = cells.not_done.set_index("dataset").rename_axis("data set")
    return _plain_table("not_done", "Not done", "Units without a score.", lost)


def code_table(frame: pd.DataFrame) -> Table:
    """Code that made the results."""
    named = frame.assign(commit=frame["commit"].replace("", "changed"))
    values = named.groupby(["version", "commit", "source"], sort=False).agg(
        units=("model", "size"),
        models=("model", lambda models: ", ".join(in_order(models))),
        last=("finished", lambda times: max(times)[:16]),
    )
    caption = "Version, commit (of an unchanged checkout) and hash of the source of broadlearn."
    return _plain_table("code", "Code that made the results", caption, values)


def standing_table(standing: Standing) -> Table:
    """The first twenty of the published classifiers, and the model."""
    table = standing.table()
    values = table[(np.arange(len(table)) < 20) | (table.index == standing.column)]
    plain = _plain_table(
        f"leaderboard_{re.sub(r'[^A-Za-z0-9]+', '_', standing.model)}",
        f"{standing.model} among 179 published classifiers",
        f"On {len(standing.ranks)} data sets, by Friedman's mean rank. The bold line was run here. "
        "P90 and P95: percent of data sets on which 90 and 95 % of the best are reached.",
        values,
    )
    own = np.tile((values.index == standing.column)[:, None], values.shape[1])
    return replace(plain, best=pd.DataFrame(own, plain.text.index, plain.text.columns))


def reproduction_tables(judged: pd.DataFrame) -> list[Table]:
    """Differences from print and verdicts by model, and the cells that are not within reach."""
    tables = []
    for noisy, words in ((False, ""), (True, " with noise")):
        cells = judged[(judged["noise"] != "none") == noisy]
        if len(cells):
            tables.append(
                _plain_table(
                    f"reproduction{words.replace(' ', '_')}",
                    f"Print and ours{words}, by model",
                    "Off by: mean absolute difference of accuracies, and of their deviations over "
                    "folds, in percentage points. Shares are of the cells redrawn.",
                    summarize_cells(cells, ["model"]).dropna(axis=1, how="all"),
                )
            )
    told = judged[judged["median"].notna() & (judged["verdict"] != WITHIN_REACH)]
    if len(told):
        columns = ["verdict", "printed", "lowest", "median", "highest", "ours"]
        values = told.set_index(["model", "dataset"])[columns]
        caption = "Accuracies in percent: print, redraws, and the best of our grid."
        tables.append(_plain_table("reproduction_cells", "Out of reach", caption, values))
    return tables
