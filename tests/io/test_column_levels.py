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
        (["g1", "g2", "g3"], "grade"),
        (["p1", "p2", "p10"], "Priority"),
        (["t1a", "t1b", "t2"], ""),
        (["ckd 2", "ckd 3a", "ckd 3b"], ""),
        (["500-999", "1.000-1.499", "1.500-1.999"], ""),
        (["0.500-1.000", "1.000-1.500"], ""),
        (["2-2,5", "2,5-3", "10-10,5"], ""),
        (["bis 1.000 €", "1.001 bis 2.000 €", "über 2.000 €"], ""),
        (["unter 20 jahre", "20 bis unter 40 jahre", "40 jahre und älter"], ""),
        (["[0,18)", "[18,35)", "[35,65)"], ""),
        (["niedrig", "hoch", "kritisch"], ""),
        (["low (0-10)", "medium (11-50)", "high (51+)"], ""),
        (["no pain", "mild pain", "severe pain"], ""),
        (["1 (low)", "2", "3 (high)"], ""),
        (["18-24 jahre", "25-34 jahre", "50 jahre u. älter"], ""),
        (["underweight", "normal", "obese"], ""),
        (["从不", "有时", "总是"], ""),
        (["jan", "mrz", "okt", "dez"], ""),
        (["styczeń", "luty", "maj"], ""),
        (["bbb+", "a-", "aa", "aa+"], "rating"),
        (["never", "monthly", "weekly", "daily or almost daily"], ""),
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
        ["m10", "m12", "m16"],
        ["zone 1", "zone 2", "zone 3"],
        ["type i", "type ii", "type iii"],
        ["0800-1234", "0900-4321", "0180-1111"],
        ["a+", "a-", "ab+", "0-"],
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
    assert boolean_values([".t.", ".f."]) == {".t.": 1.0, ".f.": 0.0}
    assert boolean_values(["not detected", "detected"]) == {"not detected": 0.0, "detected": 1.0}
    assert boolean_values(["✔\ufe0f", "✖"]) == {"✔\ufe0f": 1.0, "✖": 0.0}
    assert boolean_values(["mit", "ohne"]) == {"mit": 1.0, "ohne": 0.0}
    assert boolean_values(["yes.", "no."]) == {"yes.": 1.0, "no.": 0.0}
    for words in (["yes"], ["yes", "maybe", "no"], ["m", "f"], ["s", "f"]):
        assert boolean_values(words) is None


def test_spellings():
    assert spelling_key(" New  YORK ") == "new york"
    assert [spelling_key(text) for text in ("3.0", "3.00", "3.1", "v1.0", "-2.0")] == [
        *("3", "3", "3.1", "v1.0", "-2"),
    ]
    assert common_spellings({"Ulm": 1, "ulm": 2, "BONN": 1}) == {"ulm": "ulm", "bonn": "BONN"}


@pytest.mark.parametrize(
    "words",
    [
        "PP P M G GG",
        "小 中 大",
        "很低 低 中 高 很高",
        "nunca, rara vez, a veces, a menudo, siempre",
        "jamais, rarement, parfois, souvent, toujours",
        "klein, mittel, groß",
        "baixo, médio, alto",
        "niski, średni, wysoki",
        "leicht, mäßig, schwer",
        "economy, business, first class",
        "< 1 year, 1 year, 2 years, 10+ years",
        "0 to 2 years, 3 to 5 years, 6 to 10 years, over 10 years",
        "1-10 employees, 11-50 employees, 201+ employees",
        "18 and under, 19-25, 26-40, 65 & over",
        "menos de 18, de 18 a 25, de 26 a 40, más de 40",
        "bis 5 kg, 5 kg bis 10 kg, mehr als 10 kg",
        "under $10k, $10k - $20k, $20k+",
        "negative, trace, 1+, 2+, 3+",
    ],
)
def test_orders_in_other_languages_and_with_units(words):
    given = [spelling_key(word) for word in words.split(", " if "," in words else " ")]
    assert level_order(given[::-1], "x") == given


def test_answers_in_other_languages():
    for pair in (
        "tak nie",
        "ja nei",
        "是 否",
        "да нет",
        "evet hayır",
        "はい いいえ",
        "da nu",
        "+ -",
    ):
        yes, no = pair.split()
        assert boolean_values([yes, no]) == {yes: 1.0, no: 0.0}


def test_accents_may_be_written_in_two_ways():
    assert spelling_key("e\u0301leve\u0301") == spelling_key("élevé")
