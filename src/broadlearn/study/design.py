"""A whole study: which data, models, noises and protocols, run and filed in a result store."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from broadlearn.study.collection import read_collection
from broadlearn.study.datasets import Dataset, dataset_names, dataset_variants, load_dataset
from broadlearn.study.metrics import DEFAULT_METRIC, check_metric
from broadlearn.study.plan import DEFAULT_PROTOCOLS, PROTOCOLS, Unit, fingerprint, make_plan
from broadlearn.study.readings import READINGS
from broadlearn.study.recipes import recipe_of
from broadlearn.study.result_store import ResultStore
from broadlearn.study.runner import heartbeat, run_tasks
from broadlearn.study.search_spaces import KNOWN, PUBLISHED_MODELS, ModelSpec, find_model
from broadlearn.study.shown_results import Outcomes, ResultFrame
from broadlearn.study.store_file import FAILURES
from broadlearn.study.store_rows import Summary
from broadlearn.study.unit_limits import Limits
from broadlearn.study.unit_process import DIED, Task
from broadlearn.study.unit_server import Outcome

# The four that the collection left on two scales, on one.
HONEST_VARIANT = "zjoined"
# The published label of spect is a column of the table, not the diagnosis.
TRUE_LABELS = {"spect": "true_diagnosis_label_267"}
GROUPS = ("uci28", "uci28-honest", "uci121-others", "extra", "embedded")
# `name:uci121` is a data set of the collection in its own layout.
COLLECTION = "uci121"
# A unit that has ended its process so often is filed as failed.
MAX_DEATHS = 2
# Where results are kept by default.
DEFAULT_STORE = Path("study") / "results.db"


@dataclass(frozen=True)
class Study:
    """All units of a study with what they need.

    Attributes
    ----------
    plan : list of Unit
    data : dict of str to Dataset
        By fingerprint.
    models : dict of str to ModelSpec
        By the name that tables show.
    """

    plan: list[Unit]
    data: dict[str, Dataset]
    models: dict[str, ModelSpec]

    def __repr__(self) -> str:
        names = {unit.dataset for unit in self.plan}
        parts = f"{len(self.models)} models on {len(names)} data sets"
        return f"<Study of {len(self.plan)} units: {parts}>"

    def cost(self, unit: Unit) -> float:
        """Rough cost of a unit relative to the others, to estimate the time left."""
        n_rows = len(self.data[unit.fingerprint].y)
        folds = 3.0 if unit.protocol == "nested" else 1.0
        return self.models[unit.model].cost * folds * (200.0 + n_rows)

    def run(
        self,
        store: ResultStore,
        *,
        n_jobs: int = 1,
        timeout: float | None = None,
        memory: str | None = None,
        executor: Executor | None = None,
        report: Callable[[Outcome], None] | None = None,
    ) -> list[Outcome]:
        """Run the units that are not done yet, and file each as it ends.

        Units run in processes of their own, which serve one after the other. A unit that ends its
        process is tried once more, after all others, and then filed as failed with the signal or
        exit code. Units that were tried before come last.

        Other processes may work on the same store at the same time; each unit is done by one of
        them. An interrupt files the units at work as interrupted and is raised again.

        Parameters
        ----------
        store : ResultStore
        n_jobs : int, default=1
            Number of processes.
        timeout : float, default=None
            Seconds that a unit may take.
        memory : str, default=None
            Memory that a unit may take beyond that of Python and the libraries, such as "2GB", on
            systems that can limit it (Linux).
        executor : concurrent.futures.Executor, default=None
            Whose workers start the processes instead, such as ``Client.get_executor()`` of Dask.
        report : callable, default=None
            Called with every outcome.

        Returns
        -------
        list of Outcome
            One for each unit that this call ran.
        """
        limits = Limits(timeout, memory).checked()
        self.register(store)
        again = {unit.key for status in FAILURES for unit in self.summary(store).units[status]}
        waiting = deque(self._in_order(store, again))

        def draw() -> Task | None:
            while waiting:
                unit = waiting.popleft()
                # What fails during this run, here or in another process, is not tried again.
                retry = FAILURES if unit.key in again else ("interrupted",)
                if store.claim(unit, retry=retry):
                    return Task(unit, self.data[unit.fingerprint], self.models[unit.model])
            return None

        outcomes = Outcomes()
        with heartbeat(store):
            for outcome in run_tasks(draw, store, n_jobs, executor, limits):
                if outcome.status == DIED:
                    if store.count_death(outcome.unit, outcome.error) < MAX_DEATHS:
                        waiting.append(outcome.unit)
                        continue
                    store.claim(outcome.unit)
                    outcome = outcome._replace(status="failed")
                if outcome.result is not None:
                    store.finish(outcome.unit, outcome.result)
                else:
                    store.fail(outcome.unit, outcome.error, status=outcome.status)
                outcomes.append(outcome)
                if report is not None:
                    report(outcome)
        return outcomes

    def _in_order(self, store: ResultStore, again: Container[str]) -> list[Unit]:
        """The units of the plan, those that were tried before last, the deadliest at the end."""
        rows = store.rows(skip_damaged=True)
        deaths = {row["key"]: row["attempts"] for row in rows}
        return sorted(self.plan, key=lambda unit: (unit.key in again, deaths.get(unit.key, 0)))

    def register(self, store: ResultStore) -> list[str]:
        """Tell a store which units are in use, and let it forget damaged ones; `run` does so first.

        Parameters
        ----------
        store : ResultStore

        Returns
        -------
        list of str
            Units whose rows were damaged, which are to be done again.
        """
        damaged = store.discard_damaged(self.plan)
        stock = [name for name, spec in self.models.items() if KNOWN.get(name) is spec]
        store.ask(self.plan, unchanged=stock)
        return damaged

    def frame(self, store: ResultStore) -> pd.DataFrame:
        """Results of this study's units only; the store may hold others."""
        frame = store.to_frame(skip_damaged=True)
        mine = frame["key"].isin({unit.key for unit in self.plan})
        return ResultFrame(frame[mine].reset_index(drop=True))

    def summary(self, store: ResultStore) -> Summary:
        """The progress of the study."""
        return store.summary(self.plan)


def expand_name(name: str) -> list[str]:
    """The data sets that a name stands for: those of a group, or itself.

    Parameters
    ----------
    name : str
        "uci28", "extra" or "embedded" for all of these, "uci28-honest" for the 28 with the true
        label where the published one is another column, "uci121-others" for the collection without
        the 28, or a data set.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from broadlearn.study import expand_name
    >>> expand_name("iris"), len(expand_name("uci28-honest"))
    (['iris'], 28)
    """
    if name not in GROUPS:
        return [name]
    if name == "uci121-others":
        ours = set(dataset_names("uci28"))
        named = [data.name for data in read_collection().datasets]
        return [f"{n}:{COLLECTION}" for n in named if n.replace("-", "_") not in ours]
    if name != "uci28-honest":
        return dataset_names(name)
    return [f"{n}:{TRUE_LABELS[n]}" if n in TRUE_LABELS else n for n in dataset_names("uci28")]


def make_study(
    datasets: Sequence[str] = (),
    models: Sequence[str] = PUBLISHED_MODELS,
    *,
    protocols: Sequence[str] = DEFAULT_PROTOCOLS,
    noises: Sequence[str] = ("none",),
    seeds: int = 1,
    grid: str = "paper",
    tables: Iterable[Dataset] = (),
    max_rows: int | None = None,
    scoring: str = DEFAULT_METRIC,
) -> Study:
    """Put a study together.

    Parameters
    ----------
    datasets : sequence of str
        Names that `load_dataset` knows, with ``name:variant`` for another form; ``name:uci121`` is
        a data set of the collection, see `read_collection`.
    models : sequence of str, default=the seven of the published study
        See `find_model`.
    protocols : sequence of {"paper", "paper-inside", "paper-columns", "nested"}
    noises : sequence of str, default=("none",)
    seeds : int, default=1
        Repetitions of "nested", each with its own folds and draws; "paper" has none.
    grid : {"paper", "reduced"}, default="paper"
    tables : iterable of Dataset
        Data sets of your own.
    max_rows : int, default=None
        Leave out data sets with more rows, for all models: a model that is not affordable there
        (`ModelSpec.max_rows`) must not be ranked on others than the rest.
    scoring : str, default="accuracy"
        The metric by which settings are chosen on the inner folds of "nested": accuracy,
        balanced_accuracy, f1_macro, roc_auc or log_loss.

    Returns
    -------
    Study

    Notes
    -----
    Where a data set has the variant "zjoined", "nested" uses it, and so does a reading of the
    published protocol for those of its `on_one_scale`.

    Examples
    --------
    >>> from broadlearn.study import make_study
    >>> study = make_study(["iris"], ["BLS", "IF-BLS"], protocols=["nested"], grid="reduced")
    >>> [(unit.dataset, unit.model) for unit in study.plan]
    [('iris', 'BLS'), ('iris', 'IF-BLS')]
    """
    if seeds < 1:
        raise ValueError(f"seeds must be a whole number from 1 on, got {seeds}.")
    if unknown := [protocol for protocol in protocols if protocol not in PROTOCOLS]:
        known = ", ".join(PROTOCOLS)
        raise ValueError(f"protocols must hold some of {known}, got {unknown[0]!r}.")
    if check_metric(scoring, "scoring").name != DEFAULT_METRIC and "nested" not in protocols:
        raise ValueError(
            f"scoring must be {DEFAULT_METRIC} unless protocols holds nested, got {scoring!r}."
        )
    specs = {spec.name: spec for spec in map(find_model, models)}
    if len(specs) < len(models):
        raise ValueError("models holds two of the same name; give each a name of its own.")
    own = list(tables)
    plan: list[Unit] = []
    data: dict[str, Dataset] = {}
    for protocol in protocols:
        loaded = [*(_load(name, protocol) for name in datasets), *own]
        used = [table for table in loaded if max_rows is None or len(table.y) <= max_rows]
        if not used and loaded:
            raise ValueError(f"max_rows must leave a data set, got {max_rows}.")
        data |= {fingerprint(table.X, table.y, table.splits): table for table in used}
        nested = protocol == "nested"
        plan += make_plan(
            used,
            list(specs),
            [protocol],
            noises,
            range(seeds if nested else 1),
            grid,
            recipes={name: recipe_of(spec, protocol, grid) for name, spec in specs.items()},
            scoring=scoring if nested else DEFAULT_METRIC,
        )
    for spec in specs.values():
        large = [d.name for d in data.values() if spec.max_rows and len(d.y) > spec.max_rows]
        if large:
            raise ValueError(
                f"model {spec.name} is affordable up to {spec.max_rows} rows, which "
                f"{', '.join(large)} pass: set max_rows, or leave the model out."
            )
    return Study(plan, data, specs)


def _load(name: str, protocol: str) -> Dataset:
    name, _, variant = name.partition(":")
    if variant == COLLECTION:
        # Folds are those of the protocol, not the authors'.
        return replace(read_collection(names=[name]).datasets[0], splits=())
    one_scale = protocol == "nested" or name in READINGS[protocol].on_one_scale
    if not variant and one_scale and HONEST_VARIANT in dataset_variants(name):
        try:
            return load_dataset(name, HONEST_VARIANT)
        except FileNotFoundError:
            return load_dataset(name)
    return load_dataset(name, variant or None)
