"""Ctrl-C at any time: one line, exit code 130, nothing half-written."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, SimpleNamespace

INTERRUPTED = 130
IMPORT_MACHINERY = "<frozen importlib._bootstrap>"
# Removes a bar from a terminal, and shows the cursor that it hid.
REMOVE_BAR = b"\r\x1b[2K\x1b[?25h"

state = SimpleNamespace(at_work=False)


@contextmanager
def interrupts_handled() -> Iterator[None]:
    """Let `interrupt` decide what Ctrl-C does; afterwards it does nothing, as all is done."""
    # A parent may have set it to be ignored.
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def at_work() -> Iterator[None]:
    """While a command works, an interrupt is an exception, so that the command can tidy up."""
    before, state.at_work = state.at_work, True
    try:
        yield
    finally:
        state.at_work = before


def interrupt(number: int, frame: FrameType | None) -> None:
    """Raise `KeyboardInterrupt` where there may be something to tidy up, or end the process.

    In an import there is nothing but processes, and some libraries would swallow the exception or
    wrap it into another.
    """
    if state.at_work and (not is_importing(frame) or _has_processes()):
        raise KeyboardInterrupt
    leave_now()


def is_importing(frame: FrameType | None) -> bool:
    """Whether a frame is part of an import."""
    while frame is not None and frame.f_code.co_filename != IMPORT_MACHINERY:
        frame = frame.f_back
    return frame is not None


def _has_processes() -> bool:
    processes = sys.modules.get("multiprocessing.process")
    return processes is not None and bool(processes.active_children())


def leave_now() -> None:
    """End the process at once, with one line."""
    os.write(2, (REMOVE_BAR if os.isatty(2) else b"") + b"Interrupted.\n")
    os._exit(INTERRUPTED)
