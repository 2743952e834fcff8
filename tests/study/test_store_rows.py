import pytest

from broadlearn.study import ResultStore, Unit, UnitResult
from broadlearn.study.store_rows import frame_of, read_rows, reproducible_csv

UNIT = Unit("iris", "none", "BLS", "nested", 0, "paper", "5ac1")


@pytest.fixture
def store(tmp_path):
    with ResultStore(tmp_path / "study.db") as store:
        store.claim(UNIT)
        store.finish(UNIT, UnitResult([0.5, 1.0], {"C": 1.0}, 2.0, {"log_loss": [0.1, 0.2]}))
        yield store


@pytest.mark.parametrize(
    ("column", "value"), [("chosen", "{"), ("mean", "much"), ("owner", 3), ("seed", b"1")]
)
def test_without_checksums_rows_that_make_no_sense_are_damaged(store, column, value):
    store._db.execute("ALTER TABLE results DROP COLUMN checksum")
    assert [len(rows) for rows in read_rows(store._db)] == [1, 0]
    status = "running" if column == "owner" else "done"
    store._db.execute(f"UPDATE results SET status = ?, {column} = ?", (status, value))
    sound, (damaged,) = read_rows(store._db)
    assert sound == []
    assert damaged["rowid"] == 1


def test_the_table_holds_no_times_or_processes(store):
    frame = frame_of(store.rows())
    assert "checksum" not in frame.columns
    heading, row = reproducible_csv(frame).splitlines()
    assert "seconds" not in heading
    assert "attempts" not in heading
    assert row.startswith("iris,none,BLS,nested,0,paper,5ac1")
    assert '"[0.5, 1.0]"' in row
