"""Free memory, and sizes as people write them."""

from __future__ import annotations

import re

import psutil

_UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?) ?([kmgt]?)(i?)b?")


class TooLargeError(ValueError):
    """Something needs more memory than it may take."""


def free_memory() -> int:
    """Return the bytes of memory that are available on this machine."""
    return int(psutil.virtual_memory().available)


def parse_size(size: str | int) -> int:
    """Return the bytes of a size such as "2GB", "500 MB" or "1.5GiB".

    Examples
    --------
    >>> parse_size("2GB"), parse_size("1.5 MiB"), parse_size(4096)
    (2000000000, 1572864, 4096)
    """
    found = _SIZE.fullmatch(str(size).strip().lower())
    n_bytes = 0
    if found is not None:
        n_bytes = int(float(found[1]) * (1024 if found[3] else 1000) ** _UNITS[found[2]])
    if n_bytes < 1:
        raise ValueError(f"max_memory must be a size such as 500MB or 2GB, got {size!r}.")
    return n_bytes


def size_text(n_bytes: float) -> str:
    """Return a size as people write it.

    Examples
    --------
    >>> size_text(4_312_000_000), size_text(999), size_text(20_000)
    ('4.31 GB', '1 kB', '20 kB')
    """
    if n_bytes > 10**15:
        return "over 1000 TB"
    for unit, power in (("TB", 12), ("GB", 9), ("MB", 6)):
        if n_bytes >= 10**power:
            return f"{n_bytes / 10**power:.3g} {unit}"
    return f"{max(1, round(n_bytes / 1000))} kB"
