"""The SQLite file behind a result store: made if new, refused if foreign, newer or damaged.

Form 2 has some columns more than form 1, and form 3 has checksums. What is missing is added, in one
transaction, when a store is opened to write; one that is opened to read stays as it is.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

from broadlearn.study.plan import ADDED, Unit
from broadlearn.study.row_checks import CHECKSUM, checksum
from broadlearn.utils import is_special

# "BRLN" in the file's header says whose it is, user_version which form it has.
APPLICATION_ID = 0x42524C4E
SCHEMA_VERSION = 3
BUSY_SECONDS = 60.0

FAILURES = ("failed", "timeout", "interrupted")
STATUSES = ("running", "done", *FAILURES)
UNIT_FIELDS = tuple(field.name for field in fields(Unit))
COLUMNS = {
    "key": "TEXT PRIMARY KEY",
    **dict.fromkeys(UNIT_FIELDS, "TEXT NOT NULL"),
    "seed": "INTEGER NOT NULL",
    "recipe": "TEXT NOT NULL DEFAULT ''",
    "scoring": f"TEXT NOT NULL DEFAULT '{ADDED['scoring']}'",
    "status": f"TEXT NOT NULL CHECK (status IN {STATUSES})",
    "fold_scores": "TEXT",
    "mean": "REAL",
    "sd": "REAL",
    "metrics": "TEXT",
    "chosen": "TEXT",
    "seconds": "REAL",
    "error": "TEXT",
    "versions": "TEXT",
    "started": "TEXT NOT NULL",
    "finished": "TEXT",
    "owner": "TEXT NOT NULL",
    "lease_until": "REAL NOT NULL",
    # When a study last had the unit in its plan, in seconds of the epoch.
    "asked": "REAL NOT NULL DEFAULT 0",
    # How often the unit ended the process that ran it.
    "attempts": "INTEGER NOT NULL DEFAULT 0",
    # Of all the others, see `row_checks`.
    CHECKSUM: "TEXT",
}
# Columns of each form that the form before had not.
NEW_COLUMNS = {2: {*ADDED, "metrics", "asked"}, 3: {"attempts", CHECKSUM}}


class StoreError(ValueError, sqlite3.OperationalError):
    """A result store cannot be used, in one sentence with its path."""


@contextmanager
def in_one_sentence(path: Path) -> Iterator[None]:
    """Let errors of SQLite name the file."""
    try:
        yield
    except StoreError:
        raise
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            what = f"{path} is not a result store, or is damaged: {error}."
        elif code == sqlite3.SQLITE_FULL or "disk is full" in str(error):
            what = f"{path} cannot be written to: {error}. What was filed before is kept."
        else:
            what = f"{path} cannot be used as a result store: {error}."
        raise StoreError(what) from error


def open_store_file(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Connect to a sound result store; a file that does not exist, or is empty, becomes one.

    The connection is in autocommit mode: transactions are begun by hand. To read, neither the file
    nor its folder need be writable, and no result is written. Rows may be damaged; the rest is
    known to be sound.
    """
    try:
        if path.is_dir():
            raise StoreError(f"{path} is a folder, where a file of results is expected.")
        if read_only:
            return _prepare_to_read(path)
        if is_special(path):
            raise StoreError(f"{path} must be a file, to be a result store.")
        db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            _prepare(db, path)
        except BaseException:
            db.close()
            raise
    except StoreError:
        raise
    except sqlite3.OperationalError as error:
        raise StoreError(f"{path} cannot be opened as a result store: {error}.") from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise StoreError(f"{path} is not a result store, or is damaged: {error}.") from error
    return db


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    # Nothing is written before the file is known to be a store, or empty. Each look at it is within
    # one transaction: another process may be making a store of it.
    with db:
        db.execute("BEGIN")
        form = _form(db, path)
    if form < SCHEMA_VERSION:
        with db:
            db.execute("BEGIN IMMEDIATE")
            _bring_to_form(db, _form(db, path))
    _set_wal(db)
    db.execute("PRAGMA synchronous = FULL")
    if damage := _damage(db):
        with db:
            db.execute("BEGIN IMMEDIATE")
            _mend(db, damage)
    _check_columns(db, SCHEMA_VERSION)
    _read_rows(db)


def _prepare_to_read(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise StoreError(f"There is no result store at {path}.")
    try:
        db = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=rw",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
        )
        db.execute("PRAGMA query_only = ON")
        _value(db, "SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        # A write-ahead log needs a folder that can be written to.
        db = _in_memory(path)
    try:
        form = _form(db, path)
        if form == 0:
            raise StoreError(f"{path} is empty, not a result store.")
        if damage := _damage(db):
            # What can be mended is mended in a copy.
            db.close()
            db = _in_memory(path)
            _mend(db, damage)
        _check_columns(db, form)
    except BaseException:
        db.close()
        raise
    _read_rows(db)
    return db


def _in_memory(path: Path) -> sqlite3.Connection:
    """A copy of the database with what its write-ahead log holds."""
    path = path.resolve()
    db = sqlite3.connect(":memory:", isolation_level=None)
    with tempfile.TemporaryDirectory() as folder:
        for suffix in ("", "-wal"):
            part = path.with_name(f"{path.name}{suffix}")
            if part.is_file():
                shutil.copyfile(part, Path(folder) / f"copy{suffix}")
        copy = sqlite3.connect(Path(folder) / "copy")
        try:
            copy.backup(db)
        finally:
            copy.close()
    return db


def _bring_to_form(db: sqlite3.Connection, form: int) -> None:
    """Make a new store, or add what an older one lacks."""
    if form == 0:
        columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
        db.execute(f"CREATE TABLE results ({columns})")
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    elif form < SCHEMA_VERSION:
        present = {row[1] for row in db.execute("PRAGMA table_info(results)")}
        for name in COLUMNS:
            if name not in present:
                db.execute(f"ALTER TABLE results ADD COLUMN {name} {COLUMNS[name]}")
        db.execute("UPDATE results SET asked = strftime('%s', started) WHERE asked = 0")
        _seal(db)
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _seal(db: sqlite3.Connection) -> None:
    """Give all rows their checksums."""
    _read_rows(db)
    for row in db.execute("SELECT rowid AS number, * FROM results").fetchall():
        values = dict(row)
        number = values.pop("number")
        db.execute(f"UPDATE results SET {CHECKSUM} = ? WHERE rowid = ?", (checksum(values), number))


def _damage(db: sqlite3.Connection) -> str:
    """What is wrong with the structure of a file, if anything is."""
    # A word that is none of the statuses is damage to its row alone.
    db.execute("PRAGMA ignore_check_constraints = ON")
    found = " ".join(str(_value(db, "PRAGMA integrity_check(1)")).split())
    db.execute("PRAGMA ignore_check_constraints = OFF")
    return "" if found == "ok" else found


def _mend(db: sqlite3.Connection, damage: str) -> None:
    """Make the index anew from the rows, which are known to be sound or not by their checksums."""
    try:
        db.execute("REINDEX")
    except sqlite3.DatabaseError:
        raise sqlite3.DatabaseError(damage) from None
    if _damage(db):
        raise sqlite3.DatabaseError(damage)


def _check_columns(db: sqlite3.Connection, form: int) -> None:
    newer = {name for since, names in NEW_COLUMNS.items() if since > form for name in names}
    kinds = {row[1]: row[2] for row in db.execute("PRAGMA table_info(results)")}
    expected = {name: kind.partition(" ")[0] for name, kind in COLUMNS.items()}
    if {name: kinds.get(name) for name in expected.keys() - newer} != {
        name: expected[name] for name in expected.keys() - newer
    }:
        raise sqlite3.DatabaseError("its columns are not those of a result store")


def _read_rows(db: sqlite3.Connection) -> None:
    """Give rows by name; bytes of a text that are no UTF-8 are kept for its checksum to tell."""
    db.row_factory = sqlite3.Row
    db.text_factory = lambda text: text.decode("utf-8", "surrogateescape")


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


def _form(db: sqlite3.Connection, path: Path) -> int:
    """The form of a store, 0 of an empty file; raises where a file is another's or newer."""
    application = _value(db, "PRAGMA application_id")
    form = int(_value(db, "PRAGMA user_version"))
    if application == APPLICATION_ID:
        if form > SCHEMA_VERSION:
            raise StoreError(
                f"{path} has form {form} of the result store, newer than form {SCHEMA_VERSION} "
                f"that broadlearn {version('broadlearn')} reads."
            )
        return form
    if application or form or _value(db, "SELECT count(*) FROM sqlite_master"):
        raise StoreError(f"{path} is a database of something else, not a result store.")
    return 0


def _value(db: sqlite3.Connection, query: str) -> Any:
    return db.execute(query).fetchone()[0]
