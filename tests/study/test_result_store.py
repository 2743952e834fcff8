import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from broadlearn.study import store_file
from broadlearn.study.owner import Owner
from broadlearn.study.plan import Unit
from broadlearn.study.result_store import ResultStore, versions
from broadlearn.study.unit_result import UnitResult

ELSEWHERE = Owner(1, "boot/1", "elsewhere")
UNIT = Unit("iris", "none", "BLS", "nested", 0, "paper", "5ac1")
RESULT = UnitResult([0.1, 0.7, 0.4], [{"C": 1.0}] * 3, 2.0)

# Each process takes what it can get of the same list, and says what it got.
WORKER = """
import json, sys
from broadlearn.study import ResultStore, Unit, UnitResult
print("ready", flush=True)
input()
mine = []
with ResultStore(sys.argv[1]) as store:
    for seed in range(200):
        unit = Unit("iris", "none", "BLS", "nested", seed, "paper", "5ac1")
        if store.claim(unit):
            mine.append(seed)
            filed = store.finish(unit, UnitResult([seed / 200, 0.5], {"C": 1.0}, 0.1))
            assert filed
print(json.dumps(mine))
"""

# Killed with a claim and, on top of it, in the middle of a transaction.
VICTIM = """
import sys
from broadlearn.study import ResultStore, Unit
store = ResultStore(sys.argv[1])
assert store.claim(Unit("iris", "none", "BLS", "nested", 0, "paper", "5ac1"))
store._db.execute("BEGIN IMMEDIATE")
store._db.execute("UPDATE results SET status = 'done', mean = 1.0")
print("ready", flush=True)
input()
"""


def start(script, path, n=1):
    """Run a script n times, up to where it says that it is ready."""
    command = [sys.executable, "-c", script, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, **pipes) for _ in range(n)]
    assert [process.stdout.readline() for process in processes] == ["ready\n"] * n
    return processes


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "study.db"


def read_csv(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_unit_is_claimed_once_and_done_once(path):
    with ResultStore(path) as store:
        assert store.claim(UNIT)
        assert not store.claim(UNIT)
        assert store.finish(UNIT, RESULT)
        assert not store.finish(UNIT, RESULT)
        assert not store.claim(UNIT)
    with ResultStore(path) as store:
        assert not store.claim(UNIT)
        (row,) = store.rows()
    assert row["key"] == UNIT.key
    assert row["status"] == "done"
    assert row["fold_scores"] == [0.1, 0.7, 0.4]
    assert row["mean"] == pytest.approx(0.4)
    assert row["sd"] == pytest.approx(np.std([0.1, 0.7, 0.4], ddof=1))
    assert row["chosen"] == [{"C": 1.0}] * 3
    assert row["versions"] == versions()
    assert row["started"] <= row["finished"]
    assert row["owner"] == str(Owner.this_process())


def test_nothing_is_filed_without_a_claim(path):
    with ResultStore(path) as store:
        assert not store.finish(UNIT, RESULT)
        assert not store.fail(UNIT, "no")
        assert store.rows() == []


@pytest.mark.parametrize("status", ["failed", "timeout", "interrupted"])
def test_what_went_wrong_is_kept_and_may_be_tried_again(path, status):
    others = {"failed", "timeout", "interrupted"} - {status}
    with ResultStore(path) as store:
        store.claim(UNIT)
        assert store.fail(UNIT, "ValueError: first line\r\nsecond", status=status)
        (row,) = store.rows()
        assert (row["status"], row["error"]) == (status, "ValueError: first line\nsecond")
        assert not store.claim(UNIT, retry=others)
        assert store.claim(UNIT, retry=[status])
        assert store.finish(UNIT, RESULT)
        (row,) = store.rows()
    assert (row["status"], row["error"], row["seconds"]) == ("done", None, 2.0)


@pytest.mark.slow
def test_two_processes_do_every_unit_exactly_once(path):
    workers = start(WORKER, path, 2)
    for worker in workers:
        worker.stdin.write("go\n")
        worker.stdin.flush()
    taken = [json.loads(worker.communicate()[0]) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0]
    assert sorted(taken[0] + taken[1]) == list(range(200))
    with ResultStore(path) as store:
        rows = store.rows()
    assert [row["seed"] for row in rows] == list(range(200))
    assert {row["status"] for row in rows} == {"done"}
    assert all(row["fold_scores"] == [row["seed"] / 200, 0.5] for row in rows)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="the system has no /proc")
def test_the_unit_of_a_killed_process_is_free_at_once(path):
    (victim,) = start(VICTIM, path)
    with ResultStore(path) as store:
        assert store.summary([UNIT]).counts["running"] == 1
        victim.send_signal(signal.SIGKILL)
        victim.communicate()
        (row,) = store.rows()
        assert (row["status"], row["mean"]) == ("interrupted", None)
        assert not store.claim(UNIT, retry=["failed"])
        assert store.claim(UNIT, retry=["interrupted"])
        assert store.finish(UNIT, RESULT)
    with ResultStore(path) as store:
        assert [row["status"] for row in store.rows()] == ["done"]


def test_a_live_owner_on_this_machine_keeps_its_claim_beyond_the_lease(path):
    if Owner.this_process().is_alive() is None:
        pytest.skip("the system does not tell which process is which")
    with ResultStore(path, lease=-1.0) as store, ResultStore(path, owner=ELSEWHERE) as other:
        assert store.claim(UNIT)
        assert not other.claim(UNIT)


def test_a_stale_lease_is_taken_over_and_the_late_result_refused(path):
    with ResultStore(path, owner=ELSEWHERE, lease=-1.0) as late, ResultStore(path) as store:
        assert late.claim(UNIT)
        assert store.claim(UNIT)
        assert not late.finish(UNIT, UnitResult([0.0, 0.0], {}, 1.0))
        assert not late.fail(UNIT, "late")
        assert late.heartbeat() == 0
        assert store.finish(UNIT, RESULT)
        assert store.rows()[0]["mean"] == RESULT.mean


def test_heartbeats_prolong_leases(path):
    other_unit = replace(UNIT, seed=1)
    with ResultStore(path, owner=ELSEWHERE, lease=-1.0) as slow:
        assert slow.claim(UNIT)
        assert slow.claim(other_unit)
        slow.finish(other_unit, RESULT)
    with ResultStore(path, owner=ELSEWHERE) as beat, ResultStore(path) as store:
        assert store.summary([UNIT]).counts["interrupted"] == 1
        assert beat.heartbeat() == 1
        assert store.summary([UNIT]).counts["running"] == 1
        assert not store.claim(UNIT)


def test_rows_are_sorted_and_absent_values_said(path):
    units = [
        replace(UNIT, dataset=dataset, model=model, protocol=protocol, seed=seed)
        for seed in (10, 9)
        for protocol in ("paper", "nested")
        for model in ("ELM", "BLS")
        for dataset in ("wine", "iris")
    ]
    with ResultStore(path) as store:
        empty = store.to_frame()
        for unit in units:
            store.claim(unit)
        store.finish(units[0], RESULT)
        store.fail(units[1], "no")
        frame = store.to_frame()
    assert list(empty.columns) == list(frame.columns)
    assert (empty.dtypes == frame.dtypes).all()
    order = ["dataset", "noise", "model", "protocol", "seed"]
    assert list(frame[order].itertuples(index=False, name=None)) == sorted(
        (u.dataset, u.noise, u.model, u.protocol, u.seed) for u in units
    )
    done, failed = (frame[frame["status"] == status].iloc[0] for status in ("done", "failed"))
    assert (done["error"], done["fold_scores"], done["mean"]) == (
        None,
        [0.1, 0.7, 0.4],
        RESULT.mean,
    )
    assert (failed["error"], failed["fold_scores"], failed["chosen"]) == ("no", None, None)
    assert np.isnan(failed["mean"])
    assert frame["mean"].dtype == np.float64


def test_summary_counts_the_plan_only(path):
    plan = [replace(UNIT, seed=seed) for seed in range(6)]
    with ResultStore(path) as store:
        for unit in (*plan[:4], replace(UNIT, dataset="other")):
            store.claim(unit)
        store.finish(plan[0], RESULT)
        store.fail(plan[1], "no")
        store.fail(plan[2], "slow", status="timeout")
        summary = store.summary(plan)
    assert summary.counts == {
        "running": 1,
        "done": 1,
        "failed": 1,
        "timeout": 1,
        "interrupted": 0,
        "missing": 2,
    }
    assert summary.units["missing"] == tuple(plan[4:])
    assert summary.units["failed"] == (plan[1],)


def result_of(unit, seconds):
    scores = np.random.default_rng(unit.data_seed).uniform(size=5)
    chosen = {"n_feature_nodes": np.int64(5), "C": np.float64(1e-6), "kernel_width": "auto"}
    return UnitResult(scores, chosen, seconds)


def test_export_is_the_same_however_the_run_went(path, tmp_path):
    plan = [replace(UNIT, dataset=f'a "name", {i % 3}', seed=i) for i in range(12)]
    smooth, rough = tmp_path / "smooth.csv", tmp_path / "rough.csv"
    with ResultStore(path) as store:
        for unit in plan[:-1]:
            store.claim(unit)
            store.finish(unit, result_of(unit, 1.0))
        store.claim(plan[-1])
        store.fail(plan[-1], "ValueError: one\ntwo")
        store.export_csv(smooth)
    other = tmp_path / "rough.db"
    with ResultStore(other, owner=ELSEWHERE, lease=-1.0) as crashed:
        for unit in plan[3:7]:
            crashed.claim(unit)
        crashed.fail(plan[3], "Ctrl-C", status="interrupted")
    with ResultStore(other) as store:
        store.export_csv(rough)
        assert rough.read_bytes() != smooth.read_bytes()
        store.claim(plan[-1])
        store.fail(plan[-1], "ValueError: one\ntwo")
    with ResultStore(other) as store:
        for unit in plan[-2::-1]:
            assert store.claim(unit)
            store.finish(unit, result_of(unit, 7.0))
        store.export_csv(rough)
    assert rough.read_bytes() == smooth.read_bytes()

    rows = read_csv(rough)
    expected = result_of(plan[0], 0.0)
    assert len(rows) == 12
    assert (rows[0]["dataset"], rows[0]["seed"]) == ('a "name", 0', "0")
    assert float(rows[0]["mean"]) == expected.mean
    assert float(rows[0]["sd"]) == expected.sd
    assert json.loads(rows[0]["fold_scores"]) == list(expected.fold_scores)
    assert json.loads(rows[0]["chosen"]) == expected.chosen
    assert [row["error"] for row in rows if row["status"] == "failed"] == ["ValueError: one\ntwo"]
    assert not {"seconds", "owner", "started", "finished", "versions"} & set(rows[0])


def test_an_export_that_fails_leaves_the_old_one(path, tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError("no space left")

    target = tmp_path / "table.csv"
    target.write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with ResultStore(path) as store, pytest.raises(OSError, match="no space left"):
        store.export_csv(target)
    assert target.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder", "table.csv"]


def test_a_single_fold_has_no_deviation(path):
    with ResultStore(path) as store:
        store.claim(UNIT)
        store.finish(UNIT, UnitResult([0.5], {}, 0.0))
        assert store.rows()[0]["sd"] is None


def test_bad_words_are_refused(path):
    with ResultStore(path) as store:
        with pytest.raises(ValueError, match="retry must hold some of failed, timeout"):
            store.claim(UNIT, retry=["done"])
        store.claim(UNIT)
        with pytest.raises(ValueError, match="status must be one of failed, timeout"):
            store.fail(UNIT, "no", status="lost")
        with pytest.raises(TypeError, match="chosen must hold numbers, texts and lists"):
            store.finish(UNIT, UnitResult([0.5], {"a": object()}, 0.0))
        assert store.finish(UNIT, RESULT)


def file_unit(store, unit, mean=0.5, **metrics):
    assert store.claim(unit)
    assert store.finish(unit, UnitResult([mean, mean], {}, 1.0, metrics))


def former_of(store):
    return {row["key"]: row["former"] for row in store.rows() if row["former"]}


def test_metrics_are_kept(path):
    with ResultStore(path) as store:
        file_unit(store, UNIT, log_loss=[0.1, 0.2])
        file_unit(store, replace(UNIT, seed=1))
        assert store.to_frame()["metrics"].tolist() == [{"log_loss": [0.1, 0.2]}, {}]


def test_an_edited_model_replaces_the_one_before_and_back(path):
    before, edited = replace(UNIT, recipe="r1"), replace(UNIT, recipe="r2")
    with ResultStore(path) as store:
        for unit in (before, edited):
            file_unit(store, unit)
        assert former_of(store) == {before.key: "model"}
        store.ask([before])
        assert former_of(store) == {edited.key: "model"}
        frame = store.to_frame()
        assert frame.loc[frame["former"] == "", "recipe"].tolist() == ["r1"]


def test_prune_removes_former_units_that_nobody_works_on(path):
    units = [replace(UNIT, recipe=recipe) for recipe in ("r1", "r2", "r3")]
    with ResultStore(path) as store:
        file_unit(store, units[0])
        assert store.claim(units[1])
        file_unit(store, units[2])
        assert store.prune(dry_run=True)["recipe"].tolist() == ["r1"]
        assert len(store.rows()) == 3
        assert store.prune()["recipe"].tolist() == ["r1"]
        assert {row["recipe"] for row in store.rows()} == {"r2", "r3"}
        assert store.fail(units[1], "no")
        assert store.prune()["recipe"].tolist() == ["r2"]
        assert store.prune().empty


def test_units_without_a_recipe_are_taken_over_if_versions_agree(path):
    asked = replace(UNIT, recipe="r1", fingerprint="5ac1-77")
    with ResultStore(path) as store:
        file_unit(store, UNIT)
        store.ask([asked])
        assert store.summary([asked]).counts["missing"] == 1
        store.ask([asked], unchanged=["BLS"])
        (row,) = store.rows()
        assert (row["key"], row["recipe"], row["fingerprint"]) == (asked.key, "r1", "5ac1-77")
        other = replace(UNIT, seed=1)
        file_unit(store, other)
        store._db.execute("UPDATE results SET versions = '{}' WHERE seed = 1")
        store_file._seal(store._db)
        store.ask([replace(other, recipe="r1")], unchanged=["BLS"])
        assert {row["recipe"] for row in store.rows()} == {"r1", ""}


def test_reading_leaves_the_file_alone(path):
    with ResultStore(path) as store:
        file_unit(store, UNIT)
    before = path.read_bytes()
    with ResultStore(path, read_only=True) as store:
        assert len(store.rows()) == 1
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            store.ask([UNIT])
    assert path.read_bytes() == before
    with pytest.raises(ValueError, match="There is no result store at"):
        ResultStore(path.with_name("none.db"), read_only=True)
    assert not path.with_name("none.db").exists()


def damage(store, unit, column="mean", value=0.99):
    store._db.execute(f"UPDATE results SET {column} = ? WHERE key = ?", (value, unit.key))


@pytest.mark.parametrize("column", [name for name in store_file.COLUMNS if name != "key"])
def test_a_row_that_is_changed_from_outside_is_noticed(path, column):
    other = replace(UNIT, seed=1)
    with ResultStore(path) as store:
        for unit in (UNIT, other):
            file_unit(store, unit)
        value = "running" if column == "status" else 7
        damage(store, UNIT, column, value)
        with pytest.raises(ValueError, match=r"study\.db has 1 damaged units of 2 .*study run"):
            store.rows()
        assert len(store.damaged()) == 1
        assert [row["key"] for row in store.rows(skip_damaged=True)] == [other.key]
        assert store.summary([UNIT, other]).counts["missing"] == 1
        # Nothing that is done to it makes it look sound.
        store.ask([UNIT, other])
        store.heartbeat()
        assert store.release(all_claims=True) == []
        assert len(store.damaged()) == 1
        assert len(store.discard_damaged([UNIT])) == 1
        file_unit(store, UNIT)
        assert len(store.rows()) == 2


def test_a_damaged_unit_can_be_claimed_and_done_again(path):
    with ResultStore(path) as store:
        file_unit(store, UNIT)
        damage(store, UNIT)
        file_unit(store, UNIT)
        assert store.rows()[0]["mean"] == 0.5


def test_damaged_rows_of_another_plan_are_kept_to_be_named(path):
    other = replace(UNIT, seed=1)
    with ResultStore(path) as store:
        for unit in (UNIT, other):
            file_unit(store, unit)
            damage(store, unit)
        assert store.discard_damaged([UNIT]) == ["iris, BLS, nested, none, 0, done"]
        damage(store, other, "dataset", "iriz")
        assert store.discard_damaged([UNIT]) == ["iriz, BLS, nested, none, 1, done"]


def test_deaths_are_counted_over_claims(path):
    with ResultStore(path) as store:
        assert store.count_death(UNIT, "no claim") == 0
        for n in (1, 2):
            assert store.claim(UNIT, retry=["interrupted"])
            assert store.count_death(UNIT, "killed") == n
        (row,) = store.rows()
        assert (row["status"], row["error"], row["attempts"]) == ("interrupted", "killed", 2)
        assert store.to_frame()["attempts"].tolist() == [2]


def test_release_frees_claims_of_those_who_may_be_gone(path):
    others = [replace(UNIT, seed=seed) for seed in (1, 2)]
    with ResultStore(path, owner=ELSEWHERE, lease=1e9) as gone, ResultStore(path) as store:
        assert gone.claim(others[0])
        assert store.claim(UNIT)
        assert not store.claim(others[0])
        alive = Owner.this_process().is_alive()
        assert len(store.release()) == (1 if alive else 2)
        assert store.claim(others[0])
        assert not gone.finish(others[0], RESULT)
        assert store.finish(others[0], RESULT)
        assert gone.claim(others[1])
        assert len(store.release(all_claims=True)) == (2 if alive else 1)
        assert store.rows()[0]["error"] == "released"


def test_halves_of_characters_in_an_error_are_escaped(path):
    with ResultStore(path) as store:
        store.claim(UNIT)
        assert store.fail(UNIT, "a\udcff")
        assert store.rows()[0]["error"] == r"a\udcff"
