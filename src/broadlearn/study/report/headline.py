"""The sentence on top of a page: who is first with and without noise, and how certain that is."""

from __future__ import annotations

import pandas as pd

from broadlearn.study.metrics import DEFAULT_METRIC, Metric
from broadlearn.study.noise import parse_noise
from broadlearn.study.report.pooling import conditions, joined, metric_of, noise_words, noises_of
from broadlearn.study.report.protocol_words import BY_HONESTY, OPTIMISTIC
from broadlearn.study.statistics import friedman, nemenyi


def headline(cells: pd.DataFrame) -> str:
    """Who is first, by how much, and whether that is more than chance; in plain words.

    It is about the most honest protocol that there is, about the data as they are and the highest
    level of each kind of noise, and about the data sets that have all of these for every model. A
    lead is called significant where Friedman's test finds differences and Nemenyi's one between the
    first and the second.

    Parameters
    ----------
    cells : DataFrame
        From `pool`.

    Returns
    -------
    sentence : str
        Empty if no data set has a figure for every model.
    """
    found = set(cells.index.get_level_values("protocol"))
    for protocol in BY_HONESTY:
        if protocol not in found:
            continue
        tables, _ = conditions(cells, protocol, _strongest(noises_of(cells, protocol)))
        if len(next(iter(tables.values()))):
            return _sentence(tables, protocol, metric_of(cells))
    return ""


def _strongest(noises: list[str]) -> list[str]:
    """No noise, and of each kind the highest level; levels are in rising order."""
    by_kind = {(parse_noise(n).kind, parse_noise(n).where): n for n in noises}
    return list(by_kind.values())


def _sentence(tables: dict[str, pd.DataFrame], protocol: str, metric: Metric) -> str:
    n_datasets, n_models = next(iter(tables.values())).shape
    over = f"{n_datasets} data sets" if n_datasets > 1 else "one data set"
    flattered = (
        " (settings chosen on the test rows, which flatters)" if protocol in OPTIMISTIC else ""
    )
    if n_models == 1:
        (model,) = next(iter(tables.values())).columns
        shown = [
            f"{_shown(table[model].mean(), metric)} {_where(noise)}"
            for noise, table in tables.items()
        ]
        return f"Over {over}{flattered}, {model} has a mean {metric.words} of {joined(shown)}."
    leads = [_lead(table, _where(noise), metric) for noise, table in tables.items()]
    certain = {_where(n): _is_certain(metric.sign * table) for n, table in tables.items()}
    return f"Of {n_models} models over {over}{flattered}, {'; '.join(leads)}; {_certainty(certain)}"


def _where(noise: str) -> str:
    return "on the data as they are" if noise == "none" else f"with {noise_words(noise)}"


def _shown(value: float, metric: Metric) -> str:
    return f"{value:{'.1f' if metric.percent else '.3f'}}{metric.unit}"


def _lead(table: pd.DataFrame, where: str, metric: Metric) -> str:
    means = table.mean().round(10)
    means = means.sort_values(ascending=metric.lower_is_better, kind="stable")
    first = list(means.index[means == means.iloc[0]])
    best = _shown(means.iloc[0], metric)
    if len(first) > 1:
        return f"{where}, {joined(first)} share the best mean {metric.words} ({best})"
    lead, step = abs(means.iloc[0] - means.iloc[1]), 0.1 if metric.percent else 0.001
    points = _shown(lead, metric).removesuffix(metric.unit) if lead >= step / 2 else ""
    points = points or f"less than {step:g}"
    leads = (
        "is the most accurate"
        if metric.name == DEFAULT_METRIC
        else f"has the best mean {metric.words}"
    )
    return (
        f"{where}, {first[0]} {leads} ({best}), {points}{metric.points} ahead of {means.index[1]}"
    )


def _is_certain(table: pd.DataFrame) -> bool:
    """Whether tests tell the first from the second."""
    if len(table) < 2:
        return False
    first, second = table.mean().round(10).sort_values(ascending=False, kind="stable").index[:2]
    result = nemenyi(table)
    return bool(
        friedman(table).f_p_value < result.alpha
        and result.p_values.loc[first, second] < result.alpha
        and result.mean_ranks[first] < result.mean_ranks[second]
    )


def _certainty(certain: dict[str, bool]) -> str:
    if len(certain) == 1:
        return f"this lead is {'' if all(certain.values()) else 'not '}statistically significant."
    if not any(certain.values()):
        return "none of these leads is statistically significant."
    if all(certain.values()):
        return "all of these leads are statistically significant."
    which = joined([where for where, holds in certain.items() if holds])
    return f"only the lead {which} is statistically significant."
