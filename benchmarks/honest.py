"""Tables of the honest comparison: our ensemble against other classifiers.

Protocol "nested". In each condition and in all of them together, the mean accuracy and rank of
every model, and Wilcoxon tests of our ensemble against each other one with Holm's correction: on
all data sets, on those of the 28, on which things were chosen, and on the others, on which nothing
was. Data sets without a result for every model in every condition are left out, and named.

Run, after `make study-honest`: python benchmarks/honest.py [result store] [folder for honest.csv]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd
from _measure import verdict

from broadlearn.study import ResultStore, dataset_names
from broadlearn.study.report import Cells
from broadlearn.study.statistics import ConditionTests, compare_conditions

CONDITIONS = {
    "none": "clean",
    "labels:0.2:train": "20 % of training labels flipped",
    "outliers:0.2:train": "20 % of training rows outliers",
}
CHOSEN = set(dataset_names("uci28"))
GROUPS = {
    "All data sets": lambda name: True,
    "Those of the 28, on which things were chosen": lambda name: name in CHOSEN,
    "The others, on which nothing was chosen": lambda name: name not in CHOSEN,
}
# Over all conditions the ensemble should be ahead of these, at this level.
AHEAD_OF, LEVEL = ("SVC", "RandomForest"), 0.05


def markdown(table: pd.DataFrame, digits: int, of: str = "classifier") -> str:
    """A table with numbers to so many digits, whose rows are of some kind."""

    def cell(value: object) -> str:
        return f"{value:.{digits}f}" if isinstance(value, float) else str(value)

    lines = [[of, *map(str, table.columns)], ["---", *["---:"] * table.shape[1]]]
    lines += [
        [str(name), *map(cell, row)] for name, row in zip(table.index, table.values, strict=True)
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def tests(result: ConditionTests) -> pd.DataFrame:
    """Wins, ties, losses and Holm's p of the ensemble against each other, by condition."""
    shown = {}
    for condition, table in result.tests.groupby("condition", sort=False):
        shown[condition] = {
            pair.other: f"{pair.win}-{pair.tie}-{pair.loss}, {pair.p_holm:.2g}"
            for pair in table.itertuples()
        }
    found = pd.DataFrame(shown)
    return found.loc[[model for model in result.mean_ranks.index if model in found.index]]


def section(title: str, result: ConditionTests, n_datasets: int) -> str:
    """Ranks with accuracies, and tests."""
    ranked = result.mean_ranks.map("{:.2f}".format)
    both = ranked + " (" + result.accuracies.map("{:.2f}".format) + ")"
    return (
        f"## {title}\n\n{n_datasets} data sets, protocol nested. Mean rank, 1 the best, and mean "
        f"accuracy in percent:\n\n{markdown(both, 2)}\n\nThe ensemble against each other model: "
        "wins, ties and losses, and p of Wilcoxon's signed-rank test, Holm-corrected within a "
        "column; a data set counts once in the last column, with its mean accuracy over the "
        "conditions:\n\n"
        f"{markdown(tests(result), 2)}\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", nargs="?", type=Path, default=Path("study-honest/results.db"))
    parser.add_argument("folder", nargs="?", type=Path, help="for honest.csv")
    parser.add_argument("--ensemble", default="Ensemble", help="the model to compare with others")
    chosen = parser.parse_args()
    if not chosen.store.is_file():
        parser.error(f"there is no result store at {chosen.store}")
    with ResultStore(chosen.store, read_only=True) as store:
        cells = Cells(store.to_frame(), "nested")
    complete, left_out = cells.conditions(list(CONDITIONS))
    tables = {title: complete[noise] for noise, title in CONDITIONS.items()}
    names = next(iter(tables.values())).index
    print(f"Left out, as not every model has a result: {', '.join(left_out) or 'none'}.\n")
    results = {
        group: compare_conditions(
            {title: table[table.index.map(belongs)] for title, table in tables.items()},
            reference=chosen.ensemble,
        )
        for group, belongs in GROUPS.items()
    }
    texts = [
        section(group, result, sum(map(GROUPS[group], names))) for group, result in results.items()
    ]
    texts += [
        f"## {title.capitalize()}\n\n{markdown(t, 2, 'data set')}\n" for title, t in tables.items()
    ]
    print("\n".join(texts))
    if chosen.folder is not None:
        accuracies = pd.concat({noise: complete[noise] for noise in CONDITIONS})
        accuracies.rename_axis(["noise", "data set"]).round(2).to_csv(chosen.folder / "honest.csv")
    for group, result in results.items():
        for title, column in result.mean_ranks.items():
            place = float((column < column[chosen.ensemble]).sum() + 1)
            verdict(f"place, {group[:18]}..., {title}", place, 1, at_least=False)
    together = results["All data sets"].tests.query("condition == 'all'").set_index("other")
    for other in AHEAD_OF:
        p = together.loc[other, "p_holm"]
        verdict(f"Holm's p against {other}, all conditions", p, LEVEL, at_least=False)


if __name__ == "__main__":
    main()
