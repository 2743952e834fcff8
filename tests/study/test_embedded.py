import itertools

import numpy as np
import pytest

from broadlearn.study.datasets import registry, values_sha256
from broadlearn.study.embedded import EMBEDDED, monks, tic_tac_toe

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("key", EMBEDDED)
def test_is_what_the_registry_says(key):
    info, (X, y) = registry()[key], EMBEDDED[key]()
    assert (*X.shape, tuple(np.bincount(y))) == (info.n_rows, info.n_columns, info.class_counts)
    assert values_sha256(X, y) == info.sha256


def play(board, player, ends):
    """Play every game to its end, by the rules alone."""
    lines = [board[i : i + 3] for i in (0, 3, 6)] + [board[i::3] for i in range(3)]
    lines += [board[::4], board[2:7:2]]
    if any(line == "o" * 3 or line == "x" * 3 for line in lines) or "b" not in board:
        ends[board] = "xxx" in lines
        return
    for i, square in enumerate(board):
        if square == "b":
            child = board[:i] + player + board[i + 1 :]
            if child not in play.seen:
                play.seen.add(child)
                play(child, "o" if player == "x" else "x", ends)


def test_tic_tac_toe_has_the_ends_of_all_games():
    play.seen, ends = set(), {}
    play("b" * 9, "x", ends)
    X, y = tic_tac_toe()
    ranks = np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T])
    rows = {
        "".join("xbo"[rank] for rank in row): bool(won) for row, won in zip(ranks, y, strict=True)
    }
    assert rows == ends


def attributes(X):
    return np.column_stack([np.unique(column, return_inverse=True)[1] + 1 for column in X.T])


def test_monks_rules():
    for (X, y), rule in (
        (monks(1), lambda a: a[0] == a[1] or a[4] == 1),
        (monks(2), lambda a: list(a).count(1) == 2),
        (monks(3), lambda a: (a[4] == 3 and a[3] == 1) or (a[4] != 4 and a[1] != 3)),
    ):
        a = attributes(X)
        assert set(map(tuple, a.tolist())) == set(
            itertools.product(*(range(1, k + 1) for k in (3, 3, 2, 3, 4, 2)))
        )
        np.testing.assert_array_equal(y, [rule(row) for row in a])
