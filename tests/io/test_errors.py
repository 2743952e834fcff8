import pytest
from sklearn.externals._arff import ArffException

from broadlearn.io.errors import reason


class Confused(ArffException):
    message = "%s %d"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("wrong.\nAnd more."), "wrong"),
        (ValueError("\n two  words \n"), "two  words"),
        (ValueError("a\x1b[2Jb"), "a?[2Jb"),
        (ValueError("x" * 500), "x" * 300),
        (KeyError(), "KeyError"),
        (Confused(), "Confused"),
    ],
    ids=repr,
)
def test_the_first_line_is_the_end_of_a_sentence(error, said):
    assert reason(error) == said
