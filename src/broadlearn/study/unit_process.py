"""Processes in which units run, so that the end of one is that of its unit alone."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from joblib.externals.loky.backend.reduction import dumps

from broadlearn.study.datasets import Dataset
from broadlearn.study.plan import Unit
from broadlearn.study.search_spaces import ModelSpec
from broadlearn.study.unit_limits import Limits
from broadlearn.study.unit_server import BEGUN, READY, Outcome, read_message, write_message

# What came of a unit whose process ended.
DIED = "died"
# How often a process is looked at whose end closes no pipe, as it left another process with it.
LOOK_SECONDS = 1.0
END_SECONDS = 10.0
# How often a process is started again that is killed before it is ready, or that cannot start.
MAX_STARTS, MAX_FAILED_STARTS = 20, 3
# Units run on one thread each; pools of more would only take memory.
ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")
}


class Task(NamedTuple):
    """A unit with what it needs.

    Attributes
    ----------
    unit : Unit
    data : Dataset
    spec : ModelSpec
    """

    unit: Unit
    data: Dataset
    spec: ModelSpec


class UnitProcess:
    """One process, kept for many units; it ends when this object, or its process, does."""

    def __init__(self) -> None:
        code = f"import sys; sys.path[:] = {sys.path!r}; "
        code += "from broadlearn.study.unit_server import serve; serve()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **ONE_THREAD},
            # Ctrl-C is for the parent, which ends its processes.
            start_new_session=True,
        )
        self._messages: SimpleQueue[bytes | None] = SimpleQueue()
        # The thread knows nothing of this object, which could not be forgotten otherwise.
        arguments = (self._process.stdout, self._messages)
        threading.Thread(target=_listen, args=arguments, daemon=True).start()
        self.is_ready = False

    def _next(self, deadline: float | None = None) -> bytes | None:
        """The next message; None if the process has ended, and an error if time is up."""
        while True:
            left = LOOK_SECONDS if deadline is None else deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            with suppress(Empty):
                return self._messages.get(timeout=min(left, LOOK_SECONDS))
            if self._process.poll() is not None and self._messages.empty():
                return None

    def begin(self, task: Task, limits: Limits) -> bool:
        """Hand over a unit; False if the process ended before it began with it."""
        with suppress(OSError):
            if not self.is_ready:
                self.is_ready = self._next() == READY
            if self.is_ready:
                needed = bytes(dumps((task.data, task.spec)))
                message = pickle.dumps((task.unit, needed, limits.memory))
                write_message(self._process.stdin, message)  # type: ignore[arg-type]
                return self._next() == BEGUN
        return False

    def outcome(self, unit: Unit, limits: Limits) -> Outcome:
        """Wait for what comes of the unit that was begun; end a process that takes too long."""
        deadline = None if limits.timeout is None else time.monotonic() + limits.timeout
        try:
            message = self._next(deadline)
        except TimeoutError:
            self.end()
            return Outcome(unit, "timeout", error=f"took longer than {limits.timeout:g} seconds")
        if message is not None:
            found: Outcome = pickle.loads(message)
            return found
        limit = "" if limits.memory is None else f", with a limit of {limits.memory} of memory"
        return Outcome(unit, DIED, error=f"{self.how_it_ended()}{limit}")

    def how_it_ended(self) -> str:
        """The signal or exit code of a process that has ended, or is about to."""
        is_new = self._process.returncode is None
        # Its pipe may be closed a moment before.
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=END_SECONDS)
        if is_new:
            self._kill()
        self.end()
        code = self._process.wait()
        if code >= 0:
            return f"ended its process with exit code {code}"
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = "of no name"
        return f"killed by signal {-code} ({name})"

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self._process.poll() is not None

    def end(self) -> None:
        """End the process, and all that it has started, now."""
        # Once it is known to be gone, its number may be another's.
        if self._process.returncode is None:
            self._kill()
        self._process.wait()
        with suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]

    def _kill(self) -> None:
        if hasattr(os, "killpg"):
            # Its children may outlive it.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def __del__(self) -> None:
        # It may not have been started.
        if "_process" in vars(self) and not self.has_ended:
            self.end()


def _listen(stream: Any, messages: SimpleQueue[bytes | None]) -> None:
    """Pass on what a process sends, and then None."""
    with stream, suppress(OSError, ValueError):
        while (message := read_message(stream)) is not None:
            messages.put(message)
    messages.put(None)


class UnitProcesses:
    """A process for each thread that asks for one, kept from unit to unit."""

    def __init__(self) -> None:
        self._own = threading.local()
        self._lock = threading.Lock()
        self._started: list[UnitProcess] = []
        self._is_closed = False

    def run(self, task: Task, limits: Limits) -> Outcome:
        """Run a unit in the process of this thread.

        Parameters
        ----------
        task : Task
        limits : Limits

        Returns
        -------
        Outcome
            With the status "died" if the process ended.
        """
        failed = 0
        for _ in range(MAX_STARTS):
            process = self._process()
            if process.begin(task, limits):
                return process.outcome(task.unit, limits)
            how = process.how_it_ended()
            failed += "exit code" in how
            if failed == MAX_FAILED_STARTS:
                break
        raise OSError(f"A process to run units in cannot be started: {how}.")

    def _process(self) -> UnitProcess:
        process: UnitProcess | None = getattr(self._own, "process", None)
        if process is not None and not process.has_ended:
            return process
        with self._lock:
            if self._is_closed:
                raise OSError("Units are not run any more.")
            self._own.process = UnitProcess()
            self._started = [p for p in self._started if not p.has_ended] + [self._own.process]
        return self._own.process

    def close(self) -> None:
        """End all processes, whatever they do."""
        with self._lock:
            self._is_closed = True
            for process in self._started:
                process.end()


# Of a worker of another executor, such as Dask's.
PROCESSES = UnitProcesses()


def run_in_child(task: Task, limits: Limits) -> Outcome:
    """Run a unit in a child of this process, where threads can neither be timed nor killed."""
    return PROCESSES.run(task, limits)
