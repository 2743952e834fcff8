"""Several numbers in each text of a column, as in 120/80, 10 x 20, 5.1 ± 0.3 or $40k-$60k."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from broadlearn.utils import Array

# From this share of the texts on, what is between their numbers is the same.
MIN_SHARE = 0.9
# Of at most so many texts, each may mean something of its own.
MAX_FEW = 12
# Numbers in a text at most.
MAX_PARTS = 4
# Longer texts are no such numbers.
MAX_LENGTH = 100

_FIGURE = re.compile(r"(?:(?:^|(?<=[(\[,; ]))-)?\d+(?:[.,]\d+)?")
_DECIMALS = re.compile(r"\d[.,]\d")
# Zeros in front, which names of cases have.
_NUMBERED = re.compile(r"(?:^|/)0\d")
_JOINTS = re.compile(
    r"#(?:\s*(?:/|x|×|\*|:|by|±|\+/-|\+-|out of|von|sur)\s*#){1,2}(?: ?(?:°[CF]?|[^\W\d_]{1,8}))?"
    r"|#\s*(?:'|ft\.?|′)\s*#\s*(?:\"|in\.?|″)?"
    r"|[(\[]?#(?:(?:, | ?; ?)#){1,2}[)\]]?"
    r"|# ?\(#(?: ?[-–] ?#)?%?\)",
    re.I,
)
# A range of amounts, or one with a remark behind it; names have letters before their figures.
_RANGE = re.compile(
    r"([$€£¥]?) ?# ?([^\W\d_]{0,3}|%) ?(?:-|–|—|to|bis) ?\1 ?# ?[^\W\d_]{0,12}%?\+?"
)
_REMARKED = re.compile(r"[$€£¥]? ?# ?[^\W\d_]{1,8} ?[@/(,;|] ?#? ?\D{0,16}\)?")


class Parts(NamedTuple):
    """Numbers in each text of a column: how many, and why that may be wrong."""

    n_parts: int
    doubt: str = ""


def learn_parts(texts: Sequence[str]) -> Parts | None:
    """How many numbers there are in each text, if nearly all have the same marks between them.

    Parameters
    ----------
    texts : sequence of str
        Distinct texts of a column.

    Examples
    --------
    >>> learn_parts([f"{100 + k}/{60 + k}" for k in range(20)])
    Parts(n_parts=2, doubt='')
    >>> learn_parts([f"{k}.{k % 7} bhp@{1000 + k}rpm" for k in range(20)])
    Parts(n_parts=2, doubt='numbers are taken out of texts')
    >>> learn_parts([f"user{k}" for k in range(20)]) is None
    True
    """
    if len(texts) <= MAX_FEW:
        return None
    forms = Counter(map(_form, texts))
    form, n = forms.most_common(1)[0]
    n_parts = form.count("#")
    if n < MIN_SHARE * len(texts) or not 1 <= n_parts <= MAX_PARTS:
        return None
    if _JOINTS.fullmatch(form) and not any(map(_NUMBERED.search, texts)):
        return Parts(n_parts)
    alike = [text for text in texts if _form(text) == form]
    if n_parts == 2 and _RANGE.fullmatch(form):
        low, high = read_parts(alike, 2).T
        # Two whole numbers and a dash may as well be a code.
        bare = form.replace(" ", "") in ("#-#", "#–#", "#—#")
        if np.mean(low < high) >= MIN_SHARE and (not bare or _have_decimals(alike)):
            return Parts(2)
    if _REMARKED.fullmatch(form) and _have_decimals(alike):
        return Parts(n_parts, "numbers are taken out of texts")
    return None


def read_parts(texts: Sequence[str], n_parts: int) -> Array:
    """The numbers of each text, missing where there are more or fewer.

    Examples
    --------
    >>> read_parts(["120/80", "soon"], 2).tolist()
    [[120.0, 80.0], [nan, nan]]
    """
    found = [[float(part.replace(",", ".")) for part in _FIGURE.findall(text)] for text in texts]
    rows = [parts if len(parts) == n_parts else [np.nan] * n_parts for parts in found]
    numbers = np.array(rows, dtype=np.float64).reshape(len(texts), n_parts)
    # Of figures beyond all numbers.
    numbers[~np.isfinite(numbers).all(axis=1)] = np.nan
    return numbers


def _form(text: str) -> str:
    """A text with # for its numbers."""
    return _FIGURE.sub("#", " ".join(text.split())) if len(text) <= MAX_LENGTH else ""


def _have_decimals(texts: Sequence[str]) -> bool:
    """Whether many texts have decimals, which names hardly do."""
    return sum(bool(_DECIMALS.search(text)) for text in texts) >= len(texts) / 5
