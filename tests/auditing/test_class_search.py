import numpy as np
import pytest

from broadlearn.auditing import class_search
from broadlearn.auditing.class_search import class_members, search_classes
from broadlearn.auditing.nearest import nearest_rows, ranked

N, COLUMNS = 3000, 6


def labelled(kind):
    rng = np.random.default_rng(0)
    centre = rng.integers(0, 6, N)
    W = rng.normal(0, 3, (6, COLUMNS))[centre] + rng.normal(size=(N, COLUMNS))
    codes = {
        "mixed": rng.integers(0, 2, N),
        "apart": centre // 2,
        "rare": (rng.random(N) < 0.02).astype(int),
        "many": rng.integers(0, 30, N),
    }[kind]
    return W, codes


@pytest.mark.parametrize("small_class", [0, 200])
@pytest.mark.parametrize("kind", ["mixed", "apart", "rare", "many"])
def test_most_are_found(kind, small_class, monkeypatch):
    monkeypatch.setattr(class_search, "MAX_SMALL_CLASS", small_class)
    monkeypatch.setattr(class_search, "MAX_PAIRS", 1e5)
    W, codes = labelled(kind)
    found, _ = nearest_rows(W, 10)
    every = np.arange(N)
    for positions, same in zip(search_classes(W, codes, found, 5), (True, False), strict=True):
        assert (positions >= 0).all()
        assert (positions != every[:, None]).all()
        assert ((codes[positions] == codes[:, None]) == same).all()
        assert all(len(set(row)) == 5 for row in positions.tolist())
        far = []
        for i in every[::10]:
            D = np.sqrt(((W - W[i]) ** 2).sum(axis=1))
            D[i] = np.inf
            D[(codes == codes[i]) != same] = np.inf
            far.append(np.sort(D)[:5])
        distance = ranked(W, every, positions)[1][::10]
        assert distance.mean() < 1.05 * np.mean(far)


def test_classes_with_fewer_rows_than_wanted():
    W, codes = labelled("mixed")
    codes[:] = 0
    codes[[5, 6]], codes[7] = 1, 2
    own, other = search_classes(W, codes, nearest_rows(W, 10)[0], 5)
    assert sorted(own[5].tolist()) == [-1, -1, -1, -1, 6]
    assert own[7].tolist() == [-1] * 5
    assert sorted(other[0].tolist()) == [-1, -1, 5, 6, 7]


def test_members():
    members = class_members(np.array([1, 0, 1, 2]))
    assert [rows.tolist() for rows in members] == [[1], [0, 2], [3]]
