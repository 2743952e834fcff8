"""Tables of a study, and their HTML, Markdown, LaTeX and CSV."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from broadlearn.study.leaderboard import Standing
from broadlearn.study.metrics import DEFAULT_METRIC
from broadlearn.study.noise import parse_noise
from broadlearn.study.published_results import published_table
from broadlearn.study.report.cells import INSIDE, OUTSIDE, Cells, in_order
from broadlearn.study.report.words import left_out_note, protocol_note
from broadlearn.study.reproduction import CONTRADICTED, NOT_FITTED, OUT_OF_REACH, summarize_cells
from broadlearn.study.statistics import compare_conditions, compare_pairs, friedman, nemenyi, ranks
from broadlearn.utils import safe_csv

MIN_P = 1e-4
# The readings of "Gaussian noise of x %" that are in use.
GAUSSIAN = ("variance", "deviation", "rows")
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

    def to_html(self) -> Markup:
        """Return the table element, its headings buttons to sort by."""
        shown = self.text.map(lambda text: str(Markup.escape(text)))
        shown.columns = [str(Markup.escape(name)) for name in shown.columns]
        shown.index = shown.index.map(_escaped)
        style = self._styled(shown, "font-weight: bold;")
        style.set_td_classes(pd.DataFrame("number", shown.index, shown.columns))
        style.set_table_attributes('class="results plain"')
        html = style.to_html(table_uuid=self.name, cell_ids=False, sparse_index=False)
        html = re.sub(r' class="data row\d+ col\d+ ?', ' class="', html)
        body, end = html.split("</tbody>")
        rows = body.split("<tr>")
        feet = rows[len(rows) - self.n_feet :] if self.n_feet else []
        body = "<tr>".join(rows[: len(rows) - len(feet)])
        foot = f"<tfoot><tr>{'<tr>'.join(feet)}</tfoot>" if feet else ""
        return Markup(f"{body}</tbody>{foot}{end}")

    def _styled(self, shown: pd.DataFrame, bold: str) -> Any:
        style = shown.style
        if self.best is not None:
            style.apply(lambda _: np.where(self.best, bold, ""), axis=None)
        return style

    def to_markdown(self) -> str:
        """Return caption and table in GitHub's Markdown."""
        heads = [*("" if n is None else str(n) for n in self.text.index.names), *self.text.columns]
        best = np.zeros(self.text.shape, bool) if self.best is None else self.best.to_numpy()
        n_keys = self.text.index.nlevels
        lines = [f"**{_markdown(self.title)}.** {_markdown(self.caption)}", ""]
        lines.append(f"| {' | '.join(map(_markdown, heads))} |")
        lines.append(f"|{' :--- |' * n_keys}{' ---: |' * self.text.shape[1]}")
        for (key, row), bold in zip(self.text.iterrows(), best, strict=True):
            keys = key if isinstance(key, tuple) else (key,)
            cells = [
                f"**{_markdown(t)}**" if b else _markdown(t) for t, b in zip(row, bold, strict=True)
            ]
            lines.append(f"| {' | '.join([*map(_markdown, keys), *cells])} |")
        return "\n".join(lines)

    def to_latex(self) -> str:
        r"""Return a table environment; needs ``\usepackage{booktabs}``."""
        shown = self.text.map(_latex)
        shown.columns, shown.index = map(_latex, shown.columns), shown.index.map(_latex_key)
        caption = f"{_latex(self.title)}. {_latex(self.caption)}"
        latex: str = self._styled(shown, "textbf:--rwrap;").to_latex(
            hrules=True,
            caption=caption,
            label=f"tab:{self.name}",
            column_format="l" * shown.index.nlevels + "r" * shown.shape[1],
            position_float="centering",
            sparse_index=False,
        )
        return latex

    def to_csv(self) -> str:
        """Return the unrounded values; texts that a spreadsheet would run are made harmless."""
        return safe_csv(self.values)


def _escaped(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(str(Markup.escape(part)) for part in key)
    return str(Markup.escape(key))


def _one_line(text: object) -> str:
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", str(text)).strip()


def _markdown(text: object) -> str:
    return _one_line(text).translate(_MARKDOWN)


def _latex(text: object) -> str:
    return _one_line(text).translate(_LATEX)


def _latex_key(key: Any) -> Any:
    return tuple(map(_latex, key)) if isinstance(key, tuple) else _latex(key)


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
    if math.isinf(value):
        return "∞"
    if form == "p":
        return f"<{MIN_P:.4f}" if value < MIN_P else f"{value:.3g}"
    return f"{value:{form}}".replace("-", "−")


def _plain_table(
    name: str,
    title: str,
    caption: str,
    values: pd.DataFrame,
    forms: dict[str, str] | None = None,
    heads: dict[str, str] | None = None,
) -> Table:
    """A table of columns with a format each."""
    text = pd.DataFrame(
        {
            (heads or {}).get(column, column): [
                shown(value, (forms or {}).get(column, ".2f")) for value in values[column]
            ]
            for column in values.columns
        },
        index=values.index,
    )
    return Table(name, title, caption, text, values)


def _figures(
    means: pd.DataFrame,
    form: str,
    *,
    deviations: pd.DataFrame | None = None,
    published: pd.DataFrame | None = None,
    status: pd.DataFrame | None = None,
    lowest: bool = False,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Text, values and marks of a table of figures, with deviations and published ones."""
    text, values = means.map(lambda value: shown(value, form)), {}
    if deviations is not None:
        with_sd = text + deviations.map(lambda value: f" ± {shown(value, form)}")
        text = with_sd.where(deviations.notna(), text)
    if status is not None:
        text = text.where(means.notna(), status)
    if published is not None:
        text += published.map(lambda value: "" if np.isnan(value) else f"\n({shown(value, form)})")
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
    printed = published_table().reindex(index=table.index, columns=table.columns)
    return printed if printed.notna().any(axis=None) else None


def _with_foot(
    parts: tuple[pd.DataFrame, ...], foot: tuple[pd.DataFrame, ...]
) -> tuple[pd.DataFrame, ...]:
    return tuple(pd.concat(pair) for pair in zip(parts, foot, strict=True))


def accuracy_table(cells: Cells, protocol: str) -> Table:
    """Figure of each model on each data set, the published one in brackets."""
    metric, means = cells.metric, cells.means(protocol)
    form, published = f".{metric.decimals}f", _published(cells, means)
    body = _figures(
        means,
        form,
        deviations=cells.deviations(protocol),
        published=published,
        status=cells.status(protocol),
        lowest=metric.lower_is_better,
    )
    complete = means.dropna()
    n_feet = int(len(complete) > 0)
    if n_feet:
        name = "mean" if len(complete) == len(means) else f"mean of the {len(complete)} complete"
        theirs = None if published is None else published.loc[complete.index].mean(skipna=False)
        foot = _figures(
            complete.mean().to_frame(name).T,
            form,
            published=None if theirs is None else theirs.to_frame(name).T,
            lowest=metric.lower_is_better,
        )
        body = _with_foot(body, foot)
    notes = ["Without noise. Mean ± standard deviation over folds; the best of a row is bold."]
    notes += [] if published is None else [PUBLISHED_NOTE]
    title = f"{metric.words[0].upper()}{metric.words[1:]}, {protocol} protocol"
    caption = " ".join([*notes, protocol_note(cells, protocol)])
    return Table(f"{metric.name}_{protocol}", title, caption, *body, n_feet)


def rank_table(cells: Cells, protocol: str) -> Table:
    """Rank of each model on each data set, 1 the best, and its mean."""
    result = ranks(cells.merits(protocol))
    published = _published(cells, result.table)
    if published is not None:
        published = published.dropna().rank(axis=1, ascending=False).reindex(result.table.index)
    body = _figures(result.table, ".1f", published=published, lowest=True)
    theirs = None if published is None else published.mean(skipna=False).to_frame("mean rank").T
    mean = result.mean.to_frame("mean rank").T
    body = _with_foot(body, _figures(mean, ".2f", published=theirs, lowest=True))
    return Table(
        f"ranks_{protocol}",
        f"Ranks, {protocol} protocol",
        f"By {cells.metric.words} without noise, 1 the best, ties shared. "
        f"{'' if published is None else PUBLISHED_NOTE} {protocol_note(cells, protocol)}"
        f"{left_out_note(result.left_out)}",
        *body,
        1,
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
    best = mean_ranks.eq(mean_ranks.min()).reindex(text.index, fill_value=False)
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
        best,
        1,
    )


def noise_table(cells: Cells, protocol: str) -> Table:
    """Figure of each model on each data set with each noise."""
    metric, printed = cells.metric, published_table("noise")
    parts, published = {}, {}
    for noise in cells.noises(protocol):
        means = cells.means(protocol, noise)
        parsed = parse_noise(noise)
        theirs = pd.DataFrame(np.nan, means.index, means.columns)
        if parsed.kind in GAUSSIAN and metric.name == DEFAULT_METRIC:
            level = printed.reset_index("noise_percent")
            level = level[level.pop("noise_percent") == round(100 * parsed.level, 6)]
            theirs = level.reindex(index=means.index, columns=means.columns)
        parts[noise] = (means, cells.deviations(protocol, noise), cells.status(protocol, noise))
        published[noise] = theirs
    means, deviations, status = (
        pd.concat({noise: tables[i] for noise, tables in parts.items()}) for i in range(3)
    )
    theirs = pd.concat(published)
    noisy = {name for noise, name in means.index if noise != "none"}
    rows = [key for key in means.index if key[1] in noisy]
    rows.sort(key=lambda key: key[1])
    body = _figures(
        means.loc[rows],
        f".{metric.decimals}f",
        deviations=deviations.loc[rows],
        published=theirs.loc[rows] if theirs.notna().any(axis=None) else None,
        status=status.loc[rows],
        lowest=metric.lower_is_better,
    )
    for frame in body:
        frame.index = frame.index.swaplevel().set_names(["data set", "noise"])
    note = f"{PUBLISHED_NOTE} " if theirs.notna().any(axis=None) else ""
    return Table(
        f"noise_{protocol}",
        f"{metric.words[0].upper()}{metric.words[1:]} with noise, {protocol} protocol",
        "Mean ± standard deviation over folds; noise on training rows (train) or all rows (all). "
        f"{note}{protocol_note(cells, protocol)}",
        *body,
    )


def statistics_tables(cells: Cells, protocol: str) -> list[Table]:
    """Friedman's test, pairs with the reference, and Nemenyi's test; for two or more data sets."""
    table = cells.merits(protocol)
    published = _published(cells, table.dropna())
    complete = published is not None and not published.isna().any(axis=None)
    sides = {"ours": table} | ({"published": published} if complete else {})
    note = protocol_note(cells, protocol)
    tests = {name: friedman(side) for name, side in sides.items()}
    columns = ["n_datasets", "n_models", "chi2", "chi2_p_value", "f", "f_p_value"]
    values = pd.DataFrame({n: {c: getattr(t, c) for c in columns} for n, t in tests.items()}).T
    forms = {"n_datasets": ".0f", "n_models": ".0f", "chi2_p_value": "p", "f_p_value": "p"}
    heads = {
        "n_datasets": "data sets",
        "n_models": "models",
        "chi2": "χ²",
        "chi2_p_value": "p of χ²",
    }
    heads |= {"f": "F", "f_p_value": "p of F"}
    left_out = left_out_note(tests["ours"].left_out)
    friedman_table = _plain_table(
        f"friedman_{protocol}",
        f"Friedman's test, {protocol} protocol",
        f"Are all models alike? Friedman's χ² and Iman and Davenport's F. {note}{left_out}",
        values,
        forms,
        heads,
    )
    reference = cells.reference(protocol)
    pairs = {name: compare_pairs(side, reference=reference) for name, side in sides.items()}
    ours = pairs["ours"]
    values = pd.concat({n: p.table.drop(columns="model") for n, p in pairs.items()})
    values = (
        values.droplevel(1).set_index("other", append=True).rename_axis(["accuracies", "against"])
    )
    forms = dict.fromkeys(["win", "tie", "loss"], ".0f")
    forms |= dict.fromkeys(["p_sign", "p_wilcoxon", "p_holm", "p_ranks"], "p")
    heads = {"p_sign": "p sign", "p_wilcoxon": "p Wilcoxon", "p_holm": "p Holm"}
    pair_table = _plain_table(
        f"pairs_{protocol}",
        f"{reference} against each other model, {protocol} protocol",
        f"On {ours.n_datasets} data sets: wins, ties and losses, exact sign test "
        f"({ours.threshold:.1f} wins differ from chance at 5 %), Wilcoxon's signed-rank test, "
        "its p after Holm's adjustment, and the published variant of the test, on ranks. "
        f"{note}{left_out}",
        values,
        forms,
        heads | {"p_ranks": "p on ranks"},
    )
    result = nemenyi(table)
    p_values = result.p_values.mask(np.eye(len(result.p_values), dtype=bool))
    p_values.insert(0, "mean rank", result.mean_ranks)
    nemenyi_table = _plain_table(
        f"nemenyi_{protocol}",
        f"Nemenyi's test, {protocol} protocol",
        f"p-values of all pairs. Mean ranks {result.critical_difference:.2f} or more apart differ "
        f"at {100 * result.alpha:g} %. {note}{left_out}",
        p_values,
        dict.fromkeys(p_values.columns[1:], "p"),
    )
    return [friedman_table, pair_table, nemenyi_table]


def optimism_table(cells: Cells) -> Table:
    """What choosing settings on the test folds adds to each model on each data set."""
    points = cells.optimism()
    text, values, _ = _figures(points, "+z.2f")
    text.loc["mean"] = [shown(mean, "+z.2f") for mean in points.mean()]
    return Table(
        "optimism",
        f"Optimism on each data set, {OUTSIDE} less {INSIDE}",
        "Accuracy with settings chosen on the test folds less that with settings chosen on inner "
        "folds of the training rows, on the same folds, in percentage points.",
        text,
        values,
        None,
        1,
    )


def time_table(cells: Cells) -> Table:
    """Seconds that each model took under each protocol."""
    done = cells.units[cells.units["done"]]
    seconds = done.groupby(["protocol", "model"])["seconds"].agg(["count", "sum", "median", "max"])
    seconds = seconds.loc[
        [k for p in cells.protocols for m in cells.models if (k := (p, m)) in seconds.index]
    ]
    forms = {"count": ",d", "sum": ",.1f", "median": ",.2f", "max": ",.1f"}
    heads = {"count": "units", "max": "longest"}
    caption = "Seconds of units that are done, search included."
    return _plain_table("time", "Time", caption, seconds, forms, heads)


def not_done_table(cells: Cells) -> Table:
    """Units without a score, and why."""
    lost = cells.not_done.set_index("dataset").rename_axis("data set")
    return _plain_table("not_done", "Not done", "Units without a score.", lost, {"seed": "d"})


def code_table(frame: pd.DataFrame) -> Table:
    """Code that made the results."""
    keys = ["version", "commit", "source"]
    named = frame.assign(commit=frame["commit"].replace("", "changed"))
    groups = named.groupby(keys, sort=False)
    values = groups.agg(
        units=("model", "size"),
        models=("model", lambda models: ", ".join(in_order(models))),
        first=("finished", "min"),
        last=("finished", "max"),
    )
    for column in ("first", "last"):
        values[column] = values[column].str[:16]
    caption = "Version, commit (of an unchanged checkout) and hash of the source of broadlearn."
    return _plain_table("code", "Code that made the results", caption, values, {"units": ",d"})


def comparison_table(compared: pd.DataFrame, names: Sequence[str]) -> Table:
    """Two stores side by side, by condition and model."""
    keys = ["protocol", "noise", "model"]
    values = compared.set_index(keys).drop(columns=["grid", "scoring", "folds"])
    values["same_model"] = values["same_model"].map({True: "yes", False: "no"})
    forms = dict.fromkeys(["n_datasets", "win", "tie", "loss"], ".0f") | {"difference": "+z.2f"}
    forms |= dict.fromkeys(["p_sign", "p_wilcoxon", "p_holm"], "p")
    heads = {"a": names[0], "b": names[1], "n_datasets": "data sets", "same_model": "same code"}
    heads |= {"p_sign": "p sign", "p_wilcoxon": "p Wilcoxon", "p_holm": "p Holm"}
    return _plain_table(
        "comparison",
        f"{names[1]} compared with {names[0]}",
        "Mean accuracies in percent on the data sets that both have, their difference, and wins, "
        "ties and losses of the second with tests over data sets.",
        values,
        forms,
        heads,
    )


def standing_tables(standings: Sequence[Standing]) -> list[Table]:
    """Each model among the published classifiers: the first twenty, and each data set."""
    tables = []
    for i, standing in enumerate(standings, start=1):
        table = standing.table()
        top = table[(np.arange(len(table)) < 20) | (table.index == standing.column)]
        forms = {"position": ".0f", "mean_rank": ".2f"}
        forms |= dict.fromkeys(["accuracy", "share_of_best", "p90", "p95"], ".1f")
        heads = {"mean_rank": "mean rank", "share_of_best": "share of best", "p90": "P90"}
        plain = _plain_table(
            f"leaderboard_{i}",
            f"{standing.model} among 179 published classifiers",
            f"On {len(standing.ranks)} data sets, by Friedman's mean rank. The bold line was run "
            "here. P90 and P95: percent of data sets on which 90 and 95 % of the best are reached.",
            top,
            forms,
            heads | {"p95": "P95"},
        )
        own = np.repeat((top.index == standing.column)[:, None], top.shape[1], axis=1)
        best = pd.DataFrame(own, plain.text.index, plain.text.columns)
        tables.append(replace(plain, best=best))
        published = standing.accuracies.drop(columns=standing.column)
        values = pd.DataFrame(
            {
                standing.model: standing.accuracies[standing.column],
                "rank": standing.ranks[standing.column],
                "best published": published.max(axis=1),
                "by": published.idxmax(axis=1),
                "mean published": published.mean(axis=1),
            }
        ).rename_axis("data set")
        caption = "Accuracies in percent, means over the authors' splits."
        title = f"{standing.model} on each data set of the collection"
        forms = dict.fromkeys(values.columns, ".1f")
        tables.append(_plain_table(f"leaderboard_sets_{i}", title, caption, values, forms))
    return tables


REPRODUCTION = {
    "n_cells": ("cells", ".0f"),
    "difference": ("ours less print", "+z.2f"),
    "abs_difference": ("mean off by", ".2f"),
    "abs_sd_difference": ("deviation off by", ".2f"),
    "n_redrawn": ("redrawn", ".0f"),
    "contradicted": ("contradicted, %", ".0f"),
    "out_of_reach": ("out of reach, %", ".0f"),
    "beyond_selection": ("beyond selection, %", ".0f"),
    "not_fitted": ("not fitted, %", ".0f"),
    "nearest_sd_difference": ("nearest draw's deviation off by", ".2f"),
}
VERDICTS = {
    CONTRADICTED: "Print is below the lowest of the redraws at the printed settings.",
    OUT_OF_REACH: "Print is above the highest redraw and above the best of our grid.",
    NOT_FITTED: "The model cannot be fitted with the printed settings on some fold.",
}


def reproduction_tables(judged: pd.DataFrame) -> list[Table]:
    """Differences from print and verdicts by model, and the cells of each verdict."""
    tables = []
    for noisy, words in ((False, ""), (True, " with noise")):
        cells = judged[(judged["noise"] != "none") == noisy]
        if cells.empty:
            continue
        values = summarize_cells(cells, ["reading", "model"])
        values = values[[name for name in REPRODUCTION if not values[name].isna().all()]]
        tables.append(
            _plain_table(
                f"reproduction{'_noise' if noisy else ''}",
                f"Print and ours{words}, by reading and model",
                "Off by: mean absolute difference of accuracies, and of their deviations over "
                "folds, in percentage points. Shares are of the cells redrawn.",
                values,
                {name: form for name, (_, form) in REPRODUCTION.items()},
                {name: head for name, (head, _) in REPRODUCTION.items()},
            )
        )
    columns = ["printed", "lowest", "median", "highest", "ours"]
    for verdict, sentence in VERDICTS.items():
        cells = judged[judged["verdict"] == verdict].set_index(["reading", "model", "dataset"])
        if len(cells):
            tables.append(
                _plain_table(
                    f"reproduction_{verdict.replace(' ', '_')}",
                    f"{verdict.capitalize()}: {len(cells)} cells",
                    f"{sentence} Accuracies in percent: print, redraws, and the best of our grid.",
                    cells[columns],
                )
            )
    return tables
