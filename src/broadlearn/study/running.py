"""Run units in worker processes; a death or a time limit is the outcome of its unit alone."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Generator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from typing import NamedTuple

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import BrokenProcessPool

from broadlearn.study.datasets import Dataset
from broadlearn.study.models import ModelSpec
from broadlearn.study.plan import Unit, UnitResult
from broadlearn.study.protocols import run_unit

# Every unit runs on one thread.
ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")
}
DIED = "died"


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


def run_tasks(
    tasks: Sequence[Task], n_jobs: int, *, timeout: float | None = None
) -> Generator[Outcome, None, None]:
    """Yield outcomes as units end, with `n_jobs` of them at work in a process each.

    A unit whose process died is tried once more; one that takes longer than `timeout` seconds is
    ended.
    """
    if timeout is not None and not timeout > 0:
        raise ValueError(f"timeout must be a number of seconds above 0, got {timeout!r}.")
    workers = [_Worker(timeout) for _ in range(min(n_jobs, len(tasks)))]
    idle = list(workers)

    def run(task: Task) -> Outcome:
        worker = idle.pop()
        try:
            return worker.run(task)
        finally:
            idle.append(worker)

    # A thread waits for each process.
    threads = ThreadPoolExecutor(max(len(workers), 1))
    try:
        for end in as_completed([threads.submit(run, task) for task in tasks]):
            yield end.result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.stop()


class _Worker:
    """A process that runs one unit after the other, and is replaced when it dies or is late."""

    def __init__(self, timeout: float | None) -> None:
        self._timeout = timeout
        self._executor = start_worker()
        self._changing = threading.Lock()
        self._stopped = False

    def run(self, task: Task) -> Outcome:
        outcome = self._try(task)
        return self._try(task) if outcome.status == DIED else outcome

    def _try(self, task: Task) -> Outcome:
        try:
            if self._timeout is not None:
                # The start of the process does not count.
                self._executor.submit(os.getpid).result()
            outcome: Outcome = self._executor.submit(attempt, task).result(self._timeout)
            return outcome
        except TimeoutError:
            self._restart()
            error = f"took longer than {self._timeout:g} seconds"
            return Outcome(task.unit, "timeout", error=error)
        except BrokenProcessPool as broken:
            self._restart()
            code = re.search(r"\{(.*?)\}", str(broken))
            error = f"its process ended: {code[1] if code else broken}"
            return Outcome(task.unit, DIED, error=error)
        except Exception as failure:
            # A model that cannot be pickled.
            return Outcome(task.unit, "failed", error=f"{type(failure).__name__}: {failure}")

    def _restart(self) -> None:
        with self._changing:
            self._executor.shutdown(wait=True, kill_workers=True)  # type: ignore[call-arg]
            if not self._stopped:
                self._executor = start_worker()

    def stop(self) -> None:
        """End the process, and start no other."""
        with self._changing:
            self._stopped = True
            self._executor.shutdown(wait=True, kill_workers=True)  # type: ignore[call-arg]


def start_worker() -> Executor:
    """Return an executor of one process, so that a death affects one unit only."""
    return ProcessPoolExecutor(1, env=ONE_THREAD, initializer=_end_with, initargs=(os.getpid(),))


def _end_with(parent: int) -> None:
    """End this process when its parent is gone, instead of computing for nobody."""

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=look, daemon=True).start()
