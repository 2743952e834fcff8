import numpy as np
import pandas as pd
import pytest

from broadlearn.io.column_leaks import column_skill, find_leaks
from broadlearn.io.ranked_columns import mid_ranks, rank_columns


def leaks_of(frame, y, n_classes):
    columns = rank_columns(frame)
    found = find_leaks(columns, y, n_classes, lambda names: frame[names].to_numpy())
    return {columns.names[j]: skills for j, skills in found.items()}


def test_copies_of_the_target_and_scores_that_tell_it():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    frame = pd.DataFrame({"x": rng.normal(size=300) + y, "code": 5 - y})
    frame["score"] = y + rng.normal(0, 0.2, 300)
    found = leaks_of(frame, y, 2)
    assert set(found) == {"code", "score"}
    assert np.isnan(found["code"][1])
    assert found["score"][1] < 0.9
    assert leaks_of(frame[["x"]], y, 2) == {}


def test_a_quantity():
    rng = np.random.default_rng(0)
    y = rng.normal(size=300)
    frame = pd.DataFrame(
        {"x": y + rng.normal(size=300), "log": np.exp(y + rng.normal(0, 0.01, 300))}
    )
    assert set(leaks_of(frame, y, 0)) == {"log"}


@pytest.mark.parametrize("n_classes", [0, 2])
def test_numbers_beyond_single_precision(n_classes):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300) if n_classes else rng.normal(size=300)
    huge = rng.choice([-1.7e308, 1e200, 1.7e308], 300)
    frame = pd.DataFrame({"huge": huge, "told": y + rng.normal(0, 0.01, 300)})
    assert set(leaks_of(frame, y, n_classes)) == {"told"}


def plain_skill(ranks, y, n_classes, is_number):
    """Leave-one-out, row by row, where no two ranks are equal or all rows of a level count."""
    n = y.size
    by_level = not is_number or np.unique(ranks).size * 5 <= n
    place = np.argsort(np.argsort(ranks))
    predicted = np.empty(n)
    sizes = np.bincount(y.astype(int)) if n_classes else None
    for i in range(n):
        near = (
            ranks == ranks[i] if by_level else np.abs(place - place[i]) <= (5 if n_classes else 2)
        )
        near[i] = False
        if not n_classes:
            predicted[i] = y[near].mean() if near.any() else y.mean()
        elif near.any():
            predicted[i] = (np.bincount(y[near], minlength=n_classes) / sizes).argmax()
        else:
            predicted[i] = -1
    if not n_classes:
        return 1.0 - ((y - predicted) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    return np.mean([(predicted[y == c] == c).mean() for c in range(n_classes)])


@pytest.mark.parametrize("n_classes", [0, 3])
@pytest.mark.parametrize("is_number", [True, False])
def test_skill_against_a_plain_version(n_classes, is_number):
    rng = np.random.default_rng(0)
    x = rng.normal(size=90)
    ranks = np.argsort(np.argsort(x)) if is_number else np.digitize(x, [-0.5, 0.5])
    y = np.digitize(x + rng.normal(0, 0.5, 90), [-0.4, 0.4]) if n_classes else mid_ranks(x**3 + x)
    skill = column_skill(ranks.astype(np.int32), y, n_classes, is_number)
    assert skill == pytest.approx(plain_skill(ranks, y, n_classes, is_number))
