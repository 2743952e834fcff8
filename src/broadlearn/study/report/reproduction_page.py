"""How well readings reproduce print: tables in Markdown, a figure for each reading, all cells."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from broadlearn.study.readings import READINGS
from broadlearn.study.report.drawing import study_style, to_svg
from broadlearn.study.report.pooling import in_order
from broadlearn.study.report.protocol_words import PROTOCOL_NOTES
from broadlearn.study.report.reproduction_figure import reproduction_figure
from broadlearn.study.report.result_table import Entry, ResultTable
from broadlearn.study.reproduction import (
    CONTRADICTED,
    NOT_FITTED,
    OUT_OF_REACH,
    summarize_cells,
)
from broadlearn.utils import safe_csv, write_whole

DPI = 200
FIGURES = {
    "n_cells": ("cells", "d"),
    "difference": ("ours less print", "+z.2f"),
    "abs_difference": ("mean off by", ".2f"),
    "abs_sd_difference": ("deviation off by", ".2f"),
    "n_redrawn": ("redrawn", "d"),
    "contradicted": ("contradicted, %", ".0f"),
    "out_of_reach": ("out of reach, %", ".0f"),
    "beyond_selection": ("beyond selection, %", ".0f"),
    "not_fitted": ("not fitted, %", ".0f"),
    "nearest_sd_difference": ("nearest draw's deviation off by", ".2f"),
}
REDRAW_FIGURES = list(FIGURES)[4:]
LISTED = {
    CONTRADICTED: "Print is below the lowest of the redraws at the printed settings.",
    OUT_OF_REACH: "Print is above the highest of the redraws at the printed settings, and above "
    "the best of our grid.",
    NOT_FITTED: "The model cannot be fitted with the printed settings on some fold.",
}
HOW_TO_READ = (
    "Print is the best of a grid on the test folds, and so are ours: optimistic figures, which are "
    "compared with each other and say nothing about new data. A reading that was chosen because it "
    "comes near to print is fitted to print; what it meets is no test of it, what it contradicts "
    "is. Redraws are fits at the printed settings on the same folds, each with its own draw. A "
    "cell is *contradicted* where print is below all of them, *out of reach* where print is above "
    "all of them and above the best of our grid, *not fitted* where the printed settings cannot be "
    "used, and *within reach* otherwise. Print being the luckiest of as many draws as the grid has "
    "settings, it would be above some tens of redraws, and above our best every second time, even "
    "under the right reading: *out of reach* alone is no evidence against one. *Beyond selection* "
    "are cells, of any verdict, whose print is further above the redraws than such a choice "
    "explains (normal draws, 1 % of grids); draws vary by points, so that much passes this test."
)


def summary_table(judged: pd.DataFrame, by: str, *, noisy: bool = False) -> ResultTable:
    """Differences and verdicts of each reading by "model" or "dataset", with or without noise."""
    cells = judged[(judged["noise"] != "none") == noisy]
    names = [n for n in FIGURES if not (noisy and n in REDRAW_FIGURES)]
    rows, foot = [], []
    for reading in _readings(cells):
        lines = summarize_cells(cells[cells["reading"] == reading], [by])
        found = set(lines.index)
        lines = lines.loc[in_order(found) if by == "model" else sorted(found)]
        rows += [_summary_row(reading, str(key), line[names]) for key, line in lines.iterrows()]
        if len(lines) > 1:
            counts = ["n_cells", "n_redrawn"]
            means = lines.mean().where(~lines.columns.isin(counts), lines.sum())
            foot.append(_summary_row(reading, "all", means[names]))
    word = {"model": "model", "dataset": "data set"}[by]
    kind = " with noise" if noisy else ""
    draws = "" if noisy else _draws_note(cells)
    return ResultTable(
        f"reproduction{'_noise' if noisy else ''}_{by}",
        f"Print and ours{kind}, by reading and {word}",
        "Off by: mean absolute difference of accuracies, and of their deviations over folds, in "
        f"percentage points. “All” is the mean over the {word}s.{draws}",
        ["reading", word, *(FIGURES[name][0] for name in names)],
        rows,
        foot,
        n_keys=2,
    )


def _summary_row(reading: str, key: str, figures: pd.Series) -> list[Entry]:
    shown = []
    for name, value in figures.items():
        form = FIGURES[str(name)][1]
        shown.append(Entry(int(value) if form == "d" else float(value), form))
    return [Entry(reading), Entry(key), *shown]


def _draws_note(cells: pd.DataFrame) -> str:
    draws = sorted(set(cells["n_draws"].dropna().astype(int)))
    if not draws:
        return " Nothing was redrawn."
    number = f"{draws[0]}" if len(draws) == 1 else f"{draws[0]} to {draws[-1]}"
    return f" A cell was redrawn {number} times; shares are of the cells redrawn."


def verdict_table(judged: pd.DataFrame, verdict: str) -> ResultTable | None:
    """Every cell of a verdict; None if there is none."""
    cells = judged[judged["verdict"] == verdict]
    if cells.empty:
        return None
    rows = []
    for reading in _readings(cells):
        part = cells[cells["reading"] == reading]
        for model in in_order(set(part["model"])):
            for cell in part[part["model"] == model].sort_values("dataset").itertuples():
                numbers = (cell.printed, cell.lowest, cell.median, cell.highest, cell.ours)
                names = (cell.dataset, model, reading)
                rows.append([*map(Entry, names), *(Entry(float(value)) for value in numbers)])
    return ResultTable(
        f"reproduction_{verdict.replace(' ', '_')}",
        f"{verdict.capitalize()}: {len(rows)} cells",
        f"{LISTED[verdict]} Accuracies in percent; ours is the best of the grid.",
        [
            "data set",
            "model",
            "reading",
            "print",
            "lowest redraw",
            "median redraw",
            "highest redraw",
            "ours",
        ],
        rows,
        n_keys=3,
    )


def write_reproduction(
    judged: pd.DataFrame, folder: str | os.PathLike[str], *, command: str
) -> Path:
    """Write ``reproduction.md``, ``cells.csv`` and a figure for each reading as SVG and PNG.

    The figure of the reading "paper" is ``reproduction``, that of another has its name behind.

    Parameters
    ----------
    judged : DataFrame
        From `judge_cells`.
    folder : path
        Created if it does not exist.
    command : str
        What to type to get the same again.

    Returns
    -------
    Path
        Of the Markdown file, written last; each file is written whole or not at all.
    """
    if judged.empty:
        raise ValueError("The results must hold a unit that has a printed figure, got none.")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "cells.csv", safe_csv(judged.set_index("reading")))
    clean = judged[judged["noise"] == "none"]
    pictures = []
    for reading in _readings(clean):
        name = "reproduction" if reading == "paper" else f"reproduction_{reading}"
        alternative = f"Printed accuracies against ours, protocol {reading}"
        figure = reproduction_figure(judged, reading)
        write_whole(folder / f"{name}.svg", f"{to_svg(figure, name, alternative)}\n")
        write_whole(folder / f"{name}.png", [_png(figure)])
        pictures.append(f"![{alternative}]({name}.svg)")
    tables = []
    if len(clean):
        tables += [summary_table(judged, by) for by in ("model", "dataset")]
    if len(clean) < len(judged):
        tables += [summary_table(judged, by, noisy=True) for by in ("model", "dataset")]
    tables += [t for verdict in LISTED if (t := verdict_table(judged, verdict)) is not None]
    blocks = [
        "# Print, reproduced",
        HOW_TO_READ,
        _readings_list(_readings(judged)),
        *pictures,
        *(table.to_markdown() for table in tables),
        "All cells are in [cells.csv](cells.csv).",
        f"```\n{command}\n```",
    ]
    write_whole(folder / "reproduction.md", "\n\n".join(blocks) + "\n")
    return folder / "reproduction.md"


def _readings_list(readings: Sequence[str]) -> str:
    return "\n".join(f"- {PROTOCOL_NOTES[reading]}" for reading in readings)


def _readings(cells: pd.DataFrame) -> list[str]:
    found = set(cells["reading"])
    return [reading for reading in READINGS if reading in found]


@study_style()
def _png(figure: Figure) -> bytes:
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=DPI, metadata={"Software": None})
    return stream.getvalue()
