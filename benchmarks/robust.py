"""Tables and curves of the study of robustness: broad learners with wrong labels and outlying rows.

Protocol "nested", twelve settings for each model. For each kind of noise, and for each condition,
the mean accuracy and rank of every model, Friedman's test, and Wilcoxon tests against BLS with
Holm's correction. Data sets without a result for every model and condition are left out, and named.

Run, after `make study-robust`: python benchmarks/robust.py [file of results] [folder for tables]
The estimate of the time that `make study-robust` takes: python benchmarks/robust.py --estimate FILE
(from the units that are in the file; a few hundred are enough)
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

import pandas as pd
from honest import markdown, tests

from broadlearn.study import ResultStore, make_study
from broadlearn.study.report import Cells
from broadlearn.study.report.cells import noise_words
from broadlearn.study.report.figures import mean_curves_figure, saved
from broadlearn.study.statistics import compare_conditions, friedman

REFERENCE = "BLS"
KINDS = {
    "none": "Clean",
    "labels": "Training labels flipped",
    "one-sided-labels": "Training labels of the largest class flipped",
    "outliers": "Training rows made outliers",
    "heavy-tails": "Heavy-tailed noise on training features",
}
PLAN = Path(__file__).with_name("robust.toml")
# A unit fits 12 settings on 3 inner folds of 5 outer ones, and the chosen setting on each of these.
FITS_PER_UNIT = 5 * (3 * 12 + 1)


def summary(conditions: dict[str, pd.DataFrame]) -> str:
    """Mean rank and accuracy by kind of noise, tests against BLS, Friedman's p."""
    kinds: dict[str, pd.DataFrame] = {}
    for kind, title in KINDS.items():
        parts = [table for noise, table in conditions.items() if noise.split(":")[0] == kind]
        if parts:
            kinds[title] = sum(parts[1:], start=parts[0]) / len(parts)
    result = compare_conditions(kinds, reference=REFERENCE)
    shown = result.mean_ranks.map("{:.2f}".format)
    shown += " (" + result.accuracies.map("{:.2f}".format) + ")"
    alike = ", ".join(f"{title}: {friedman(table).f_p_value:.2g}" for title, table in kinds.items())
    return (
        "## By kind of noise\n\nMean rank, 1 the best, and mean accuracy in percent over the "
        f"levels of each kind:\n\n{markdown(shown, 2)}\n\n{REFERENCE} against each other model: "
        "wins, ties and losses, and p of Wilcoxon's signed-rank test, Holm-corrected within a "
        "column:\n\n"
        f"{markdown(tests(result), 2)}\n\np of Friedman's test that all are alike (Iman and "
        f"Davenport's F): {alike}.\n"
    )


def levels(conditions: dict[str, pd.DataFrame]) -> str:
    """Mean accuracy in every condition; a star where Holm's p against BLS is below 0.05."""
    result = compare_conditions(conditions, reference=REFERENCE)
    stars = result.tests[result.tests["p_holm"] < 0.05].set_index(["other", "condition"]).index
    shown = {
        noise_words(noise): {
            model: f"{value:.2f}{'*' if (model, noise) in stars else ''}"
            for model, value in result.accuracies[noise].items()
        }
        for noise in conditions
    }
    table = pd.DataFrame(shown).T
    return (
        "## By level\n\nMean accuracy in percent; a star where Holm's p against "
        f"{REFERENCE} is below 0.05:\n\n{markdown(table, 2, 'noise')}\n"
    )


def times(frame: pd.DataFrame) -> str:
    """Seconds for each unit, as a multiple of BLS's on the same data set and condition."""
    seconds = frame.pivot_table(index=["dataset", "noise"], columns="model", values="seconds")
    ratio = seconds.div(seconds[REFERENCE], axis=0).median()
    table = pd.DataFrame(
        {"median over BLS": ratio, "mean milliseconds": 1000.0 * seconds.mean() / FITS_PER_UNIT}
    ).sort_values("median over BLS")
    return (
        "## Time\n\nTime of a unit (search and refits, 185 fits), as a multiple of that of "
        f"{REFERENCE}, whose search shares most of the work, and per fit:\n\n{markdown(table, 2)}\n"
    )


def estimate(store: Path) -> None:
    """Print the core-hours of the whole study, from the units that are done."""
    with ResultStore(store, read_only=True) as file:
        done = file.to_frame()
    plan = tomllib.loads(PLAN.read_text("utf-8"))
    study = make_study(
        plan["dataset"],
        plan["model"],
        protocols=plan["protocol"],
        noises=plan["noise"],
        grid=plan["grid"],
        max_rows=plan["max_rows"],
    )
    # Time grows with the rows and columns: a line through the measured data sets of each model.
    sizes = {unit.dataset: study.data[unit.fingerprint].X.shape[0] for unit in study.plan}
    known = done[(done["status"] == "done") & done["dataset"].isin(sizes)]
    total = 0.0
    for model, part in known.groupby("model"):
        mean = part.groupby("dataset")["seconds"].mean()
        rows = pd.Series(sizes)[mean.index]
        slope = float((mean * rows).sum() / (rows * rows).sum())
        share = sum(slope * sizes[unit.dataset] for unit in study.plan if unit.model == model)
        print(f"{model:14s} {share / 3600:6.2f} core-hours")
        total += share
    n_models = known["model"].nunique()
    print(f"{total / 3600:.1f} core-hours for {len(study.plan)} units, from {len(known)} units")
    assert n_models == len(plan["model"]), "not every model has been measured"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", nargs="?", type=Path, default=Path("study-robust/results.db"))
    parser.add_argument("folder", nargs="?", type=Path, help="for tables and curves")
    parser.add_argument("--estimate", action="store_true", help="print the time of the whole study")
    chosen = parser.parse_args()
    if not chosen.store.is_file():
        parser.error(f"there is no file of results at {chosen.store}")
    if chosen.estimate:
        estimate(chosen.store)
        return
    with ResultStore(chosen.store, read_only=True) as store:
        cells = Cells(store.to_frame(), "nested")
    noises = sorted(
        set(cells.units["noise"]), key=lambda n: (list(KINDS).index(n.split(":")[0]), n)
    )
    conditions, left_out = cells.conditions(noises)
    n_datasets = len(next(iter(conditions.values())))
    head = (
        f"{n_datasets} data sets, {len(cells.models)} models, {len(noises)} conditions, protocol "
        f"nested. Left out, as not every model has a result: {', '.join(left_out) or 'none'}.\n"
    )
    texts = [head, summary(conditions), levels(conditions), times(cells.units)]
    print("\n".join(texts))
    if chosen.folder is None:
        return
    page = "\n".join(["# Robust broad learners: tables\n", *texts])
    (chosen.folder / "robustness_tables.md").write_text(page, "utf-8")
    figure = mean_curves_figure(cells)
    if figure is not None:
        (chosen.folder / "images" / "robustness.svg").write_bytes(saved(figure, "svg"))


if __name__ == "__main__":
    main()
