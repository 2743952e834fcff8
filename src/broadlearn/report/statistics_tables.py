"""The tables of the statistics: Friedman, pairs of models, Nemenyi."""

from __future__ import annotations

import math

import pandas as pd

from broadlearn.experiments.published_results import published_accuracy
from broadlearn.experiments.statistics import friedman, nemenyi, wilcoxon_table, win_tie_loss
from broadlearn.report.pooling import accuracies
from broadlearn.report.result_table import Cell, ResultTable
from broadlearn.report.tables import PUBLISHED_NOTE, left_out_note, protocol_note


def statistics_tables(cells: pd.DataFrame, protocol: str) -> list[ResultTable]:
    """All tables of the statistics of one protocol, without noise.

    Parameters
    ----------
    cells : DataFrame
        From `pool`.
    protocol : {"paper", "nested"}

    Raises
    ------
    ValueError
        If fewer than two data sets have an accuracy for every model, or there is one model only.
    """
    return [table(cells, protocol) for table in (friedman_table, pairs_table, nemenyi_table)]


def friedman_table(cells: pd.DataFrame, protocol: str) -> ResultTable:
    """Friedman's χ² and Iman and Davenport's F, of ours and of the published accuracies.

    Parameters
    ----------
    cells : DataFrame
        From `pool`.
    protocol : {"paper", "nested"}
    """
    table = accuracies(cells, protocol)
    ours = friedman(table)
    results = {"ours": ours}
    published = _published_like(table)
    if published is not None:
        results["published"] = friedman(published)
    rows = [
        [
            Cell(name),
            Cell(result.n_datasets, "d"),
            Cell(result.n_models, "d"),
            Cell(result.chi2),
            Cell(result.chi2_df, "d"),
            Cell(result.chi2_p_value, "p"),
            Cell(result.f),
            Cell(f"{result.f_df[0]}, {result.f_df[1]}"),
            Cell(result.f_p_value, "p"),
        ]
        for name, result in results.items()
    ]
    return ResultTable(
        f"friedman_{protocol}",
        f"Friedman's test, {protocol} protocol",
        "Are all models alike? Friedman's χ² and Iman and Davenport's F, from the ranks; a small p "
        f"says no. {protocol_note(cells, protocol)}{left_out_note(ours.left_out)}",
        [
            "accuracies",
            "data sets",
            "models",
            "χ²",
            "df of χ²",
            "p of χ²",
            "F",
            "df of F",
            "p of F",
        ],
        rows,
    )


def pairs_table(cells: pd.DataFrame, protocol: str) -> ResultTable:
    """Wins, ties and losses, sign test and Wilcoxon tests of all pairs of models.

    Parameters
    ----------
    cells : DataFrame
        From `pool`.
    protocol : {"paper", "nested"}
    """
    table = accuracies(cells, protocol)
    counts = win_tie_loss(table)
    ours = _pair_figures(table)
    published = _published_like(table)
    theirs = None if published is None else _pair_figures(published)
    rows = []
    for i, row in ours.iterrows():
        figures = [
            Cell(
                row[name],
                "d" if name in ("win", "tie", "loss") else "p",
                published=None if theirs is None else theirs.loc[i, name],
            )
            for name in ours.columns[2:]
        ]
        rows.append([Cell(row["model"]), Cell(row["against"]), *figures])
    return ResultTable(
        f"pairs_{protocol}",
        f"Pairs of models, {protocol} protocol",
        f"On {counts.n_datasets} data sets: wins, ties and losses of the first, "
        f"exact sign test ({counts.threshold:.2f} wins differ from chance at 5 %), Wilcoxon's "
        "signed-rank test on accuracies, its p after Holm's adjustment over all pairs, and the "
        "published variant of the test, on ranks, not adjusted. "
        f"{'' if theirs is None else PUBLISHED_NOTE} {protocol_note(cells, protocol)}"
        f"{left_out_note(counts.left_out)}",
        list(ours.columns),
        rows,
        n_keys=2,
    )


def _pair_figures(table: pd.DataFrame) -> pd.DataFrame:
    """Counts and p-values of all pairs, in the order of the table's columns."""
    counts = win_tie_loss(table).table
    on_accuracies = wilcoxon_table(table).table
    return pd.DataFrame(
        {
            "model": counts["model"],
            "against": counts["other"],
            "win": counts["win"],
            "tie": counts["tie"],
            "loss": counts["loss"],
            "p sign": counts["p_value"],
            "p Wilcoxon": on_accuracies["p_value"],
            "p Holm": on_accuracies["p_holm"],
            "p on ranks": wilcoxon_table(table, on="ranks").table["p_value"],
        }
    )


def _published_like(table: pd.DataFrame) -> pd.DataFrame | None:
    """Published accuracies of the same data sets and models; None unless all are known."""
    complete = table.dropna()
    published = published_accuracy().reindex(index=complete.index, columns=complete.columns)
    return None if published.isna().any(axis=None) else published


def nemenyi_table(cells: pd.DataFrame, protocol: str) -> ResultTable:
    """p-values of Nemenyi's test of all pairs, models in the order of their mean ranks.

    Parameters
    ----------
    cells : DataFrame
        From `pool`.
    protocol : {"paper", "nested"}
    """
    result = nemenyi(accuracies(cells, protocol))
    models = list(result.mean_ranks.index)
    rows = [
        [
            Cell(model),
            Cell(result.mean_ranks[model]),
            *(
                Cell(math.nan if model == other else result.p_values.loc[model, other], "p")
                for other in models
            ),
        ]
        for model in models
    ]
    return ResultTable(
        f"nemenyi_{protocol}",
        f"Nemenyi's test, {protocol} protocol",
        f"p-values of all pairs on {result.n_datasets} data sets. Mean ranks that are "
        f"{result.critical_difference:.2f} or more apart differ at "
        f"{100 * result.alpha:g} %. {protocol_note(cells, protocol)}"
        f"{left_out_note(result.left_out)}",
        ["model", "mean rank", *models],
        rows,
    )
