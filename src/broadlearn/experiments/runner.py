"""Runs the units of a plan on one or several processes, or on a Dask cluster, and files them."""

from __future__ import annotations

import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits

from broadlearn.experiments.datasets import Dataset
from broadlearn.experiments.noise import parse_noise
from broadlearn.experiments.plan import Unit
from broadlearn.experiments.protocols import run_unit
from broadlearn.experiments.result_store import ResultStore, UnitResult
from broadlearn.experiments.search_spaces import ModelSpec

HEARTBEAT_SECONDS = 30.0
# Workers without work end after so long, also those whose starter was killed.
IDLE_SECONDS = 60


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


def run_plan(
    plan: Sequence[Unit],
    data: Mapping[str, Dataset],
    models: Mapping[str, ModelSpec],
    store: ResultStore,
    *,
    n_jobs: int = 1,
    timeout: float | None = None,
    executor: Executor | None = None,
    report: Callable[[Outcome], None] | None = None,
) -> list[Outcome]:
    """Run the units of a plan that are not done yet, and file each as it ends.

    Other processes may work on the same store at the same time; each unit is done by one of them.
    An interrupt files the units at work as interrupted and goes on up.

    Parameters
    ----------
    plan : sequence of Unit
    data : mapping of fingerprint to Dataset
    models : mapping of name to ModelSpec
    store : ResultStore
    n_jobs : int, default=1
        Processes; 1 works in this one.
    timeout : float, default=None
        Seconds that a unit may take (where the system has alarm signals).
    executor : concurrent.futures.Executor, default=None
        Where units run instead, such as ``Client.get_executor()`` of Dask.
    report : callable, default=None
        Told every outcome.

    Returns
    -------
    list of Outcome
        Of the units that this call ran.
    """
    outcomes = []
    waiting = iter(plan)

    def claimed() -> Iterator[tuple[Unit, Dataset, ModelSpec, float | None]]:
        for unit in waiting:
            # Failures of this run, or of another process just now, are not tried again.
            if store.claim(unit, retry=_RETRIED if unit.key in retried else ("interrupted",)):
                yield unit, data[unit.fingerprint], models[unit.model], timeout

    retried = {unit.key for status in _RETRIED for unit in store.summary(plan).units[status]}
    with _heartbeat(store):
        for outcome in _outcomes(claimed(), n_jobs, executor, store):
            _file(store, outcome)
            outcomes.append(outcome)
            if report is not None:
                report(outcome)
    return outcomes


_RETRIED = ("failed", "timeout", "interrupted")


def attempt(unit: Unit, data: Dataset, spec: ModelSpec, timeout: float | None = None) -> Outcome:
    """Run one unit; what goes wrong becomes its outcome.

    Parameters
    ----------
    unit : Unit
    data : Dataset
    spec : ModelSpec
    timeout : float, default=None
    """
    try:
        with _alarm(timeout), threadpool_limits(1):
            return Outcome(unit, "done", run_unit(unit, data, spec, parse_noise(unit.noise)))
    except _UnitTimeoutError:
        return Outcome(unit, "timeout", error=f"took longer than {timeout:g} seconds")
    except Exception as error:
        # The place is in the text, without addresses or paths that differ between machines.
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return Outcome(unit, "failed", error=f"{type(error).__name__}: {error} [in {frame.name}]")


def _file(store: ResultStore, outcome: Outcome) -> None:
    if outcome.result is not None:
        store.finish(outcome.unit, outcome.result)
    else:
        store.fail(outcome.unit, outcome.error, status=outcome.status)


def _outcomes(
    tasks: Iterator[tuple[Unit, Dataset, ModelSpec, float | None]],
    n_jobs: int,
    executor: Executor | None,
    store: ResultStore,
) -> Iterator[Outcome]:
    """Outcomes as they come; at most as many units are claimed as there are workers."""
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
    running: dict[Future[Any], Unit] = {}
    try:
        while True:
            for task in islice(tasks, n_jobs - len(running)):
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


def _outcome_of(unit: Unit, future: Future[Any]) -> Outcome:
    try:
        outcome: Outcome = future.result()
    except TerminatedWorkerError:
        return Outcome(unit, "interrupted", error="the worker process ended")
    except Exception as error:
        return Outcome(unit, "failed", error=f"{type(error).__name__}: {error}")
    return outcome


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
def _heartbeat(store: ResultStore) -> Iterator[None]:
    """Prolong this owner's claims from a thread while work goes on."""
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
