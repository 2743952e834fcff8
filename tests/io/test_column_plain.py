import numpy as np
import pandas as pd
import pytest

from broadlearn.io.column_deciding import decide_reading
from broadlearn.io.column_plain import plain_numbers
from broadlearn.io.column_table import PLAIN, as_target, decide_columns

rng = np.random.default_rng(0)
N = 60
PECULIAR = {
    "two values": np.tile([0, 1], N // 2),
    "row": np.arange(N),
    "day": np.arange(N) % 28 + 20_240_101,
    "gaps": np.where(np.arange(N) % 9, rng.normal(size=N), -999.0),
    "zip": rng.choice([10115, 20095, 80331], N),
    "store_id": rng.integers(1, 9, N),
    "codes": rng.choice([4711, 1234, 9876, 5555], N),
    "empty": np.full(N, np.nan),
    "text": np.tile(["1", "2,5"], N // 2),
    "truth": np.tile([True, False], N // 2),
}
PLAINLY = {
    "decimals": rng.normal(size=N),
    "with gaps": np.where(np.arange(N) % 5, rng.normal(size=N), np.nan),
    "counts": rng.integers(0, 30, N),
    "large": rng.integers(0, 55, N) * 1000,
    "single": rng.normal(size=N).astype(np.float32),
}


@pytest.mark.parametrize("name", PECULIAR)
def test_peculiar_columns_need_a_closer_look(name):
    assert plain_numbers(pd.DataFrame({name: PECULIAR[name]})) == ({}, set())


@pytest.mark.parametrize("name", PLAINLY)
def test_plain_numbers_are_what_a_closer_look_finds(name):
    frame = pd.DataFrame({name: PLAINLY[name]})
    found = plain_numbers(frame)
    if name == "large":
        assert not found.values
        return
    np.testing.assert_array_equal(found.values[name], frame[name].to_numpy(np.float64))
    assert decide_reading(frame[name]) == PLAIN


def test_columns_in_several_blocks(monkeypatch):
    monkeypatch.setattr("broadlearn.io.column_plain.BLOCK", 2)
    frame = pd.DataFrame({**PLAINLY, "one": 1.0, **PECULIAR})
    found = plain_numbers(frame, ["counts"])
    assert list(found.values) == ["decimals", "with gaps", "single"]
    assert found.constants == {"one"}


def test_first_look_changes_no_verdict(monkeypatch):
    frame = pd.DataFrame({**PLAINLY, "one": 1.0, "twice": 2.0 * PLAINLY["decimals"], **PECULIAR})
    found = decide_columns(frame, as_target(None), {})
    monkeypatch.setattr(
        "broadlearn.io.column_table.plain_numbers",
        lambda frame, given: plain_numbers(frame[[]]),
    )
    slow = decide_columns(frame, as_target(None), {})
    for name, column in slow.items():
        assert (column.kind, column.doubt) == (found[name].kind, found[name].doubt), name
        np.testing.assert_array_equal(column.values, found[name].values)
