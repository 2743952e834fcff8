"""What a study says, in plain sentences."""

from __future__ import annotations

import pandas as pd

from broadlearn.study.former import in_use, older_versions
from broadlearn.study.metrics import DEFAULT_METRIC, Metric
from broadlearn.study.plan import PROTOCOLS
from broadlearn.study.published_results import published_table
from broadlearn.study.report.pooling import (
    accuracies,
    joined,
    metric_of,
    not_done,
    optimism,
)
from broadlearn.study.report.protocol_words import (
    OPTIMISTIC,
    PROTOCOL_WORDS,
    protocols_to_subtract,
)
from broadlearn.study.report.result_table import Entry
from broadlearn.study.statistics import friedman, nemenyi

# Published figures have four decimals.
PUBLISHED_PRECISION = 0.00005


def summarise(units: pd.DataFrame, cells: pd.DataFrame) -> list[str]:
    """Who is best under which protocol, what the optimism is, what is missing, in sentences."""
    sentences = []
    for protocol in PROTOCOLS:
        sentences += _best(cells, protocol)
    if metric_of(cells).name == DEFAULT_METRIC:
        sentences += _flattery(cells)
        sentences += [t for protocol in OPTIMISTIC for t in _against_published(cells, protocol)]
    return [*sentences, _completeness(units)]


def about_versions(frame: pd.DataFrame) -> list[str]:
    """What a reader must know of units of former models and data, and of models that changed.

    Parameters
    ----------
    frame : DataFrame
        As `ResultStore.to_frame` gives it.
    """
    sentences = []
    n_former = len(frame) - len(in_use(frame))
    if n_former:
        are = "unit is" if n_former == 1 else "units are"
        sentences.append(
            f"{n_former:,} {are} of former models or data, and not in the tables, which show the "
            "newest unit of each cell; `broadlearn study prune` removes them."
        )
    for model, n_units in older_versions(frame).items():
        sentences.append(
            f"{n_units:,} of the units of {model} in the tables were made before the model, or the "
            "package that it is in, was changed: `broadlearn study run` runs them again."
        )
    return sentences


def _best(cells: pd.DataFrame, protocol: str) -> list[str]:
    """The leader by mean accuracy, the leader by rank, and whether tests tell them apart."""
    table, metric = accuracies(cells, protocol), metric_of(cells)
    if table.empty:
        return []
    a_figure = f"{metric.article} {metric.words}"
    complete = table.dropna()
    where = f"Under {PROTOCOL_WORDS[protocol]}"
    if complete.empty:
        return [f"{where}, no data set has {a_figure} for every model."]
    left_out = len(table) - len(complete)
    aside = f" ({left_out} left out, as not every model has {a_figure} there)" if left_out else ""
    number = f"{len(complete)} data sets" if len(complete) > 1 else "one data set"
    sentences = [f"{where}, {_leader(complete.mean(), metric)}, over {number}{aside}."]
    if len(complete) > 1 and complete.shape[1] > 1:
        sentences.append(_told_apart(metric.sign * complete))
    return [" ".join(sentences)]


def _told_apart(complete: pd.DataFrame) -> str:
    test, ranking = friedman(complete), nemenyi(complete)
    ranks = ranking.mean_ranks
    sentence = f"{ranks.index[0]} has the best mean rank, {ranks.iloc[0]:.2f}"
    p = Entry(test.f_p_value, "p").text
    if test.f_p_value >= ranking.alpha:
        return f"{sentence}, but no difference between models is shown (Friedman's test, p = {p})."
    close = ranks.index[1:][ranks.iloc[1:] - ranks.iloc[0] < ranking.critical_difference]
    if len(close):
        return f"{sentence}; Nemenyi's test does not tell it apart from {joined(close)}."
    return f"{sentence}; Nemenyi's test tells it apart from all others."


def _flattery(cells: pd.DataFrame) -> list[str]:
    """How much choosing settings on test folds adds."""
    outside, inside = protocols_to_subtract()
    points = optimism(cells).mean().dropna()
    if points.empty:
        return []
    most, least = points.idxmax(), points.idxmin()
    sentence = (
        f"The optimism, accuracy under {outside} less that under {inside}, on the same folds, is "
        f"{_points(points.mean())} on average"
    )
    if len(points) > 1:
        sentence += (
            f": most for {most} ({_points(points[most])}), "
            f"least for {least} ({_points(points[least])})"
        )
    return [f"{sentence}."]


def _against_published(cells: pd.DataFrame, protocol: str) -> list[str]:
    """How many of the published figures a reading of the published protocol meets."""
    ours = accuracies(cells, protocol)
    published = published_table().reindex(index=ours.index, columns=ours.columns)
    gaps = (ours - published).stack().dropna()
    if gaps.empty:
        return []
    met = int((gaps >= -PUBLISHED_PRECISION).sum())
    return [
        f"Under the {protocol} protocol, ours meet or pass {met} of {len(gaps)} published figures "
        f"and fall short of {len(gaps) - met}; ours less published is {_points(gaps.mean())} on "
        "average."
    ]


def _completeness(units: pd.DataFrame) -> str:
    lost = not_done(units)
    total = int(units["done"].sum()) + len(lost)
    if lost.empty:
        return f"All {total:,} units are done." if total > 1 else "The one unit is done."
    counts = lost["status"].value_counts().sort_index()
    kinds = joined([f"{n:,} {status}" for status, n in counts.items()])
    return f"Without a score are {len(lost):,} of {total:,} units: {kinds}; they are listed below."


def _leader(means: pd.Series, metric: Metric) -> str:
    """The best model or models of a column of means, and the next."""
    ordered = means.round(10).sort_values(ascending=metric.lower_is_better, kind="stable")
    best = ordered[ordered == ordered.iloc[0]].index
    has = "has" if len(best) == 1 else "have"
    most = "lowest" if metric.lower_is_better else "highest"
    shown = [f"{value:{metric.form}}{metric.unit}" for value in ordered]
    sentence = f"{joined(best)} {has} the {most} mean {metric.words}, {shown[0]}"
    if len(best) < len(ordered):
        sentence += f" (next {ordered.index[len(best)]}, {shown[len(best)]})"
    return sentence


def _points(value: float) -> str:
    return Entry(value, "+z.2f").text + " points"
