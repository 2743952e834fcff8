"""What a reading of the published protocol gives at the printed settings, draw after draw.

A printed figure is the best of a grid, but its settings are printed too. Drawn anew at these, a
reading that is right gives the printed figure as one of its draws, most likely a lucky one.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import delayed
from threadpoolctl import threadpool_limits

from broadlearn.study.datasets import Dataset
from broadlearn.study.noise import Noise
from broadlearn.study.plan import Unit
from broadlearn.study.protocols import as_prepared, paper_task
from broadlearn.study.published_results import published_settings, published_table
from broadlearn.study.readings import READINGS, Reading
from broadlearn.study.search_spaces import ModelSpec
from broadlearn.utils import Array, parallel, write_whole

KEYS = ["reading", "dataset", "model"]
FIGURES = ["lowest", "median", "highest", "draw_mean", "draw_sd", "nearest", "nearest_sd"]
COLUMNS = [*KEYS, "n_draws", *FIGURES, "error"]


def redraw(
    data: Dataset,
    spec: ModelSpec,
    reading: Reading,
    settings: Mapping[str, Any],
    n_draws: int,
    random_state: int,
) -> Array:
    """Accuracies at given settings on the test folds; every fold of every draw has its own seed.

    Parameters
    ----------
    data : Dataset
    spec : ModelSpec
    reading : Reading
    settings : mapping
        Such as `published_settings` gives. C is taken as it stands, and what the released model
        has no choice of is left out.
    n_draws : int
    random_state : int

    Returns
    -------
    ndarray of shape (n_draws, n_folds)

    Examples
    --------
    >>> from broadlearn.study import find_model, load_dataset
    >>> from broadlearn.study.readings import READINGS
    >>> from broadlearn.study.redraws import redraw
    >>> setting = {"C": 1.0, "n_hidden_nodes": 25}
    >>> redraw(load_dataset("iris"), find_model("ELM"), READINGS["paper"], setting, 2, 0).shape
    (2, 5)
    """
    task = paper_task(data, reading, Noise(), 0)
    released = reading.released_models
    searched = spec.released_grid if released else None
    used = {n: value for n, value in settings.items() if searched is None or n in searched}
    seeds = np.random.SeedSequence(random_state).generate_state(n_draws * len(task.splits))
    scores = np.empty((n_draws, len(task.splits)))
    for (draw, fold), seed in zip(np.ndindex(*scores.shape), seeds, strict=True):
        train, test = task.splits[fold]
        model = as_prepared(spec.seeded(int(seed), released=released)).set_params(**used)
        model.fit(task.X[train], task.y[train])
        scores[draw, fold] = np.mean(model.predict(task.X[test]) == task.y[test])
    return scores


class PrintedCell(NamedTuple):
    """A printed figure to redraw: the unit that it belongs to, and what that needs."""

    unit: Unit
    data: Dataset
    spec: ModelSpec
    n_draws: int


def redraw_cell(cell: PrintedCell) -> dict[str, Any]:
    """The draws of a printed figure in one line, in percent.

    "draw_mean" and "draw_sd" are of the draws' mean accuracies, the deviation at least a row's
    worth since a few draws may agree by chance; "nearest" is the mean of the draw that is nearest
    to print and "nearest_sd" its deviation over folds. Where a fit fails, there is an "error" and
    no figure: the printed settings cannot be used under the reading.
    """
    unit = cell.unit
    line: dict[str, Any] = dict.fromkeys(COLUMNS, np.nan)
    line |= dict(zip(KEYS, (unit.protocol, unit.dataset, unit.model), strict=True))
    line |= {"n_draws": cell.n_draws, "error": ""}
    settings = published_settings().loc[unit.dataset, unit.model]
    try:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reading = READINGS[unit.protocol]
            scores = 100 * redraw(
                cell.data, cell.spec, reading, settings, cell.n_draws, unit.model_seed
            )
    except (ValueError, np.linalg.LinAlgError) as error:
        return {**line, "error": f"{type(error).__name__}: {error}"}
    means = scores.mean(axis=1)
    nearest = int(np.argmin(np.abs(means - published_table().loc[unit.dataset, unit.model])))
    spread = means.std(ddof=1) if len(means) > 1 else 0.0
    figures = (
        means.min(),
        np.median(means),
        means.max(),
        means.mean(),
        max(spread, 100.0 / len(cell.data.y)),
        means[nearest],
        scores[nearest].std(ddof=1),
    )
    return line | dict(zip(FIGURES, map(float, figures), strict=True))


def read_redraws(path: str | os.PathLike[str]) -> pd.DataFrame:
    """The lines of a file of redraws; none if there is no file.

    Examples
    --------
    >>> from broadlearn.study.redraws import read_redraws
    >>> read_redraws("nowhere.csv").empty
    True
    """
    if not Path(path).exists():
        return pd.DataFrame(columns=COLUMNS)
    lines = pd.read_csv(path, dtype={"error": object}).fillna({"error": ""})
    if list(lines.columns) != COLUMNS:
        raise ValueError(
            f"{path} must have the columns {', '.join(COLUMNS)}, got {', '.join(lines.columns)}."
        )
    return lines


def cells_to_redraw(
    units: Iterable[Unit],
    data: Mapping[str, Dataset],
    models: Mapping[str, ModelSpec],
    known: pd.DataFrame,
    n_draws: int,
) -> list[PrintedCell]:
    """The units without noise that have a printed figure and no line of as many draws yet.

    Parameters
    ----------
    units : iterable of Unit
        Under protocols that are readings.
    data : mapping of str to Dataset
        By fingerprint.
    models : mapping of str to ModelSpec
    known : DataFrame
        From `read_redraws`.
    n_draws : int
        None are asked for if 0.

    Returns
    -------
    list of PrintedCell
    """
    printed = published_table()
    enough = known[known["n_draws"] >= n_draws]
    done = set(enough[KEYS].itertuples(index=False, name=None))
    return [
        PrintedCell(unit, data[unit.fingerprint], models[unit.model], n_draws)
        for unit in units
        if n_draws > 0
        and unit.noise == "none"
        and unit.dataset in printed.index
        and unit.model in printed.columns
        and (unit.protocol, unit.dataset, unit.model) not in done
    ]


def run_redraws(
    cells: Iterable[PrintedCell], path: str | os.PathLike[str], n_jobs: int = 1
) -> Iterator[dict[str, Any]]:
    """Redraw cells, file each in a CSV file as it ends, and give its line.

    The file is always whole; what it has of the same cell is replaced.
    """
    work = (delayed(redraw_cell)(cell) for cell in cells)
    for line in parallel(work, n_jobs, ordered=False):
        new = pd.DataFrame([line], columns=COLUMNS)
        known = read_redraws(path)
        kept = pd.concat([known, new]) if len(known) else new
        kept = kept.drop_duplicates(KEYS, keep="last").sort_values(KEYS)
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, kept.to_csv(index=False, lineterminator="\n"))
        yield line
