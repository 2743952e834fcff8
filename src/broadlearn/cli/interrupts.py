"""Ctrl-C and SIGTERM: one line, exit code 130 or 143, nothing half-written."""

from __future__ import annotations

import signal
from types import FrameType

# 128 and the number of the signal, as a shell has it.
INTERRUPTED, TERMINATED = 128 + signal.SIGINT, 128 + signal.SIGTERM


class Terminated(KeyboardInterrupt):
    """SIGTERM asks the process to end; what tidies up after Ctrl-C does so here too."""


def terminate(number: int, frame: FrameType | None) -> None:
    """Raise an exception on SIGTERM."""
    raise Terminated


def handle_termination() -> None:
    """Let SIGTERM raise `Terminated`, unless the parent process has set it to be ignored."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, terminate)
