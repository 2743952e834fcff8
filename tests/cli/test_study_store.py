import json
import sqlite3

import pytest
from patients import call

from broadlearn.study import ResultStore, Unit, UnitResult
from broadlearn.study.owner import Owner

UNITS = [Unit("iris", "none", "BLS", "nested", seed, "paper", "5ac1") for seed in range(3)]


@pytest.fixture
def path(tmp_path):
    with ResultStore(tmp_path / "results.db") as store:
        for unit in UNITS[:2]:
            store.claim(unit)
            store.finish(unit, UnitResult([0.5, 0.75], {}, 1.0))
    with ResultStore(
        tmp_path / "results.db", owner=Owner(1, "boot/1", "elsewhere"), lease=1e9
    ) as s:
        s.claim(UNITS[2])
    return tmp_path / "results.db"


def damage(path):
    db = sqlite3.connect(path)
    db.execute("UPDATE results SET mean = 0.9 WHERE seed = 1")
    db.commit()
    db.close()


def test_check_names_what_is_damaged(path):
    sound = call("study", "check", "--store", path)
    assert (sound.exit_code, "3 units are sound, 0 are damaged" in sound.output) == (0, True)
    damage(path)
    found = call("study", "check", "--store", path)
    assert found.exit_code == 2
    assert "damaged: iris, BLS, nested, none, 1, done" in found.output
    assert "2 units are sound, 1 are damaged" in found.output
    told = call("study", "check", "--store", path, "--json")
    assert json.loads(told.output)["damaged"] == ["iris, BLS, nested, none, 1, done"]


def test_status_tells_and_a_report_refuses(path, tmp_path):
    damage(path)
    told = call("study", "status", "--store", path)
    assert told.exit_code == 0
    assert "1 units that are damaged on disk" in told.output
    refused = call("study", "report", tmp_path / "page", "--store", path)
    assert refused.exit_code == 2
    assert "has 1 damaged units of 3 (iris, BLS, nested, none, 1, done)" in refused.output


def test_release_frees_what_another_machine_holds(path):
    freed = call("study", "release", "--store", path)
    assert freed.exit_code == 0, freed.output
    assert "released: iris, BLS, nested, none, 2, running, claimed by 1 boot/1" in freed.output
    again = json.loads(call("study", "release", "--store", path, "--json", "--all").output)
    assert again["released"] == []
    with ResultStore(path) as store:
        assert store.claim(UNITS[2])


def test_a_file_that_is_not_there_is_not_made(tmp_path):
    for command in ("check", "release"):
        missing = call("study", command, "--store", tmp_path / "none.db")
        assert missing.exit_code == 2
        assert "There is no file of results" in missing.output
    assert list(tmp_path.iterdir()) == []
