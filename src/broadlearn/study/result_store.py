"""The results of a study in one SQLite file, which several processes may use at once."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from broadlearn.study.former import former_units
from broadlearn.study.owner import Owner
from broadlearn.study.plan import Unit
from broadlearn.study.row_checks import CHECKSUM, checksum, is_intact, name_unit, says_whose_it_is
from broadlearn.study.shown_results import ResultFrame
from broadlearn.study.store_file import (
    COLUMNS,
    FAILURES,
    STATUSES,
    StoreError,
    in_one_sentence,
    open_store_file,
)
from broadlearn.study.store_rows import (
    Summary,
    frame_of,
    read_rows,
    reproducible_csv,
    status_now,
)
from broadlearn.study.unit_result import UnitResult
from broadlearn.utils import encoded, write_whole

# Units that a sentence names.
_MAX_NAMED = 3
# Packages whose versions tell whether a unit without a recipe is of the model as it is.
_TELLING = ("scikit-learn", "broadlearn")


class ResultStore:
    """One row per unit, in an SQLite file that survives crashes and serves several processes.

    A process claims a unit, works on it and files what came of it. Each call is one transaction,
    on disk when it returns. A claim holds as long as its owner lives. Where that cannot be known,
    on another machine or a system without ``/proc``, it holds until its lease ends by this
    machine's clock; `heartbeat` renews it, and `release` frees it. Who has lost a claim cannot file
    a result any more, so that clocks decide who works, never what is filed.

    Each row has a checksum, which is verified when it is read. A unit whose row is damaged
    counts as one that is missing.

    Open one store in each process and thread; it is not shared between them. One file serves the
    processes of one machine.

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

    def __repr__(self) -> str:
        return f"<ResultStore {self.path}>"

    def _repr_html_(self) -> str | None:
        with suppress(StoreError, sqlite3.Error):
            return self.to_frame(skip_damaged=True)._repr_html_()
        return None

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
        with in_one_sentence(self.path):
            if not self._is_free(self._row(unit.key), retry):
                return False
        with self._transaction():
            before = self._row(unit.key)
            if not self._is_free(before, retry):
                return False
            claimed = {
                **dict.fromkeys(COLUMNS),
                "key": unit.key,
                **asdict(unit),
                "status": "running",
                "started": _now(),
                "owner": str(self.owner),
                "lease_until": time.time() + self.lease,
                "asked": time.time(),
                "attempts": 0 if before is None else before["attempts"],
            }
            claimed[CHECKSUM] = checksum(claimed)
            self._db.execute(
                f"INSERT OR REPLACE INTO results ({', '.join(claimed)}) "
                f"VALUES ({', '.join('?' * len(claimed))})",
                tuple(claimed.values()),
            )
        return True

    @contextmanager
    def _transaction(self, kind: str = "IMMEDIATE") -> Iterator[None]:
        with in_one_sentence(self.path), self._db:
            self._db.execute(f"BEGIN {kind}")
            yield

    def _row(self, key: str) -> sqlite3.Row | None:
        """What is known of a unit; nothing if its row is damaged."""
        row = self._db.execute("SELECT * FROM results WHERE key = ?", (key,)).fetchone()
        return row if row is not None and is_intact(row) else None

    def _is_free(self, row: sqlite3.Row | None, retry: Collection[str]) -> bool:
        return row is None or status_now(row) in retry

    def _change(self, row: sqlite3.Row, **values: Any) -> None:
        """Change a row that is intact."""
        values[CHECKSUM] = checksum({**dict(row), **values})
        self._db.execute(
            f"UPDATE results SET {', '.join(f'{name} = ?' for name in values)} WHERE key = ?",
            (*values.values(), row["key"]),
        )

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
        with self._transaction():
            for unit in plan:
                if unit.recipe and unit.model in unchanged:
                    self._adopt(unit, here)
                if (row := self._row(unit.key)) is not None:
                    self._change(row, asked=now)

    def _adopt(self, unit: Unit, here: Mapping[str, str]) -> None:
        values = unit.fingerprint.partition("-")[0]
        row = self._row(replace(unit, recipe="", fingerprint=values).key)
        if row is None or row["status"] != "done" or self._row(unit.key) is not None:
            return
        if here.items() <= json.loads(row["versions"]).items():
            self._change(row, key=unit.key, recipe=unit.recipe, fingerprint=unit.fingerprint)

    def damaged(self) -> list[dict[str, Any]]:
        """Rows that are not as they were written, with their "rowid"."""
        with in_one_sentence(self.path):
            return read_rows(self._db)[1]

    def discard_damaged(self, plan: Iterable[Unit]) -> list[str]:
        """Remove damaged rows of a plan's units, and those that do not say whose they are.

        Parameters
        ----------
        plan : iterable of Unit

        Returns
        -------
        list of str
            What the rows said that they were.
        """
        keys = {unit.key for unit in plan}
        with self._transaction():
            rows = read_rows(self._db)[1]
            found = [row for row in rows if row["key"] in keys or not says_whose_it_is(row)]
            numbers = [(row["rowid"],) for row in found]
            self._db.executemany("DELETE FROM results WHERE rowid = ?", numbers)
        return [name_unit(row) for row in found]

    def release(self, *, all_claims: bool = False) -> list[dict[str, Any]]:
        """Free the units that are claimed by processes that may be gone.

        Parameters
        ----------
        all_claims : bool, default=False
            Also those of processes that are known to be at work. They go on, but what they find is
            not filed.

        Returns
        -------
        list of dict
            What was freed.
        """
        freed = []
        with self._transaction():
            for row in self._db.execute(
                "SELECT * FROM results WHERE status = 'running'"
            ).fetchall():
                if not is_intact(row):
                    continue
                if all_claims or not Owner.parse(row["owner"]).is_alive():
                    self._change(row, status="interrupted", error="released", finished=_now())
                    freed.append(dict(row))
        return freed

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
        with self._transaction("DEFERRED" if dry_run else "IMMEDIATE"):
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
        with self._transaction():
            rows = self._own_claims()
            for row in rows:
                self._change(row, lease_until=time.time() + self.lease)
        return len(rows)

    def _own_claims(self) -> list[sqlite3.Row]:
        rows = self._db.execute(
            "SELECT * FROM results WHERE status = 'running' AND owner = ?", (str(self.owner),)
        )
        return [row for row in rows if is_intact(row)]

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
        return self._end(unit, status=status, error=_one_text(error))

    def count_death(self, unit: Unit, error: str) -> int:
        """Note that a unit that was claimed ended the process that ran it; it is free again.

        Parameters
        ----------
        unit : Unit
        error : str

        Returns
        -------
        int
            How often it has done so, or 0 if the claim is no longer this owner's.
        """
        with self._transaction():
            row = self._row(unit.key)
            if row is None or not self._is_mine(row):
                return 0
            attempts = int(row["attempts"]) + 1
            self._change(
                row,
                status="interrupted",
                error=_one_text(error),
                attempts=attempts,
                finished=_now(),
            )
        return attempts

    def _is_mine(self, row: sqlite3.Row) -> bool:
        return bool(row["status"] == "running" and row["owner"] == str(self.owner))

    def _end(self, unit: Unit, **values: Any) -> bool:
        with self._transaction():
            row = self._row(unit.key)
            if row is None or not self._is_mine(row):
                return False
            self._change(row, **values, versions=json.dumps(versions()), finished=_now())
        return True

    def rows(self, *, skip_damaged: bool = False) -> list[dict[str, Any]]:
        """All units known, by data set, noise, model, protocol and seed, JSON columns parsed.

        A running unit whose owner died has the status "interrupted". "former" is what has changed
        since, "model" or "data", or nothing; see `broadlearn.study.former`.

        Parameters
        ----------
        skip_damaged : bool, default=False
            Leave damaged rows out; otherwise they are an error.
        """
        with in_one_sentence(self.path):
            rows, damaged = read_rows(self._db)
        if damaged and not skip_damaged:
            named = "; ".join(name_unit(row) for row in damaged[:_MAX_NAMED])
            raise StoreError(
                f"{self.path} has {len(damaged)} damaged units of {len(rows) + len(damaged)} "
                f"({named}{' and more' if len(damaged) > _MAX_NAMED else ''}): `broadlearn study "
                "check` names them, and `study run` does them again."
            )
        former = former_units(rows)
        return [{**row, "former": former.get(row["key"], "")} for row in rows]

    def to_frame(self, *, skip_damaged: bool = False) -> ResultFrame:
        """The same as a DataFrame; absent texts, lists and dicts are None, absent numbers NaN."""
        return frame_of(self.rows(skip_damaged=skip_damaged))

    def export_csv(self, path: str | os.PathLike[str]) -> None:
        """Write all units to a CSV file, whole or not at all.

        It holds no times, processes or versions: the same results give the same bytes, however
        often the run was interrupted and on however many processes it ran.
        """
        write_whole(path, reproducible_csv(self.to_frame()))

    def summary(self, plan: Iterable[Unit]) -> Summary:
        """The progress of a plan; units whose rows are damaged are missing."""
        status_of = {row["key"]: row["status"] for row in self.rows(skip_damaged=True)}
        units: dict[str, list[Unit]] = {status: [] for status in (*STATUSES, "missing")}
        for unit in plan:
            units[status_of.get(unit.key, "missing")].append(unit)
        return Summary({status: tuple(found) for status, found in units.items()})


def versions() -> dict[str, str]:
    """Versions of what computes a result."""
    names = ("numpy", "scipy", "scikit-learn", "broadlearn")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def _one_text(error: str) -> str:
    """An error without carriage returns or halves of characters, which SQLite refuses."""
    return encoded("\n".join(error.splitlines())).decode()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _plain(value: Any) -> Any:
    """Turn NumPy's numbers and arrays into Python's, for JSON."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"chosen must hold numbers, texts and lists, got {value!r}.")
