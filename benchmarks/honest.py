"""Tables of the honest comparison: our ensemble against scikit-learn's models.

Protocol "nested". For each condition the mean accuracy and rank of every model, Wilcoxon tests of
our ensemble against each other one with Holm's correction, and the critical-difference diagram.
Data sets without a result for every model are left out, and named.

Run, after `make study-honest`: python benchmarks/honest.py [file of results] [folder for tables]
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
from _measure import verdict

from broadlearn.study import ResultStore
from broadlearn.study.report import (
    accuracies,
    check_units,
    critical_difference_figure,
    pool,
    to_svg,
)
from broadlearn.study.statistics import compare_pairs, friedman, ranks

ENSEMBLE = "Ensemble"
CONDITIONS = {
    "none": "clean",
    "labels:0.2:train": "20 % of training labels flipped",
    "outliers:0.2:train": "20 % of training rows outlying",
}


def markdown(table: pd.DataFrame, digits: int) -> str:
    """A table with numbers to so many digits."""

    def cell(value: object) -> str:
        return f"{value:.{digits}f}" if isinstance(value, float) else str(value)

    lines = [["", *map(str, table.columns)], ["---", *["---:"] * table.shape[1]]]
    lines += [
        [str(name), *map(cell, row)] for name, row in zip(table.index, table.values, strict=True)
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def against_each(table: pd.DataFrame) -> pd.DataFrame:
    """Our ensemble less each other model, with tests."""
    rows = {
        pair.other: {
            "mean difference": float((table[ENSEMBLE] - table[pair.other]).mean()),
            "win-tie-loss": f"{pair.win}-{pair.tie}-{pair.loss}",
            "p": float(pair.p_wilcoxon),
            "p, Holm": float(pair.p_holm),
        }
        for pair in compare_pairs(table, reference=ENSEMBLE).table.itertuples()
    }
    return pd.DataFrame(rows).T


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else "study-honest/results.db"
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    with ResultStore(path) as store:
        cells = pool(check_units(store.to_frame()))
    means, places, texts = {}, {}, []
    for noise, title in CONDITIONS.items():
        whole = accuracies(cells, "nested", noise)
        table = whole.dropna()
        left_out = sorted(set(whole.index) - set(table.index))
        test = friedman(table)
        means[title], places[title] = table.mean(), ranks(table).mean
        texts.append(
            f"## {title.capitalize()} ({len(table)} data sets, protocol nested)\n\n"
            f"Left out: {', '.join(left_out) or 'none'}. Friedman: chi2 = {test.chi2:.1f}, "
            f"p = {test.chi2_p_value:.2g}.\n\n{markdown(against_each(table), 3)}\n\n"
            f"{markdown(table, 2)}\n"
        )
        if folder is not None:
            name = noise.split(":")[0]
            figure = critical_difference_figure(cells, "nested", noise)
            svg = to_svg(figure, f"honest_{name}", f"Critical difference, {title}, protocol nested")
            (folder / "images" / f"honest_{name}.svg").write_text(f"{svg}\n", "utf-8")
    ranked = pd.DataFrame(places)
    ranked["all three"] = ranked.mean(axis=1)
    summary = [
        f"Mean accuracy in percent, protocol nested\n\n{markdown(pd.DataFrame(means), 2)}\n",
        f"Mean rank, 1 the best\n\n{markdown(ranked.sort_values('all three'), 2)}\n",
    ]
    for text in [*summary, *texts]:
        print(text)
    if folder is not None:
        tables = "\n".join(["# Honest comparison: tables\n", *summary, *texts])
        (folder / "honest_tables.md").write_text(tables, "utf-8")
    for title, column in ranked.items():
        place = float((column < column[ENSEMBLE]).sum() + 1)
        verdict(f"place of our ensemble, {title}", place, 1, at_least=False)


if __name__ == "__main__":
    main()
