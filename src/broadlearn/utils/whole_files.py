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
        sys.stdout.flush()
        with named_errors(path), open(path, "ab") as file:
            file.write(content.getvalue())
        return
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    part = target.with_name(f".broadlearn-{secrets.token_hex(16)}.part")
    try:
        with named_errors(path, part):
            with open(os.open(part, NEW_FILE, 0o666 if mode is None else 0o600), "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if mode is not None:
                part.chmod(mode)
            part.replace(target)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def named_errors(path: str | PathLike[str], part: Path | None = None) -> Iterator[None]:
    """Let an OSError of no file, or of the hidden part, name `path`."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(part)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


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
    there = Path(path)
    plain = there.is_file() or there.is_dir()
    return os.fspath(path) in STANDARD_OUTPUT or (there.exists() and not plain)
