"""Compare results under the published protocol with the printed tables, cell by cell.

The reading of the protocol was chosen because it comes close to print: agreement is no evidence for
it, disagreement is evidence against it.
"""

from __future__ import annotations

from math import prod

import numpy as np
import pandas as pd
from scipy.stats import norm

from broadlearn.study.datasets import describe_dataset
from broadlearn.study.noise import Noise
from broadlearn.study.plan import PAPER, REDRAWS
from broadlearn.study.protocols import N_FOLDS
from broadlearn.study.published_results import published_grids, published_table
from broadlearn.study.released import PRINTED_COLUMNS
from broadlearn.study.store import newest

KEYS = ["dataset", "model"]
CELL_KEYS = ["noise", *KEYS]
WITHIN_REACH = "within reach"
DRAWS = ["n_draws", "lowest", "median", "highest", "draw_mean", "draw_sd", "nearest_sd"]
VERDICTS = ("contradicted", "out of reach", "not fitted", WITHIN_REACH, "not redrawn")
# Percentage points; print has four decimals.
TOLERANCE = 0.005


def printed_cells() -> pd.DataFrame:
    """Return all printed accuracies and deviations: noise, dataset, model, printed, printed_sd.

    The published noise is taken for deviations on all rows. No deviations are printed for ADNI.
    """
    tables = []
    for accuracy, deviation in (
        ("accuracy", "deviation"),
        ("adni", None),
        ("noise", "noise_deviation"),
    ):
        means = published_table(accuracy).rename_axis(columns="model").stack()
        deviations = np.nan if deviation is None else published_table(deviation).stack()
        tables.append(means.to_frame("printed").assign(printed_sd=deviations).reset_index())
    cells = pd.concat(tables, ignore_index=True)
    levels = cells.pop("noise_percent").fillna(0.0) / 100
    cells["noise"] = [str(Noise("deviation", x, "all")) if x else "none" for x in levels]
    return cells


def compare_with_print(frame: pd.DataFrame) -> pd.DataFrame:
    """Return our figures beside the printed ones, in percent.

    Ours are of "paper" with the published grid. Columns are noise, dataset, model, ours, ours_sd,
    printed, printed_sd (over folds, ddof=1), difference and sd_difference (ours less printed).
    """
    units = newest(frame)
    used = (units["status"] == "done") & (units["grid"] == "paper") & (units["protocol"] == PAPER)
    cells = units.loc[used, CELL_KEYS].assign(
        ours=100 * units["mean"].astype(float), ours_sd=100 * units["sd"].astype(float)
    )
    cells["column"] = cells["model"].replace(PRINTED_COLUMNS)
    printed = printed_cells().rename(columns={"model": "column"})
    cells = cells.merge(printed, on=["noise", "dataset", "column"]).drop(columns="column")
    cells["difference"] = cells["ours"] - cells["printed"]
    cells["sd_difference"] = cells["ours_sd"] - cells["printed_sd"]
    return cells


def redraw_figures(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the draws of each printed figure in one row, in percent.

    Columns are dataset, model, n_draws; lowest, median and highest mean accuracy of a draw;
    draw_mean and draw_sd, at least one row's worth since a few draws may agree by chance; and
    nearest_sd, the deviation over folds of the draw nearest to print. They are NaN where the
    printed settings cannot be fitted.
    """
    lines, printed = [], published_table()
    redrawn = (frame["protocol"] == REDRAWS) & frame["dataset"].isin(printed.index)
    for unit in newest(frame[redrawn]).itertuples():
        line = {"dataset": unit.dataset, "model": unit.model, "n_draws": 0.0}
        if unit.status == "done":
            scores = 100 * np.reshape(unit.fold_scores, (-1, N_FOLDS))
            means = scores.mean(axis=1)
            column = PRINTED_COLUMNS.get(unit.model, unit.model)
            nearest = np.argmin(np.abs(means - printed.loc[unit.dataset, column]))
            one_row = 100.0 / describe_dataset(unit.dataset).n_rows
            line |= {
                "n_draws": float(len(means)),
                "lowest": means.min(),
                "median": np.median(means),
                "highest": means.max(),
                "draw_mean": means.mean(),
                "draw_sd": max(means.std(ddof=1), one_row),
                "nearest_sd": scores[nearest].std(ddof=1),
            }
        lines.append(line)
    return pd.DataFrame(lines, columns=[*KEYS, *DRAWS])


def judge_cells(cells: pd.DataFrame, redraws: pd.DataFrame) -> pd.DataFrame:
    """Add redraws at the printed settings, a verdict and beyond_selection to each cell.

    The verdict is

    - "contradicted": print is below all redraws;
    - "out of reach": print is above all redraws and above our best of the grid;
    - "not fitted": the model cannot be fitted with the printed settings on some fold;
    - "within reach": none of these;
    - "not redrawn": there are no redraws, as for all cells with noise.

    Print is the best of as many draws as the grid has settings, so "out of reach" alone says
    little. A cell is beyond_selection if print is further above the mean of the redraws than the
    best of so many normal draws is in all but 1 % of grids.
    """
    judged = cells.merge(redraws, how="left", on=KEYS)
    judged[DRAWS] = judged[DRAWS].astype(float)
    judged.loc[judged["noise"] != "none", DRAWS] = np.nan
    below = judged["printed"] < judged["lowest"] - TOLERANCE
    above = judged["printed"] > judged[["highest", "ours"]].max(axis=1) + TOLERANCE
    cases = {
        "not redrawn": judged["n_draws"].isna(),
        "not fitted": judged["lowest"].isna(),
        "contradicted": below,
        "out of reach": above,
    }
    judged["verdict"] = np.select(list(cases.values()), list(cases), WITHIN_REACH)
    sizes = {name: prod(map(len, grid.values())) for name, grid in published_grids().items()}
    columns = judged["model"].replace(PRINTED_COLUMNS)
    luck = norm.isf(0.01 / columns.map(sizes).to_numpy(dtype=float))
    luckiest = judged["draw_mean"] + luck * judged["draw_sd"]
    judged["beyond_selection"] = judged["printed"] > luckiest + TOLERANCE
    return judged


def summarize_cells(judged: pd.DataFrame) -> pd.DataFrame:
    """Return mean differences from print in points, and counts of verdicts, by model."""
    figures = judged[["model"]].assign(
        n_cells=1,
        difference=judged["difference"],
        abs_difference=judged["difference"].abs(),
        abs_sd_difference=judged["sd_difference"].abs(),
        beyond_selection=judged["beyond_selection"].astype(int),
        **{name.replace(" ", "_"): (judged["verdict"] == name).astype(int) for name in VERDICTS},
    )
    # Counts are integers, differences are not.
    how = {name: "mean" if "difference" in name else "sum" for name in figures.columns[1:]}
    return figures.groupby("model", sort=False).agg(how)
