"""Tables and curves of the study of robustness: broad learners with wrong labels and outlying rows.

Protocol "nested", twelve settings for each model. The runs of the data sets on which every model
has a result in every condition are kept as docs/results/robustness.csv, with the commit that made
them; those of another store are added. The tables of docs/results/robustness.md and its curves are
made from this file alone.

Run, after `make study-robust`: python benchmarks/robust.py study-robust/results.db [more stores]
"""

from __future__ import annotations

import argparse
import tomllib
from itertools import product
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from published import FOLDER, Tables, fill

from broadlearn.study import ResultStore, dataset_names, newest
from broadlearn.study.noise import parse_noise
from broadlearn.study.report.figures import STUDY_STYLE, saved
from broadlearn.study.statistics import compare_conditions, friedman

RUNS, PAGE, CURVES = (
    FOLDER / name for name in ("robustness.csv", "robustness.md", "images/robustness.svg")
)
PLAN = tomllib.loads(Path(__file__).with_name("robust.toml").read_text("utf-8"))
OWN = {"default_nodes": "BLS, default nodes"}
MODELS = [OWN.get(name.rpartition(":")[2], name) for name in PLAN["model"]]
REFERENCE, LEVEL = "BLS", 0.05
SCORED = MODELS[: MODELS.index("CFBLS")]
KINDS = {
    "none": "clean",
    "labels": "labels flipped",
    "one-sided-labels": "labels of the largest class flipped",
    "outliers": "outliers",
    "heavy-tails": "heavy-tailed noise",
}
# Parameters of the scores were chosen on some of these.
CHOSEN = set(dataset_names("uci28"))


def keep_runs(stores: list[Path]) -> None:
    """Keep the accuracies and seconds of the data sets that are done, beside those kept before."""
    frames = []
    for store in stores:
        with ResultStore(store, read_only=True) as results:
            frames.append(results.to_frame())
    units = newest(pd.concat(frames, ignore_index=True))
    units = units[(units["status"] == "done") & (units["grid"] == PLAN["grid"])]
    units = units.assign(
        model=units["model"].replace(OWN),
        accuracy=100 * units["mean"],
        commit=units["commit"].replace("", "?"),
    )
    wanted = {*product(map(str, map(parse_noise, PLAN["noise"])), MODELS)}
    done = units.groupby("dataset")[["noise", "model"]].apply(
        lambda own: wanted <= {*own.itertuples(index=False, name=None)}
    )
    units = units[units["dataset"].isin(done.index[done])]
    lines = {
        figure: units.pivot(index=["dataset", "noise", "commit"], columns="model", values=figure)
        for figure in ("accuracy", "seconds")
    }
    table = pd.concat(lines, names=["figure"])[MODELS].astype(float).round(3)
    table = table.reset_index()
    if RUNS.exists():
        kept = pd.read_csv(RUNS, keep_default_na=False)
        table = pd.concat([kept[~kept["dataset"].isin(table["dataset"])], table])
    table.sort_values(["figure", "dataset", "noise"]).to_csv(RUNS, index=False, lineterminator="\n")


def conditions(figure: str = "accuracy", *, unseen: bool = False) -> dict[str, pd.DataFrame]:
    """Return tables of data sets by models, by noise; `unseen` leaves those of the 28 out."""
    lines = pd.read_csv(RUNS, keep_default_na=False)
    lines = lines[lines["figure"] == figure].set_index("dataset")
    if unseen:
        lines = lines[~lines.index.isin(CHOSEN)]
    noises = map(str, map(parse_noise, PLAN["noise"]))
    return {noise: lines.loc[lines["noise"] == noise, MODELS] for noise in noises}


def by_kind(*, unseen: bool = False) -> dict[str, pd.DataFrame]:
    """Return accuracies by kind of noise, as means over its levels."""
    tables = conditions(unseen=unseen)
    groups = {kind: [t for n, t in tables.items() if n.split(":")[0] == kind] for kind in KINDS}
    return {KINDS[kind]: sum(parts) / len(parts) for kind, parts in groups.items()}


def standings(tables: dict[str, pd.DataFrame], *, p: bool = False) -> pd.DataFrame:
    """Return mean accuracy and rank of every model in every condition.

    Bold where it is better than the reference and Holm's p is below `LEVEL`, † where it is worse.
    `p` adds Holm's p.
    """
    result = compare_conditions(tables, reference=REFERENCE)
    tests = result.tests.set_index(["condition", "other"])
    shown: dict[str, dict[str, str]] = {}
    for condition, model in product(result.mean_ranks, result.mean_ranks.index):
        accuracy = result.accuracies.loc[model, condition]
        text = f"{accuracy:.2f} ({result.mean_ranks.loc[model, condition]:.1f})"
        if model != REFERENCE:
            p_value = tests.loc[(condition, model), "p_holm"]
            text += f", {p_value:.2g}" if p else ""
            if p_value < LEVEL:
                ahead = accuracy > result.accuracies.loc[REFERENCE, condition]
                text = f"**{text}**" if ahead else f"{text} †"
        shown.setdefault(condition, {})[model] = text
    return pd.DataFrame(shown)


def pair_table() -> pd.DataFrame:
    """Return wins, ties and losses of each model against the reference, with Holm's p."""
    tables = by_kind()
    result = compare_conditions(tables, reference=REFERENCE)
    # Tests are of the reference against the other, so its losses are wins of the other.
    texts = [
        f"{pair.loss}-{pair.tie}-{pair.win}, {pair.p_holm:.2g}"
        for pair in result.tests.itertuples()
    ]
    shown = result.tests.assign(text=texts).pivot(index="other", columns="condition", values="text")
    shown = shown.loc[[m for m in result.mean_ranks.index if m != REFERENCE], [*tables, "all"]]
    alike = {name: f"{friedman(table).f_p_value:.2g}" for name, table in tables.items()}
    shown.loc[f"Friedman's p of all {len(MODELS)}"] = pd.Series(alike)
    return shown.fillna("")


def level_table(*kinds: str) -> pd.DataFrame:
    """Return accuracies, ranks and Holm's p at every level of some kinds of noise."""
    tables = {
        f"{100 * parse_noise(noise).level:g} %" if noise != "none" else KINDS["none"]: table
        for noise, table in conditions().items()
        if noise.split(":")[0] in kinds
    }
    return standings(tables, p=True).drop(columns="all")


def graph_table() -> pd.DataFrame:
    """Return the gain of Graph BLS over the same nodes without a graph, and Wilcoxon's p."""
    pair = ["Graph BLS", OWN["default_nodes"]]
    tables = {name: table[pair] for name, table in by_kind().items()}
    result = compare_conditions(tables, reference=pair[0])
    gain = result.accuracies.loc[pair[0]] - result.accuracies.loc[pair[1]]
    texts = {
        test.condition: f"{gain[test.condition]:+.2f}, {test.win}-{test.tie}-{test.loss}, "
        f"{test.p_wilcoxon:.2g}"
        for test in result.tests.itertuples()
    }
    return pd.DataFrame({"Graph BLS": texts}).T


def time_table() -> pd.DataFrame:
    """Return the time of a unit (search and refits), as a multiple of that of the reference."""
    seconds = pd.concat(conditions("seconds"))
    ratios = seconds.div(seconds[REFERENCE], axis=0)
    table = ratios.quantile([0.5, 0.1, 0.9]).T.sort_values(0.5)
    table.columns = ["median", "10 % quantile", "90 % quantile"]
    return table.map("{:.1f}".format)


def commit_table() -> pd.DataFrame:
    """Return how many runs each commit made."""
    lines = pd.read_csv(RUNS).query("figure == 'accuracy'")
    counts = lines.groupby("commit").agg(sets=("dataset", "nunique"), lines=("dataset", "size"))
    table = pd.DataFrame({"data sets": counts["sets"], "runs": len(MODELS) * counts["lines"]})
    return table.map("{:,}".format)


TABLES: Tables = {
    "kinds": (lambda: standings(by_kind()), "model"),
    "pairs": (pair_table, "model"),
    "unseen": (lambda: standings(by_kind(unseen=True)), "model"),
    "labels": (lambda: level_table("none", "labels"), "model"),
    "one_sided": (lambda: level_table("one-sided-labels"), "model"),
    "outliers": (lambda: level_table("outliers"), "model"),
    "heavy_tails": (lambda: level_table("heavy-tails"), "model"),
    "graph": (graph_table, "model"),
    "time": (time_table, "model"),
    "commits": (commit_table, "commit"),
}


@STUDY_STYLE
def curves() -> Figure:
    """Draw the mean gain over the reference against the level: scores left, structures right."""
    tables = conditions()
    gains = pd.DataFrame({n: t.mean() - t[REFERENCE].mean() for n, t in tables.items()})
    kinds = [kind for kind in KINDS if kind not in ("none", "heavy-tails")]
    groups = {"scores": SCORED, "structures": [m for m in MODELS if m not in SCORED]}
    figure = Figure(figsize=(7.2, 2.5 * len(kinds) + 1.0), layout="constrained")
    axes = figure.subplots(len(kinds), len(groups), sharex="row", sharey="row")
    for row, kind in zip(axes, kinds, strict=True):
        noises = ["none", *(noise for noise in gains if noise.split(":")[0] == kind)]
        levels = [100 * parse_noise(noise).level for noise in noises]
        for axis, (title, models) in zip(row, groups.items(), strict=True):
            axis.axhline(0.0, color="black", linewidth=1.0)
            for model in models:
                if model != REFERENCE:
                    axis.plot(levels, gains.loc[model, noises], label=model)
            axis.set_title(f"{KINDS[kind]}, {title}", fontsize="medium")
            axis.set(xticks=levels, xlabel="share, %")
        row[0].set_ylabel(f"points over {REFERENCE}")
    for axis in axes[-1]:
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.3), ncols=3, fontsize="small")
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", nargs="*", type=Path, help="result stores; none: tables only")
    chosen = parser.parse_args()
    if chosen.store:
        keep_runs(chosen.store)
    PAGE.write_text(fill(PAGE.read_text("utf-8"), TABLES), "utf-8")
    CURVES.write_bytes(saved(curves(), "svg"))


if __name__ == "__main__":
    main()
