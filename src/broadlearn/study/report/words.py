"""Sentences of a page: which models keep their accuracy, who is first, what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from broadlearn.study.metrics import DEFAULT_METRIC
from broadlearn.study.models import PUBLISHED_MODELS
from broadlearn.study.plan import NESTED, PAPER
from broadlearn.study.report.cells import Cells, noise_words
from broadlearn.study.statistics import friedman, nemenyi
from broadlearn.utils import counted, out_of


def protocol_note(cells: Cells) -> str:
    """Return protocol and grid in a sentence, for captions."""
    first = cells.units.iloc[0]
    kind = (
        "optimistic: settings chosen on the test folds"
        if cells.protocol == PAPER
        else "settings chosen on inner folds of the training rows"
    )
    scoring = "" if first["scoring"] == DEFAULT_METRIC else f", chosen by {first['scoring']}"
    folds = f", {first['folds']} folds" if cells.protocol == NESTED else ""
    return f"Protocol: {cells.protocol} ({kind}{scoring}{folds}; grid: {first['grid']})."


def left_out_note(cells: Cells) -> str:
    """Return the data sets without a figure for every model; empty if there are none."""
    means = cells.means()
    listed = ", ".join(means.index[means.isna().any(axis=1)])
    return f" Left out, as a model has no figure there: {listed}." if listed else ""


def joined(names: Iterable[object]) -> str:
    """Return names with commas and a last "and"."""
    *rest, last = map(str, names)
    return f"{', '.join(rest)} and {last}" if rest else last


def headline(cells: Cells) -> str:
    """Say which models are the most accurate as labels and rows go bad."""
    # By kind and place; noises come in rising order of levels.
    strongest = {tuple(noise.split(":")[::2]): noise for noise in cells.noises()}
    tables, _ = cells.conditions(list(strongest.values()))
    n_datasets, n_models = next(iter(tables.values())).shape
    if not n_datasets:
        return ""
    over = f"{counted(n_models, 'model')} on {counted(n_datasets, 'data set')}"
    flattered = (
        " (optimistic: settings chosen on the test folds)" if cells.protocol == PAPER else ""
    )
    parts = [
        f"with {noise_words(noise)}, {_leaders(cells, table)}" for noise, table in tables.items()
    ]
    return f"Of {over}{flattered}: {'; '.join(parts)}."


def _leaders(cells: Cells, table: pd.DataFrame) -> str:
    """Name the two most accurate models and the best published one."""
    means = _ordered(cells, table)
    named = {model: f"{model} ({_shown(cells, mean)})" for model, mean in means.items()}
    first = list(named)[:2]
    sentence = f"{joined(named[m] for m in first)} {'are' if len(first) > 1 else 'is'} first"
    published = next((model for model in named if model in PUBLISHED_MODELS), None)
    if published is not None and published not in first:
        sentence += f", {named[published]} is the first of the published models"
    return sentence


def _ordered(cells: Cells, table: pd.DataFrame) -> pd.Series:
    """Return mean figures, the best first."""
    return table.mean().round(10).sort_values(ascending=cells.metric.sign < 0, kind="stable")


def _shown(cells: Cells, value: float) -> str:
    return f"{value:.{cells.metric.decimals - 1}f}{cells.metric.unit}"


def summary(results: Sequence[Cells]) -> list[str]:
    """Say under each protocol who is best and whether tests tell, then what is missing."""
    sentences = [text for cells in results if (text := _best(cells))]
    lost = pd.concat([cells.not_done["status"] for cells in results])
    n_done = sum(int((cells.units["status"] == "done").sum()) for cells in results)
    if lost.empty:
        return [*sentences, f"{out_of(n_done, n_done, 'run', 'is')} done."]
    counts = joined(f"{n:,} {status}" for status, n in lost.value_counts().items())
    without = out_of(len(lost), n_done + len(lost), "run", "has")
    return [*sentences, f"{without} no score: {counts}."]


def _best(cells: Cells) -> str:
    """Say who has the best mean rank, and which models the tests do not separate from it."""
    table = cells.means()
    complete = table.dropna()
    if min(complete.shape) < 2:
        return ""
    means, merits = _ordered(cells, complete), cells.metric.sign * complete
    test, ranking = friedman(merits), nemenyi(merits)
    ranks = ranking.mean_ranks
    text = (
        f"Under {cells.protocol}, {means.index[0]} has the best mean {cells.metric.words}, "
        f"{_shown(cells, means.iloc[0])}, over {len(complete)} of {len(table)} data sets; "
        f"{ranks.index[0]} has the best mean rank, {ranks.iloc[0]:.2f}"
    )
    if test.f_p_value >= 0.05:
        return f"{text}; Friedman's test shows no difference (p = {test.f_p_value:.2g})."
    close = ranks.index[1:][ranks.iloc[1:] - ranks.iloc[0] < ranking.critical_difference]
    apart = f"does not tell it apart from {joined(close)}" if len(close) else "tells it apart"
    return f"{text}; Nemenyi's test {apart}."


def mixed_code(frame: pd.DataFrame) -> list[str]:
    """Say whether results of different code are mixed."""
    # A source is that of the package, then that of the file of a model of the user's own.
    package = frame["source"].str.partition("+")[0]
    if package.nunique() == 1 and (frame.groupby("model")["source"].nunique() == 1).all():
        return []
    return [
        f"Results of {frame['source'].nunique()} states of the code are mixed, see the table of "
        "the code; `study run --again` redoes all but the newest."
    ]
