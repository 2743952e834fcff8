"""A result store that rots, is cut, full or read-only: nothing wrong in silence, nothing lost."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from patients import call

from broadlearn.study import ResultStore, Unit, UnitResult, result_store

UNITS = [
    Unit(dataset, "none", model, "nested", seed, "reduced", "5ac1", "r1")
    for dataset in ("iris", "wine")
    for model in ("BLS", "ELM", "F-BLS")
    for seed in range(4)
]
RESULTS = {
    unit.key: UnitResult(
        np.random.default_rng(unit.data_seed).uniform(size=5), [{"C": 10.0}] * 5, 1.0
    )
    for unit in UNITS
}


def fill(path, units=UNITS):
    with ResultStore(path) as store:
        for unit in units:
            if store.claim(unit):
                assert store.finish(unit, RESULTS[unit.key])


def table(path, *, read_only=True):
    with ResultStore(path, read_only=read_only) as store:
        store.export_csv(path.with_suffix(".csv"))
    return path.with_suffix(".csv").read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "results.db"
    fill(path)
    return path, table(path)


def flip(path, bit):
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def refused(call, *arguments):
    """What a call says if it refuses a store, or nothing."""
    try:
        call(*arguments)
    except ValueError as error:
        return str(error)
    return ""


def mend(path):
    with ResultStore(path) as store:
        store.discard_damaged(UNITS)
    fill(path)


@pytest.mark.slow
def test_a_bit_that_flips_is_noticed_or_changes_nothing(tmp_path, whole):
    original, expected = whole
    path = tmp_path / "results.db"
    n_bits = 8 * original.stat().st_size
    mended = 0
    for bit in np.random.default_rng(0).integers(0, n_bits, 40):
        shutil.copyfile(original, path)
        flip(path, int(bit))
        said = refused(table, path)
        assert "results.db" in said if said else table(path) == expected, bit
        # What can be mended is, by doing the damaged units again.
        said = refused(mend, path)
        assert "results.db" in said if said else table(path) == expected, bit
        mended += not said
        for left in tmp_path.iterdir():
            left.unlink()
    assert mended > 30


@pytest.mark.parametrize("size", [0, 50, 100, 4096, 5000, 0.5, 0.9])
def test_a_file_that_was_cut_is_one_sentence(tmp_path, whole, size):
    path = tmp_path / "results.db"
    content = whole[0].read_bytes()
    path.write_bytes(content[: int(size * len(content)) if size < 1 else int(size)])
    for command in ("status", "check", "report"):
        page = (tmp_path / "page",) if command == "report" else ()
        done = call("study", command, *page, "--store", path)
        assert done.exit_code == 2
        assert done.output.startswith("Error: "), done.output
        assert "results.db" in done.output
        assert len(done.output.splitlines()) == 1


@pytest.mark.parametrize("content", [b"not a database, " * 300, b"SQLite format 4" + bytes(4096)])
def test_another_file_is_one_sentence(tmp_path, content):
    path = tmp_path / "results.db"
    path.write_bytes(content)
    for command in (("status",), ("check",), ("run", "-d", "iris", "-m", "majority")):
        done = call("study", *command, "--store", path)
        assert done.exit_code == 2
        assert "results.db" in done.output
        assert len(done.output.splitlines()) == 1
    assert path.read_bytes() == content


@pytest.mark.slow
def test_a_run_does_damaged_units_again(tmp_path):
    path = tmp_path / "results.db"
    command = ("study", "run", "-d", "iris,wine", "-m", "majority", "-p", "nested", "--store", path)
    assert call(*command).exit_code == 0
    expected = table(path)
    db = sqlite3.connect(path)
    db.execute("UPDATE results SET fold_scores = '[1.0]' WHERE dataset = 'wine'")
    db.commit()
    db.close()
    assert call("study", "check", "--store", path).exit_code == 2
    done = call(*command)
    assert done.exit_code == 0, done.output
    assert "damaged on disk, to be done again: wine, majority, nested" in done.output
    assert "2 units, 1 done before, 1 to do" in done.output
    assert call("study", "check", "--store", path).exit_code == 0
    assert table(path) == expected


@pytest.mark.slow
def test_a_disk_that_is_full_in_mid_study_loses_nothing(tmp_path, monkeypatch):
    path = tmp_path / "results.db"
    names = "majority,sklearn.naive_bayes:GaussianNB,sklearn.neighbors:NearestCentroid"
    command = ("study", "run", "-d", "iris,wine", "-m", names, "-p", "nested", "--store", path)
    fill(path, UNITS)
    connect = result_store.open_store_file

    def full(*arguments, **options):
        db = connect(*arguments, **options)
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages + 1}")
        return db

    with monkeypatch.context() as patch:
        patch.setattr(result_store, "open_store_file", full)
        done = call(*command)
    assert done.exit_code == 2
    errors = [line for line in done.output.splitlines() if line.startswith("Error")]
    assert len(errors) == 1
    assert "results.db cannot be written to: database or disk is full" in errors[0]
    assert "Traceback" not in done.output
    with ResultStore(path, read_only=True) as store:
        before = store.to_frame()
    assert (before["status"] == "done").sum() >= len(UNITS)
    assert set(before["status"]) <= {"done", "interrupted", "running"}
    # This process, whose claim could not be taken back, is still there.
    assert call("study", "release", "--all", "--store", path).exit_code == 0
    done = call(*command)
    assert done.exit_code == 0, done.output
    with ResultStore(path) as store:
        assert list(store.to_frame()["status"]) == ["done"] * (len(UNITS) + 6)


READER = """
import os, sys
from pathlib import Path
from typer.testing import CliRunner
from broadlearn.cli.app import app

first, *folders = map(Path, sys.argv[1:])
own = first.parent
os.environ["MPLCONFIGDIR"] = os.environ["HOME"] = str(own)

def call(*arguments):
    return CliRunner().invoke(app, ["study", *map(str, arguments)])

def look_at(folder):
    page = ["report", own / f"page-of-{folder.name}"]
    for command in (["status"], ["check"], *([page] if folder.name in "034" else [])):
        done = call(*command, "--store", folder / "results.db")
        assert done.exit_code == 0, (folder, command, done.output)

# With all that is imported by it, which another user may not read.
look_at(first)
if os.geteuid() == 0:
    os.setgid(65534), os.setuid(65534)
for folder in folders:
    assert not os.access(folder / "results.db", os.W_OK)
    look_at(folder)
    done = call("run", "-d", "iris", "-m", "majority", "--store", folder / "results.db")
    assert done.exit_code == 2, done.output
    assert "results.db" in done.output and "Traceback" not in done.output, done.output
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the system has no users of POSIX")
def test_without_root_a_store_that_is_read_only_can_be_read(whole):
    # Folders of pytest are open to their owner alone.
    with tempfile.TemporaryDirectory() as name:
        top, writers = Path(name), []
        top.chmod(0o777)
        folders = [top / f"{i}" for i in range(7)]
        for folder in folders:
            folder.mkdir()
            shutil.copyfile(whole[0], folder / "results.db")
            writers.append(ResultStore(folder / "results.db"))
        for i, (folder, writer) in enumerate(zip(folders[1:], writers[1:], strict=True)):
            if i % 2:
                # What it files is in the write-ahead log alone.
                writer.claim(Unit("zoo", "none", "BLS", "nested", 0, "reduced", "5ac1"))
            else:
                writer.close()
            for path in folder.iterdir():
                path.chmod(0o444)
            folder.chmod((0o755, 0o555, 0o777)[i // 2])
        done = subprocess.run(
            [sys.executable, "-c", READER, *map(str, folders)], capture_output=True, text=True
        )
        for folder, writer in zip(folders, writers, strict=True):
            folder.chmod(0o755)
            writer.close()
        assert done.returncode == 0, done.stderr
