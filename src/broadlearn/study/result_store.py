"""The results of a study in one SQLite file, which several processes may use at once."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from broadlearn.study.former import former_units
from broadlearn.study.owner import Owner
from broadlearn.study.plan import ADDED, Unit
from broadlearn.study.store_file import COLUMNS, FAILURES, STATUSES, UNIT_FIELDS, open_store_file
from broadlearn.study.unit_result import UnitResult
from broadlearn.utils import harmless, write_whole

_JSON_FIELDS = ("fold_scores", "metrics", "chosen", "versions")
_ORDER = "dataset, noise, model, protocol, seed, grid, fingerprint"
# In stores of the first form; the time at which a unit was asked for is when it was started.
_ABSENT = {**ADDED, "metrics": None, "asked": None}
# Packages whose versions tell whether a unit without a recipe is of the model as it is.
_TELLING = ("scikit-learn", "broadlearn")
# What a second run of the same unit reproduces: no times, no processes, no machine.
_EXPORTED = (
    *UNIT_FIELDS,
    "former",
    "status",
    "mean",
    "sd",
    "fold_scores",
    "metrics",
    "chosen",
    "error",
)


@dataclass(frozen=True)
class Summary:
    """The progress of a plan.

    Attributes
    ----------
    units : dict of str to tuple of Unit
        The plan's units by status, with "missing" for those that the store does not know.
    """

    units: dict[str, tuple[Unit, ...]]

    @property
    def counts(self) -> dict[str, int]:
        """Number of units by status."""
        return {status: len(units) for status, units in self.units.items()}


class ResultStore:
    """One row per unit, in an SQLite file that survives crashes and serves several processes.

    A process claims a unit, works on it and files what came of it. Each call is one transaction,
    on disk when it returns. A claim holds as long as its owner lives. Where that cannot be known,
    on another machine or a system without ``/proc``, it holds until its lease ends; `heartbeat`
    renews it.

    Open one store in each process and thread; it is not shared between them.

    Parameters
    ----------
    path : str or path
        Created, with its folder, if it does not exist.
    owner : Owner, default=None
        In whose name units are claimed: this process, if None.
    lease : float, default=300.0
        Seconds that a claim is valid without a heartbeat.
    read_only : bool, default=False
        Open a store that exists to read it, and leave the file as it is.

    Examples
    --------
    >>> import tempfile
    >>> from broadlearn.study import ResultStore, Unit, UnitResult
    >>> unit = Unit("iris", "none", "BLS", "nested", 0, "paper", "5ac1")
    >>> with tempfile.TemporaryDirectory() as folder, ResultStore(f"{folder}/study.db") as store:
    ...     store.claim(unit), store.claim(unit)
    ...     store.finish(unit, UnitResult([0.5, 0.75, 1.0], {"C": 100.0}, 1.5))
    ...     store.to_frame()[["dataset", "model", "status", "mean"]]
    (True, False)
    True
      dataset model status  mean
    0    iris   BLS   done  0.75
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        owner: Owner | None = None,
        lease: float = 300.0,
        read_only: bool = False,
    ) -> None:
        self.path = Path(path)
        self.owner = Owner.this_process() if owner is None else owner
        self.lease = lease
        if not read_only:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self._db = open_store_file(self.path, read_only=read_only)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; claims stay."""
        self._db.close()

    def claim(self, unit: Unit, *, retry: Collection[str] = FAILURES) -> bool:
        """Take a unit to work on, unless it is done or another owner has it.

        Parameters
        ----------
        unit : Unit
        retry : collection of {"failed", "timeout", "interrupted"}, default=all of them
            A unit that ended so before may be claimed again. A unit whose owner died counts as
            interrupted.

        Returns
        -------
        bool
            Whether the unit is now this owner's. Of several that ask at once, one gets it.
        """
        if not set(retry) <= set(FAILURES):
            raise ValueError(f"retry must hold some of {', '.join(FAILURES)}, got {retry!r}.")
        # Also checked before, so that only those that may get the unit wait for one another.
        if not self._is_free(unit, retry):
            return False
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            if not self._is_free(unit, retry):
                return False
            claimed = {
                "key": unit.key,
                **asdict(unit),
                "status": "running",
                "started": _now(),
                "owner": str(self.owner),
                "lease_until": time.time() + self.lease,
                "asked": time.time(),
            }
            self._db.execute(
                f"INSERT OR REPLACE INTO results ({', '.join(claimed)}) "
                f"VALUES ({', '.join('?' * len(claimed))})",
                tuple(claimed.values()),
            )
        return True

    def _is_free(self, unit: Unit, retry: Collection[str]) -> bool:
        row = self._db.execute(
            "SELECT status, owner, lease_until FROM results WHERE key = ?", (unit.key,)
        ).fetchone()
        return row is None or _status_now(row) in retry

    def ask(self, plan: Iterable[Unit], *, unchanged: Collection[str] = ()) -> None:
        """Note that the units of a plan are those in use; see `broadlearn.study.former`.

        Parameters
        ----------
        plan : iterable of Unit
        unchanged : collection of str
            Models that only another version of a package changes. A unit of theirs that is done and
            has no recipe, as it was filed before there were any, is taken for that of the plan if
            it was made by the same versions.
        """
        now, here = time.time(), {name: version(name) for name in _TELLING}
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            for unit in plan:
                if unit.recipe and unit.model in unchanged:
                    self._adopt(unit, here)
                self._db.execute("UPDATE results SET asked = ? WHERE key = ?", (now, unit.key))

    def _adopt(self, unit: Unit, here: Mapping[str, str]) -> None:
        values = unit.fingerprint.partition("-")[0]
        before = replace(unit, recipe="", fingerprint=values).key
        row = self._db.execute(
            "SELECT versions FROM results WHERE key = ? AND status = 'done' "
            "AND NOT EXISTS (SELECT 1 FROM results WHERE key = ?)",
            (before, unit.key),
        ).fetchone()
        if row is not None and here.items() <= json.loads(row["versions"]).items():
            self._db.execute(
                "UPDATE results SET key = ?, recipe = ?, fingerprint = ? WHERE key = ?",
                (unit.key, unit.recipe, unit.fingerprint, before),
            )

    def prune(self, *, dry_run: bool = False) -> pd.DataFrame:
        """Remove the units of former models and data; those at work are left alone.

        Parameters
        ----------
        dry_run : bool, default=False
            Only say which they are.

        Returns
        -------
        DataFrame
            What was, or would be, removed.
        """
        with self._db:
            self._db.execute("BEGIN" if dry_run else "BEGIN IMMEDIATE")
            frame = self.to_frame()
            found = frame[(frame["former"] != "") & (frame["status"] != "running")]
            if not dry_run:
                keys = [(key,) for key in found["key"]]
                self._db.executemany("DELETE FROM results WHERE key = ?", keys)
        return found.reset_index(drop=True)

    def heartbeat(self) -> int:
        """Renew the leases of all of this owner's claims, and count them.

        A thread that does so alongside the work needs its own store, with the same owner.
        """
        return self._update({"lease_until": time.time() + self.lease})

    def finish(self, unit: Unit, result: UnitResult) -> bool:
        """File the result of a unit that was claimed.

        Parameters
        ----------
        unit : Unit
        result : UnitResult

        Returns
        -------
        bool
            False, and nothing is filed, if the claim is not, or is no longer, this owner's.
        """
        return self._end(
            unit,
            status="done",
            fold_scores=json.dumps([float(score) for score in result.fold_scores]),
            mean=result.mean,
            sd=result.sd,
            metrics=json.dumps({n: [float(v) for v in vs] for n, vs in result.metrics.items()}),
            chosen=json.dumps(result.chosen, sort_keys=True, default=_plain),
            seconds=float(result.seconds),
        )

    def fail(self, unit: Unit, error: str, *, status: str = "failed") -> bool:
        """File why a unit that was claimed has no result.

        Parameters
        ----------
        unit : Unit
        error : str
        status : {"failed", "timeout", "interrupted"}, default="failed"

        Returns
        -------
        bool
            As for `finish`.
        """
        if status not in FAILURES:
            raise ValueError(f"status must be one of {', '.join(FAILURES)}, got {status!r}.")
        return self._end(unit, status=status, error="\n".join(error.splitlines()))

    def _end(self, unit: Unit, **values: Any) -> bool:
        values |= {"versions": json.dumps(versions()), "finished": _now()}
        return self._update(values, key=unit.key) == 1

    def _update(self, values: Mapping[str, Any], **where: str) -> int:
        """Change what is known of this owner's claims, and count them."""
        where |= {"status": "running", "owner": str(self.owner)}
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            return self._db.execute(
                f"UPDATE results SET {', '.join(f'{name} = ?' for name in values)} "
                f"WHERE {' AND '.join(f'{name} = ?' for name in where)}",
                (*values.values(), *where.values()),
            ).rowcount

    def rows(self) -> list[dict[str, Any]]:
        """All units known, by data set, noise, model, protocol and seed, JSON columns parsed.

        A running unit whose owner died has the status "interrupted". "former" is what has changed
        since, "model" or "data", or nothing; see `broadlearn.study.former`.
        """
        rows = []
        for row in self._db.execute(f"SELECT * FROM results ORDER BY {_ORDER}"):
            values = {**_ABSENT, **row, "status": _status_now(row)}
            if values["asked"] is None:
                values["asked"] = datetime.fromisoformat(row["started"]).timestamp()
            for name in _JSON_FIELDS:
                values[name] = None if values[name] is None else json.loads(values[name])
            rows.append(values)
        former = former_units(rows)
        return [{**row, "former": former.get(row["key"], "")} for row in rows]

    def to_frame(self) -> pd.DataFrame:
        """The same as a DataFrame; absent texts, lists and dicts are None, absent numbers NaN."""
        frame = pd.DataFrame(self.rows(), columns=[*COLUMNS, "former"], dtype=object)
        numbers = dict.fromkeys(("mean", "sd", "seconds", "lease_until", "asked"), np.float64)
        return frame.astype({**numbers, "seed": np.int64})

    def export_csv(self, path: str | os.PathLike[str]) -> None:
        """Write all units to a CSV file, whole or not at all.

        It holds no times, processes or versions: the same results give the same bytes, however
        often the run was interrupted and on however many processes it ran.
        """
        frame = self.to_frame()[list(_EXPORTED)]
        for name in ("fold_scores", "metrics", "chosen"):
            frame[name] = frame[name].map(json.dumps, na_action="ignore")
        write_whole(path, frame.map(harmless).to_csv(index=False, lineterminator="\n"))

    def summary(self, plan: Iterable[Unit]) -> Summary:
        """The progress of a plan."""
        status_of = {row["key"]: row["status"] for row in self.rows()}
        units: dict[str, list[Unit]] = {status: [] for status in (*STATUSES, "missing")}
        for unit in plan:
            units[status_of.get(unit.key, "missing")].append(unit)
        return Summary({status: tuple(found) for status, found in units.items()})


def versions() -> dict[str, str]:
    """Versions of what computes a result."""
    names = ("numpy", "scipy", "scikit-learn", "broadlearn")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def _status_now(row: sqlite3.Row) -> str:
    """A row's status, after checking whether the owner of a running unit is still alive."""
    if row["status"] != "running":
        return str(row["status"])
    alive = Owner.parse(row["owner"]).is_alive()
    if alive is None:
        alive = time.time() <= row["lease_until"]
    return "running" if alive else "interrupted"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _plain(value: Any) -> Any:
    """Turn NumPy's numbers and arrays into Python's, for JSON."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"chosen must hold numbers, texts and lists, got {value!r}.")
