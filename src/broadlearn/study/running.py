"""Run units in worker processes; a death or a time limit is the outcome of its unit alone."""

from __future__ import annotations

import os
import re
import threading
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import BrokenProcessPool

from broadlearn.out_of_core import connect, local_client
from broadlearn.study.datasets import Dataset
from broadlearn.study.models import ModelSpec
from broadlearn.study.plan import Unit, UnitResult
from broadlearn.study.protocols import run_unit

# Every unit runs on one thread.
ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")
}
DIED = "died"
MAX_STARTS = 20


class Task(NamedTuple):
    """A unit with its data and model."""

    unit: Unit
    data: Dataset
    spec: ModelSpec


class Outcome(NamedTuple):
    """The end of a unit; `status` is "done", "failed", "timeout" or "died"."""

    unit: Unit
    status: str
    result: UnitResult | None = None
    error: str = ""


def attempt(task: Task) -> Outcome:
    """Run a unit; an exception is its outcome."""
    try:
        return Outcome(task.unit, "done", run_unit(*task))
    except Exception as error:
        return Outcome(task.unit, "failed", error=f"{type(error).__name__}: {error}")


@dataclass
class _Slot:
    """One worker process, with the unit at work in it."""

    executor: Executor
    task: Task | None = None
    deadline: float | None = None


def run_tasks(
    tasks: Iterable[Task],
    n_jobs: int,
    *,
    timeout: float | None = None,
    cluster: Executor | None = None,
) -> Generator[Outcome, None, None]:
    """Yield outcomes as units end, `n_jobs` of them at work in a process each, or on a cluster.

    A unit whose process died is tried once more, after all others; one that takes longer than
    `timeout` seconds is ended.
    """
    if timeout is not None and not timeout > 0:
        raise ValueError(f"timeout must be a number of seconds above 0, got {timeout!r}.")
    waiting, dead = deque(tasks), set[str]()
    n_slots = max(min(n_jobs, len(waiting)), 1)
    slots = [_Slot(cluster or start_worker()) for _ in range(n_slots)]
    running: dict[Future[Outcome], _Slot] = {}
    try:
        while waiting or running:
            for slot in slots:
                if slot.task is None and waiting:
                    running[_begin(slot, waiting.popleft(), timeout)] = slot
            deadlines = [slot.deadline for slot in slots if slot.task and slot.deadline]
            left = max(min(deadlines) - time.monotonic(), 0.0) if deadlines else None
            ended, _ = wait(running, left, FIRST_COMPLETED)
            late = [f for f, slot in running.items() if f not in ended and _is_late(slot)]
            for future in [*ended, *late]:
                slot = running.pop(future)
                task, slot.task = slot.task, None
                assert task is not None
                outcome = _outcome(task, future, None if future in ended else timeout)
                if outcome.status in (DIED, "timeout") and cluster is None:
                    slot.executor.shutdown(wait=True, kill_workers=True)  # type: ignore[call-arg]
                    slot.executor = start_worker()
                if outcome.status == DIED and task.unit.key not in dead:
                    dead.add(task.unit.key)
                    waiting.append(task)
                else:
                    yield outcome
    finally:
        for slot in slots:
            if cluster is None:
                slot.executor.shutdown(wait=True, kill_workers=True)  # type: ignore[call-arg]
        for future in running:
            future.cancel()


def start_worker() -> Executor:
    """An executor of one process, so that a death is that of one unit."""
    return ProcessPoolExecutor(1, env=ONE_THREAD, initializer=_end_with, initargs=(os.getpid(),))


def _end_with(parent: int) -> None:
    """End this process when its parent is gone, instead of computing for nobody."""

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=look, daemon=True).start()


def _begin(slot: _Slot, task: Task, timeout: float | None) -> Future[Outcome]:
    for _ in range(MAX_STARTS):
        try:
            if timeout is not None:
                # The start of the process does not count.
                slot.executor.submit(os.getpid).result()
            future = slot.executor.submit(attempt, task)
            slot.task = task
            slot.deadline = None if timeout is None else time.monotonic() + timeout
            return future
        except BrokenProcessPool:
            # The idle process was killed.
            slot.executor = start_worker()
    raise OSError("Worker processes cannot be started: all of them were killed.")


def _is_late(slot: _Slot) -> bool:
    return slot.deadline is not None and time.monotonic() >= slot.deadline


def _outcome(task: Task, future: Future[Outcome], timeout: float | None) -> Outcome:
    if timeout is not None:
        future.cancel()
        return Outcome(task.unit, "timeout", error=f"took longer than {timeout:g} seconds")
    try:
        return future.result()
    except BrokenProcessPool as error:
        code = re.search(r"\{(.*?)\}", str(error))
        return Outcome(task.unit, DIED, error=f"its process ended: {code[1] if code else error}")
    except Exception as error:
        # Of the cluster, or of a model that cannot be pickled.
        return Outcome(task.unit, "failed", error=f"{type(error).__name__}: {error}")


@contextmanager
def cluster_executor(
    address: str, *, insecure: bool = False, n_workers: int | None = None
) -> Iterator[tuple[Any, int]]:
    """Connect to a Dask cluster, or start one here, for as long as the context lasts."""
    cluster = local_client(n_workers) if address == "local" else connect(address, insecure=insecure)
    with cluster as client:
        yield client.get_executor(), sum(client.nthreads().values())
