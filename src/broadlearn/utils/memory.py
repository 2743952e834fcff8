"""Free memory, and sizes as people write them."""

from __future__ import annotations

import psutil


class TooLargeError(ValueError):
    """Something needs more memory than it may take."""


def free_memory() -> int:
    """Return the bytes of memory that are available on this machine."""
    return int(psutil.virtual_memory().available)


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
