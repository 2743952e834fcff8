"""From units to tables of data sets by models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd

from broadlearn.study.metrics import DEFAULT_METRIC, check_metric
from broadlearn.study.models import PAPER_MODELS
from broadlearn.study.noise import parse_noise
from broadlearn.study.plan import INSIDE, PAPER, PROTOCOLS
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
    """Results of a study by protocol, noise, data set and model, over seeds.

    `frame` has one row per unit, as `ResultStore.to_frame` gives it; of rows for the same cell the
    last filed one counts. Units without the metric count as missing. `reference` is the model that
    tests compare with the others; Ensemble, IF-BLS or else the best if None.
    """

    def __init__(
        self, frame: pd.DataFrame, metric: str = DEFAULT_METRIC, reference: str | None = None
    ) -> None:
        self.metric = check_metric(metric)
        units = newest(frame[frame["protocol"].isin(PROTOCOLS)])
        if units.empty:
            raise ValueError("There are no results of a protocol to report, such as nested.")
        for column in ("grid", "scoring", "folds"):
            for protocol, values in units.groupby("protocol")[column].unique().items():
                if len(values) > 1:
                    raise ValueError(
                        f"Results under {protocol} were made with several values of {column} "
                        f"({', '.join(map(str, values))}); choose one."
                    )
        if metric != DEFAULT_METRIC:
            folds = [
                pd.Series(m.get(metric, []) if isinstance(m, Mapping) else [], dtype=float)
                for m in units["metrics"]
            ]
            units["mean"] = [values.mean() for values in folds]
            units["sd"] = [values.std(ddof=1) for values in folds]
        units["variance"] = units["sd"].astype(float) ** 2
        done = (units["status"] == "done") & np.isfinite(units["mean"].astype(float))
        units["done"] = done
        # A unit without the metric is as good as never tried.
        units["status"] = units["status"].mask(~done & (units["status"] == "done"), "missing")
        self.units = units
        self.protocols = [p for p in PROTOCOLS if p in set(units["protocol"])]
        self.models = in_order(units["model"])
        if reference is not None and reference not in self.models:
            raise ValueError(f"reference must be one of {', '.join(self.models)}.")
        self._reference = reference

    def _table(self, column: str, protocol: str, noise: str) -> pd.DataFrame:
        """Means of a column over seeds, data sets by models; NaN if missing."""
        here = self.units[self.units["protocol"] == protocol]
        part = here[here["noise"] == noise]
        table = part[part["done"]].pivot_table(column, "dataset", "model", "mean")
        table = table.reindex(index=sorted(set(part["dataset"])), columns=in_order(here["model"]))
        return table.rename_axis(index=None, columns=None).astype(float)

    def means(self, protocol: str, noise: str = "none") -> pd.DataFrame:
        """Return mean figures as shown (shares in percent), data sets by models; NaN if missing."""
        return self.metric.scale * self._table("mean", protocol, noise)

    def merits(self, protocol: str, noise: str = "none") -> pd.DataFrame:
        """Return the same for ranks and tests: larger is better."""
        return self.metric.sign * self.means(protocol, noise)

    def deviations(self, protocol: str, noise: str = "none") -> pd.DataFrame:
        """Return deviations over the folds of a seed, as root mean square over seeds."""
        return self.metric.scale * np.sqrt(self._table("variance", protocol, noise))

    def status(self, protocol: str, noise: str = "none") -> pd.DataFrame:
        """Return why a cell has no figure, data sets by models; empty where it has one."""
        means = self.means(protocol, noise)
        part = self.units.query("protocol == @protocol and noise == @noise and not done")
        last = part.pivot_table("status", "dataset", "model", "last")
        return last.reindex_like(means).astype(object).fillna("missing").where(means.isna(), "")

    @cached_property
    def not_done(self) -> pd.DataFrame:
        """Units without a score, including those never tried although their neighbours were."""
        columns = ["dataset", "noise", "model", "protocol", "seed", "status", "error"]
        tried = set(self.units[columns[:5]].itertuples(index=False, name=None))
        missing = []
        for (protocol, noise), part in self.units.groupby(["protocol", "noise"]):
            models = set(self.units.loc[self.units["protocol"] == protocol, "model"])
            every = product(set(part["dataset"]), [noise], models, [protocol], set(part["seed"]))
            missing += [(*key, "missing", "") for key in every if key not in tried]
        lost = self.units.loc[~self.units["done"], columns].fillna({"error": ""})
        joined = pd.concat([lost, pd.DataFrame(missing, columns=columns)])
        return joined.sort_values(columns[:5], ignore_index=True)

    def noises(self, protocol: str) -> list[str]:
        """Return the noises of a protocol: none first, then by kind, place and level."""
        here = self.units.loc[self.units["protocol"] == protocol, "noise"]
        return sorted(set(here), key=_noise_order)

    def levels(self, protocol: str) -> dict[tuple[str, str], dict[str, float]]:
        """Return noises with their levels in percent, by kind and place; none is 0 in each."""
        noises = [parse_noise(text) for text in self.noises(protocol)]
        kinds = {(noise.kind, noise.where) for noise in noises if noise.kind != "none"}
        return {
            kind: {
                str(noise): 100 * noise.level
                for noise in noises
                if noise.kind == "none" or (noise.kind, noise.where) == kind
            }
            for kind in sorted(kinds)
        }

    def conditions(
        self, protocol: str, noises: Sequence[str]
    ) -> tuple[dict[str, pd.DataFrame], list[str]]:
        """Return figures by noise on the data sets that have all, and the other data sets."""
        tables = {noise: self.means(protocol, noise) for noise in noises}
        joined = pd.concat(tables, axis=1)
        complete = joined.dropna().index
        return {noise: table.loc[complete] for noise, table in tables.items()}, sorted(
            joined.index.difference(complete)
        )

    def incomplete(self, protocol: str) -> list[str]:
        """Return the data sets without a figure for every model."""
        means = self.means(protocol)
        return list(means.index[means.isna().any(axis=1)])

    def optimism(self) -> pd.DataFrame:
        """Return what choosing settings on the test folds adds, in points."""
        points = self.means(PAPER) - self.means(INSIDE)
        points = points.dropna(how="all").dropna(how="all", axis=1)
        return points[in_order(points.columns)]

    def reference(self, protocol: str) -> str:
        """Return the model that tests compare with the others."""
        table = self.merits(protocol)
        preferred = (self._reference or "", *REFERENCES, str(table.mean().idxmax()))
        return next(model for model in preferred if model in table.columns)


def in_order(models: Iterable[str]) -> list[str]:
    """Return models in the published order, stand-ins beside them, then others by name."""
    known = set(models)
    published = [m for m in PAPER_MODELS if {m, PRINTED_COLUMNS.get(m, m)} <= known]
    return published + sorted(known.difference(published))


def _noise_order(noise: str) -> tuple[bool, str, str, float]:
    parsed = parse_noise(noise)
    return (parsed.kind != "none", parsed.kind, parsed.where, parsed.level)


def strongest(noises: Sequence[str]) -> list[str]:
    """Return no noise, and of each kind the highest level; levels are in rising order."""
    return list({(n.kind, n.where): str(n) for n in map(parse_noise, noises)}.values())


def noise_words(noise: str) -> str:
    """Return a noise in plain words, such as "20 % of the training labels flipped"."""
    parsed = parse_noise(noise)
    if parsed.kind == "none":
        return "no noise"
    rows = "training " if parsed.where == "train" else ""
    return f"{100 * parsed.level:g}\N{NO-BREAK SPACE}% of the {rows}{NOISE_NAMES[parsed.kind]}"
