"""From the units of a result store to data sets × models."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from broadlearn.study.former import in_use
from broadlearn.study.metrics import DEFAULT_METRIC, METRICS, Metric, unit_figures
from broadlearn.study.noise import parse_noise
from broadlearn.study.plan import PROTOCOLS
from broadlearn.study.report.protocol_words import protocols_to_subtract
from broadlearn.study.search_spaces import PUBLISHED_MODELS

MISSING = "missing"
KEYS = ["protocol", "noise", "dataset", "model"]
COLUMNS = [*KEYS, "seed", "grid", "status", "mean", "sd", "seconds", "error"]


def check_units(frame: pd.DataFrame, metric: str = DEFAULT_METRIC) -> pd.DataFrame:
    """The units with plain text keys, or a ValueError that says what is wrong with them.

    Parameters
    ----------
    frame : DataFrame
        One row per unit, as `ResultStore.to_frame` gives it; those of former models and data are
        left out.
    metric : str, default="accuracy"
        What ``mean`` and ``sd`` are to be of. Units that were not judged by it have no score.

    Returns
    -------
    units : DataFrame
        A copy with the columns that a report needs; ``done`` says which have a score.
    """
    absent = [column for column in COLUMNS if column not in frame.columns]
    if absent:
        raise ValueError(f"frame must have the columns {', '.join(COLUMNS)}; {absent[0]!r} is not.")
    if frame.empty:
        raise ValueError("frame must have at least one unit, got none.")
    used = in_use(frame)
    units = used[COLUMNS].reset_index(drop=True)
    units[["mean", "sd"]] = unit_figures(used, metric).reset_index(drop=True)
    units["metric"] = metric
    units["scoring"] = used["scoring"].to_numpy() if "scoring" in used else DEFAULT_METRIC
    for column in [*KEYS, "grid", "status"]:
        units[column] = units[column].astype(str).astype(object)
    unknown = set(units["protocol"]) - set(PROTOCOLS)
    if unknown:
        raise ValueError(f"protocol must be one of {PROTOCOLS}, got {min(unknown)!r}.")
    for column in [name for name in ("grid", "scoring") if name in used.columns]:
        for protocol, values in used.groupby("protocol")[column].unique().items():
            if len(values) > 1:
                raise ValueError(
                    f"frame must hold one {column} for the {protocol} protocol, got "
                    f"{sorted(values)}; keep the rows of one."
                )
    twice = units[units.duplicated([*KEYS, "seed"])]
    if len(twice):
        key = ", ".join(str(value) for value in twice.iloc[0][[*KEYS, "seed"]])
        raise ValueError(f"frame must have one row per unit, got two for ({key}).")
    units["seconds"] = pd.to_numeric(units["seconds"])
    done = units["status"] == "done"
    units["done"] = done & np.isfinite(units["mean"])
    units.loc[done & ~units["done"], "status"] = "no score" if metric == DEFAULT_METRIC else MISSING
    return units.sort_values([*KEYS, "seed"], ignore_index=True)


def metric_of(cells: pd.DataFrame) -> Metric:
    """What units or cells were judged by."""
    return METRICS[cells["metric"].iloc[0]]


def in_order(models: set[str]) -> list[str]:
    """Models in the published order, others after them by name.

    Examples
    --------
    >>> in_order({"IF-BLS", "RVFL", "BLS"})
    ['BLS', 'IF-BLS', 'RVFL']
    """
    published = [model for model in PUBLISHED_MODELS if model in models]
    return published + sorted(models.difference(published))


def noise_order(noise: str) -> tuple[str, str, float]:
    """Sort key of a noise's short form: kind, place, level; none first."""
    parsed = parse_noise(noise)
    return ("" if parsed.kind == "none" else parsed.kind, parsed.where, parsed.level)


def noise_label(noise: str) -> str:
    """A noise as tables name it.

    Examples
    --------
    >>> noise_label("variance:0.1:train")
    'variance 10 %, train'
    """
    parsed = parse_noise(noise)
    full = f"{parsed.kind} {100 * parsed.level:g} %, {parsed.where}"
    return "none" if parsed.kind == "none" else full


def noise_words(noise: str) -> str:
    """A noise in plain words.

    Examples
    --------
    >>> " ".join(noise_words("labels:0.2:train").split())
    '20 % of the training labels flipped'
    """
    parsed = parse_noise(noise)
    share = f"{100 * parsed.level:g}\N{NO-BREAK SPACE}%"
    rows, labels = (
        ("rows", "labels") if parsed.where == "all" else ("training rows", "training labels")
    )
    return {
        "none": "no noise added",
        "labels": f"{share} of the {labels} flipped",
        "class-labels": f"{share} of the {labels} of each class flipped",
        "outliers": f"{share} of the {rows} outlying",
        "rows": f"{share} of the {rows} replaced by noise",
        "variance": f"noise of {share} of each feature's variance on the {rows}",
        "deviation": f"noise of {share} of each feature's deviation on the {rows}",
    }[parsed.kind]


def noises_of(cells: pd.DataFrame, protocol: str) -> list[str]:
    """Noises of a protocol, none first, then by kind, place and level."""
    here = cells.index.get_level_values("protocol") == protocol
    return sorted(cells.index[here].unique("noise"), key=noise_order)


def pool(units: pd.DataFrame) -> pd.DataFrame:
    """Accuracy, or what the units were judged by, of each model on each data set, over seeds.

    Parameters
    ----------
    units : DataFrame
        From `check_units`.

    Returns
    -------
    cells : DataFrame
        Indexed by protocol, noise, data set and model; a cell for every model of the protocol on
        every data set that has the noise. ``mean``, in percent if it is a share, over seeds; ``sd``
        over the folds of a seed (root mean square over seeds); ``n_done`` of ``n_seeds`` seeds have
        a score; ``grid`` and ``scoring`` are the protocol's, ``metric`` all units'; ``status``
        says what became of a cell without any ("missing" where it was never tried).
    """
    cells = {}
    metric = metric_of(units)
    groups = dict(list(units.groupby(KEYS)))
    for (protocol, noise), part in units.groupby(["protocol", "noise"]):
        models = set(units.loc[units["protocol"] == protocol, "model"])
        n_seeds = part["seed"].nunique()
        for key in product([protocol], [noise], sorted(set(part["dataset"])), in_order(models)):
            found = groups.get(key, units.iloc[:0])
            done = found[found["done"]]
            cells[key] = {
                "mean": metric.scale * done["mean"].mean(),
                "sd": metric.scale * np.sqrt((done["sd"] ** 2).mean()),
                "n_done": len(done),
                "n_seeds": n_seeds,
                "grid": part["grid"].iloc[0],
                "metric": metric.name,
                "scoring": part["scoring"].iloc[0],
                "status": "done" if len(done) else ", ".join(sorted(set(found["status"]))),
            }
    pooled = pd.DataFrame.from_dict(cells, orient="index")
    pooled.index = pd.MultiIndex.from_tuples(list(cells), names=KEYS)
    pooled["status"] = pooled["status"].replace("", MISSING)
    return pooled


def accuracies(cells: pd.DataFrame, protocol: str, noise: str = "none") -> pd.DataFrame:
    """Mean accuracies in percent, or other figures, data sets × models; NaN where there is none.

    Parameters
    ----------
    cells : DataFrame
        From `pool`.
    protocol : str
    noise : str, default="none"
    """
    means = part(cells, protocol, noise)["mean"]
    return means.unstack("model", sort=False).rename_axis(columns=None)


def merits(cells: pd.DataFrame, protocol: str, noise: str = "none") -> pd.DataFrame:
    """The same as ranks and tests take them: larger is better."""
    return metric_of(cells).sign * accuracies(cells, protocol, noise)


def conditions(
    cells: pd.DataFrame, protocol: str, noises: Sequence[str]
) -> tuple[dict[str, pd.DataFrame], list[str]]:
    """Accuracies by noise on the data sets that have all of them, and the other data sets."""
    tables = {noise: accuracies(cells, protocol, noise) for noise in noises}
    joined = pd.concat(tables, axis=1)
    complete = joined.dropna().index
    return {n: table.loc[complete] for n, table in tables.items()}, [
        dataset for dataset in sorted(joined.index) if dataset not in complete
    ]


def part(cells: pd.DataFrame, protocol: str, noise: str = "none") -> pd.DataFrame:
    """The cells of one protocol and noise, indexed by data set and model; may be empty."""
    here = cells.index.droplevel(["dataset", "model"])
    return cells[here == (protocol, noise)].droplevel(["protocol", "noise"])


def optimism(cells: pd.DataFrame) -> pd.DataFrame:
    """What choosing settings on test folds adds where both choices have a score, in points."""
    outside, inside = (accuracies(cells, protocol) for protocol in protocols_to_subtract())
    datasets = outside.index.intersection(inside.index)
    models = [m for m in outside.columns if m in inside.columns]
    return outside.loc[datasets, models] - inside.loc[datasets, models]


def joined(names: Sequence[object]) -> str:
    """Names with commas and a last "and".

    Examples
    --------
    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    *rest, last = map(str, names)
    return f"{', '.join(rest)} and {last}" if rest else last


def not_done(units: pd.DataFrame) -> pd.DataFrame:
    """Units without a score, including those never tried, by data set, noise and model."""
    columns = [*KEYS, "seed", "status", "error"]
    found = set(units[[*KEYS, "seed"]].itertuples(index=False, name=None))
    lost = [
        (*key, error if isinstance(error, str) else "")
        for *key, error in units.loc[~units["done"], columns].itertuples(index=False, name=None)
    ]
    for (protocol, noise), group in units.groupby(["protocol", "noise"]):
        models = set(units.loc[units["protocol"] == protocol, "model"])
        every = product(
            [protocol], [noise], set(group["dataset"]), models, sorted(set(group["seed"]))
        )
        lost += [(*key, MISSING, "") for key in every if key not in found]
    lost.sort(key=lambda row: (row[2], noise_order(row[1]), row[3], row[0], row[4]))
    return pd.DataFrame(lost, columns=columns)
