"""Results of a study in one SQLite file, appended by one process and read by any."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import pandas as pd

from broadlearn.study.models import ModelSpec
from broadlearn.study.plan import Unit, UnitResult

JSON_FIELDS = ("fold_scores", "metrics", "chosen", "details", "versions")
NUMBERS = {"seed": "INTEGER", "folds": "INTEGER", "mean": "REAL", "sd": "REAL", "seconds": "REAL"}
COLUMNS = (
    *(
        "key",
        *(field.name for field in fields(Unit)),
        "status",
        "mean",
        "sd",
        "seconds",
        "fold_scores",
        "metrics",
        "chosen",
    ),
    *("details", "error", "source", "version", "commit_", "versions", "finished"),
)
# One model on one data set with one noise under one protocol, once, whatever its parameters were.
CELL = ["dataset", "noise", "model", "protocol", "seed", "grid", "scoring", "folds"]


class StoreError(ValueError):
    """A result store cannot be used; one sentence with its path."""


class ResultStore:
    """One row per finished unit, with the code that made it.

    One process writes, others may read. The writer holds a lock beside the file until it closes
    the store or dies. Every row is a transaction in SQLite's write-ahead mode, so a killed process
    loses nothing that was filed.

    Parameters
    ----------
    path : str or path
        Created, with its folder, if it does not exist.
    read_only : bool, default=False
        Only read an existing store.

    Examples
    --------
    >>> import tempfile
    >>> from broadlearn.study import ResultStore, find_model
    >>> from broadlearn.study.plan import Unit, UnitResult
    >>> unit = Unit("iris", "none", "BLS", "nested", 0, "paper", "5ac1")
    >>> with tempfile.TemporaryDirectory() as folder, ResultStore(f"{folder}/study.db") as store:
    ...     store.add(unit, find_model("BLS"), UnitResult([0.5, 0.75, 1.0], {"C": 100.0}, 1.5))
    ...     store.to_frame()[["dataset", "model", "status", "mean"]]
      dataset model status  mean
    0    iris   BLS   done  0.75
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.path = Path(path)
        self._lock: sqlite3.Connection | None = None
        if read_only and not self.path.is_file():
            raise StoreError(f"There is no result store at {path}; `study run` creates it.")
        if self.path.is_dir():
            raise StoreError(f"Expected a result store, got a directory: {path}.")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with self._in_one_sentence():
                if not read_only:
                    self._take_lock()
                self._db = sqlite3.connect(self.path, timeout=60.0, isolation_level=None)
                self._prepare(read_only)
        except StoreError:
            self.close()
            raise

    def _take_lock(self) -> None:
        # A transaction of SQLite ends with its process, on every system.
        lock = self.path.with_name(f"{self.path.name}.lock")
        self._lock = sqlite3.connect(lock, timeout=0.0, isolation_level=None)
        try:
            self._lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise StoreError(
                f"Another study is writing to {self.path}: wait for it, or name another store "
                f"({error})."
            ) from None

    def _prepare(self, read_only: bool) -> None:
        columns = [name for _, name, *_ in self._db.execute("PRAGMA table_info(results)")]
        (n_tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not n_tables and read_only:
            raise StoreError(f"{self.path} has no results yet.")
        if not n_tables:
            kinds = (f"{name} {NUMBERS.get(name, 'TEXT')}" for name in COLUMNS[1:])
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute(f"CREATE TABLE results (key TEXT PRIMARY KEY, {', '.join(kinds)})")
        elif columns != list(COLUMNS):
            raise StoreError(f"{self.path} is not a result store of this version of broadlearn.")
        self._db.execute("PRAGMA synchronous = FULL")

    @contextmanager
    def _in_one_sentence(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(
                f"{self.path} cannot be used as a result store: {error}. Earlier results are kept."
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and free its lock."""
        for db in (getattr(self, "_db", None), self._lock):
            if db is not None:
                db.close()

    def add(self, unit: Unit, spec: ModelSpec, result: UnitResult) -> None:
        """File the result of a unit, in place of an older one."""
        self._add(unit, spec, status="done", mean=result.mean, sd=result.sd, **vars(result))

    def add_failure(self, unit: Unit, spec: ModelSpec, status: str, error: str) -> None:
        """File why a unit has no result; `status` is "failed", "timeout" or "died"."""
        text = error.encode("utf-8", "replace").decode()
        self._add(unit, spec, status=status, error=" ".join(text.split()))

    def _add(self, unit: Unit, spec: ModelSpec, **values: Any) -> None:
        code = code_of(spec)
        row = {**asdict(unit), **values, **code, "key": unit.key, "versions": versions()}
        row["finished"] = datetime.now(UTC).isoformat()
        for name in row.keys() & set(JSON_FIELDS):
            # NumPy's numbers as those of Python.
            row[name] = json.dumps(row[name], sort_keys=True, default=lambda value: value.tolist())
        with self._in_one_sentence():
            self._db.execute(
                f"INSERT OR REPLACE INTO results ({', '.join(row)}) "
                f"VALUES ({', '.join('?' * len(row))})",
                tuple(row.values()),
            )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per unit; absent texts, lists and dicts are None, absent numbers NaN."""
        with self._in_one_sentence():
            rows = self._db.execute(
                f"SELECT {', '.join(COLUMNS)} FROM results ORDER BY {', '.join(CELL)}, finished"
            ).fetchall()
        # As objects, since pandas would turn None into NaN.
        frame = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)
        for name in JSON_FIELDS:
            parsed = [None if text is None else json.loads(text) for text in frame[name]]
            frame[name] = pd.Series(parsed, dtype=object)
        kinds = {"INTEGER": int, "REAL": float}
        frame = frame.astype({name: kinds[kind] for name, kind in NUMBERS.items()})
        return frame.rename(columns={"commit_": "commit"})

    def export_csv(self, path: str | os.PathLike[str]) -> None:
        """Write all units to a CSV file, without times: a second run gives the same bytes."""
        frame = self.to_frame().drop(columns=["key", "seconds", "finished", "versions"])
        frame.to_csv(path, index=False, lineterminator="\n")


def newest(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the last filed row of each cell, whatever its parameters and data were."""
    ordered = frame.sort_values("finished", kind="stable") if "finished" in frame else frame
    cell = [name for name in CELL if name in frame]
    return ordered.drop_duplicates(cell, keep="last").sort_index().reset_index(drop=True)


def code_of(spec: ModelSpec) -> dict[str, str]:
    """Return the hash of the source, the version and, of a clean checkout, the commit."""
    package, commit = _package_source()
    own = spec.own_source()
    source = f"{package}+{hashlib.sha256(own).hexdigest()[:12]}" if own else package
    return {"source": source, "version": version("broadlearn"), "commit_": commit}


@cache
def _package_source() -> tuple[str, str]:
    """Hash of all source files of the package, and the commit of a clean checkout."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12], _commit(package)


def _commit(folder: Path) -> str:
    def git(*arguments: str) -> str:
        command = ["git", "-C", str(folder), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        git("ls-files", "--error-unmatch", "__init__.py")
        return "" if git("status", "--porcelain", ".") else git("rev-parse", "--short=10", "HEAD")
    except (OSError, subprocess.CalledProcessError):
        return ""


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that compute a result."""
    names = ("numpy", "scipy", "scikit-learn", "broadlearn")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}
