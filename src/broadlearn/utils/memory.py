"""How much memory there is, sizes as people write them, and refusals of what would not fit."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

# Where a system does not tell what is free.
UNKNOWN_FREE = 8 * 10**9
# Share of what is free that a table may take by default.
SHARE = 0.5
_UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?) ?([kmgt]?)(i?)b?")
# Systems write "no limit" as a number near 2**63.
_NO_LIMIT = 1 << 60


class TooLargeError(ValueError):
    """What a file holds is more than may be read."""


def parse_size(size: str | int) -> int:
    """Bytes of a size such as "2GB", "500 MB" or "1.5GiB".

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
    """A size as people write it.

    Examples
    --------
    >>> size_text(4_312_000_000), size_text(999), size_text(20_000)
    ('4.31 GB', '1 kB', '20 kB')
    """
    for unit, power in (("TB", 12), ("GB", 9), ("MB", 6)):
        if n_bytes >= 10**power:
            return f"{n_bytes / 10**power:.3g} {unit}" if n_bytes < 10**15 else "over 1000 TB"
    return f"{max(1, round(n_bytes / 1000))} kB"


def memory_limit(max_memory: str | int | None = None) -> int:
    """Bytes that a table may take: what a user says, or half of what is free."""
    return int(SHARE * free_memory()) if max_memory is None else parse_size(max_memory)


def check_memory(what: object, needed: float, max_memory: str | int | None = None) -> None:
    """Refuse what needs more memory than there is for it.

    Parameters
    ----------
    what : object
        The file, as a sentence names it.
    needed : float
        Bytes.
    max_memory : str or int, default=None
        The limit that a user gave; None for half of what is free.

    Examples
    --------
    >>> check_memory("a.csv", 5e6, "1GB")
    >>> check_memory("a.csv", 5e9, "1GB")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    broadlearn.utils.memory.TooLargeError: a.csv needs about 5 GB of memory, and may have 1 GB; ...
    """
    limit = memory_limit(max_memory)
    if needed > limit:
        half = "" if max_memory is not None else ", half of what is free"
        raise TooLargeError(
            f"{what} needs about {size_text(needed)} of memory, and may have {size_text(limit)}"
            f"{half}; if the file is what it should be, raise --max-memory (max_memory)."
        )


def free_memory() -> int:
    """Bytes that this process could still take: of the machine, its container and its own limit."""
    found = [*_of_machine(), *_of_container(), *_of_process()]
    return max(0, min(found)) if found else UNKNOWN_FREE


def _of_machine() -> Iterator[int]:
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) * 1024
            return
    for name in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"):
        try:
            yield os.sysconf(name) * os.sysconf("SC_PAGE_SIZE")
            return
        except (AttributeError, OSError, ValueError):
            continue


def _of_container(root: str = "/sys/fs/cgroup", own: str = "/proc/self/cgroup") -> Iterator[int]:
    """What is left of the limits of control groups, of this process's and of those around it."""
    for line in _lines(own):
        number, _, rest = line.partition(":")
        kinds, _, place = rest.partition(":")
        if number == "0" and not kinds:
            base, names = Path(root), ("memory.max", "memory.current", "inactive_file")
        elif "memory" in kinds.split(","):
            base = Path(root, "memory")
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        folder = base / place.strip("/")
        for group in (folder, *folder.parents):
            limit, used = (_number(group / name) for name in names[:2])
            if limit is not None and limit < _NO_LIMIT and used is not None:
                # Pages of files are given back when they are needed.
                files = [
                    line.split()[1]
                    for line in _lines(group / "memory.stat")
                    if line.split()[:1] == [names[2]]
                ]
                yield limit - used + sum(map(int, files[:1]))
            if group == base:
                break


def _of_process() -> Iterator[int]:
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    except (ImportError, AttributeError, OSError, ValueError):
        return
    if limit == resource.RLIM_INFINITY or limit >= _NO_LIMIT:
        return
    pages = [line.split()[0] for line in _lines("/proc/self/statm")]
    yield limit - (int(pages[0]) * resource.getpagesize() if pages else 0)


def _number(path: Path) -> int | None:
    text = "".join(_lines(path)).strip()
    return int(text) if text.isdecimal() else None


def _lines(path: str | Path) -> list[str]:
    """Lines of a small file of the system; none where it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
