"""The process that runs units: it takes one at a time from its parent, and ends with it.

Messages are pickles behind their length, on what the process got as standard input and output.
Models may print: that goes to standard error.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import threading
import traceback
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, BinaryIO, NamedTuple

from joblib.externals.loky.backend.reduction import dumps
from threadpoolctl import threadpool_limits

from broadlearn.study.datasets import Dataset
from broadlearn.study.plan import Unit
from broadlearn.study.protocols import run_unit
from broadlearn.study.search_spaces import ModelSpec
from broadlearn.study.unit_limits import limited_memory
from broadlearn.study.unit_result import UnitResult

LENGTH = struct.Struct(">Q")
READY, BEGUN = b"ready", b"begun"


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


def attempt(unit: Unit, data: Dataset, spec: ModelSpec, memory: str | None = None) -> Outcome:
    """Run one unit; what goes wrong becomes its outcome."""
    try:
        with limited_memory(memory), threadpool_limits(1):
            return Outcome(unit, "done", run_unit(unit, data, spec))
    except KeyboardInterrupt:
        return Outcome(unit, "interrupted", error="interrupted")
    except Exception as error:
        # The place is in the text, without addresses or paths that differ between machines.
        frame = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {error} [in {frame.name}]"
        if memory is not None and isinstance(error, MemoryError):
            text = f"took more than {memory} of memory: {text}"
        return Outcome(unit, "failed", error=text)


def serve() -> None:
    """Run what the parent sends until it sends no more; in a process of its own."""
    received, sent = _take_pipes()
    tasks: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(received, tasks), daemon=True).start()
    with suppress(BrokenPipeError):
        write_message(sent, READY)
        while True:
            message = tasks.get()
            write_message(sent, BEGUN)
            answer = bytes(dumps(_answer(message)))
            write_message(sent, answer)
    # The parent is gone; there is nobody to tell.
    os._exit(1)


def _answer(message: bytes) -> Outcome:
    unit, needed, memory = pickle.loads(message)
    try:
        data, spec = pickle.loads(needed)
    except Exception as error:
        # As where the module of a model is not to be found here.
        return Outcome(unit, "failed", error=f"{type(error).__name__}: {error}")
    return attempt(unit, data, spec, memory)


def write_message(stream: BinaryIO, message: bytes) -> None:
    """Send one message."""
    stream.write(LENGTH.pack(len(message)) + message)
    stream.flush()


def read_message(stream: BinaryIO) -> bytes | None:
    """The next message, or None where the other side has ended."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    message = stream.read(length)
    return message if len(message) == length else None


def _take_pipes() -> tuple[Any, Any]:
    """What was standard input and output, which are nothing and standard error from now on."""
    received, sent = (os.fdopen(os.dup(n), mode) for n, mode in ((0, "rb"), (1, "wb")))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return received, sent


def _listen(received: BinaryIO, tasks: SimpleQueue[bytes]) -> None:
    """Pass on what the parent sends, even while a unit runs: so its end is noticed at once."""
    while (message := read_message(received)) is not None:
        tasks.put(message)
    if hasattr(os, "killpg"):
        # With all that the unit has started.
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(0)
