import pytest

from broadlearn.io.column_levels import (
    boolean_values,
    common_spellings,
    level_order,
    spelling_key,
)


@pytest.mark.parametrize(
    ("levels", "name"),
    [
        (["low", "medium", "high"], ""),
        (["very_low", "low", "vhigh"], ""),
        (["niedrig", "mittel", "hoch"], ""),
        (["s", "m", "l", "xl"], ""),
        (["c-", "b", "a+"], ""),
        (["c", "b", "a"], "grade"),
        (["18-25", "26-35", "65+"], ""),
        (["0-9", "10-19", "20+"], ""),
        (["under 18", "18 to 30", "over 30"], ""),
        (["2", "3", "4", "5more"], ""),
        (["$10k-$20k", "$20k-$30k"], ""),
        (["stage i", "stage ii", "stage iv"], ""),
        (["q1", "q2", "q3"], ""),
        (["1 - low", "2 - mid", "3 - high"], ""),
        (["none", "mild", "severe"], ""),
        (["hs-grad", "bachelors", "masters"], ""),
        (["neutral", "agree", "strongly agree"], ""),
    ],
    ids=str,
)
def test_known_orders(levels, name):
    assert level_order(levels[::-1], name) == levels


@pytest.mark.parametrize(
    "levels",
    [
        ["s", "m"],
        ["a", "b", "c"],
        ["p", "e"],
        ["zone 1", "zone 2"],
        ["1", "2"],
        ["ulm", "bonn"],
        ["x"],
    ],
    ids=str,
)
def test_words_without_order(levels):
    assert level_order(levels, "place") is None


def test_booleans():
    assert boolean_values(["ja", "nein"]) == {"ja": 1.0, "nein": 0.0}
    assert boolean_values(["y", "n", "no"]) == {"y": 1.0, "n": 0.0, "no": 0.0}
    for words in (["yes"], ["yes", "maybe", "no"], ["m", "f"], ["s", "f"]):
        assert boolean_values(words) is None


def test_spellings():
    assert spelling_key(" New  YORK ") == "new york"
    assert [spelling_key(text) for text in ("3.0", "3.00", "3.1", "v1.0", "-2.0")] == [
        *("3", "3", "3.1", "v1.0", "-2"),
    ]
    assert common_spellings({"Ulm": 1, "ulm": 2, "BONN": 1}) == {"ulm": "ulm", "bonn": "BONN"}
