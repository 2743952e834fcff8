import pandas as pd

from broadlearn.study.former import (
    CELL,
    FORMER_DATA,
    FORMER_MODEL,
    former_units,
    in_use,
    older_versions,
)

UNIT = dict(zip(CELL, ("iris", "none", "BLS", "nested", 0, "paper", "accuracy"), strict=True))
UNIT |= {"fingerprint": "5ac1", "recipe": "r1", "started": "", "status": "done", "former": ""}


def unit(key, asked, **changes):
    return {**UNIT, "key": key, "asked": asked, **changes}


def test_the_unit_that_was_asked_for_last_is_in_use():
    rows = [unit("a", 3.0), unit("b", 2.0, recipe="r2"), unit("c", 1.0, recipe="r3")]
    assert former_units(rows) == {"c": FORMER_MODEL, "b": FORMER_MODEL}
    assert former_units([]) == {}


def test_other_cells_stay():
    rows = [unit(name, 1.0, **{name: "other"}) for name in ("noise", "model", "grid", "scoring")]
    assert former_units([unit("a", 0.0), *rows]) == {}


def test_units_on_other_content_are_former_whatever_the_model():
    rows = [unit("a", 1.0, model="ELM"), unit("b", 2.0, fingerprint="77"), unit("c", 1.0)]
    assert former_units(rows) == {"a": FORMER_DATA, "c": FORMER_DATA}
    # Another protocol may use another variant of the data set.
    assert former_units([unit("a", 1.0, protocol="paper"), unit("b", 2.0, fingerprint="7")]) == {}


def test_in_use():
    frame = pd.DataFrame([unit("a", 1.0), unit("b", 1.0, former=FORMER_DATA)])
    assert in_use(frame)["key"].tolist() == ["a"]
    assert in_use(frame.drop(columns="former")) is not None


def test_older_versions_are_counted_by_model():
    frame = pd.DataFrame(
        [
            unit("a", 2.0, recipe="r2"),
            unit("b", 1.0, dataset="wine"),
            unit("c", 1.0, former=FORMER_MODEL),
            unit("d", 1.0, protocol="paper"),
            unit("e", 1.0, protocol="paper", model="ELM"),
            unit("f", 1.0, dataset="wdbc", status="failed"),
        ]
    )
    assert older_versions(frame) == {"BLS": 2}
    assert older_versions(frame.drop(columns="recipe")) == {}
