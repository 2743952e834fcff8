"""Paragraphs that several docstrings share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from inspect import cleandoc
from textwrap import indent
from typing import TypeVar

T = TypeVar("T")


def documented(paragraphs: Mapping[str, str]) -> Callable[[T], T]:
    """Return a decorator that replaces ``{name, ...}`` lines of a docstring by paragraphs.

    Examples
    --------
    >>> def double(x):
    ...     '''Return twice the number.
    ...
    ...     {number}
    ...     '''
    >>> print(documented({"number": "x : float"})(double).__doc__)
    Return twice the number.
    <BLANKLINE>
        x : float
    <BLANKLINE>
    """

    def texts(line: re.Match[str]) -> str:
        chosen = (cleandoc(paragraphs[name]) for name in line[2].split(", "))
        return indent("\n".join(chosen), line[1])

    def decorate(function_or_class: T) -> T:
        pattern = re.compile(r"^( *)\{([\w, ]+)\}$", re.MULTILINE)
        function_or_class.__doc__ = pattern.sub(texts, function_or_class.__doc__ or "")
        return function_or_class

    return decorate
