"""A whole study: data sets, models, noises and protocols, run and filed in a result store."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from broadlearn.study.collection import read_collection
from broadlearn.study.datasets import Dataset, dataset_names, load_dataset, registry
from broadlearn.study.metrics import DEFAULT_METRIC
from broadlearn.study.models import PAPER_MODELS, PUBLISHED_MODELS, ModelSpec, find_model
from broadlearn.study.plan import (
    AS_PUBLISHED,
    DEFAULT_PROTOCOLS,
    GIVEN_SPLITS,
    NESTED,
    PRINTED_SENSITIVITY,
    REDRAWS,
    Unit,
)
from broadlearn.study.plan import fingerprint as fingerprint_of
from broadlearn.study.released import printed_setting
from broadlearn.study.running import Outcome, Task, run_tasks
from broadlearn.study.store import ResultStore, code_of, newest
from broadlearn.utils import counted

# Variant of the four data sets that the collection left on two scales; the published study used it
# for two of them.
ONE_SCALE, PUBLISHED_ON_ONE_SCALE = "zjoined", ("hill_valley", "horse_colic")
# The published label of spect is a column of the table, not the diagnosis.
SPECT, TRUE_SPECT = "spect", "spect:true_diagnosis_label_267"
# `name:uci121` is a data set of the collection in its own layout.
COLLECTION = "uci121"


@dataclass(frozen=True)
class Study:
    """All units of a study with their data and models.

    Attributes
    ----------
    plan : list of Unit
    data : dict of str to Dataset
        By fingerprint.
    models : dict of str to ModelSpec
        By name.
    """

    plan: list[Unit]
    data: dict[str, Dataset]
    models: dict[str, ModelSpec]

    def __repr__(self) -> str:
        runs, models = counted(len(self.plan), "run"), counted(len(self.models), "model")
        datasets = counted(len({unit.dataset for unit in self.plan}), "data set")
        return f"<Study of {runs}: {models} on {datasets}>"

    def frame(self, store: ResultStore) -> pd.DataFrame:
        """Return the rows of this study's units; the store may hold others."""
        frame = store.to_frame()
        return frame[frame["key"].isin({unit.key for unit in self.plan})].reset_index(drop=True)

    def to_do(self, store: ResultStore, *, again: bool = False) -> list[Unit]:
        """Return the units without a result; with `again`, also those made by other code."""
        frame = self.frame(store)
        done = frame[frame["status"] == "done"]
        if again:
            source = {name: code_of(spec)["source"] for name, spec in self.models.items()}
            done = done[done["source"] == done["model"].map(source)]
        finished, tried = set(done["key"]), set(frame["key"])
        units = [unit for unit in self.plan if unit.key not in finished]
        # Units that failed before come last. The hash shuffles small and large data sets, so that
        # the first units tell how long the rest takes.
        return sorted(units, key=lambda unit: (not again and unit.key in tried, unit.key))

    def run(
        self,
        store: ResultStore,
        *,
        n_jobs: int = 1,
        again: bool = False,
        timeout: float | None = None,
        report: Callable[[Outcome], None] | None = None,
    ) -> list[Outcome]:
        """Run the units that are not done yet in worker processes, and file each as it ends.

        Parameters
        ----------
        store : ResultStore
        n_jobs : int, default=1
            Number of processes; -1 for all cores.
        again : bool, default=False
            Also redo units that were made by other code.
        timeout : float, default=None
            Seconds that a unit may take.
        report : callable, default=None
            Called with every outcome, after it is filed.

        Returns
        -------
        list of Outcome
            One for each unit that this call ran.
        """
        tasks = [
            Task(unit, self.data[unit.fingerprint], self.models[unit.model])
            for unit in self.to_do(store, again=again)
        ]
        outcomes = []
        n_jobs = os.cpu_count() or 1 if n_jobs < 1 else n_jobs
        with closing(run_tasks(tasks, n_jobs, timeout=timeout)) as running:
            for outcome in running:
                unit, spec = outcome.unit, self.models[outcome.unit.model]
                if outcome.result is not None:
                    store.add(unit, spec, outcome.result)
                else:
                    store.add_failure(unit, spec, outcome.status, outcome.error)
                outcomes.append(outcome)
                if report is not None:
                    report(outcome)
        return outcomes


def expand_name(name: str) -> list[str]:
    """Return the data sets of a group, or the name itself.

    Groups are "uci28", "extra" and "embedded"; "uci28-honest", the 28 with the true label of spect;
    "uci121", the collection; and "uci121-others", the collection without the 28.
    """
    if name in ("uci28", "extra", "embedded"):
        return dataset_names(name)
    if name == "uci28-honest":
        return [TRUE_SPECT if n == SPECT else n for n in dataset_names("uci28")]
    if name in (COLLECTION, "uci121-others"):
        names = [data.name for data in read_collection()]
        ours = set(dataset_names("uci28")) if name != COLLECTION else ()
        return [f"{n}:{COLLECTION}" for n in names if n.replace("-", "_") not in ours]
    return [name]


def make_study(
    datasets: Iterable[str | Dataset] = (),
    models: Sequence[Any] | None = None,
    *,
    protocols: Sequence[str] = DEFAULT_PROTOCOLS,
    noises: Sequence[str] = ("none",),
    seeds: int = 1,
    grid: str = "paper",
    max_rows: int | None = None,
    scoring: str = DEFAULT_METRIC,
    folds: int = 5,
) -> Study:
    """Put a study together.

    Parameters
    ----------
    datasets : iterable of str or Dataset
        Names of data sets or groups, see `expand_name`, with ``name:variant`` for another form and
        ``name:uci121`` for that of the collection. Or tables of your own. Where a data set has the
        variant "zjoined" it is used, under the published protocol for hill_valley and horse_colic
        only.
    models : sequence, default=None
        Names or classifiers, see `find_model`. None takes the seven of the published study, with
        "F-BLS as printed (no scores)" and "majority" beside them under its protocol.
    protocols : sequence of str, default=("paper", "nested")
        See `broadlearn.study.protocols`.
    noises : sequence of str, default=("none",)
        See `Noise`.
    seeds : int, default=1
        Repetitions of "nested", each with its own folds and draws.
    grid : {"paper", "reduced", "equal"}, default="paper"
    max_rows : int, default=None
        Leave out data sets with more rows.
    scoring : str, default="accuracy"
        Metric that chooses settings on the inner folds of "nested": accuracy, balanced_accuracy,
        f1_macro, roc_auc or log_loss.
    folds : int, default=5
        Outer folds of "nested".

    Returns
    -------
    Study
        Small data sets come first.

    Examples
    --------
    >>> from broadlearn.study import make_study
    >>> study = make_study(["iris"], ["BLS", "IF-BLS"], protocols=["nested"], grid="reduced")
    >>> [(unit.dataset, unit.model) for unit in study.plan]
    [('iris', 'BLS'), ('iris', 'IF-BLS')]
    """
    chosen_models = PAPER_MODELS if models is None else models
    specs = {spec.name: spec for spec in map(find_model, chosen_models)}
    if len(specs) < len(chosen_models):
        raise ValueError("models has duplicate names; give each model a unique name.")
    sources = list(datasets)
    names = dict.fromkeys(n for d in sources if isinstance(d, str) for n in expand_name(d))
    own_tables = [d for d in sources if isinstance(d, Dataset)]
    plan: list[Unit] = []
    data: dict[str, Dataset] = {}
    for protocol in protocols:
        loaded = [_load(name, protocol) for name in names]
        loaded += [_load(data, protocol) for data in own_tables]
        if len({table.name for table in loaded}) < len(loaded):
            raise ValueError("datasets has duplicate names; give each data set a unique name.")
        tables = [d for d in loaded if max_rows is None or len(d.y) <= max_rows]
        if not tables:
            raise ValueError(
                f"A study needs one or more data sets, got none (max_rows {max_rows})."
            )
        nested, published = protocol == NESTED, protocol in AS_PUBLISHED
        for table in sorted(tables, key=lambda d: (np.prod(d.X.shape), d.name)):
            fingerprint = fingerprint_of(table.X, table.y, table.splits, table.groups)
            data[fingerprint] = table
            repeats = len(table.splits) if protocol == GIVEN_SPLITS else seeds if nested else 1
            for noise, seed, (name, spec) in product(noises, range(repeats), specs.items()):
                if protocol in (REDRAWS, PRINTED_SENSITIVITY) and (
                    noise != "none" or printed_setting(table.name, name) is None
                ):
                    continue
                if models is None and not published and name not in PUBLISHED_MODELS:
                    continue
                plan.append(
                    Unit(
                        table.name,
                        noise,
                        name,
                        protocol,
                        seed,
                        grid,
                        fingerprint,
                        (spec.as_published() if published else spec).identity(grid),
                        scoring if nested else DEFAULT_METRIC,
                        folds if nested else 5,
                    )
                )
    return Study(list(dict.fromkeys(plan)), data, specs)


def _load(data: str | Dataset, protocol: str) -> Dataset:
    if isinstance(data, Dataset):
        return data if protocol == GIVEN_SPLITS else replace(data, splits=())
    name, _, variant = data.partition(":")
    if variant == COLLECTION:
        return _load(read_collection(names=[name])[0], protocol)
    if protocol == GIVEN_SPLITS:
        raise ValueError(f"{data} has no splits, which the protocol {GIVEN_SPLITS} needs.")
    one_scale = protocol not in AS_PUBLISHED or name in PUBLISHED_ON_ONE_SCALE
    if not variant and one_scale and (name, ONE_SCALE) in registry():
        try:
            return load_dataset(name, ONE_SCALE)
        except FileNotFoundError:
            return load_dataset(name)
    return load_dataset(name, variant or None)


@dataclass(frozen=True, eq=False)
class StudyResult:
    """Results of `compare`, which a notebook shows as sentences, tables and figures.

    Attributes
    ----------
    units : DataFrame
        One row per unit, as `ResultStore.to_frame` gives it.
    outcomes : list of Outcome
        Of the units that this call ran.
    """

    units: pd.DataFrame
    outcomes: list[Outcome] = field(default_factory=list, repr=False)

    def table(self, noise: str = "none") -> pd.DataFrame:
        """Return mean accuracies in percent, data sets by models."""
        from broadlearn.study.report import Cells

        return Cells(self.units, self.units["protocol"].iloc[0]).means(noise)

    def write_report(self, folder: str | os.PathLike[str], title: str = "A comparison") -> Path:
        """Write the page, its tables and figures; see `broadlearn.study.write_report`."""
        from broadlearn.study.report import write_report

        return write_report(self.units, folder, title=title)

    def _repr_html_(self) -> str:
        from broadlearn.study.report import notebook_html

        return notebook_html(self.units)


def compare(
    models: Sequence[Any],
    datasets: Sequence[str | Dataset],
    *,
    protocol: str = "nested",
    noises: Sequence[str] = ("none",),
    grid: str = "reduced",
    n_jobs: int = 1,
    store: str | os.PathLike[str] | None = None,
    **options: Any,
) -> StudyResult:
    """Compare models on data sets, for a notebook or a script.

    Parameters
    ----------
    models : sequence
        Names or classifiers of your own, see `find_model`.
    datasets : sequence of str or Dataset
        Names or tables of your own.
    protocol : str, default="nested"
    noises : sequence of str, default=("none",)
    grid : {"paper", "reduced", "equal"}, default="reduced"
    n_jobs : int, default=1
        Number of processes; -1 for all cores.
    store : path, default=None
        File that keeps the results, so that the next call runs what is missing.
    **options
        Others of `make_study`: seeds, max_rows, scoring, folds.

    Returns
    -------
    StudyResult

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from broadlearn.study import compare
    >>> result = compare([GaussianNB(), "majority"], ["iris", "wine"])
    >>> result.table().round(1)
          GaussianNB  majority
    iris        96.0      33.3
    wine        97.2      39.9
    """
    study = make_study(datasets, models, protocols=[protocol], noises=noises, grid=grid, **options)
    with TemporaryDirectory() as folder, ResultStore(store or Path(folder) / "results.db") as file:
        outcomes = study.run(file, n_jobs=n_jobs)
        return StudyResult(newest(study.frame(file)), outcomes)
