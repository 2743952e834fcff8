"""Kinds of values in model files: what an attribute may be, how large, and of which shape.

A kind is a function of a value and of the lengths known so far. Lengths have names: within a model
and its parts, all that are called "d" are the same, and "d+1" is one more.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

Kind = Callable[[Any, "Lengths"], bool]
Length = int | str | None

# Larger whole numbers are no counts of anything that fits into a file.
MAX_COUNT = 1 << 53
MAX_REAL = float(np.finfo(np.float64).max)


class Lengths(dict[str, int]):
    """Lengths of arrays by name.

    Examples
    --------
    >>> lengths = Lengths()
    >>> lengths.fit((5, 3), ("d+1", "k")), lengths
    (True, {'d': 4, 'k': 3})
    >>> lengths.fit((5,), ("d",))
    False
    """

    def fit(self, shape: tuple[int, ...], wanted: tuple[Length, ...]) -> bool:
        """Whether a shape is as wanted; names that are new take its lengths."""
        return len(shape) == len(wanted) and all(map(self._same, shape, wanted))

    def _same(self, length: int, wanted: Length) -> bool:
        if not isinstance(wanted, str):
            return wanted is None or length == wanted
        name, _, more = wanted.partition("+")
        rest = length - int(more or 0)
        return rest >= 0 and self.setdefault(name, rest) == rest


def reals(
    *wanted: Length, low: float = -MAX_REAL, high: float = MAX_REAL, missing: bool = False
) -> Kind:
    """Arrays of floats of a shape, within limits, or NaN where they are `missing`.

    Examples
    --------
    >>> reals("d", low=0.0)(np.array([1.0, 2.0]), Lengths(d=2))
    True
    >>> reals("d")(np.array([1.0, np.nan]), Lengths())
    False
    """
    least, most = (np.fmin, np.fmax) if missing else (np.minimum, np.maximum)

    def check(value: Any, lengths: Lengths) -> bool:
        if not _is_array(value, "f") or not lengths.fit(value.shape, wanted):
            return False
        if not value.size:
            return True
        lowest, highest = (float(f.reduce(value, axis=None)) for f in (least, most))
        return low <= lowest <= highest <= high or (missing and lowest != lowest)

    return check


def numbers(value: Any, lengths: Lengths) -> bool:
    """Arrays of floats of any shape, none of them NaN."""
    return _is_array(value, "f") and not np.isnan(np.min(value, initial=0.0))


def whole(*wanted: Length, low: int = 0, below: str | None = None) -> Kind:
    """Arrays of signed whole numbers of a shape, less than the length named `below`."""

    def check(value: Any, lengths: Lengths) -> bool:
        if not _is_array(value, "i") or not lengths.fit(value.shape, wanted):
            return False
        if not value.size:
            return True
        high = MAX_COUNT if below is None else lengths.get(below, MAX_COUNT) - 1
        return low <= int(value.min()) and int(value.max()) <= high

    return check


def hashes(*wanted: Length) -> Kind:
    """Arrays of unsigned whole numbers of a shape, of any size."""
    return lambda value, lengths: _is_array(value, "u") and lengths.fit(value.shape, wanted)


def flags(*wanted: Length) -> Kind:
    """Arrays of booleans of a shape."""
    return lambda value, lengths: _is_array(value, "b") and lengths.fit(value.shape, wanted)


def labels(*wanted: Length, texts: bool = False, missing: bool = False) -> Kind:
    """Arrays of numbers or texts, such as classes or levels; only `texts`; None if `missing`."""

    def check(value: Any, lengths: Lengths) -> bool:
        if not _is_array(value, "UO" if texts else "biufUSO"):
            return False
        if value.dtype.kind == "f" and not missing and not np.isfinite(value).all():
            return False
        kinds = str if texts else (str, Real, np.bool_)
        if value.dtype.kind == "O" and not all(
            isinstance(item, kinds) or (missing and item is None) for item in value.ravel()
        ):
            return False
        return lengths.fit(value.shape, wanted)

    return check


def number(low: float = -np.inf, high: float = np.inf, *, missing: bool = False) -> Kind:
    """Numbers between two, finite, or NaN where that is `missing`.

    Examples
    --------
    >>> number(0.0)(1.5, Lengths()), number(0.0)(True, Lengths()), number()(np.inf, Lengths())
    (True, False, False)
    """

    def check(value: Any, lengths: Lengths) -> bool:
        if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
            return False
        try:
            found = float(value)
        except OverflowError:
            return False
        return (low <= found <= high and abs(found) < np.inf) or (missing and found != found)

    return check


def count(name: str | None = None, least: int = 0, most: int = MAX_COUNT) -> Kind:
    """Whole numbers from 0 on, which may be the length of that name.

    Examples
    --------
    >>> lengths = Lengths(d=4)
    >>> count("d")(4, lengths), count("d")(5, lengths), count()(-1, lengths), count()(2.0, lengths)
    (True, False, False, False)
    """

    def check(value: Any, lengths: Lengths) -> bool:
        if not isinstance(value, int | np.integer) or isinstance(value, bool):
            return False
        fits = bool(least <= value <= most)
        return fits and (name is None or lengths.fit((int(value),), (name,)))

    return check


def flag(value: Any, lengths: Lengths) -> bool:
    """True and False."""
    return isinstance(value, bool | np.bool_)


def text(value: Any, lengths: Lengths) -> bool:
    """Texts."""
    return isinstance(value, str)


def plain(value: Any, lengths: Lengths) -> bool:
    """Texts, numbers, booleans and None."""
    return value is None or isinstance(value, str | Real | np.bool_)


def one_of(*values: Any) -> Kind:
    """One of some texts, numbers or None."""
    return lambda value, lengths: any(
        type(value) is type(known) and value == known for known in values
    )


def part(*kinds: type) -> Kind:
    """Objects of some classes or of classes derived from them."""
    return lambda value, lengths: isinstance(value, kinds)


def either(*kinds: Kind) -> Kind:
    """Any of several kinds; names take lengths from the first that fits."""

    def check(value: Any, lengths: Lengths) -> bool:
        for kind in kinds:
            tried = Lengths(lengths)
            if kind(value, tried):
                lengths.update(tried)
                return True
        return False

    return check


def optional(kind: Kind) -> Kind:
    """A kind, or None."""
    return lambda value, lengths: value is None or kind(value, lengths)


def several(kind: Kind, name: Length = None, least: int = 0, most: int = MAX_COUNT) -> Kind:
    """Lists and tuples of one kind, whose length may have a name."""

    def check(value: Any, lengths: Lengths) -> bool:
        return (
            type(value) in (list, tuple)
            and least <= len(value) <= most
            and lengths.fit((len(value),), (name,))
            and all(kind(item, lengths) for item in value)
        )

    return check


def row_of(*kinds: Kind) -> Kind:
    """Tuples with one value of each kind."""
    return lambda value, lengths: (
        type(value) in (list, tuple)
        and len(value) == len(kinds)
        and all(kind(item, lengths) for kind, item in zip(kinds, value, strict=True))
    )


def mapping(key: Kind, kind: Kind) -> Kind:
    """Dictionaries with keys and values of a kind."""
    return lambda value, lengths: (
        type(value) is dict
        and all(key(k, lengths) and kind(item, lengths) for k, item in value.items())
    )


def number_type(value: Any, lengths: Lengths) -> bool:
    """Types of numbers, text and objects, as arrays may have."""
    if value is np.number or not isinstance(value, type | np.dtype):
        return False
    return np.dtype(value).kind in "biufUO"


def _is_array(value: Any, kinds: str) -> bool:
    return type(value) is np.ndarray and value.dtype.kind in kinds


def none(value: Any, lengths: Lengths) -> bool:
    """None."""
    return value is None


def index_parts(value: Any, lengths: Lengths) -> bool:
    """Slices of whole numbers and None."""
    return isinstance(value, slice) and all(
        part is None or (isinstance(part, int) and abs(part) < MAX_COUNT)
        for part in (value.start, value.stop, value.step)
    )
