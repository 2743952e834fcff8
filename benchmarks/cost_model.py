"""What a fit costs per row, merge and machine, and a simulation of clusters from these figures.

Run: python benchmarks/cost_model.py [rows]     (50,000 rows of 50 float32 columns if not given)
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from dask_fit import local_client
from scale import N_COLUMNS, make
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from broadlearn import BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier
from broadlearn.out_of_core import fit_blocks
from broadlearn.out_of_core.blocks import _BlockRows
from broadlearn.out_of_core.dask_fit import FAN_IN

NODES = (250, 500, 1000, 2000)
N_ROWS, MAX_ROWS = 1e9, 1e6
BANDWIDTHS = {"1 Gb/s": 1.25e8, "10 Gb/s": 1.25e9}
# To read X and y, and to visit them.
TASKS_PER_PARTITION = 3


def cpu_time(call: Callable[[], Any], repeats: int = 3) -> float:
    """Least processor time of several calls; others may use the machine."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def columns(n_nodes: int) -> int:
    """Columns of the sums: 64 feature nodes are 51 columns here, and there is one target."""
    return N_COLUMNS + 1 + n_nodes - 64 + 1


def flops(n_nodes: int) -> float:
    """Floating-point operations per row: the map, and half of the product with itself."""
    n = columns(n_nodes)
    return 2.0 * (N_COLUMNS + 1) * n + n * (n + 1.0)


def seconds_per_row(model: BLSClassifier, X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Processor time of each pass, the least of three."""
    found: list[dict[str, float]] = []
    for _ in range(3):
        seconds: dict[str, float] = {}
        with patch.object(_BlockRows, "reduce", timed(_BlockRows.reduce, seconds)):
            fit_blocks(clone(model), X, y)
        found.append(seconds)
    return {stage: min(stages[stage] for stages in found) / len(X) for stage in found[0]}


def timed(reduce: Callable[..., Any], seconds: dict[str, float]) -> Callable[..., Any]:
    """Return a pass over rows that adds its processor time to that of its stage."""

    def measured(rows: Any, stage: str, *functions: Any) -> Any:
        start = time.process_time()
        result = reduce(rows, stage, *functions)
        seconds[stage] = seconds.get(stage, 0.0) + time.process_time() - start
        return result

    return measured


class Pass(NamedTuple):
    """Seconds per row, and bytes and seconds of a merge of two statistics."""

    row: float
    payload: float
    add: float


class Cluster(NamedTuple):
    """Machines, cores of each, bytes per second between them, seconds of the scheduler per task."""

    machines: int
    cores: int
    bandwidth: float
    task: float

    def run(self, step: Pass, n_partitions: int) -> float:
        """Simulate one pass; partitions and merges stay where their first rows are."""
        workers = self.machines * self.cores
        core, network = np.zeros(workers), np.zeros(self.machines)
        owners = np.arange(n_partitions) * workers // n_partitions
        ready = self.task * TASKS_PER_PARTITION * np.arange(1.0, n_partitions + 1)
        scheduler = float(ready[-1])
        for i, worker in enumerate(owners):
            core[worker] = max(core[worker], ready[i]) + N_ROWS / n_partitions * step.row
            ready[i] = core[worker]
        while len(ready) > 1:
            merged = []
            for start in range(0, len(ready), FAN_IN):
                group = slice(start + 1, start + FAN_IN)
                worker = owners[start]
                machine = worker // self.cores
                scheduler += self.task
                done = max(core[worker], ready[start])
                for owner, at in zip(owners[group], ready[group], strict=True):
                    if owner // self.cores != machine:
                        at = max(at, network[machine]) + step.payload / self.bandwidth
                        network[machine] = at
                    done = max(done, at) + step.add
                core[worker] = done
                merged.append(done)
            owners, ready = owners[::FAN_IN], np.array(merged)
        return max(float(ready[0]), scheduler) + step.payload / self.bandwidth


def task_seconds() -> float:
    """Processor time of client and scheduler, both in this process, for one task of many."""
    with local_client(2) as client:
        client.gather(client.map(abs, range(100)))
        return cpu_time(lambda: client.gather(client.map(abs, range(2000), pure=False))) / 2000


def one_core(X: np.ndarray, y: np.ndarray) -> dict[int, dict[str, float]]:
    """Print and give what rows cost."""
    A, B = np.random.default_rng(0).normal(size=(2, 2000, 2000))
    rate = 2.0 * 2000**3 / cpu_time(lambda: A @ B)
    print(f"one core: {rate / 1e9:.0f} Gflop/s in matrix products")
    print("nodes   flops per row   µs per row   share of that rate   bytes of the sums")
    found = {}
    for nodes in NODES:
        model = BLSClassifier(1, 64, 1, nodes - 64, random_state=0)
        stages = found[nodes] = seconds_per_row(model, X, y)
        share = flops(nodes) / stages["sums"] / rate
        print(
            f"{nodes:5}   {flops(nodes):13,.0f}   {1e6 * sum(stages.values()):10.1f}   "
            f"{share:18.2f}   {8 * columns(nodes) ** 2:17,}"
        )
    print("passes at 1,000 nodes, µs per row")
    for kind in (BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier):
        stages = seconds_per_row(kind(1, 64, 1, 936, random_state=0), X, y)
        text = ", ".join(f"{stage} {1e6 * seconds:.1f}" for stage, seconds in stages.items())
        print(f"  {kind.__name__}: {text}")
    return found


def clusters(stages: dict[str, float], add: float, solve: float, task: float) -> None:
    """Simulate fits of 1e9 rows."""
    sums = Pass(stages["sums"], 8.0 * columns(1000) ** 2, add)
    passes = [Pass(stages["columns"], 4e3, 0.0), Pass(stages["nodes"], 1e3, 0.0), sums]
    print("simulated seconds: 1e9 rows, 1,000 nodes, machines of 16 such cores")
    print("partitions per worker                    1         4        16   1, free scheduler")
    print("network   machines     ideal")
    for name, bandwidth in BANDWIDTHS.items():
        for machines in (1, 10, 100, 300, 1000):
            seconds = []
            for partitions, taken in ((1, task), (4, task), (16, task), (1, 0.0)):
                cluster = Cluster(machines, 16, bandwidth, taken)
                n = max(16 * machines * partitions, round(N_ROWS / MAX_ROWS))
                seconds.append(sum(cluster.run(step, n) for step in passes) + solve)
            ideal = N_ROWS * sum(stages.values()) / (16 * machines)
            text = "   ".join(f"{value:7,.1f}" for value in seconds)
            print(f"{name:>7}   {machines:8}   {ideal:7,.1f}   {text}")


def main(n_rows: int) -> None:
    with threadpool_limits(1):
        found = one_core(*make(n_rows))
        a, b = np.random.default_rng(0).normal(size=(2, columns(1000), columns(1000)))
        add = cpu_time(lambda: [a + b for _ in range(20)]) / 20
        gram = a @ a.T + np.eye(len(a))
        solve = cpu_time(lambda: np.linalg.cholesky(gram))
    task = task_seconds()
    print(f"merge of two sums at 1,000 nodes: {1e3 * add:.1f} ms; their solution: {solve:.2f} s")
    print(f"a task of Dask: {1e3 * task:.2f} ms of client and scheduler")
    clusters(found[1000], add, solve, task)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
