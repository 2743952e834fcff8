"""The SQLite file behind a result store: made if new, refused if foreign, newer or damaged."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

from broadlearn.study.plan import Unit

# "BRLN" in the file's header says whose it is, user_version which form it has.
APPLICATION_ID = 0x42524C4E
SCHEMA_VERSION = 1
BUSY_SECONDS = 60.0

FAILURES = ("failed", "timeout", "interrupted")
STATUSES = ("running", "done", *FAILURES)
UNIT_FIELDS = tuple(field.name for field in fields(Unit))
COLUMNS = {
    "key": "TEXT PRIMARY KEY",
    **dict.fromkeys(UNIT_FIELDS, "TEXT NOT NULL"),
    "seed": "INTEGER NOT NULL",
    "status": f"TEXT NOT NULL CHECK (status IN {STATUSES})",
    "fold_scores": "TEXT",
    "mean": "REAL",
    "sd": "REAL",
    "chosen": "TEXT",
    "seconds": "REAL",
    "error": "TEXT",
    "versions": "TEXT",
    "started": "TEXT NOT NULL",
    "finished": "TEXT",
    "owner": "TEXT NOT NULL",
    "lease_until": "REAL NOT NULL",
}


def open_store_file(path: Path) -> sqlite3.Connection:
    """Connect to a sound result store; a file that does not exist, or is empty, becomes one.

    The connection is in autocommit mode: transactions are begun by hand.
    """
    try:
        db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            _prepare(db, path)
        except BaseException:
            db.close()
            raise
    except sqlite3.OperationalError as error:
        raise ValueError(f"{path} cannot be opened as a result store: {error}.") from error
    except sqlite3.DatabaseError as error:
        raise ValueError(f"{path} is not a result store, or is damaged: {error}.") from error
    return db


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    # Nothing is written before the file is known to be a store, or empty. Each look at it is within
    # one transaction: another process may be making a store of it.
    with db:
        db.execute("BEGIN")
        found = _is_store(db, path)
    if not found:
        with db:
            db.execute("BEGIN IMMEDIATE")
            if not _is_store(db, path):
                columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
                db.execute(f"CREATE TABLE results ({columns})")
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    _set_wal(db)
    db.execute("PRAGMA synchronous = FULL")
    if (damage := _value(db, "PRAGMA quick_check(1)")) != "ok":
        raise sqlite3.DatabaseError(" ".join(damage.split()))
    db.row_factory = sqlite3.Row


def _set_wal(db: sqlite3.Connection) -> None:
    """Switch to the write-ahead log, for which SQLite, unlike elsewhere, does not wait."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def _is_store(db: sqlite3.Connection, path: Path) -> bool:
    """Whether a file is a store, or else empty; raises where it is another's or newer."""
    application = _value(db, "PRAGMA application_id")
    form = _value(db, "PRAGMA user_version")
    if application == APPLICATION_ID:
        if form > SCHEMA_VERSION:
            raise ValueError(
                f"{path} has form {form} of the result store, newer than form {SCHEMA_VERSION} "
                f"that broadlearn {version('broadlearn')} reads."
            )
        return True
    if application or form or _value(db, "SELECT count(*) FROM sqlite_master"):
        raise ValueError(f"{path} is a database of something else, not a result store.")
    return False


def _value(db: sqlite3.Connection, query: str) -> Any:
    return db.execute(query).fetchone()[0]
