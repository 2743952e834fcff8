"""Ctrl-C or SIGTERM at any time: one line, exit code 130 or 143, nothing half-written."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, SimpleNamespace

# 128 and the number of the signal, as a shell has it.
INTERRUPTED, TERMINATED = 130, 143
IMPORT_MACHINERY = "<frozen importlib._bootstrap>"
# Removes a bar from a terminal, and shows the cursor that it hid.
REMOVE_BAR = b"\r\x1b[2K\x1b[?25h"

state = SimpleNamespace(at_work=False)


class Terminated(KeyboardInterrupt):
    """The process is asked to end by SIGTERM; who tidies up after an interrupt does so here too."""


@contextmanager
def interrupts_handled() -> Iterator[None]:
    """Let `interrupt` decide what signals do; afterwards Ctrl-C does nothing, as all is done."""
    # A parent may have set them to be ignored.
    handled = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    ours = [number for number in handled if signal.getsignal(number) is handled[number]]
    for number in ours:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)


@contextmanager
def at_work() -> Iterator[None]:
    """While a command works, an interrupt is an exception, so that the command can tidy up."""
    before, state.at_work = state.at_work, True
    try:
        yield
    finally:
        state.at_work = before


def interrupt(number: int, frame: FrameType | None) -> None:
    """Raise an exception where there may be something to tidy up, or end the process.

    In an import there is nothing but processes, and some libraries would swallow the exception or
    wrap it into another.
    """
    if state.at_work and (not is_importing(frame) or _has_processes()):
        raise Terminated if number == signal.SIGTERM else KeyboardInterrupt
    leave_now(number)


def is_importing(frame: FrameType | None) -> bool:
    """Whether a frame is part of an import."""
    while frame is not None and frame.f_code.co_filename != IMPORT_MACHINERY:
        frame = frame.f_back
    return frame is not None


def _has_processes() -> bool:
    processes = sys.modules.get("multiprocessing.process")
    return processes is not None and bool(processes.active_children())


def leave_now(number: int) -> None:
    """End the process at once, with one line."""
    line = b"Terminated.\n" if number == signal.SIGTERM else b"Interrupted.\n"
    os.write(2, (REMOVE_BAR if os.isatty(2) else b"") + line)
    os._exit(TERMINATED if number == signal.SIGTERM else INTERRUPTED)
