"""Tables of the published study, re-run: from the store of results to docs/results.

The runs are kept as docs/results/published_runs.csv, published_redraws.csv and
published_sensitivity.csv, each line with the commit that made it; runs of another store are added,
so that parts of the study may be run on several machines. The tables of docs/results/README.md,
docs/results/reproduction.md and docs/published_code.md are made from these files and
published_form.csv alone, between lines ``<!-- table: name -->`` and ``<!-- end -->``.

Run, after `make study-full`: python benchmarks/published.py study-full/results.db
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from broadlearn.study import ResultStore, dataset_names, published_settings, published_table
from broadlearn.study.reproduction import compare_with_print, judge_cells, redraw_figures
from broadlearn.study.statistics import compare_pairs, friedman, ranks

FOLDER = Path(__file__).parents[1] / "docs" / "results"
RUNS, REDRAWS = FOLDER / "published_runs.csv", FOLDER / "published_redraws.csv"
SENSITIVITY, FORMS = FOLDER / "published_sensitivity.csv", FOLDER / "published_form.csv"
PAGES = (FOLDER / "README.md", FOLDER / "reproduction.md", FOLDER.parent / "published_code.md")
PROTOCOLS = ("paper", "paper-inside", "nested")
SENSITIVITIES = {
    "paper-sensitivity-printed": "others as printed",
    "paper-sensitivity": "best of all others",
}
VARIED = {"C": "C", "kernel_width": "kernel width", "n_feature_groups": "feature groups"}
# Columns of the published tables, each with the models that are compared with it.
COLUMNS = {
    "BLS": ["BLS"],
    "ELM": ["ELM"],
    "NeuroFBLS": ["NeuroFBLS"],
    "IF-TSVM": ["IF-TSVM", "majority"],
    "H-ELM": ["H-ELM"],
    "F-BLS": ["F-BLS", "F-BLS as printed (no scores)"],
    "IF-BLS": ["IF-BLS"],
}
MODELS = [model for models in COLUMNS.values() for model in models]
PRINTED_OF = {model: column for column, models in COLUMNS.items() for model in models}
SIZES = ("n_feature_groups", "n_feature_nodes", "n_enhancement_nodes")
# Print has four decimals; figures that agree to this many points are the same.
SAME = 0.01
# What makes a table, and the heading of its first column, by name.
Tables = dict[str, tuple[Callable[[], pd.DataFrame], str]]


def keep_runs(store: Path) -> None:
    """Add the results of a store to the files."""
    with ResultStore(store, read_only=True) as results:
        frame = results.to_frame()
    done = frame[(frame["status"] == "done") & (frame["grid"] == "paper")]
    runs = done[done["protocol"].isin(PROTOCOLS)]
    figures = runs[["protocol", "noise", "dataset", "model"]].assign(
        accuracy=(100 * runs["mean"]).round(4),
        deviation=(100 * runs["sd"]).round(4),
        seconds=runs["seconds"].round(1),
        commit=runs["commit"],
    )
    add_lines(RUNS, figures, ["protocol", "noise", "dataset", "model"])
    redrawn = redraw_figures(frame[frame["protocol"] == "paper-redraws"])
    commits = done[done["protocol"] == "paper-redraws"].set_index(["dataset", "model"])["commit"]
    keys = pd.MultiIndex.from_frame(redrawn[["dataset", "model"]])
    redrawn = redrawn.round(4).assign(commit=commits.reindex(keys).to_numpy())
    add_lines(REDRAWS, redrawn, ["dataset", "model"])
    keys = ["protocol", "dataset", "model", "setting", "value"]
    swept = [
        best_by_value(pd.DataFrame(run.details)).assign(
            protocol=run.protocol, dataset=run.dataset, model=run.model, commit=run.commit
        )
        for run in done[done["protocol"].isin(SENSITIVITIES)].itertuples()
    ]
    if swept:
        add_lines(SENSITIVITY, pd.concat(swept)[[*keys, "accuracy", "commit"]], keys)


def best_by_value(swept: pd.DataFrame) -> pd.DataFrame:
    """Return the best accuracy for each value of each setting, in percent."""
    lines = [
        swept.groupby(setting)["mean"].max().mul(100).round(4).rename_axis("value").reset_index()
        for setting in VARIED
    ]
    joined = pd.concat(lines, keys=VARIED, names=["setting"]).reset_index("setting")
    return joined.rename(columns={"mean": "accuracy"})


def add_lines(file: Path, lines: pd.DataFrame, keys: list[str]) -> None:
    """Add lines to a CSV file, in place of those with the same keys."""
    kept = [pd.read_csv(file, keep_default_na=False, na_values=[""])] if file.exists() else []
    joined = pd.concat([*kept, lines]).drop_duplicates(keys, keep="last")
    joined.sort_values(keys).to_csv(file, index=False, lineterminator="\n")


def read_runs() -> pd.DataFrame:
    """Return the runs that are kept, in percent."""
    return pd.read_csv(RUNS, keep_default_na=False, na_values=[""])


def judged_cells() -> pd.DataFrame:
    """Return our figures beside the printed ones, with redraws and verdicts."""
    runs = read_runs()
    frame = runs.assign(
        mean=runs["accuracy"] / 100, sd=runs["deviation"] / 100, status="done", grid="paper"
    )
    redraws = pd.read_csv(REDRAWS).drop(columns="commit")
    return judge_cells(compare_with_print(frame), redraws)


def distance_table(*, noisy: bool) -> pd.DataFrame:
    """Return the mean distance of every column to print."""
    cells = judged_cells()
    cells = cells[(cells["noise"] != "none") == noisy]
    lines = {}
    for model in MODELS:
        own = cells[cells["model"] == model]
        if own.empty:
            continue
        difference = own["difference"].abs()
        lines[model] = {
            "cells": str(len(own)),
            "printed mean": f"{own['printed'].mean():.2f}",
            "ours": f"{own['ours'].mean():.2f}",
            "mean distance": f"{difference.mean():.2f}",
            "distance of deviations": f"{own['sd_difference'].abs().mean():.2f}",
            "same": str(int((difference < SAME).sum())),
        }
    return pd.DataFrame(lines).T


def redraw_table() -> pd.DataFrame:
    """Return how near redraws at the printed settings come to print."""
    redraws, printed = pd.read_csv(REDRAWS), published_table()
    columns = redraws["model"].map(PRINTED_OF)
    redraws["print"] = [printed.loc[key] for key in zip(redraws["dataset"], columns, strict=True)]
    lines = {}
    for model in MODELS:
        own = redraws[redraws["model"] == model]
        if own.empty:
            continue
        above = own["print"] - own["highest"]
        lines[model] = {
            "cells": str(len(own)),
            "printed mean": f"{own['print'].mean():.2f}",
            "median redraw": f"{own['median'].mean():.2f}",
            "best of 30": f"{own['highest'].mean():.2f}",
            "distance of the best": f"{above.abs().mean():.2f}",
            "reached": str(int((above <= SAME).sum())),
            "contradicted": str(int((own["print"] < own["lowest"] - SAME).sum())),
        }
    return pd.DataFrame(lines).T


def verdict_table() -> pd.DataFrame:
    """Return how many printed cells our best of the grid, or a redraw, reaches."""
    cells = judged_cells()
    cells = cells[(cells["noise"] == "none") & (cells["verdict"] != "not redrawn")]
    names = ("within reach", "out of reach", "contradicted", "not fitted")
    lines = {}
    for model in MODELS:
        own = cells[cells["model"] == model]
        if len(own):
            counts = own["verdict"].value_counts()
            lines[model] = {"cells": str(len(own))}
            lines[model] |= {name: str(counts.get(name, 0)) for name in names}
            lines[model]["beyond selection"] = str(int(own["beyond_selection"].sum()))
    return pd.DataFrame(lines).T


def orth_table() -> pd.DataFrame:
    """Return the printed cells with mp < q, where the released code makes rows orthonormal."""
    redraws = pd.read_csv(REDRAWS).set_index(["dataset", "model"])
    settings, printed = published_settings(), published_table()
    lines = []
    for model in ("BLS", "F-BLS as printed (no scores)", "IF-BLS"):
        for dataset in settings.index:
            own = settings.loc[dataset, PRINTED_OF[model]]
            m, p, q = (
                own[f"n_{n}"] for n in ("feature_groups", "feature_nodes", "enhancement_nodes")
            )
            if m * p < q and (dataset, model) in redraws.index:
                draws = redraws.loc[(dataset, model)]
                lines.append(
                    {
                        "data set": dataset,
                        "model": model,
                        "m, p, q": f"{m}, {p}, {q}",
                        "print": f"{printed.loc[dataset, PRINTED_OF[model]]:.2f}",
                        "lowest": f"{draws['lowest']:.2f}",
                        "median": f"{draws['median']:.2f}",
                        "highest": f"{draws['highest']:.2f}",
                    }
                )
    return pd.DataFrame(lines).set_index("data set") if lines else pd.DataFrame()


def accuracies(protocol: str, models: list[str]) -> pd.DataFrame:
    """Return accuracies without noise, data sets by models."""
    runs = read_runs()
    runs = runs[(runs["protocol"] == protocol) & (runs["noise"] == "none")]
    table = runs.pivot(index="dataset", columns="model", values="accuracy")
    return table.reindex(index=dataset_names("uci28"), columns=models)


def nested_table() -> pd.DataFrame:
    """Return mean accuracies and ranks under "nested", on the data sets where all are done."""
    complete = accuracies("nested", list(COLUMNS)).dropna()
    three = ["BLS", "F-BLS", "IF-BLS"]
    lines = {
        "mean accuracy": complete.mean().map("{:.2f}".format),
        "mean rank": ranks(complete).mean().map("{:.2f}".format),
    }
    table = pd.DataFrame(lines).T
    table["data sets"] = str(len(complete))
    test, of_three = friedman(complete), friedman(complete[three])
    table["Friedman"] = [
        f"all: χ² = {test.chi2:.2f}, p = {test.chi2_p_value:.2g}",
        f"BLS, F-BLS, IF-BLS: χ² = {of_three.chi2:.2f}, p = {of_three.chi2_p_value:.2g}",
    ]
    return table


def rank_table() -> pd.DataFrame:
    """Return mean ranks under "paper", in print and ours, and tests of IF-BLS against each."""
    lines = {}
    for name, table in {
        "print": published_table()[list(COLUMNS)],
        "ours": accuracies("paper", list(COLUMNS)).dropna(),
    }.items():
        if len(table) < 2:
            continue
        lines[f"mean rank, {name}"] = ranks(table).mean().map("{:.2f}".format)
        pairs = compare_pairs(table, reference="IF-BLS").set_index("other")
        lines[f"IF-BLS: win-tie-loss, p, {name}"] = pd.Series(
            {
                other: f"{row.win}-{row.tie}-{row.loss}, {row.p_ranks:.2g}"
                for other, row in pairs.iterrows()
            }
        )
        lines[f"mean rank, {name}"]["Friedman χ²"] = f"{friedman(table).chi2:.1f}"
        lines[f"mean rank, {name}"]["data sets"] = str(len(table))
    return pd.DataFrame(lines).T[[*COLUMNS, "Friedman χ²", "data sets"]].fillna("")


def optimism_table() -> pd.DataFrame:
    """Return what choosing on the test folds is worth: "paper" less "paper-inside"."""
    gain = accuracies("paper", MODELS) - accuracies("paper-inside", MODELS)
    lines = {
        model: {
            "data sets": str(gain[model].count()),
            "mean": f"{gain[model].mean():.2f}",
            "least": f"{gain[model].min():.2f}",
            "most": f"{gain[model].max():.2f}",
        }
        for model in MODELS
        if gain[model].count()
    }
    return pd.DataFrame(lines).T


def sensitivity_table() -> pd.DataFrame:
    """Return by how much accuracy changes with a setting, as means over the data sets.

    For each value of the setting, the best of the settings with this value counts.
    """
    swept = pd.read_csv(SENSITIVITY)
    lines = {}
    for protocol, others in SENSITIVITIES.items():
        for model in MODELS:
            own = swept[(swept["protocol"] == protocol) & (swept["model"] == model)]
            if own.empty:
                continue
            values = own.groupby(["setting", "dataset"])["accuracy"]
            span = (values.max() - values.min()).groupby("setting").mean()
            lines[f"{model}, {others}"] = {
                "data sets": str(own["dataset"].nunique()),
                **{name: f"{span[s]:.1f}" if s in span else "" for s, name in VARIED.items()},
            }
    return pd.DataFrame(lines).T


def time_table() -> pd.DataFrame:
    """Return the seconds of runs without noise, one core each."""
    runs = read_runs()
    groups = runs[runs["noise"] == "none"].groupby(["model", "protocol"])["seconds"]
    shown = groups.agg(lambda seconds: f"{seconds.sum():,.0f} ({len(seconds)})").unstack()
    order = [model for model in MODELS if model in shown.index]
    return shown.reindex(index=order, columns=PROTOCOLS).astype(object).fillna("")


def commit_table() -> pd.DataFrame:
    """Return how many runs each commit made."""
    runs = read_runs()[["protocol", "noise", "commit"]]
    runs["protocol"] += np.where(runs["noise"] != "none", ", with noise", "")
    redraws = pd.read_csv(REDRAWS)[["commit"]].assign(protocol="paper-redraws")
    keys = ["protocol", "dataset", "model", "commit"]
    swept = pd.read_csv(SENSITIVITY).drop_duplicates(keys)[["protocol", "commit"]]
    every = pd.concat([runs[["protocol", "commit"]], redraws, swept])
    counts = every.groupby(["protocol", "commit"], sort=False).size()
    return counts.rename("runs").astype(str).reset_index().set_index("protocol")


def form_table() -> pd.DataFrame:
    """Return accuracies of the default and of the published form."""
    table = pd.read_csv(FORMS, index_col="dataset").drop(columns="commit")
    table.loc["mean"] = table.mean()
    return table.map("{:.1f}".format)


TABLES: Tables = {
    "form": (form_table, "data set"),
    "distance": (lambda: distance_table(noisy=False), "model"),
    "noise": (lambda: distance_table(noisy=True), "model"),
    "redraws": (redraw_table, "model"),
    "verdicts": (verdict_table, "model"),
    "orth": (orth_table, "data set"),
    "nested": (nested_table, "figure"),
    "ranks": (rank_table, "figure"),
    "optimism": (optimism_table, "model"),
    "sensitivity": (sensitivity_table, "model"),
    "time": (time_table, "model"),
    "commits": (commit_table, "protocol"),
}


def markdown(table: pd.DataFrame, of: str) -> str:
    """Return a table of texts as Markdown."""
    lines = [[of, *map(str, table.columns)], ["---", *["---:"] * table.shape[1]]]
    lines += [[str(name), *row] for name, row in zip(table.index, table.to_numpy(), strict=True)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def fill(page: str, tables: Tables = TABLES) -> str:
    """Return a page with its tables made anew."""

    def table(match: re.Match[str]) -> str:
        make, of = tables[match[1]]
        return f"<!-- table: {match[1]} -->\n\n{markdown(make(), of)}\n\n<!-- end -->"

    return re.sub(r"<!-- table: (\w+) -->.*?<!-- end -->", table, page, flags=re.DOTALL)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("store", nargs="?", type=Path, help="file of results; none: tables only")
    arguments = parser.parse_args()
    if arguments.store is not None:
        keep_runs(arguments.store)
    for page in PAGES:
        page.write_text(fill(page.read_text(encoding="utf-8")), encoding="utf-8")
