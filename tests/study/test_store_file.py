import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from broadlearn.study import ResultStore, Unit, UnitResult, store_file
from broadlearn.study.store_file import COLUMNS, SCHEMA_VERSION, open_store_file

UNIT = Unit("iris", "none", "BLS", "nested", 0, "paper", "5ac1")


def pragma(db, name):
    return db.execute(f"PRAGMA {name}").fetchone()[0]


def make_store(path, n_rows=0):
    db = open_store_file(path)
    row = ["running" if name == "status" else "x" * 50 for name in COLUMNS]
    for i in range(n_rows):
        row[0] = f"{i:050}"
        db.execute(f"INSERT INTO results VALUES ({', '.join('?' * len(row))})", row)
    db.close()


def test_settings_of_the_connection(tmp_path):
    db = open_store_file(tmp_path / "new.db")
    assert pragma(db, "journal_mode") == "wal"
    assert pragma(db, "synchronous") == 2
    assert pragma(db, "busy_timeout") == 60_000
    assert pragma(db, "user_version") == SCHEMA_VERSION
    db.close()


def test_several_may_open_a_new_file_at_once(tmp_path):
    paths = [tmp_path / f"{i}.db" for i in range(50)]
    together, refused = Barrier(4), []

    def open_all():
        for path in paths:
            together.wait()
            try:
                open_store_file(path).close()
            except ValueError as error:
                refused.append(str(error))

    with ThreadPoolExecutor(4) as threads:
        for _ in range(4):
            threads.submit(open_all)
    assert refused == []


def test_an_empty_file_becomes_a_store_and_stays_one(tmp_path):
    path = tmp_path / "empty.db"
    path.touch()
    make_store(path, 3)
    db = open_store_file(path)
    assert db.execute("SELECT count(*) FROM results").fetchone()[0] == 3
    db.close()


def test_a_newer_form_is_refused(tmp_path):
    path = tmp_path / "newer.db"
    make_store(path)
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    db.close()
    with pytest.raises(ValueError, match="form 4 of the result store, newer than form 3"):
        open_store_file(path)


@pytest.mark.parametrize(
    "made_by",
    ["CREATE TABLE results (key)", "PRAGMA application_id = 7", "PRAGMA user_version = 1"],
)
def test_a_database_of_something_else_is_refused_untouched(tmp_path, made_by):
    path = tmp_path / "foreign.db"
    db = sqlite3.connect(path)
    db.execute(made_by)
    db.close()
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"foreign\.db is a database of something else"):
        open_store_file(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_no_database_is_refused_untouched(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("dataset,mean\n" * 100)
    with pytest.raises(ValueError, match=r"notes\.txt is not a result store, or is damaged"):
        open_store_file(path)
    assert path.read_text() == "dataset,mean\n" * 100


@pytest.mark.parametrize("damage", ["cut", "overwritten"])
def test_a_damaged_store_is_refused(tmp_path, damage):
    path = tmp_path / "damaged.db"
    make_store(path, 200)
    content = path.read_bytes()
    assert len(content) > 40_000
    if damage == "cut":
        path.write_bytes(content[:20_000])
    else:
        path.write_bytes(content[:8192] + b"\xff" * 20_000 + content[28_192:])
    with pytest.raises(ValueError, match=r"is not a result store, or is damaged: .*\.$"):
        open_store_file(path)


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(ValueError, match="is a folder, where a file of results"):
        open_store_file(tmp_path)


def make_first_form(path):
    """A store as it was before units had recipes."""
    with ResultStore(path) as store:
        store.claim(UNIT)
        store.finish(UNIT, UnitResult([0.5, 0.7], {"C": 1.0}, 2.0))
        for name in ("recipe", "scoring", "metrics", "asked", "attempts", "checksum"):
            store._db.execute(f"ALTER TABLE results DROP COLUMN {name}")
        store._db.execute("PRAGMA user_version = 1")


def test_a_store_of_the_first_form_is_read_as_it_is(tmp_path):
    path = tmp_path / "first.db"
    make_first_form(path)
    before = path.read_bytes()
    with ResultStore(path, read_only=True) as store:
        (row,) = store.rows()
    assert row["key"] == UNIT.key
    assert (row["recipe"], row["scoring"], row["metrics"]) == ("", "accuracy", None)
    assert row["asked"] > 1e9
    assert path.read_bytes() == before


def test_a_store_of_the_first_form_gets_new_columns_when_it_is_written_to(tmp_path):
    path = tmp_path / "first.db"
    make_first_form(path)
    with ResultStore(path, read_only=True) as store:
        (before,) = store.rows()
    with ResultStore(path) as store:
        (after,) = store.rows()
        assert pragma(store._db, "user_version") == SCHEMA_VERSION
        assert not store.claim(UNIT)
    assert after == before


def test_a_store_of_the_second_form_gets_checksums_when_it_is_written_to(tmp_path):
    path = tmp_path / "second.db"
    with ResultStore(path) as store:
        store.claim(UNIT)
        store.finish(UNIT, UnitResult([0.5, 0.7], {"C": 1.0}, 2.0))
        (written,) = store.rows()
        for name in ("attempts", "checksum"):
            store._db.execute(f"ALTER TABLE results DROP COLUMN {name}")
        store._db.execute("PRAGMA user_version = 2")
    for read_only in (True, False, True):
        with ResultStore(path, read_only=read_only) as store:
            (row,) = store.rows()
            assert row == written
    with ResultStore(path) as store:
        assert store.rows() == [written]
        assert store.damaged() == []


def test_a_damaged_index_is_made_anew(tmp_path):
    path = tmp_path / "index.db"
    with ResultStore(path) as store:
        store.claim(UNIT)
        store.finish(UNIT, UnitResult([0.5, 0.7], {"C": 1.0}, 2.0))
    content = path.read_bytes()
    # The key is in the row, which comes first, and in the index.
    last = content.rindex(UNIT.key.encode())
    assert content.count(UNIT.key.encode()) == 2
    swapped = b"%064x" % (int(UNIT.key, 16) ^ 1)
    for at in (content.index(UNIT.key.encode()), last):
        path.write_bytes(content[:at] + swapped + content[at + 64 :])
        with ResultStore(path, read_only=True) as store:
            sound = len(store.rows(skip_damaged=True))
            assert sound + len(store.damaged()) == 1
        with ResultStore(path) as store:
            assert len(store.rows(skip_damaged=True)) == sound


@pytest.mark.parametrize(
    ("name", "other"), [("fold_scores", "fold_scorez"), ("seed INT", "seed UNT")]
)
def test_other_columns_are_refused(tmp_path, name, other):
    path = tmp_path / "columns.db"
    make_store(path)
    path.write_bytes(path.read_bytes().replace(name.encode(), other.encode()))
    for read_only in (False, True):
        with pytest.raises(ValueError, match=r"columns\.db .* damaged: its columns are not those"):
            open_store_file(path, read_only=read_only)


def test_words_of_the_schema_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "words.db"
    make_store(path)
    path.write_bytes(path.read_bytes().replace(b"CHECK (status", b"CHECK (st\xf4tus"))
    for read_only in (False, True):
        with pytest.raises(ValueError, match=r"words\.db is not a result store, or is damaged"):
            open_store_file(path, read_only=read_only)


def test_a_device_is_no_store():
    with pytest.raises(ValueError, match="must be a file, to be a result store"):
        open_store_file(Path("/dev/null"))
    assert not Path("/dev/null-wal").exists()


def test_a_failed_migration_changes_nothing(tmp_path, monkeypatch):
    path = tmp_path / "first.db"
    make_first_form(path)
    monkeypatch.setitem(store_file.COLUMNS, "asked", "REAL NOT NULL")
    with pytest.raises(ValueError, match="cannot be opened as a result store"):
        open_store_file(path)
    db = sqlite3.connect(path)
    assert pragma(db, "user_version") == 1
    assert "recipe" not in {row[1] for row in db.execute("PRAGMA table_info(results)")}
    db.close()


def test_a_log_that_cannot_be_opened_is_read_from_a_copy(tmp_path, monkeypatch):
    path = tmp_path / "open.db"
    with ResultStore(path) as writer:
        writer.claim(UNIT)
        connect = sqlite3.connect

        def refuse(name, *arguments, **options):
            if options.get("uri"):
                raise sqlite3.OperationalError("unable to open database file")
            return connect(name, *arguments, **options)

        monkeypatch.setattr(sqlite3, "connect", refuse)
        with ResultStore(path, read_only=True) as store:
            assert len(store.rows()) == 1
