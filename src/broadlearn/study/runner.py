"""Runs units in this process, in several, or on a Dask cluster, and says what came of each."""

from __future__ import annotations

import signal
import threading
import traceback
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits

from broadlearn.out_of_core import connect, local_client
from broadlearn.study.datasets import Dataset
from broadlearn.study.plan import Unit
from broadlearn.study.protocols import run_unit
from broadlearn.study.result_store import ResultStore
from broadlearn.study.search_spaces import ModelSpec
from broadlearn.study.unit_result import UnitResult
from broadlearn.utils import spare_children_interrupts

HEARTBEAT_SECONDS = 30.0
# Idle workers end after this time, even those whose parent was killed.
IDLE_SECONDS = 60


# A unit, what it needs, and the seconds that it may take.
Task = tuple[Unit, Dataset, ModelSpec, float | None]


class Outcome(NamedTuple):
    """What came of a unit.

    Attributes
    ----------
    unit : Unit
    status : {"done", "failed", "timeout", "interrupted"}
    result : UnitResult or None
    error : str
    """

    unit: Unit
    status: str
    result: UnitResult | None = None
    error: str = ""


def attempt(unit: Unit, data: Dataset, spec: ModelSpec, timeout: float | None = None) -> Outcome:
    """Run one unit; what goes wrong becomes its outcome."""
    try:
        with _alarm(timeout), threadpool_limits(1):
            return Outcome(unit, "done", run_unit(unit, data, spec))
    except _UnitTimeoutError:
        return Outcome(unit, "timeout", error=f"took longer than {timeout:g} seconds")
    except Exception as error:
        # The place is in the text, without addresses or paths that differ between machines.
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return Outcome(unit, "failed", error=f"{type(error).__name__}: {error} [in {frame.name}]")


def run_tasks(
    tasks: Iterator[Task], store: ResultStore, n_jobs: int, executor: Executor | None
) -> Iterator[Outcome]:
    """Outcomes as they come; units at work are filed as interrupted if the caller is.

    No more tasks are drawn, and so claimed, than there are workers.
    """
    if executor is None and n_jobs == 1:
        for task in tasks:
            try:
                outcome = attempt(*task)
            except KeyboardInterrupt:
                store.fail(task[0], "interrupted", status="interrupted")
                raise
            yield outcome
        return
    own = ProcessPoolExecutor(n_jobs, timeout=IDLE_SECONDS) if executor is None else None
    pool: Any = own or executor
    running: dict[Future[Outcome], Unit] = {}
    try:
        while True:
            for task in islice(tasks, n_jobs - len(running)):
                with spare_children_interrupts():
                    running[pool.submit(attempt, *task)] = task[0]
            if not running:
                return
            ended, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in ended:
                yield _outcome_of(running.pop(future), future)
    except BaseException:
        for unit in running.values():
            store.fail(unit, "interrupted", status="interrupted")
        raise
    finally:
        if own is not None:
            own.shutdown(wait=not running, kill_workers=bool(running))


def _outcome_of(unit: Unit, future: Future[Outcome]) -> Outcome:
    try:
        return future.result()
    except TerminatedWorkerError:
        return Outcome(unit, "interrupted", error="the worker process ended")
    except Exception as error:
        return Outcome(unit, "failed", error=f"{type(error).__name__}: {error}")


class _UnitTimeoutError(Exception):
    """A unit took too long."""


@contextmanager
def _alarm(seconds: float | None) -> Iterator[None]:
    """Raise in this thread after some seconds, where the system can."""
    if seconds is None or not hasattr(signal, "SIGALRM"):
        yield
        return

    def ring(number: int, frame: Any) -> None:
        raise _UnitTimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def heartbeat(store: ResultStore) -> Iterator[None]:
    """Renew the claims of a store's owner from a thread while work is under way."""
    stop = threading.Event()

    def beat() -> None:
        with ResultStore(store.path, owner=store.owner, lease=store.lease) as own:
            while not stop.wait(HEARTBEAT_SECONDS):
                own.heartbeat()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@contextmanager
def cluster_executor(
    address: str, *, insecure: bool = False, n_workers: int | None = None
) -> Iterator[tuple[Executor, int]]:
    """Connect to a Dask cluster, or start one here, for as long as the context lasts.

    Parameters
    ----------
    address : str
        Of a scheduler, such as ``tls://10.0.0.5:8786``. "local" starts worker processes on this
        machine that only it can reach, without a dashboard.
    insecure : bool, default=False
        Allow a remote scheduler without TLS.
    n_workers : int, default=None
        For "local".

    Yields
    ------
    executor : concurrent.futures.Executor
    n_workers : int
        Threads of the cluster.
    """
    cluster = local_client(n_workers) if address == "local" else connect(address, insecure=insecure)
    with cluster as client:
        yield client.get_executor(), sum(client.nthreads().values())
