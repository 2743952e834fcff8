"""From units to tables of data sets by models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd

from broadlearn.study.metrics import DEFAULT_METRIC, check_metric
from broadlearn.study.models import PAPER_MODELS
from broadlearn.study.noise import parse_noise
from broadlearn.study.plan import PROTOCOLS
from broadlearn.study.released import PRINTED_COLUMNS
from broadlearn.study.store import newest

# Preferred reference of tests, in this order.
REFERENCES = ("Ensemble", "IF-BLS")
NOISE_NAMES = {
    "labels": "labels flipped",
    "one-sided-labels": "labels of the largest class flipped",
    "outliers": "rows made outliers",
    "deviation": "rows' deviation added as noise",
    "heavy-tails": "rows' deviation added as heavy-tailed noise",
}


class Cells:
    """Results under one protocol by noise, data set and model, over seeds.

    `frame` has one row per unit, as `ResultStore.to_frame` gives it; the last filed row of a cell
    counts. Units without the metric count as missing. `reference` is the model that tests compare
    with the others; None takes Ensemble, IF-BLS or else the best.
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        protocol: str,
        metric: str = DEFAULT_METRIC,
        reference: str | None = None,
    ) -> None:
        self.protocol, self.metric = protocol, check_metric(metric)
        units = newest(frame[frame["protocol"] == protocol])
        if units.empty:
            raise ValueError(f"There are no results under the protocol {protocol}.")
        for column in ("grid", "scoring", "folds"):
            values = units[column].unique()
            if len(values) > 1:
                raise ValueError(
                    f"Results under {protocol} have several values of {column} "
                    f"({', '.join(map(str, values))}); choose one."
                )
        if metric != DEFAULT_METRIC:
            folds = units["metrics"].map(
                lambda m: pd.Series((m or {}).get(metric, []), dtype=float)
            )
            units["mean"], units["sd"] = folds.map(pd.Series.mean), folds.map(pd.Series.std)
        has_score = np.isfinite(units["mean"].astype(float))
        units["status"] = units["status"].mask((units["status"] == "done") & ~has_score, "missing")
        units["variance"] = units["sd"].astype(float) ** 2
        self.units = units
        self.models = in_order(units["model"])
        self._reference = reference

    @property
    def reference(self) -> str:
        """The model that tests compare with the others."""
        preferred = (self._reference, *REFERENCES, str(self.merits().mean().idxmax()))
        return next(model for model in preferred if model in self.models)

    def _table(self, column: str, noise: str) -> pd.DataFrame:
        """Return means of a column over seeds, data sets by models; NaN if missing."""
        part = self.units[self.units["noise"] == noise]
        done = part[part["status"] == "done"].astype({column: float})
        table = done.pivot_table(column, "dataset", "model")
        table = table.reindex(index=sorted(set(part["dataset"])), columns=self.models)
        return table.rename_axis(index=None, columns=None).astype(float)

    def means(self, noise: str = "none") -> pd.DataFrame:
        """Return mean figures as shown (shares in percent), data sets by models; NaN if missing."""
        return self.metric.scale * self._table("mean", noise)

    def merits(self, noise: str = "none") -> pd.DataFrame:
        """Return the same for ranks and tests: larger is better."""
        return self.metric.sign * self.means(noise)

    def deviations(self, noise: str = "none") -> pd.DataFrame:
        """Return deviations over the folds of a seed, as root mean square over seeds."""
        return self.metric.scale * np.sqrt(self._table("variance", noise))

    def status(self, noise: str = "none") -> pd.DataFrame:
        """Return why a cell has no figure, data sets by models; empty where it has one."""
        means = self.means(noise)
        part = self.units[(self.units["noise"] == noise) & (self.units["status"] != "done")]
        last = part.pivot_table("status", "dataset", "model", "last")
        return last.reindex_like(means).astype(object).fillna("missing").where(means.isna(), "")

    @cached_property
    def not_done(self) -> pd.DataFrame:
        """Units without a score, including those never tried although their neighbours were."""
        keys = ["dataset", "noise", "model", "seed"]
        keys_in_grid = [
            key
            for noise, part in self.units.groupby("noise")
            for key in product(set(part["dataset"]), [noise], self.models, set(part["seed"]))
        ]
        units = self.units.set_index(keys)[["status", "error"]]
        units = units.reindex(pd.MultiIndex.from_tuples(keys_in_grid, names=keys))
        units = units.fillna({"status": "missing", "error": ""}).reset_index()
        return units[units["status"] != "done"].sort_values(keys, ignore_index=True)

    def noises(self) -> list[str]:
        """Return the noises: none first, then by kind, place and level."""
        return sorted(set(self.units["noise"]), key=_noise_order)

    def levels(self) -> dict[tuple[str, str], dict[str, float]]:
        """Return noises with their levels in percent, by kind and place; none is 0 in each."""
        levels: dict[tuple[str, str], dict[str, float]] = {}
        clean = {"none": 0.0} if "none" in self.noises() else {}
        for text in self.noises():
            noise = parse_noise(text)
            if noise.kind != "none":
                kind = levels.setdefault((noise.kind, noise.where), dict(clean))
                kind[text] = 100 * noise.level
        return levels

    def conditions(self, noises: Sequence[str]) -> tuple[dict[str, pd.DataFrame], list[str]]:
        """Return figures by noise on the data sets that have all, and the other data sets."""
        tables = {noise: self.means(noise) for noise in noises}
        joined = pd.concat(tables, axis=1)
        complete = joined.dropna().index
        left_out = sorted(joined.index.difference(complete))
        return {noise: table.loc[complete] for noise, table in tables.items()}, left_out


def cells_by_protocol(
    frame: pd.DataFrame, metric: str = DEFAULT_METRIC, reference: str | None = None
) -> list[Cells]:
    """Return the results under each protocol that a page compares models by."""
    if reference is not None and reference not in set(frame["model"]):
        raise ValueError(f"reference must be one of {', '.join(in_order(frame['model']))}.")
    protocols = [name for name in PROTOCOLS if name in set(frame["protocol"])]
    return [Cells(frame, name, metric, reference) for name in protocols]


def in_order(models: Iterable[str]) -> list[str]:
    """Return models in the published order, stand-ins beside them, then others by name."""
    known = set(models)
    published = [m for m in PAPER_MODELS if {m, PRINTED_COLUMNS.get(m, m)} <= known]
    return published + sorted(known.difference(published))


def _noise_order(noise: str) -> tuple[bool, str, str, float]:
    parsed = parse_noise(noise)
    return (parsed.kind != "none", parsed.kind, parsed.where, parsed.level)


def noise_words(noise: str) -> str:
    """Return a noise in plain words, such as "20 % of the training labels flipped"."""
    parsed = parse_noise(noise)
    if parsed.kind == "none":
        return "no noise"
    rows = "training " if parsed.where == "train" else ""
    return f"{100 * parsed.level:g}\N{NO-BREAK SPACE}% of the {rows}{NOISE_NAMES[parsed.kind]}"
