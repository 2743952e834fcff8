import numpy as np
import pytest

from broadlearn.io.stored_kinds import (
    Lengths,
    count,
    either,
    flag,
    flags,
    hashes,
    index_parts,
    labels,
    mapping,
    none,
    number,
    number_type,
    numbers,
    one_of,
    optional,
    part,
    plain,
    reals,
    row_of,
    several,
    text,
    whole,
)

ZEROS = np.zeros(3)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (reals(3), [ZEROS, np.ones(3, np.float32)], [np.zeros(2), np.zeros(3, int), [0.0] * 3]),
        (reals(None, None), [np.zeros((2, 0))], [ZEROS, np.full((1, 1), np.inf)]),
        (reals("d", low=0.0), [ZEROS], [-np.ones(3), np.array([np.nan])]),
        (reals("d", high=np.inf), [np.array([np.inf])], [np.array([-np.inf])]),
        (reals("d", missing=True), [np.array([np.nan]), ZEROS], [np.array([np.nan, np.inf])]),
        (numbers, [ZEROS, np.full((2, 1), np.inf)], [np.array([np.nan]), np.arange(3), 1.0]),
        (whole("d"), [np.arange(3)], [ZEROS, -np.arange(3), np.arange(3, dtype=np.uint64)]),
        (hashes("d"), [np.arange(3, dtype=np.uint64)], [ZEROS, np.arange(3)]),
        (flags("d"), [np.zeros(2, bool)], [np.arange(2), True]),
        (
            labels("k"),
            [np.array(["a", "b"]), np.array([1, 2]), np.array(["a", 1], object)],
            [np.array([np.nan]), np.array([None, []], object), np.array([1j]), ["a"]],
        ),
        (labels("k", missing=True), [np.array(["a", None], object)], [np.array([{}], object)]),
        (
            labels("k", texts=True),
            [np.array(["a"], object)],
            [np.ones(1), np.array([1], object)],
        ),
        (number(0.0, 2.0), [0, 2.0, np.float32(1)], [True, "1", -1, 3, np.nan, 10**400, None]),
        (number(missing=True), [np.nan], [np.inf]),
        (count(), [0, 5, np.int64(3)], [-1, 2.0, True, 10**30, "1"]),
        (count(least=2, most=3), [2, 3], [1, 4]),
        (flag, [True, np.bool_(False)], [0, None]),
        (text, ["", "x"], [b"x", None]),
        (plain, [None, "x", 1, 1.5, True], [[], {}, ZEROS]),
        (one_of("a", 1), ["a", 1], ["b", 1.0, True, [], ZEROS]),
        (part(int, str), [1, "x"], [1.0, None]),
        (none, [None], [0]),
        (either(text, count()), ["x", 1], [1.5]),
        (optional(text), [None, "x"], [1]),
        (several(text, least=1, most=2), [["x"], ("x", "y")], [[], ["x"] * 3, [1], "x", {"x"}]),
        (row_of(text, count()), [("x", 1), ["x", 1]], [("x",), (1, "x"), "x1"]),
        (mapping(text, count()), [{}, {"x": 1}], [{1: 1}, {"x": "y"}, []]),
        (number_type, [np.float64, np.dtype("f4"), object, str], [np.number, 1, np.dtype("M8[s]")]),
        (index_parts, [slice(0, 3), slice(None)], [slice("a"), slice(10**30), 3]),
    ],
)
def test_kinds(kind, good, bad):
    for value in good:
        assert kind(value, Lengths()), value
    for value in bad:
        assert not kind(value, Lengths()), value


def test_lengths_of_one_name_are_the_same():
    lengths = Lengths()
    assert reals("d", "k")(np.zeros((4, 2)), lengths)
    assert lengths == {"d": 4, "k": 2}
    assert reals("d+1")(np.zeros(5), lengths)
    assert not reals("d+1")(np.zeros(4), lengths)
    assert not reals("new+1")(np.zeros(0), lengths)
    assert count("k")(2, lengths)
    assert not count("k")(3, lengths)
    assert several(text, "k")(["a", "b"], lengths)
    assert not several(text, "d")(["a", "b"], lengths)


def test_numbers_of_places_are_below_a_length():
    assert whole(None, below="d")(np.array([0, 3]), Lengths(d=4))
    assert not whole(None, below="d")(np.array([0, 4]), Lengths(d=4))


def test_a_kind_that_does_not_fit_leaves_no_lengths():
    lengths = Lengths()
    assert either(reals("a", 3), reals("b"))(np.zeros(2), lengths)
    assert lengths == {"b": 2}
