"""Files written whole or not at all, whoever else writes them and whenever this process ends.

What is new is written beside the file, under a name that nobody can guess, and put in its place in
one step. What is no regular file, such as a device or a pipe, is written through to.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

from broadlearn.utils.files import encoded

PART_NAME = re.compile(r"\.broadlearn-[0-9a-f]{32}\.part")
# A part that no lock can tell the fate of is another process's until then.
DAY_SECONDS = 86_400.0
NEW_FILE = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
MAX_LINKS = 40


def write_whole(path: str | PathLike[str], content: str | Iterable[bytes]) -> None:
    """Write a file whole or not at all.

    A link is followed. A file that is replaced keeps its mode, and its owner where the system lets
    it. Devices, pipes and standard output are written through to; what is already there stays.

    Parameters
    ----------
    path : str or path-like
    content : str or iterable of bytes
        A text is written as UTF-8.

    Raises
    ------
    OSError
        With the path, where it cannot be written. The file is as it was before.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "a.txt"), "all of it")
    ...     Path(folder, "a.txt").read_text()
    'all of it'
    """
    path = Path(path)
    parts = [encoded(content)] if isinstance(content, str) else content
    if is_special(path):
        # All of it is at hand before the first byte goes out.
        _write_through(path, list(parts))
        return
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    with suppress(OSError):
        sweep_parts(target.parent)
    with _naming(path, target.parent):
        _replace(target, parts)


def is_special(path: str | PathLike[str]) -> bool:
    """Whether a path is that of a device, a pipe, a socket or an open descriptor of this process.

    Examples
    --------
    >>> import os
    >>> is_special(os.devnull), is_special(os.curdir), is_special("not-there.txt")
    (True, False, False)
    """
    if _own_descriptor(path) is not None:
        return True
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        # On Windows, devices such as NUL are only known by name.
        return os.path.normcase(os.fspath(path)) == os.path.normcase(os.devnull)
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def sweep_parts(folder: Path) -> list[Path]:
    """Remove what processes that were killed while they wrote left in a folder.

    The writer of a part holds a lock on it, so that one whose lock is free is nobody's. Where there
    are no locks, a part is left alone for a day.

    Returns
    -------
    list of Path
        What was removed.
    """
    with os.scandir(folder) as entries:
        parts = [Path(entry.path) for entry in entries if PART_NAME.fullmatch(entry.name)]
    return [part for part in parts if _sweep(part)]


def _sweep(part: Path) -> bool:
    try:
        if fcntl is None:
            if time.time() - part.stat().st_mtime < DAY_SECONDS:
                return False
            part.unlink()
            return True
        descriptor = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                return False
            if not _lock(descriptor) and time.time() - found.st_mtime < DAY_SECONDS:
                return False
            part.unlink()
        finally:
            os.close(descriptor)
    except OSError:
        # Another's lock or file, or it has been removed meanwhile.
        return False
    return True


def _lock(descriptor: int) -> bool:
    """Take the lock of an open file, or raise if another has it; False where there are none."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True


def _replace(target: Path, parts: Iterable[bytes]) -> None:
    before = _stat(target)
    # Nobody else may look at it before it has the mode and owner of the one that it replaces.
    with _new_part(target.parent, 0o666 if before is None else 0o600) as (file, part):
        if before is not None:
            _take_over(file.fileno(), before)
        file.writelines(parts)
        file.flush()
        os.fsync(file.fileno())
        if fcntl is None:
            # Windows moves no open file; without locks there is nothing to hold on to.
            file.close()
        os.replace(part, target)
    if hasattr(os, "O_DIRECTORY"):
        # So that the new name survives a loss of power; not all file systems can.
        with suppress(OSError):
            descriptor = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


@contextmanager
def _new_part(folder: Path, mode: int) -> Iterator[tuple[BinaryIO, Path]]:
    """A new file of this process alone, which is gone at the end unless it was renamed."""
    while True:
        part = folder / f".broadlearn-{secrets.token_hex(16)}.part"
        try:
            with open(os.open(part, NEW_FILE, mode), "wb") as file:
                if fcntl is not None:
                    with suppress(OSError):
                        fcntl.flock(file, fcntl.LOCK_EX)
                # Another may have swept it away before it was locked.
                if not part.exists():
                    continue
                yield file, part
                return
        finally:
            part.unlink(missing_ok=True)


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _take_over(descriptor: int, before: os.stat_result) -> None:
    """Give a new file the mode and owner of the one that it is to replace."""
    if not hasattr(os, "fchown"):
        return
    mode = stat.S_IMODE(before.st_mode) & 0o777
    now = os.fstat(descriptor)
    if now.st_gid != before.st_gid:
        try:
            os.fchown(descriptor, -1, before.st_gid)
        except OSError:
            # What the group might do is not for another group.
            mode &= ~0o070 | (mode & 0o007) << 3
    if now.st_uid != before.st_uid:
        with suppress(OSError):
            os.fchown(descriptor, before.st_uid, -1)
    os.fchmod(descriptor, mode)


def _write_through(path: Path, parts: list[bytes]) -> None:
    own = _own_descriptor(path)
    if own is None and stat.S_ISSOCK(os.stat(path).st_mode):
        raise ValueError(f"{path} is a socket, to which no file can be written.")
    with _naming(path):
        if own is None:
            descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0))
        else:
            for stream in filter(None, (sys.stdout, sys.stderr)):
                stream.flush()
            descriptor = os.dup(own)
        with open(descriptor, "wb") as file:
            file.writelines(parts)


def _own_descriptor(path: str | PathLike[str]) -> int | None:
    """The descriptor of this process that a path such as /dev/stdout leads to, if it does.

    To open such a path anew would empty, or replace, a file that standard output is led to.
    """
    name = os.fspath(path)
    folders = {os.path.realpath(folder) for folder in ("/proc/self/fd", "/dev/fd")}
    for _ in range(MAX_LINKS):
        folder, last = os.path.split(name)
        folder = os.path.realpath(folder)
        if folder in folders and last.isdigit():
            return int(last)
        name = os.path.join(folder, last)
        if not os.path.islink(name):
            return None
        name = os.path.join(folder, os.readlink(name))
    return None


@contextmanager
def _naming(path: Path, folder: Path | None = None) -> Iterator[None]:
    """Let errors of the system name the path that was asked for, not that of a part."""
    try:
        yield
    except OSError as error:
        named = error.filename
        hidden = named is None or (folder is not None and Path(named).parent == folder)
        if error.errno is None or not hidden:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
