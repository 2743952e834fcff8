"""Two stores side by side, as tables in a file or on a page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from broadlearn.study.comparison import CELL, CONDITION, Comparison
from broadlearn.study.report.document import Section, environment, write_document
from broadlearn.study.report.pooling import in_order, noise_label
from broadlearn.study.report.protocol_words import PROTOCOL_ACCOUNTS
from broadlearn.study.report.result_table import Entry, ResultTable
from broadlearn.utils import safe_csv, write_whole

HEADINGS = ["protocol", "noise", "grid", "tuned by", "data set", "model"]
TEST_HEADINGS = ["win", "tie", "loss", "p sign", "p Wilcoxon", "p Holm"]


def write_comparison(
    comparison: Comparison,
    path: str | os.PathLike[str],
    *,
    names: Sequence[str] = ("first", "second"),
    title: str = "Two stores compared",
    command: str = "",
) -> Path:
    """Write a comparison as a CSV file, a Markdown file, or a folder with a page.

    Parameters
    ----------
    comparison : Comparison
        From `compare_results`.
    path : path
        ``NAME.csv`` for the cells, ``NAME.md`` for all tables; anything else is the folder of a
        page with its tables.
    names : sequence of str
        Of the two stores, as tables say them.
    title, command : str
        Of the page.

    Returns
    -------
    Path
        Of what was written.
    """
    path = Path(path)
    if path.suffix == ".csv":
        write_whole(path, safe_csv(comparison.cells))
        return path
    tables = comparison_tables(comparison, names)
    if path.suffix == ".md":
        texts = [f"# {title}", comparison.sentence(), *(table.to_markdown() for table in tables)]
        write_whole(path, "\n\n".join(texts) + "\n")
        return path
    protocols = comparison.cells["protocol"].unique()
    return write_document(
        path,
        "page.html.j2",
        [Section("comparison", "Side by side", tables=tables)],
        title=title,
        command=command,
        headline=comparison.sentence(),
        summary=[
            f"The first is {names[0]}, the second {names[1]}.",
            f"Number of cells only in the first: {len(comparison.only_a):,}; only in the second: "
            f"{len(comparison.only_b):,}; on data that are not the same in both, and not "
            f"compared: {len(comparison.other_data):,}.",
        ],
        protocols={p: PROTOCOL_ACCOUNTS[p] for p in protocols if p in PROTOCOL_ACCOUNTS},
        caveats=(),
        environment=environment(pd.DataFrame()),
    )


def comparison_tables(
    comparison: Comparison, names: Sequence[str] = ("first", "second")
) -> list[ResultTable]:
    """The tables of a comparison: by model, by data set, and what is in one only.

    Parameters
    ----------
    comparison : Comparison
    names : sequence of str
        Of the two stores.

    Returns
    -------
    list of ResultTable
    """
    tables = []
    if len(comparison.models):
        tables.append(_model_table(comparison, names))
        for number, (condition, cells) in enumerate(comparison.cells.groupby(CONDITION), 1):
            tables.append(_dataset_table(comparison, condition, cells, number))
    for which, cells in (("a", comparison.only_a), ("b", comparison.only_b)):
        if len(cells):
            name = names["ab".index(which)]
            tables.append(_cell_table(f"only_{which}", f"Only in {name}", cells))
    if len(comparison.other_data):
        tables.append(_cell_table("other_data", "On other data", comparison.other_data))
    return tables


def _model_table(comparison: Comparison, names: Sequence[str]) -> ResultTable:
    metric = comparison.metric
    rows = []
    for line in comparison.models.itertuples(index=False):
        keys = [line.model, line.protocol, noise_label(line.noise), line.grid, line.scoring]
        figures = [Entry(line.a, metric.form), Entry(line.b, metric.form)]
        figures.append(Entry(line.difference, f"+z{metric.form}"))
        counts = [Entry(count, ".0f") for count in (line.win, line.tie, line.loss)]
        tests = [Entry(p, "p") for p in (line.p_sign, line.p_wilcoxon, line.p_holm)]
        rows.append([*map(Entry, keys), Entry(line.n_datasets, "d"), *figures, *counts, *tests])
    lower = ", the lower the better" if metric.lower_is_better else ""
    return ResultTable(
        "models",
        f"{metric.title} by model",
        f"Mean {metric.words} over the data sets that both have{lower}, and the second less the "
        "first; data sets on which the second is better, level or worse; exact sign test and "
        "Wilcoxon's signed-rank test over data sets, the latter also after Holm's adjustment over "
        "the models of a condition.",
        [*HEADINGS[-1:], *HEADINGS[:4], "data sets", *names, "difference", *TEST_HEADINGS],
        rows,
        n_keys=5,
    )


def _dataset_table(
    comparison: Comparison, condition: Sequence[str], cells: pd.DataFrame, number: int
) -> ResultTable:
    """The second less the first, data sets × models, under one condition."""
    metric = comparison.metric
    table = cells.pivot(index="dataset", columns="model", values="difference")
    models = in_order(set(table.columns))
    rows = [
        [Entry(dataset), *(Entry(value, f"+z{metric.form}") for value in line)]
        for dataset, line in table[models].iterrows()
    ]
    protocol, noise, grid, scoring = condition
    return ResultTable(
        f"differences_{number}",
        f"Differences by data set, {protocol} protocol",
        f"{metric.title} of the second less that of the first"
        f"{', in percentage points' if metric.percent else ''}; seeds that both have. Noise: "
        f"{noise_label(noise)}. Grid: {grid}. Settings chosen by {scoring}.",
        ["data set", *models],
        rows,
        [[Entry("mean"), *(Entry(value, f"+z{metric.form}") for value in table[models].mean())]],
    )


def _cell_table(name: str, title: str, cells: pd.DataFrame) -> ResultTable:
    rows = [
        [Entry(noise_label(value) if key == "noise" else value) for key, value in line.items()]
        for line in cells[CELL].to_dict("records")
    ]
    return ResultTable(name, title, "Cells that are not compared.", HEADINGS, rows, n_keys=6)
