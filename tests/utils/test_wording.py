import pytest

from broadlearn.utils.wording import counted, listed, out_of, percent


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([1], "'1'"),
        (["a", "b"], "'a' and 'b'"),
        (list("abcd"), "'a', 'b', 'c' and 'd'"),
        (list("abcdef"), "'a', 'b', 'c', 'd' and 2 more"),
    ],
)
def test_lists(names, text):
    assert listed(names) == text


def test_numbers_with_nouns_and_verbs():
    assert counted(1, "class", "has") == "1 class has"
    assert counted(0, "class", "has") == "0 classes have"
    assert counted(12_345, "row", "equals") == "12,345 rows equal"
    assert counted(3, "label") == "3 labels"
    assert out_of(1, 3, "row", "equals") == "1 of 3 rows equals"
    assert out_of(2, 3000, "class", "has") == "2 of 3,000 classes have"
    assert out_of(2, 3, "row") == "2 of 3 rows"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (0.0004, "under 0.1 %"),
        (0.004, "0.4 %"),
        (0.0999, "10 %"),
        (0.5, "50 %"),
        (0.985, "98 %"),
        (0.995, "99.5 %"),
        (0.9996, "over 99.9 %"),
        (1.0, "100 %"),
    ],
)
def test_percent(share, text):
    assert percent(share) == text
