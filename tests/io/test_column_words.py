from unicodedata import normalize

from broadlearn.io.column_levels import spelling_key
from broadlearn.io.column_words import FALSE, NO_NUMBER, NO_VALUE, SCALES, TRUE


def test_words_are_spelt_as_they_are_looked_up():
    words = {*TRUE, *FALSE, *NO_NUMBER, *(word for scale in SCALES for word in scale)}
    assert all(word == spelling_key(word) == normalize("NFC", word) for word in words)


def test_no_word_says_yes_and_no():
    assert not TRUE & FALSE
    assert NO_VALUE < NO_NUMBER
    assert not NO_VALUE & (TRUE | FALSE)


def test_scales_have_at_least_three_ranks():
    for scale in SCALES:
        assert len(set(scale.values())) >= 3
        assert "" not in scale
