from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from broadlearn.study.noise import Noise
from broadlearn.study.plan import Unit, fingerprint, make_plan

UNIT = Unit("iris", "variance:0.1:train", "BLS", "paper", 0, "paper", "0123456789abcdef")
OTHERS = {
    "dataset": "wine",
    "noise": "none",
    "model": "ELM",
    "protocol": "nested",
    "seed": 1,
    "grid": "reduced",
    "fingerprint": "fedcba9876543210",
}


def dataset(name, rows, columns=2, seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(rows, columns)), np.arange(rows) % 2
    return SimpleNamespace(name=name, X=X, y=y, splits=())


def test_key_and_seeds_never_change():
    assert UNIT.key == "809edb0c122984e82527f8b493d4487a02dd181fccb2b85b892583f9e52970bc"
    assert (UNIT.data_seed, UNIT.model_seed) == (708180772, 1559484285)


@pytest.mark.parametrize("name", OTHERS)
def test_what_each_field_changes(name):
    other = replace(UNIT, **{name: OTHERS[name]})
    of_data = name in ("dataset", "noise", "seed", "fingerprint")
    assert other.key != UNIT.key
    assert (other.data_seed != UNIT.data_seed) == of_data
    assert (other.model_seed != UNIT.model_seed) == (of_data or name == "model")


def test_seeds_are_spread_over_their_range():
    units = [replace(UNIT, seed=seed) for seed in range(500)]
    for name in ("data_seed", "model_seed"):
        seeds = [getattr(unit, name) for unit in units]
        assert len(set(seeds)) == 500
        assert 0 <= min(seeds) < 0.02 * 2**31
        assert 0.98 * 2**31 < max(seeds) < 2**31


def test_writing_does_not_change_a_unit():
    assert replace(UNIT, noise="variance:0.10", seed=np.int64(0)) == UNIT
    assert replace(UNIT, noise="variance:0.10", seed=np.int64(0)).key == UNIT.key


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("dataset", "", "dataset must be a text"),
        ("model", None, "model must be a text"),
        (
            "protocol",
            "optimistic",
            "protocol must be one of paper, paper-inside",
        ),
        ("grid", "huge", "grid must be one of paper, reduced"),
        ("seed", -1, "seed must be a whole number"),
        ("seed", True, "seed must be a whole number"),
        ("noise", "loud", 'noise must be "none" or'),
    ],
)
def test_bad_fields_are_refused(field, value, message):
    with pytest.raises(ValueError, match=message):
        replace(UNIT, **{field: value})


def test_plan_holds_every_combination_once():
    plan = make_plan(
        [dataset("big", 90), dataset("small", 10), dataset("small", 10)],
        ["BLS", "ELM", "BLS"],
        noises=["none", "rows:0.10", Noise("rows", 0.1), "rows:0.1:train"],
        seeds=range(3),
        grid="reduced",
    )
    assert len(plan) == len({unit.key for unit in plan}) == 2 * 2 * 2 * 2 * 3
    assert {unit.grid for unit in plan} == {"reduced"}


def test_cheap_data_sets_come_first_in_whatever_order_they_are_given():
    data = [dataset("c", 90), dataset("wide", 10, 40), dataset("b", 20), dataset("a", 20)]
    plans = [make_plan(iter(order), ["BLS", "ELM"]) for order in (data, data[::-1])]
    assert plans[0] == plans[1]
    assert list(dict.fromkeys(unit.dataset for unit in plans[0])) == ["a", "b", "c", "wide"]


def test_units_on_the_same_rows_are_neighbours():
    plan = make_plan([dataset("a", 20)], ["BLS", "ELM"], noises=["none", "rows:0.1"], seeds=(0, 1))
    rows = [(unit.noise, unit.seed) for unit in plan]
    assert sum(a != b for a, b in pairwise(rows)) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"datasets": []}, "datasets must hold one or more"),
        ({"datasets": [dataset("a", 9), dataset("a", 8)]}, "two different tables .* named 'a'"),
        ({"models": "BLS"}, "models must be a list"),
        ({"models": []}, "models must be a list"),
        ({"noises": "none"}, "noises must be a list"),
        ({"protocols": ["other"]}, "protocol must be one of"),
    ],
)
def test_bad_plans_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        make_plan(**{"datasets": [dataset("a", 9)], "models": ["BLS"], **options})


def test_fingerprint_is_of_the_values():
    X, y = np.array([[1.0, 0.0], [2.0, np.nan], [3.0, 5.0]]), np.array([0, 1, 0])
    ours = fingerprint(X, y)
    assert len(ours) == 16
    assert ours == fingerprint(np.asfortranarray(X), y.astype(float))
    framed = fingerprint(pd.DataFrame(X, columns=["a", "b"]), list(y))
    assert ours == framed.partition("-")[0]
    assert ours == fingerprint(X * [1.0, -1.0] * [1.0, -1.0], y)
    others = [(X.T[:, :2], y[:2]), (X[::-1], y), (X, 1 - y), (X[:, ::-1], y), (X[:2], y[:2])]
    assert len({fingerprint(*other) for other in others} | {ours}) == 6


def test_fingerprint_of_mixed_columns():
    frame = pd.DataFrame({"size": [1.0, 2.0], "colour": ["red", None], "ok": [True, False]})
    ours = fingerprint(frame, ["x", "y"])
    renamed = fingerprint(frame.rename(columns=str.upper), ["x", "y"])
    assert ours[:16] == renamed[:16] != ours
    assert ours == fingerprint(frame.astype({"colour": "category"}), ["x", "y"])
    assert ours != fingerprint(frame.fillna({"colour": "None"}), ["x", "y"])
    assert ours != fingerprint(frame, ["x", "z"])


def test_negative_zero_is_zero():
    assert fingerprint([[-0.0]], ["a"]) == fingerprint([[0.0]], ["a"])


def test_splits_are_part_of_the_fingerprint():
    X, y = np.eye(4), [0, 1, 0, 1]
    plain = fingerprint(X, y)
    assert fingerprint(X, y, ()) == plain
    first = [(np.array([0, 1]), np.array([2, 3]))]
    moved = [(np.array([0, 1, 2]), np.array([3]))]
    assert len({plain, fingerprint(X, y, first), fingerprint(X, y, moved)}) == 3


def test_recipe_and_scoring_count_unless_they_are_not_known():
    assert replace(UNIT, recipe="", scoring="accuracy").key == UNIT.key
    nested = replace(UNIT, protocol="nested")
    others = [nested, replace(nested, recipe="r"), replace(nested, scoring="log_loss")]
    assert len({unit.key for unit in others}) == 3
    assert len({unit.model_seed for unit in others}) == 1
    with pytest.raises(ValueError, match="scoring must be accuracy under the protocol paper"):
        replace(UNIT, scoring="log_loss")
    with pytest.raises(ValueError, match="scoring must be one of"):
        replace(nested, scoring="recall")


def test_names_and_kinds_of_columns_count_but_not_for_seeds():
    frame = pd.DataFrame({"a": [1.0, None], "b": ["x", "y"], "c": [True, False]})
    y = [0, 1]
    levels = pd.CategoricalDtype(["y", "x"], ordered=True)
    others = [
        frame.rename(columns={"a": "z"}),
        frame.astype({"b": levels}),
        frame.astype({"c": int}),
    ]
    prints = [fingerprint(table, y) for table in (frame, *others)]
    assert len(set(prints)) == 4
    assert len({text.partition("-")[0] for text in prints}) == 1
    units = [replace(UNIT, fingerprint=text) for text in prints]
    assert len({unit.key for unit in units}) == 4
    for name in ("split_seed", "data_seed", "model_seed"):
        assert len({getattr(unit, name) for unit in units}) == 1
    # A table that was known before names counted has the same seeds.
    assert replace(UNIT, fingerprint=prints[0][:16]).model_seed == units[0].model_seed
