"""The plan of a study: units of work, each with a key derived from its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from broadlearn.study.datasets import Dataset
from broadlearn.study.metrics import DEFAULT_METRIC, check_metric
from broadlearn.study.noise import Noise, parse_noise
from broadlearn.study.readings import READINGS

PROTOCOLS = (*READINGS, "nested")
DEFAULT_PROTOCOLS = ("paper", "nested")
# On splits that come with the data; the seed of a unit is the number of its split.
GIVEN_SPLITS = "given-splits"
GRIDS = ("paper", "reduced")
FINGERPRINT_DIGITS, NAMES_DIGITS = 16, 8
# Fields that stores of the first form do not have; such a value is not part of a key.
ADDED = {"recipe": "", "scoring": DEFAULT_METRIC}


@dataclass(frozen=True)
class Unit:
    """One model on one data set, with one noise, under one protocol, once.

    Attributes
    ----------
    dataset : str
    noise : str
        Short form of a `Noise`, kept as ``str(parse_noise(noise))``.
    model : str
    protocol : {"paper", "paper-inside", "paper-columns", "nested", "given-splits"}
    seed : int
        Number of the repetition, or of the split.
    grid : {"paper", "reduced"}
        The settings to try.
    fingerprint : str
        Of the data, see `fingerprint`.
    recipe : str, default=""
        Of the model's parameters, grid and code, see `broadlearn.study.recipes`; empty where they
        are not known.
    scoring : str, default="accuracy"
        The metric by which settings are chosen on inner folds.

    Examples
    --------
    >>> from broadlearn.study import Unit
    >>> bls = Unit("iris", "labels:0.20", "BLS", "nested", 0, "paper", "5ac1")
    >>> elm = Unit("iris", "labels:0.20", "ELM", "nested", 0, "paper", "5ac1")
    >>> bls.noise
    'labels:0.2:train'
    >>> bls.data_seed == elm.data_seed, bls.model_seed == elm.model_seed
    (True, False)
    """

    dataset: str
    noise: str
    model: str
    protocol: str
    seed: int
    grid: str
    fingerprint: str
    recipe: str = ""
    scoring: str = DEFAULT_METRIC

    def __post_init__(self) -> None:
        for name in ("dataset", "model", "fingerprint"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value:
                raise ValueError(f"{name} must be a text that is not empty, got {value!r}.")
        for name, known in (("protocol", (*PROTOCOLS, GIVEN_SPLITS)), ("grid", GRIDS)):
            if getattr(self, name) not in known:
                raise ValueError(
                    f"{name} must be one of {', '.join(known)}, got {getattr(self, name)!r}."
                )
        if not isinstance(self.seed, Integral) or isinstance(self.seed, bool) or self.seed < 0:
            raise ValueError(f"seed must be a whole number from 0 on, got {self.seed!r}.")
        check_metric(self.scoring, "scoring")
        if self.scoring != DEFAULT_METRIC and self.protocol != "nested":
            raise ValueError(
                f"scoring must be {DEFAULT_METRIC} under the protocol {self.protocol}, "
                f"got {self.scoring!r}."
            )
        # One unit has one key, however its noise and seed were written.
        object.__setattr__(self, "noise", str(parse_noise(self.noise)))
        object.__setattr__(self, "seed", int(self.seed))

    @property
    def key(self) -> str:
        """SHA-256 of all fields, in hexadecimal digits."""
        fields = asdict(self)
        return _digest({name: fields[name] for name in fields if fields[name] != ADDED.get(name)})

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


def make_plan(
    datasets: Iterable[Dataset],
    models: Sequence[str],
    protocols: Sequence[str] = DEFAULT_PROTOCOLS,
    noises: Sequence[str | Noise] = ("none",),
    seeds: Sequence[int] = (0,),
    grid: str = "paper",
    *,
    recipes: Mapping[str, str] | None = None,
    scoring: str = DEFAULT_METRIC,
) -> list[Unit]:
    """List all units of a study, each once; `recipes` are by the names of models.

    Small data sets come first; units on the same rows are neighbours. The order does not depend on
    that of the data sets, which are taken one at a time, so that a generator may load them.

    Examples
    --------
    >>> from broadlearn.study import load_dataset
    >>> from broadlearn.study.plan import make_plan
    >>> plan = make_plan([load_dataset("iris")], ["BLS", "ELM"], ["nested"])
    >>> [(unit.dataset, unit.model) for unit in plan]
    [('iris', 'BLS'), ('iris', 'ELM')]
    """
    lists = {"models": models, "protocols": protocols, "noises": noises, "seeds": seeds}
    for name, values in lists.items():
        if isinstance(values, str) or len(values) == 0:
            raise ValueError(f"{name} must be a list of one or more values, got {values!r}.")
    prints: dict[str, str] = {}
    sizes: dict[str, int] = {}
    for data in datasets:
        found = fingerprint(data.X, data.y, data.splits)
        if prints.setdefault(data.name, found) != found:
            raise ValueError(f"datasets holds two different tables that are named {data.name!r}.")
        sizes[data.name] = int(np.prod(np.shape(data.X)))
    if not prints:
        raise ValueError("datasets must hold one or more data sets, got none.")
    units = (
        Unit(
            dataset,
            str(noise),
            model,
            protocol,
            seed,
            grid,
            prints[dataset],
            (recipes or {}).get(model, ""),
            scoring,
        )
        for dataset in sorted(prints, key=lambda name: (sizes[name], name))
        for noise in noises
        for seed in seeds
        for protocol in protocols
        for model in models
    )
    return list(dict.fromkeys(units))


def fingerprint(
    X: ArrayLike | pd.DataFrame, y: ArrayLike, splits: Iterable[Sequence[NDArray[np.intp]]] = ()
) -> str:
    """Short SHA-256 of the content of a table: its values, labels and splits.

    Number types do not count. Of a frame, a second part is that of the names and kinds of its
    columns, by which they are prepared; seeds do not depend on it.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.study.plan import fingerprint
    >>> fingerprint([[1.0, 2.0]], ["a"]) == fingerprint([[1, 2]], ["a"])
    True
    >>> [len(part) for part in fingerprint(pd.DataFrame({"a": ["x"]}), ["a"]).split("-")]
    [16, 8]
    """
    named = ""
    if isinstance(X, pd.DataFrame):
        columns = [column.to_numpy() for _, column in X.items()]
        kinds = [[str(name), *_column_kind(column)] for name, column in X.items()]
        named = "-" + hashlib.sha256(json.dumps(kinds).encode()).hexdigest()[:NAMES_DIGITS]
    else:
        columns = list(np.asarray(X).T)
    digest = hashlib.sha256(json.dumps([len(columns), len(np.asarray(y))]).encode())
    for column in (*columns, np.asarray(y)):
        digest.update(_column_bytes(column))
    for rows in chain.from_iterable(splits):
        digest.update(json.dumps(rows.tolist()).encode())
    return digest.hexdigest()[:FINGERPRINT_DIGITS] + named


def _column_kind(column: pd.Series) -> list[str]:
    """What sets a column apart from another with the same values."""
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
    """An integer in [0, 2³¹) from some fields of a unit."""
    fields = {name: getattr(unit, name) for name in names}
    # Seeds depend on the values of the data, whatever the columns are called.
    fields["fingerprint"] = unit.fingerprint.partition("-")[0]
    return int(_digest(fields)[:8], 16) >> 1
