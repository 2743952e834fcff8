"""Runs units in processes of this machine or on a Dask cluster, and says what came of each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from typing import Any

from broadlearn.out_of_core import connect, local_client
from broadlearn.study.plan import Unit
from broadlearn.study.result_store import ResultStore
from broadlearn.study.store_file import StoreError
from broadlearn.study.unit_limits import Limits
from broadlearn.study.unit_process import Task, UnitProcesses, run_in_child
from broadlearn.study.unit_server import Outcome

HEARTBEAT_SECONDS = 30.0


def run_tasks(
    draw: Callable[[], Task | None],
    store: ResultStore,
    n_jobs: int,
    executor: Executor | None = None,
    limits: Limits | None = None,
) -> Iterator[Outcome]:
    """Outcomes as they come; units at work are filed as interrupted if the caller is.

    Parameters
    ----------
    draw : callable
        Gives the next task, or None if there is none now. It is asked again after each outcome, and
        for no more tasks than there are processes.
    store : ResultStore
    n_jobs : int
    executor : concurrent.futures.Executor, default=None
        Whose workers start the processes; threads of this one if None.
    limits : Limits, default=None

    Yields
    ------
    Outcome
        With the status "died" where the unit ended its process.
    """
    processes = UnitProcesses()
    pool: Any = ThreadPoolExecutor(n_jobs) if executor is None else executor
    run = processes.run if executor is None else run_in_child
    running: dict[Future[Outcome], Unit] = {}
    try:
        while True:
            while len(running) < n_jobs and (task := draw()) is not None:
                running[pool.submit(run, task, limits or Limits())] = task.unit
            if not running:
                return
            ended, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in ended:
                outcome = _outcome_of(running[future], future)
                if outcome.status == "interrupted":
                    raise KeyboardInterrupt
                del running[future]
                yield outcome
    except BaseException:
        for unit in running.values():
            # Where the store itself is the reason, the claim ends with this process.
            with suppress(StoreError):
                store.fail(unit, "interrupted", status="interrupted")
        raise
    finally:
        processes.close()
        if executor is None:
            pool.shutdown()


def _outcome_of(unit: Unit, future: Future[Outcome]) -> Outcome:
    try:
        return future.result()
    except OSError:
        # No process can be started: that is not the unit's fault.
        raise
    except Exception as error:
        return Outcome(unit, "failed", error=f"{type(error).__name__}: {error}")


@contextmanager
def heartbeat(store: ResultStore) -> Iterator[None]:
    """Renew the claims of a store's owner from a thread while work is under way."""
    stop = threading.Event()

    def beat() -> None:
        with suppress(StoreError):
            own = ResultStore(store.path, owner=store.owner, lease=store.lease)
            with own:
                while not stop.wait(HEARTBEAT_SECONDS):
                    # Who files results learns of a full disk too, and says so.
                    with suppress(StoreError):
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
