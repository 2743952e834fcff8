"""Nearest rows: recall and processor time of ours and of libraries, on one thread.

Run: python benchmarks/neighbours.py [rows [columns]]     (50,000 rows of 11 columns if not given)

Times are ratios against scikit-learn's exact search (the faster of its KD-tree and all pairs),
which is timed for 500 rows; of the others whole graphs are timed, without what is compiled on first
use, which is given by itself. Libraries that are not installed are left out.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from _measure import peak_memory_of, verdict
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from broadlearn.auditing import nearest
from broadlearn.auditing.nearest import nearest_rows
from broadlearn.auditing.neighbours import find_neighbours
from broadlearn.auditing.rows import prepare_rows

K, JUDGED = 10, 500
KINDS = ("clusters", "normal", "levels", "copies")


def make(kind: str, n: int, d: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    if kind == "clusters":
        centre = rng.integers(0, 20, n)
        X = rng.normal(size=(n, d))
        maps = rng.normal(size=(20, d, d)) / np.sqrt(d)
        for c, place in enumerate(rng.normal(0, 2, (20, d))):
            X[centre == c] = X[centre == c] @ maps[c] + place
    elif kind == "normal":
        X = rng.normal(size=(n, d))
    elif kind == "levels":
        X = rng.integers(0, 4, (n, d)).astype(float)
    else:
        X = rng.normal(size=(n // 20, d))[rng.integers(0, n // 20, n)]
    return (X - X.mean(axis=0)) / X.std(axis=0)


def processor_time(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def ours(library: bool) -> Callable[[np.ndarray], np.ndarray]:
    def search(Z: np.ndarray) -> np.ndarray:
        nearest.find_spec = find_spec if library else lambda name: None
        return nearest_rows(Z, K, max_exact=0)[0]

    return search


def by_hnswlib(Z: np.ndarray) -> np.ndarray:
    import hnswlib

    index = hnswlib.Index("l2", Z.shape[1])
    index.init_index(len(Z), M=12, ef_construction=60, random_seed=1)
    index.set_num_threads(1)
    index.add_items(Z)
    index.set_ef(30)
    return without_self(index.knn_query(Z, K + 1)[0].astype(int))


def by_pynndescent(Z: np.ndarray) -> np.ndarray:
    import pynndescent

    graph = pynndescent.NNDescent(Z, n_neighbors=K + 1, random_state=1, n_jobs=1)
    return without_self(graph.neighbor_graph[0])


def without_self(found: np.ndarray) -> np.ndarray:
    itself = found == np.arange(len(found))[:, None]
    itself[~itself.any(axis=1), -1] = True
    return found[~itself].reshape(len(found), -1)


RIVALS = {
    "ours, without a library": (None, ours(library=False)),
    "ours, with faiss": ("faiss", ours(library=True)),
    "hnswlib": ("hnswlib", by_hnswlib),
    "pynndescent": ("pynndescent", by_pynndescent),
}


def exactly(Z: np.ndarray, some: np.ndarray) -> tuple[float, np.ndarray]:
    """Seconds that all rows would take, and distances of the K-th nearest of some."""
    seconds = {}
    for algorithm in ("kd_tree", "brute"):
        search = NearestNeighbors(algorithm=algorithm).fit(Z)
        taken, (distance, _) = processor_time(lambda s=search: s.kneighbors(Z[some], K + 1))
        seconds[algorithm] = taken * len(Z) / some.size
    return min(seconds.values()), distance[:, -1:]


def compare(kind: str, n: int, d: int) -> None:
    Z = make(kind, n, d)
    some = np.random.default_rng(1).choice(n, JUDGED, replace=False)
    exact, far = exactly(Z, some)
    print(f"\n{kind}, {n:,} x {d}; scikit-learn's exact search would take {exact:.0f} s")
    for name, (library, search) in RIVALS.items():
        if library and not find_spec(library):
            print(f"  {name:<26} not installed")
            continue
        first, _ = processor_time(lambda s=search: s(Z[:2000]))
        result: list[Any] = []
        memory = peak_memory_of(lambda r=result, s=search: r.extend(processor_time(lambda: s(Z))))
        taken, found = result
        gap = Z[found[some]] - Z[some, None]
        recall = (np.sqrt((gap**2).sum(axis=2)) <= far * (1.0 + 1e-6) + 1e-6).mean()
        print(
            f"  {name:<26} recall {recall:.3f}   time / exact {taken / exact:7.4f} "
            f"({taken:6.1f} s; first 2,000 rows {first:4.1f} s)   {memory:5.0f} MB"
        )


def whole(n: int, d: int) -> None:
    """All three searches of the audit, for classes that mix and for classes that do not."""
    Z = make("clusters", n, d)
    labels = {"mixed classes": np.random.default_rng(2).integers(0, 2, n), "1:200": np.zeros(n)}
    labels["1:200"][::200] = 1
    print(f"\nnearest of all, of the own and of other classes, {n:,} x {d}")
    for name, y in labels.items():
        rows, result = prepare_rows(Z, y), []
        memory = peak_memory_of(
            lambda rows=rows, r=result: r.append(processor_time(lambda: find_neighbours(rows))[0])
        )
        limit = 15.0 * n / 200_000 * max(d / 11, 1.0)
        verdict(f"{name}: seconds", result[0], limit, at_least=False)
        verdict(f"{name}: MB", memory, 300 * max(n / 200_000, 1.0), at_least=False)


def main(n: int = 50_000, d: int = 11) -> None:
    with threadpool_limits(1):
        for kind in KINDS:
            compare(kind, n, d)
        whole(n, d)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
