"""Work in several processes, which end cleanly on Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

from joblib import Parallel, effective_n_jobs
from joblib.externals.loky import get_reusable_executor


@contextmanager
def spare_children_interrupts() -> Iterator[None]:
    """Hide Ctrl-C from processes and threads that are started in this context.

    A process that is interrupted while it starts prints a traceback that no handler of its own can
    prevent. The caller has to end the processes.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Python's trackers let the signal through again when they start (CPython 3.11 to 3.13).
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def parallel(calls: Iterable[Any], n_jobs: int | None) -> Iterator[Any]:
    """Run `joblib.delayed` calls and yield their results; an interrupt ends the workers too."""
    if effective_n_jobs(n_jobs) == 1:
        yield from (function(*args, **kwargs) for function, args, kwargs in calls)
        return
    try:
        with spare_children_interrupts():
            results = Parallel(n_jobs=n_jobs, return_as="generator")(calls)
        yield from results
    except KeyboardInterrupt:
        get_reusable_executor().shutdown(wait=False, kill_workers=True)
        raise
