import pytest

from broadlearn.io.column_opinions import opinion_order


@pytest.mark.parametrize(
    "levels",
    [
        ["completely disagree", "mostly disagree", "slightly disagree", "agree"],
        ["disagree strongly", "disagree somewhat", "neither", "agree somewhat", "agree strongly"],
        ["very unlikely", "neither likely nor unlikely", "somewhat likely", "very likely"],
        ["not at all important", "slightly important", "important", "extremely important"],
        ["stimme überhaupt nicht zu", "stimme eher nicht zu", "teils/teils", "stimme zu"],
        ["trifft eher nicht zu", "trifft eher zu", "trifft voll und ganz zu"],
        ["sehr unwahrscheinlich", "eher unwahrscheinlich", "wahrscheinlich"],
        ["pas du tout d'accord", "plutôt pas d’accord", "plutôt d'accord", "tout à fait d'accord"],
        ["très insatisfait", "neutre", "satisfait", "très satisfait"],
        ["muy en desacuerdo", "en desacuerdo", "de acuerdo", "muy de acuerdo"],
        ["per niente d'accordo", "poco d'accordo", "abbastanza d'accordo", "molto d'accordo"],
        ["discordo totalmente", "não concordo nem discordo", "concordo", "concordo totalmente"],
        ["helemaal mee oneens", "oneens", "neutraal", "eens", "helemaal mee eens"],
        ["zdecydowanie się nie zgadzam", "nie mam zdania", "zgadzam się"],
        ["instämmer inte alls", "instämmer delvis", "instämmer helt"],
    ],
    ids=lambda levels: levels[0],
)
def test_degrees_of_opinions(levels):
    assert opinion_order(levels[::-1]) == levels


@pytest.mark.parametrize(
    "levels",
    [
        ["agree", "disagree"],
        ["agree", "disagree", "later"],
        ["very satisfied", "very likely", "neutral"],
        ["neutral", "neither", "mixed"],
        ["ulm", "bonn", "kiel"],
    ],
    ids=str,
)
def test_other_words_have_no_degree(levels):
    assert opinion_order(levels) is None
