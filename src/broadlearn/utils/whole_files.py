"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from broadlearn.utils.files import encoded

STANDARD_OUTPUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


@contextmanager
def whole_file(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary file that replaces `path` if the block ends without an error.

    The content is written to a hidden file in the same directory and then renamed, so that readers
    and other writers of the path see the old or the new file, never a part. Links are followed, and
    a replaced file keeps its mode. Devices, pipes and standard output are written to at the end. A
    killed process may leave a hidden file ``.broadlearn-*.part`` behind. An OSError names `path`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder, "a.txt")) as file:
    ...         _ = file.write(b"all of it")
    ...     Path(folder, "a.txt").read_text()
    'all of it'
    """
    if is_special(path):
        content = BytesIO()
        yield content
        _write_through(path, content.getvalue())
        return
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    part = target.with_name(f".broadlearn-{secrets.token_hex(16)}.part")
    try:
        with open(os.open(part, NEW_FILE, 0o666 if mode is None else 0o600), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            part.chmod(mode)
        part.replace(target)
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(part)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: str | PathLike[str], content: str | Iterable[bytes]) -> None:
    """Write a text as UTF-8, or bytes, by `whole_file`."""
    with whole_file(path) as file:
        file.writelines([encoded(content)] if isinstance(content, str) else content)


def is_special(path: str | PathLike[str]) -> bool:
    """Return whether a path is a device, a pipe, a socket or standard output.

    Examples
    --------
    >>> import os
    >>> is_special(os.devnull), is_special(os.curdir), is_special("not-there.txt")
    (True, False, False)
    """
    if os.fspath(path) in STANDARD_OUTPUT:
        return True
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return os.path.normcase(path) == os.path.normcase(os.devnull)
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _write_through(path: str | PathLike[str], content: bytes) -> None:
    """Write to a device or pipe. A buffered file repeats short writes, which raw ones report."""
    try:
        if os.fspath(path) in STANDARD_OUTPUT:
            sys.stdout.flush()
            descriptor = os.dup(1)
        else:
            descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0))
        with open(descriptor, "wb") as file:
            file.write(content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
