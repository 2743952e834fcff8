"""What one unit may take: seconds, which its parent counts, and memory, which the system counts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self

try:
    import resource
except ImportError:
    resource = None  # type: ignore[assignment]

from broadlearn.utils import parse_size

STATUS = Path("/proc/self/status")


class Limits(NamedTuple):
    """What one unit may take.

    Attributes
    ----------
    timeout : float or None
        Seconds.
    memory : str or None
        Such as "500MB" or "2GB", beyond what Python and the libraries take.
    """

    timeout: float | None = None
    memory: str | None = None

    def checked(self) -> Self:
        """The same, if they make sense on this system.

        Examples
        --------
        >>> from broadlearn.study.unit_limits import Limits
        >>> Limits(timeout=0.0).checked()
        Traceback (most recent call last):
            ...
        ValueError: timeout must be a number of seconds above 0, got 0.0.
        """
        if self.timeout is not None and not self.timeout > 0:
            raise ValueError(f"timeout must be a number of seconds above 0, got {self.timeout!r}.")
        if self.memory is not None:
            n_bytes(self.memory)
            if resource is None or _private_memory() is None:
                raise ValueError("memory must be None on this system, which has no such limit.")
        return self


def n_bytes(memory: str) -> int:
    """The bytes of a size.

    Examples
    --------
    >>> from broadlearn.study.unit_limits import n_bytes
    >>> n_bytes("1.5 GB"), n_bytes("500MB")
    (1500000000, 500000000)
    """
    try:
        return parse_size(memory)
    except ValueError:
        raise ValueError(f"memory must be a size such as 500MB or 2GB, got {memory!r}.") from None


@contextmanager
def limited_memory(memory: str | None) -> Iterator[None]:
    """Let this process take no more than so much memory beyond what it has; `MemoryError` says so.

    Only what it has for itself counts: files that are mapped into memory do not.
    """
    taken = None if memory is None else _private_memory()
    if memory is None or taken is None:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = taken + n_bytes(memory)
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _private_memory() -> int | None:
    """Bytes of this process that the limit counts, or None where there is none to be had."""
    try:
        lines = STATUS.read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData:")), None)
