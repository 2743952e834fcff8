"""Tables that need no file: made from their rules or published counts, or scikit-learn's own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from broadlearn.utils import Array

Values = tuple[Array, NDArray[np.int64]]

_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

# People by class (the last is the crew), age, sex and fate, in the order of `titanic`: from the
# report of 1912 as tabulated by Dawson (1995).
_TITANIC = (
    (57, 118, 140, 4, 5, 0, 1, 0),
    (14, 154, 80, 13, 11, 0, 13, 0),
    (75, 387, 76, 89, 13, 35, 14, 17),
    (192, 670, 20, 3, 0, 0, 0, 0),
)


def tic_tac_toe() -> Values:
    """Return all 958 ends of the game with x moving first; 1 where x has won.

    Values and the order of rows are those of the study's file.
    """
    x, blank, o = 0, 1, 2
    won, lost, drawn = [], [], []
    for board in product((x, o, blank), repeat=9):
        x_wins, o_wins = (any({board[i] for i in line} == {p} for line in _LINES) for p in (x, o))
        x_has_moved_last = board.count(x) == board.count(o) + 1
        o_has_moved_last = board.count(x) == board.count(o)
        if x_has_moved_last and x_wins and not o_wins:
            won.append(board)
        elif o_has_moved_last and o_wins and not x_wins:
            lost.append(board)
        elif x_has_moved_last and not o_wins and blank not in board:
            drawn.append(board)
    y = np.repeat([1, 0], [len(won), len(lost) + len(drawn)])
    return _standardized(np.array(won + lost + drawn)), y


def titanic() -> Values:
    """Return the 2,201 people on board by class, age and sex; 1 for those who survived.

    Values and the order of rows are those of the study's file.
    """
    # Passenger class, child, male, survived.
    kinds = np.array(list(product((1, 2, 3, 4), (0, 1), (1, 0), (1, 0))))
    people = np.repeat(kinds, np.ravel(_TITANIC), axis=0)
    return _standardized(people[:, :3]), people[:, 3]


def monks(problem: int) -> Values:
    """Return all 432 robots of a MONK's problem; 1 where its rule holds, without noise.

    The rules are 1: a1 = a2 or a5 = 1; 2: exactly two of the six attributes are 1; 3: a5 = 3 and
    a4 = 1, or a5 ≠ 4 and a2 ≠ 3. The study's file of the first problem begins with 124 of the
    robots a second time, on a scale of their own: the training sample, which was drawn at random.
    """
    a = np.array(list(product(*(range(1, levels + 1) for levels in (3, 3, 2, 3, 4, 2)))))
    a1, a2, _, a4, a5, _ = a.T
    rules = {
        1: (a1 == a2) | (a5 == 1),
        2: (a == 1).sum(axis=1) == 2,
        3: ((a5 == 3) & (a4 == 1)) | ((a5 != 4) & (a2 != 3)),
    }
    return _standardized(a), rules[problem].astype(np.int64)


def _standardized(X: NDArray[np.int64]) -> Array:
    """Return columns with mean 0 and deviation 1 (ddof=1), to six digits as in the files."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    return np.vectorize(lambda value: float(f"{value:.6g}"))(Z)


def thinned_digits() -> Values:
    """Return every third sample of each class of scikit-learn's digits."""
    X, y = load_digits(return_X_y=True)
    rows = np.sort(np.argsort(y, kind="stable")[::3])
    return X[rows], y[rows]


# By name and variant.
EMBEDDED: dict[tuple[str, str], Callable[[], Values]] = {
    ("tic_tac_toe", "embedded"): tic_tac_toe,
    ("titanic", "embedded"): titanic,
    ("monks_1", "embedded"): partial(monks, 1),
    ("monks_2", "embedded"): partial(monks, 2),
    ("monks_3", "embedded"): partial(monks, 3),
    ("iris", "embedded"): partial(load_iris, return_X_y=True),
    ("wine", "embedded"): partial(load_wine, return_X_y=True),
    ("wdbc", "embedded"): partial(load_breast_cancer, return_X_y=True),
    ("digits", "embedded"): partial(load_digits, return_X_y=True),
    ("digits", "thinned"): thinned_digits,
}
