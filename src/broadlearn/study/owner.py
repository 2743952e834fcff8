"""Which process holds a unit, and whether it is still there."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Self

UNKNOWN = "-"


@dataclass(frozen=True)
class Owner:
    """A process, distinguished from a later one with the same process ID.

    Attributes
    ----------
    pid : int
    start : str
        When it started, in ticks of a named boot of the machine; "-" where the system does not say.
    host : str
    """

    pid: int
    start: str
    host: str

    @classmethod
    def this_process(cls) -> Self:
        """The calling process."""
        pid = os.getpid()
        return cls(pid, _start_of(pid), socket.gethostname())

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what ``str`` wrote."""
        pid, start, host = text.split(" ", 2)
        return cls(int(pid), start, host)

    def __str__(self) -> str:
        return f"{self.pid} {self.start} {self.host}"

    def is_alive(self) -> bool | None:
        """Whether the process is running; None where this cannot be known from here."""
        # On Windows, signal 0 would be a Ctrl-C.
        if self.host != socket.gethostname() or os.name == "nt":
            return None
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        start = _start_of(self.pid)
        return None if UNKNOWN in (start, self.start) else start == self.start


def _start_of(pid: int) -> str:
    """When a process started; "ended" if it is a zombie."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        # The name, in brackets, may itself hold brackets and spaces.
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return UNKNOWN
    return "ended" if state in "ZX" else f"{boot}/{fields[18]}"
