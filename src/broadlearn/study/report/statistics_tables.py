"""The tables of the statistics: Friedman, pairs of models, Nemenyi."""

from __future__ import annotations

import math

import pandas as pd

from broadlearn.study.report.pooling import merits, metric_of
from broadlearn.study.report.result_table import Entry, ResultTable
from broadlearn.study.report.tables import (
    PUBLISHED_NOTE,
    left_out_note,
    protocol_note,
    published_figures,
)
from broadlearn.study.statistics import compare_pairs, friedman, nemenyi

# Column of the page, of `compare_pairs`, and how its numbers are shown.
_PAIR_COLUMNS = (
    ("win", "win", "d"),
    ("tie", "tie", "d"),
    ("loss", "loss", "d"),
    ("p sign", "p_sign", "p"),
    ("p Wilcoxon", "p_wilcoxon", "p"),
    ("p Holm", "p_holm", "p"),
    ("p on ranks", "p_ranks", "p"),
)


def statistics_tables(cells: pd.DataFrame, protocol: str) -> list[ResultTable]:
    """All tables of the statistics of one protocol, without noise; for two or more data sets."""
    return [table(cells, protocol) for table in (friedman_table, pairs_table, nemenyi_table)]


def friedman_table(cells: pd.DataFrame, protocol: str) -> ResultTable:
    """Friedman's χ² and Iman and Davenport's F, of ours and of the published accuracies."""
    table, metric = merits(cells, protocol), metric_of(cells)
    results = {"ours": friedman(table)}
    if (published := _published_like(cells, table)) is not None:
        results["published"] = friedman(published)
    rows = [
        [
            Entry(name),
            Entry(result.n_datasets, "d"),
            Entry(result.n_models, "d"),
            Entry(result.chi2),
            Entry(result.chi2_df, "d"),
            Entry(result.chi2_p_value, "p"),
            Entry(result.f),
            Entry(f"{result.f_df[0]}, {result.f_df[1]}"),
            Entry(result.f_p_value, "p"),
        ]
        for name, result in results.items()
    ]
    names = f"{metric.plural},data sets,models,χ²,df of χ²,p of χ²,F,df of F,p of F"
    return ResultTable(
        f"friedman_{protocol}",
        f"Friedman's test, {protocol} protocol",
        "Are all models alike? Friedman's χ² and Iman and Davenport's F, from the ranks; a small p "
        f"says no. {protocol_note(cells, protocol)}"
        f"{left_out_note(results['ours'].left_out, metric)}",
        names.split(","),
        rows,
    )


def pairs_table(cells: pd.DataFrame, protocol: str) -> ResultTable:
    """Wins, ties and losses, sign test and Wilcoxon tests of all pairs of models."""
    table, metric = merits(cells, protocol), metric_of(cells)
    ours = compare_pairs(table)
    published = _published_like(cells, table)
    theirs = None if published is None else compare_pairs(published).table
    rows = []
    for i, row in ours.table.iterrows():
        figures = [
            Entry(row[name], form, published=None if theirs is None else theirs.loc[i, name])
            for _, name, form in _PAIR_COLUMNS
        ]
        rows.append([Entry(row["model"]), Entry(row["other"]), *figures])
    return ResultTable(
        f"pairs_{protocol}",
        f"Pairs of models, {protocol} protocol",
        f"On {ours.n_datasets} data sets: wins, ties and losses of the first, "
        f"exact sign test ({ours.threshold:.2f} wins differ from chance at 5 %), Wilcoxon's "
        f"signed-rank test on {metric.plural}, its p after Holm's adjustment over all pairs, and "
        "the published variant of the test, on ranks, not adjusted. "
        f"{'' if theirs is None else PUBLISHED_NOTE} {protocol_note(cells, protocol)}"
        f"{left_out_note(ours.left_out, metric)}",
        ["model", "against", *(heading for heading, _, _ in _PAIR_COLUMNS)],
        rows,
        n_keys=2,
    )


def _published_like(cells: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame | None:
    """Published accuracies of the same data sets and models; None unless all are known."""
    published = published_figures(cells, table.dropna())
    return None if published.isna().any(axis=None) else published


def nemenyi_table(cells: pd.DataFrame, protocol: str) -> ResultTable:
    """p-values of Nemenyi's test of all pairs, models in the order of their mean ranks."""
    result = nemenyi(merits(cells, protocol))
    rows = []
    for model, p_values in result.p_values.iterrows():
        shown = p_values.where(p_values.index != model, math.nan)
        rows.append(
            [Entry(model), Entry(result.mean_ranks[model]), *(Entry(p, "p") for p in shown)]
        )
    return ResultTable(
        f"nemenyi_{protocol}",
        f"Nemenyi's test, {protocol} protocol",
        f"p-values of all pairs on {result.n_datasets} data sets. Mean ranks that are "
        f"{result.critical_difference:.2f} or more apart differ at "
        f"{100 * result.alpha:g} %. {protocol_note(cells, protocol)}"
        f"{left_out_note(result.left_out, metric_of(cells))}",
        ["model", "mean rank", *result.p_values.columns],
        rows,
    )
