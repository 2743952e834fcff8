from broadlearn.study import Unit
from broadlearn.study.row_checks import checksum, is_intact, name_unit, says_whose_it_is

UNIT = Unit("iris", "none", "BLS", "nested", 0, "paper", "5ac1")


def test_every_field_and_its_kind_count():
    row = {"key": "a", "mean": 0.1, "seed": 1, "error": None}
    changes = ({"key": "b"}, {"mean": 0.1 + 2**-56}, {"seed": 1.0}, {"error": ""}, {"key": b"a"})
    sums = {checksum({**row, **change}) for change in ({}, *changes)}
    assert len(sums) == 6
    assert checksum({**row, "checksum": "x"}) == checksum(row)
    assert checksum(dict(reversed(row.items()))) == checksum(row)
    assert len(checksum({"key": "a\udcff"})) == 32


def test_rows_from_before_there_were_checksums_are_taken_as_they_are():
    assert is_intact({"key": "a"})
    assert not is_intact({"key": "a", "checksum": None})
    assert is_intact({"key": "a", "checksum": checksum({"key": "a"})})


def test_a_damaged_row_is_named_by_what_is_left():
    assert name_unit({"dataset": "i\udcff", "model": "BLS"}).startswith("i?, BLS, None")


def test_whose_a_damaged_row_is():
    row = {**vars(UNIT), "key": UNIT.key}
    assert says_whose_it_is(row)
    for change in ({"seed": 1}, {"seed": "x"}, {"key": "other"}, {"noise": "louder"}):
        assert not says_whose_it_is({**row, **change})
    assert not says_whose_it_is({"key": UNIT.key})
