"""Our models on the collection of 121 UCI data sets, on its authors' splits: a study of its own."""

from __future__ import annotations

import os
from collections.abc import Collection as Names
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from broadlearn.study.collection import Collection, read_collection
from broadlearn.study.design import Study
from broadlearn.study.leaderboard_ranks import Standings, rank_among_published
from broadlearn.study.plan import GIVEN_SPLITS, Unit, fingerprint, make_plan
from broadlearn.study.recipes import recipe_of
from broadlearn.study.result_store import ResultStore
from broadlearn.study.search_spaces import find_model

# Where results are kept by default.
LEADERBOARD_STORE = Path("leaderboard") / "results.db"


@dataclass(frozen=True)
class Leaderboard:
    """Models to rank among the published classifiers.

    Attributes
    ----------
    collection : Collection
        The data sets, and why others are left out.
    study : Study
        A unit is one model on one split of one data set; `Study.run` runs those that are not done.
    """

    collection: Collection
    study: Study

    def results(self, store: ResultStore) -> pd.DataFrame:
        """What the models gave on each data set.

        Parameters
        ----------
        store : ResultStore

        Returns
        -------
        DataFrame
            Indexed by model and data set. ``accuracy`` and ``sd``: mean and standard deviation over
            the splits, in percent (NaN unless all are done). ``seconds``: of all splits.
            ``status``: "done"; "failed" if a split failed or took too long, and ``error`` says why;
            else "unfinished".
        """
        units = self.study.frame(store).set_index("key")
        rows: dict[tuple[str, str], list[Unit]] = {}
        for unit in self.study.plan:
            rows.setdefault((unit.model, unit.dataset), []).append(unit)
        found = {}
        for key, planned in rows.items():
            done = units.reindex([unit.key for unit in planned])
            scores = 100 * done["mean"].to_numpy(float)
            lost = done[done["status"].isin(["failed", "timeout"])]
            complete = (done["status"] == "done").all()
            found[key] = {
                "accuracy": float(scores.mean()) if complete else np.nan,
                "sd": float(scores.std(ddof=1)) if complete and len(scores) > 1 else np.nan,
                "seconds": float(done["seconds"].sum()),
                "status": "done" if complete else "failed" if len(lost) else "unfinished",
                "error": "" if lost.empty else str(lost["error"].iloc[0]),
            }
        table = pd.DataFrame.from_dict(found, orient="index")
        return table.set_index(pd.MultiIndex.from_tuples(found, names=["model", "dataset"]))

    def standings(self, store: ResultStore) -> Standings:
        """Where each model stands among the published classifiers, each ranked without the others.

        Parameters
        ----------
        store : ResultStore

        Returns
        -------
        list of Standing
            Of models with a result, the best mean rank first. Data sets that are unfinished take no
            part; on one where the model failed it gets the mean accuracy of the published
            classifiers, as the authors do.
        """
        results = self.results(store)
        standings = Standings()
        for model in self.study.models:
            mine = results.loc[model]
            mine = mine[mine["status"] != "unfinished"]
            if (mine["status"] == "done").any():
                standings.append(rank_among_published(mine["accuracy"], model))
        standings.sort(key=lambda standing: standing.summary().mean_rank)
        return standings


def make_leaderboard(
    folder: str | os.PathLike[str] | None = None,
    models: Sequence[str] = ("Ensemble",),
    *,
    datasets: Names[str] | None = None,
    grid: str = "reduced",
) -> Leaderboard:
    """Put the comparison with 179 published classifiers together.

    Parameters
    ----------
    folder : path, default=None
        Of the collection; see `read_collection`.
    models : sequence of str, default=("Ensemble",)
        See `find_model`. A model without a grid, such as the ensemble or any ``module:object``, is
        fitted as it stands.
    datasets : collection of str, default=None
        Only these.
    grid : {"paper", "reduced"}, default="reduced"
        Settings that are tried for models that have any, on inner folds of the training rows.

    Returns
    -------
    Leaderboard

    Examples
    --------
    >>> from broadlearn.study import ResultStore, make_leaderboard
    >>> board = make_leaderboard("uci121", ["Ensemble"], datasets=["iris"])  # doctest: +SKIP
    >>> with ResultStore("leaderboard/results.db") as store:  # doctest: +SKIP
    ...     board.study.run(store)
    ...     (standing,) = board.standings(store)
    >>> standing.summary()  # doctest: +SKIP
    """
    specs = {spec.name: spec for spec in map(find_model, models)}
    if len(specs) < len(models):
        raise ValueError("models holds two of the same name; give each a name of its own.")
    collection = read_collection(folder, datasets)
    recipes = {name: recipe_of(spec, GIVEN_SPLITS, grid) for name, spec in specs.items()}
    plan: list[Unit] = []
    for data in sorted(collection.datasets, key=lambda data: (np.prod(data.X.shape), data.name)):
        seeds = range(len(data.splits))
        plan += make_plan(
            [data], list(specs), [GIVEN_SPLITS], seeds=seeds, grid=grid, recipes=recipes
        )
    data_of = {fingerprint(d.X, d.y, d.splits): d for d in collection.datasets}
    return Leaderboard(collection, Study(plan, data_of, specs))
