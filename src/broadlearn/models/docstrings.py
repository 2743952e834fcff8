"""Docstring substitution: parameters that several estimators share are documented once."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import cleandoc
from textwrap import indent
from typing import Any


class Substitution:
    r"""Decorator that fills ``{name}`` lines of a docstring with shared paragraphs.

    Parameters
    ----------
    paragraphs : mapping of str to str
        Text by name. It is indented like the line that it replaces.

    Examples
    --------
    >>> @Substitution({"C": "C : float\n    Inverse penalty."})
    ... def fit(C):
    ...     '''{C}'''
    >>> print(fit.__doc__)
    C : float
        Inverse penalty.
    """

    def __init__(self, paragraphs: Mapping[str, str]) -> None:
        self.paragraphs = {name: cleandoc(text) for name, text in paragraphs.items()}

    def __call__(self, documented: Any) -> Any:
        """Fill the docstring of a class or function."""
        lines = (documented.__doc__ or "").split("\n")
        for i, line in enumerate(lines):
            name = line.strip()
            if name.startswith("{") and name[1:-1] in self.paragraphs:
                lines[i] = indent(self.paragraphs[name[1:-1]], line[: line.index("{")])
        documented.__doc__ = "\n".join(lines)
        return documented
