"""Tables that need no file: made from their rules or published counts, or scikit-learn's own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.utils import check_random_state

Floats = NDArray[np.float64]
Values = tuple[Floats, NDArray[np.int64]]

_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

# Passenger class (4 is the crew), child, male, survived, people: the report of 1912 as tabulated by
# Dawson (1995).
_TITANIC = (
    (1, 0, 1, 1, 57),
    (1, 0, 1, 0, 118),
    (1, 0, 0, 1, 140),
    (1, 0, 0, 0, 4),
    (1, 1, 1, 1, 5),
    (1, 1, 0, 1, 1),
    (2, 0, 1, 1, 14),
    (2, 0, 1, 0, 154),
    (2, 0, 0, 1, 80),
    (2, 0, 0, 0, 13),
    (2, 1, 1, 1, 11),
    (2, 1, 0, 1, 13),
    (3, 0, 1, 1, 75),
    (3, 0, 1, 0, 387),
    (3, 0, 0, 1, 76),
    (3, 0, 0, 0, 89),
    (3, 1, 1, 1, 13),
    (3, 1, 1, 0, 35),
    (3, 1, 0, 1, 14),
    (3, 1, 0, 0, 17),
    (4, 0, 1, 1, 192),
    (4, 0, 1, 0, 670),
    (4, 0, 0, 1, 20),
    (4, 0, 0, 0, 3),
)

# Rows of the three groups in the published study. Its printed accuracies imply them: majority
# guesses of 398 / 585 on MCI and AD, and of 84 / 126 on the first fold of CN and MCI.
COHORT_GROUPS = {"CN": 228, "MCI": 398, "AD": 187}
COHORT_COLUMNS = 90


def tic_tac_toe() -> Values:
    """All 958 ends of the game with x moving first; 1 where x has won.

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
    """The 2,201 people on board by class, age and sex; 1 for those who survived.

    Values and the order of rows are those of the study's file.
    """
    cells = np.array(_TITANIC)
    people = np.repeat(cells[:, :4], cells[:, 4], axis=0)
    return _standardized(people[:, :3]), people[:, 3]


def monks_1() -> Values:
    """All 432 robots; 1 where a1 = a2 or a5 = 1.

    The study's file has 124 of them a second time, before these, on a scale of their own: the
    sample that was drawn for training, which no rule gives.
    """
    a = _robots()
    return _standardized(a), ((a[:, 0] == a[:, 1]) | (a[:, 4] == 1)).astype(np.int64)


def monks_2() -> Values:
    """All 432 robots; 1 where exactly two of the six attributes are 1."""
    a = _robots()
    return _standardized(a), ((a == 1).sum(axis=1) == 2).astype(np.int64)


def monks_3() -> Values:
    """All 432 robots; 1 where a5 = 3 and a4 = 1, or a5 ≠ 4 and a2 ≠ 3; no noise is added."""
    a = _robots()
    y = ((a[:, 4] == 3) & (a[:, 3] == 1)) | ((a[:, 4] != 4) & (a[:, 1] != 3))
    return _standardized(a), y.astype(np.int64)


def cohort(random_state: int | np.random.RandomState | None) -> tuple[Floats, NDArray[np.str_]]:
    """Made-up subjects in three groups, of the shape of the study's ADNI table.

    A subject has a severity, on average higher from CN to MCI to AD, and a head size; every column
    shrinks with the one, grows with the other, each at a rate of its own, and has noise.
    """
    rng = check_random_state(random_state)
    y = rng.permutation(np.repeat(list(COHORT_GROUPS), list(COHORT_GROUPS.values())))
    mean_severity = {"CN": 0.0, "MCI": 1.1, "AD": 2.3}
    severity = np.array([mean_severity[group] for group in y]) + 0.75 * rng.normal(size=len(y))
    head_size = rng.normal(size=len(y))
    shrinking = rng.gamma(0.5, 0.4, COHORT_COLUMNS)
    growing = rng.gamma(4.0, 0.2, COHORT_COLUMNS)
    noise = rng.normal(size=(len(y), COHORT_COLUMNS))
    return np.outer(head_size, growing) - np.outer(severity, shrinking) + noise, y


def _robots() -> NDArray[np.int64]:
    """Every combination of the six attributes of the MONK's problems."""
    return np.array(list(product(*(range(1, levels + 1) for levels in (3, 3, 2, 3, 4, 2)))))


def _standardized(X: NDArray[np.int64]) -> Floats:
    """Columns with mean 0 and deviation 1 (ddof=1), to six digits as in the study's files."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    return np.vectorize(lambda value: float(f"{value:.6g}"))(Z)


EMBEDDED: dict[str, Callable[[], Values]] = {
    "tic_tac_toe": tic_tac_toe,
    "titanic": titanic,
    "monks_1": monks_1,
    "monks_2": monks_2,
    "monks_3": monks_3,
    "iris": partial(load_iris, return_X_y=True),
    "wine": partial(load_wine, return_X_y=True),
    "wdbc": partial(load_breast_cancer, return_X_y=True),
    "digits": partial(load_digits, return_X_y=True),
}
