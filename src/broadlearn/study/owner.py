"""Which process holds a unit, and whether it is still there."""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Self

UNKNOWN = "-"
TOKEN_MARK = "#"
ENDED = "ended"


@dataclass(frozen=True)
class Owner:
    """A process, distinguished from all others by a random token.

    Attributes
    ----------
    pid : int
    start : str
        When it started: the boot of the machine, the space of process IDs and the ticks since;
        "-" where the system does not say.
    host : str
    token : str, default=""
        Of this process alone; there was none in earlier versions.
    """

    pid: int
    start: str
    host: str
    token: str = ""

    @classmethod
    def this_process(cls) -> Self:
        """The calling process."""
        pid = os.getpid()
        return cls(pid, _start_of(pid), socket.gethostname(), _token_of(pid))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what ``str`` wrote."""
        token = ""
        if text.startswith(TOKEN_MARK):
            token, _, text = text.removeprefix(TOKEN_MARK).partition(" ")
        pid, start, host = text.split(" ", 2)
        return cls(int(pid), start, host, token)

    def __str__(self) -> str:
        token = f"{TOKEN_MARK}{self.token} " if self.token else ""
        return f"{token}{self.pid} {self.start} {self.host}"

    def is_alive(self) -> bool | None:
        """Whether the process is running; None where this cannot be known from here.

        It cannot on another machine, even one of the same name, after another boot of this one, and
        in another container, where the same number is another process.
        """
        # On Windows, signal 0 would be a Ctrl-C.
        if self.host != socket.gethostname() or os.name == "nt":
            return None
        if self.start.count("/") == 2 and _place_of(self.start) != _place_of(_start_of("self")):
            return None
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        start = _start_of(self.pid)
        if UNKNOWN in (start, self.start):
            return None
        if self.start.count("/") == 1:
            # As earlier versions wrote it.
            boot, _, ticks = start.split("/") if start != ENDED else ("", "", "")
            start = f"{boot}/{ticks}"
        return start == self.start


@lru_cache
def _token_of(pid: int) -> str:
    """What is drawn once in a process; one that was forked has another number."""
    return secrets.token_hex(8)


def _place_of(start: str) -> str:
    """The boot and the space of process IDs, within which a number is one process."""
    return start.rpartition("/")[0]


def _start_of(pid: int | str) -> str:
    """When a process started; "ended" if it is a zombie."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        space = os.readlink("/proc/self/ns/pid").strip("pid:[]")
        # The name, in brackets, may itself hold brackets and spaces.
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return UNKNOWN
    return ENDED if state in "ZX" else f"{boot}/{space}/{fields[18]}"
