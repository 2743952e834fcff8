"""Units of a study, each with a key derived from its inputs, and their results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from math import isfinite
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from broadlearn.study.metrics import DEFAULT_METRIC, check_metric
from broadlearn.study.models import GRIDS
from broadlearn.study.noise import parse_noise

# Compared on pages. "paper" is optimistic: it chooses settings on the test folds.
PAPER, INSIDE, NESTED = PROTOCOLS = ("paper", "paper-inside", "nested")
DEFAULT_PROTOCOLS = (PAPER, NESTED)
# On splits that come with the data; the seed of a unit is the number of its split.
GIVEN_SPLITS = "given-splits"
# Draws at the printed settings; scores of all settings, and of those around the printed one.
REDRAWS, SENSITIVITY = "paper-redraws", "paper-sensitivity"
PRINTED_SENSITIVITY = "paper-sensitivity-printed"
# These run the models, folds and standardisation of the published study.
AS_PUBLISHED = (PAPER, INSIDE, REDRAWS, SENSITIVITY, PRINTED_SENSITIVITY)
ALL_PROTOCOLS = (*AS_PUBLISHED, NESTED, GIVEN_SPLITS)


@dataclass(frozen=True)
class Unit:
    """One model on one data set, with one noise, under one protocol, once.

    `noise` is the short form of a `Noise`, `seed` the number of the repetition or of the split,
    `fingerprint` a hash of the data, and `identity` one of the model's parameters and grid.
    Settings of `grid` are chosen by `scoring` on inner folds; `folds` are the outer ones of
    "nested".
    """

    dataset: str
    noise: str
    model: str
    protocol: str
    seed: int
    grid: str
    fingerprint: str
    identity: str = ""
    scoring: str = DEFAULT_METRIC
    folds: int = 5

    def __post_init__(self) -> None:
        for name, known in (("protocol", ALL_PROTOCOLS), ("grid", GRIDS)):
            if getattr(self, name) not in known:
                raise ValueError(
                    f"{name} must be one of {', '.join(known)}, got {getattr(self, name)!r}."
                )
        check_metric(self.scoring, "scoring")
        if self.folds < 2:
            raise ValueError(f"folds must be 2 or more, got {self.folds}.")
        # One unit has one key, however its noise was written.
        object.__setattr__(self, "noise", str(parse_noise(self.noise)))

    def __str__(self) -> str:
        parts = [self.dataset, self.model, self.protocol]
        parts += [] if self.noise == "none" else [self.noise]
        return ", ".join([*parts, *([f"seed {self.seed}"] if self.seed else [])])

    @property
    def key(self) -> str:
        """SHA-256 of all fields, in hexadecimal digits."""
        return _digest(asdict(self))

    @property
    def split_seed(self) -> int:
        """Seed of the folds: the same for all noises, models, protocols and grids."""
        return _seed(self, "dataset", "seed", "fingerprint")

    @property
    def data_seed(self) -> int:
        """Seed of the noise: the same for all models, protocols and grids."""
        return _seed(self, "dataset", "noise", "seed", "fingerprint")

    @property
    def model_seed(self) -> int:
        """Seed of the model's draws: the same for all protocols and grids."""
        return _seed(self, "dataset", "noise", "seed", "fingerprint", "model")


@dataclass(frozen=True)
class UnitResult:
    """Result of a unit.

    `fold_scores` are accuracies on the test folds, as fractions; of redraws, fold by fold of each
    draw. `chosen` has the settings: one set for all folds ("paper") or one per fold ("nested").
    `seconds` are CPU seconds. `metrics` has other metrics on each test fold, and `details` the
    columns of a table, for the protocols of sensitivity.
    """

    fold_scores: Sequence[float]
    chosen: Mapping[str, Any] | Sequence[Mapping[str, Any]]
    seconds: float
    metrics: Mapping[str, Sequence[float]] = field(default_factory=dict)
    details: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, values in {DEFAULT_METRIC: self.fold_scores, **self.metrics}.items():
            if len(values) != len(self.fold_scores) or not len(values):
                raise ValueError(f"{name} must have one value per fold, got {values!r}.")
            if not all(map(isfinite, values)):
                raise ValueError(f"{name} must be finite on every fold, got {values!r}.")

    @property
    def mean(self) -> float:
        """Mean over folds."""
        return fmean(float(score) for score in self.fold_scores)

    @property
    def sd(self) -> float | None:
        """Standard deviation over folds with ddof=1; None for a single fold."""
        scores = [float(score) for score in self.fold_scores]
        return stdev(scores) if len(scores) > 1 else None


def fingerprint(
    X: ArrayLike | pd.DataFrame,
    y: ArrayLike,
    splits: Iterable[Sequence[NDArray[np.intp]]] = (),
    groups: ArrayLike | None = None,
) -> str:
    """Return a short SHA-256 of the values, labels, splits and groups of a table."""
    named = ""
    if isinstance(X, pd.DataFrame):
        columns = [column.to_numpy() for _, column in X.items()]
        kinds = [[str(name), *_column_kind(column)] for name, column in X.items()]
        named = "-" + hashlib.sha256(json.dumps(kinds).encode()).hexdigest()[:8]
    else:
        columns = list(np.asarray(X).T)
    digest = hashlib.sha256(json.dumps([len(columns), len(np.asarray(y))]).encode())
    for column in (*columns, np.asarray(y), *(() if groups is None else [np.asarray(groups)])):
        digest.update(_column_bytes(column))
    for rows in chain.from_iterable(splits):
        digest.update(json.dumps(rows.tolist()).encode())
    return digest.hexdigest()[:16] + named


def _column_kind(column: pd.Series) -> list[str]:
    """Return what the preparation of a column depends on besides its values."""
    if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.ordered:
        return ["ordered", *map(str, column.cat.categories)]
    if pd.api.types.is_bool_dtype(column.dtype):
        return ["boolean"]
    return ["number" if pd.api.types.is_numeric_dtype(column.dtype) else "text"]


def _column_bytes(values: NDArray[Any]) -> bytes:
    if values.dtype.kind in "biuf":
        # Adding 0 turns -0.0, which equals 0.0, into it.
        return (values.astype("<f8") + 0.0).tobytes()
    return json.dumps([None if pd.isna(v) else str(v) for v in values]).encode()


def _digest(content: dict[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _seed(unit: Unit, *names: str) -> int:
    """Return an integer in [0, 2³¹) from some fields of a unit."""
    fields = {name: getattr(unit, name) for name in names}
    # Seeds depend on the values of the data, whatever the columns are called.
    fields["fingerprint"] = unit.fingerprint.partition("-")[0]
    return int(_digest(fields)[:8], 16) >> 1
