"""Download data sets of the public collection into the cache, checked value by value.

The collection has no published checksums, so those of its files are not known. What is checked is
what they hold: rows, columns, class counts, and a SHA-256 of all values against that of the files
with which this study was made. A copy that passes is the same table, wherever it came from.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import re
import tarfile
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from broadlearn.study.dataset_registry import (
    DatasetInfo,
    difference,
    features_and_labels,
    registry,
)
from broadlearn.utils import write_whole

try:
    import fcntl
except ImportError:  # Windows.
    fcntl = None  # type: ignore[assignment]

# Name of the file, bytes so far, total bytes (None if the server does not say).
Progress = Callable[[str, int, int | None], None]

ATTEMPTS = 3
TIMEOUT_SECONDS = 30.0
BLOCK = 1 << 16
# More than any member of the collection that is read; a guard against hostile archives.
MAX_MEMBER_BYTES = 1 << 26
# The archive has 195 MB.
MAX_ARCHIVE_BYTES = 300_000_000
# Of a data set, per value and label that the registry knows of it, with room for row numbers.
MAX_VALUE_BYTES, MIN_FILE_BYTES = 40, 100_000
# Partial downloads, and how long they are kept to be gone on with.
PART_NAME = re.compile(r"[0-9a-f]{16}\.part")
KEPT_SECONDS = 7 * 86_400.0
# Tests have a server of their own, without certificates.
SCHEMES = ("https",)


@dataclass(frozen=True)
class Mirror:
    """A folder of the collection's files, or the collection as one archive."""

    url: str
    archive: bool = False


_ARCHIVE = "persoal.citius.usc.es/manuel.fernandez.delgado/papers/jmlr/data.tar.gz"
# The folder is a copy pinned to one commit: some kilobytes per data set, where the archive is
# 195 MB.
MIRRORS = (
    Mirror(
        "https://raw.githubusercontent.com/CameronDiao/GLVQ-For-Classification-In-Randomized-NN-And-"
        "HDC/dec0fe3169b95a7dc8e224cf1aabcb6be914fc96/data/"
    ),
    Mirror(f"https://{_ARCHIVE}", archive=True),
)


def fetch(
    infos: Iterable[DatasetInfo],
    folder: Path,
    *,
    mirrors: Sequence[Mirror] = MIRRORS,
    progress: Progress | None = None,
) -> None:
    """Write the CSV files of some data sets into a folder.

    Mirrors are asked in turn for what is still missing. An archive gives all data sets that the
    folder lacks, not only those asked for. An interrupted download resumes where it
    stopped, even in another process, within a week. A file appears in the folder only when
    complete and checked.
    """
    missing = {info.name: info for info in infos}
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    reasons: list[str] = []
    for mirror in mirrors:
        if not missing:
            return
        try:
            for info, texts in _offers(mirror, missing, folder, reasons, progress):
                if problem := _keep(info, texts, folder):
                    reasons.append(f"{info.name} from {_host(mirror.url)} has {problem}")
                else:
                    missing.pop(info.name, None)
        except (OSError, http.client.HTTPException) as error:
            reasons.append(f"{_host(mirror.url)}: {getattr(error, 'reason', error)}")
    if missing:
        raise OSError(
            f"Could not download {', '.join(missing)}: set BROADLEARN_DATA to a folder that has the"
            " CSV files, or run `broadlearn datasets fetch` on a machine with a network and copy"
            f" its files into {folder} (tried {'; '.join(reasons)})."
        )


def _offers(
    mirror: Mirror,
    missing: dict[str, DatasetInfo],
    folder: Path,
    reasons: list[str],
    progress: Progress | None,
) -> Iterator[tuple[DatasetInfo, list[str]]]:
    """Data sets that a mirror has, with the texts of their files."""
    if mirror.archive:
        with _part(mirror.url, folder) as part:
            download(mirror.url, part, progress, MAX_ARCHIVE_BYTES)
            absent = [
                info
                for info in registry().values()
                if info.files
                and info.name not in missing
                and not (folder / info.file_name).exists()
            ]
            infos = [*missing.values(), *absent]
            try:
                members = _members(part, {file for info in infos for file in info.files})
            finally:
                part.unlink(missing_ok=True)
        for info in infos:
            if all(file in members for file in info.files):
                yield info, [members[file] for file in info.files]
            else:
                reasons.append(f"{_host(mirror.url)} has no {info.name}")
        return
    for info in list(missing.values()):
        texts = []
        try:
            for file in info.files:
                with _part(mirror.url + file, folder) as part:
                    download(mirror.url + file, part, progress, _largest(info))
                    texts.append(part.read_text(encoding="utf-8", errors="replace"))
                    part.unlink(missing_ok=True)
        except urllib.error.HTTPError as error:
            reasons.append(f"{info.name} from {_host(mirror.url)}: {error}")
        else:
            yield info, texts


def _largest(info: DatasetInfo) -> int:
    """Bytes that a file of a data set may have, by what the registry knows of it."""
    return max(MIN_FILE_BYTES, MAX_VALUE_BYTES * info.n_rows * (info.n_columns + 2))


def _host(url: str) -> str:
    """Scheme and host of a URL, for messages."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}"


@contextmanager
def _part(url: str, folder: Path) -> Iterator[Path]:
    """Where the partial download of a URL is kept, for one process at a time.

    What is there at the end stays for a later call to go on with, unless it is empty.
    """
    part = folder / f"{hashlib.sha256(url.encode()).hexdigest()[:16]}.part"
    if part.is_symlink():
        part.unlink()
    while True:
        file = part.open("ab")
        if fcntl is None:
            # Windows removes no open file.
            file.close()
            break
        # Not all file systems have locks.
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        # Another process may have done with it, and removed it, meanwhile.
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), part.stat()):
                break
        file.close()
    try:
        yield part
    finally:
        # Before the lock goes: afterwards the file may be another's.
        with suppress(FileNotFoundError):
            if not part.stat().st_size:
                part.unlink()
        file.close()


def _sweep(folder: Path) -> None:
    """Remove partial downloads that nobody has gone on with for long."""
    for part in folder.glob("*.part"):
        # Another process may remove it first.
        with suppress(FileNotFoundError):
            age = time.time() - part.lstat().st_mtime
            if PART_NAME.fullmatch(part.name) and age > KEPT_SECONDS:
                part.unlink()


def download(
    url: str, part: Path, progress: Progress | None = None, at_most: int = MAX_ARCHIVE_BYTES
) -> None:
    """Download a file of at most so many bytes to `part`, resuming from what is already there.

    Only by HTTPS, wherever the server sends us.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _receive(url, part, progress, at_most)
            return
        except (urllib.error.HTTPError, _RefusedError):
            raise
        except (OSError, http.client.HTTPException):
            if attempt == ATTEMPTS:
                raise


class _RefusedError(OSError):
    """What a server sends is not taken, and asking again would not help."""


class _SecureRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: str
    ) -> Any:
        _check_scheme(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _check_scheme(url: str) -> None:
    if url.partition("://")[0].lower() not in SCHEMES:
        raise _RefusedError(f"{_host(url)} is not https, the only way in which files are taken")


def _receive(url: str, part: Path, progress: Progress | None, at_most: int) -> None:
    """Append what is missing, in one request."""
    _check_scheme(url)
    done = part.stat().st_size if part.exists() else 0
    headers = {"User-Agent": "broadlearn"} | ({"Range": f"bytes={done}-"} if done else {})
    try:
        request = urllib.request.Request(url, headers=headers)
        opener = urllib.request.build_opener(_SecureRedirects)
        response = opener.open(request, timeout=TIMEOUT_SECONDS)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code != 416:
            raise
        if error.headers.get("Content-Range") == f"bytes */{done}":
            return
        part.write_bytes(b"")
        raise ConnectionError("what had come before does not fit the file") from error
    with response:
        if response.status != 206:
            done = 0
        elif not re.match(rf"bytes {done}-", response.headers.get("Content-Range", "")):
            part.write_bytes(b"")
            raise ConnectionError("the server sent another part than was asked for")
        length = response.headers.get("Content-Length")
        total = None if length is None else done + int(length)
        if total is not None and total > at_most:
            part.unlink(missing_ok=True)
            raise _RefusedError(
                f"the file has {total:,} bytes, where at most {at_most:,} are known"
            )
        with part.open("ab" if done else "wb") as file:
            while block := response.read(BLOCK):
                done += len(block)
                if done > at_most:
                    break
                file.write(block)
                if progress is not None:
                    progress(url.rsplit("/", 1)[-1], done, total)
    if done > at_most:
        part.unlink(missing_ok=True)
        raise _RefusedError(f"the file has more than the {at_most:,} bytes that are known of it")
    if total is not None and done < total:
        raise ConnectionError(f"the connection was cut after {done} of {total} bytes")


def _members(archive: Path, wanted: set[str]) -> dict[str, str]:
    """Texts of some members, read one by one and never extracted to disk."""
    texts = {}
    try:
        with tarfile.open(archive, "r:gz") as tar:
            for member in tar:
                name = "/".join(PurePosixPath(member.name).parts[-2:])
                if name in wanted and member.isfile() and member.size <= MAX_MEMBER_BYTES:
                    file = tar.extractfile(member)
                    texts[name] = file.read().decode(errors="replace") if file else ""
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise OSError(f"the archive is damaged ({error})") from error
    return texts


def _keep(info: DatasetInfo, texts: Sequence[str], folder: Path) -> str:
    """Write a data set as CSV if it is the right one; else say what is wrong."""
    # Without the line of names and the row numbers.
    lines = [line for text in texts for line in text.splitlines()[1:]]
    rows = [line.split()[1:] for line in lines if line.strip()]
    try:
        table = np.array(rows, dtype=np.float64).reshape(len(rows), -1)
        problem = difference(info, *features_and_labels(table))
    except ValueError:
        problem = "lines that are not rows of numbers"
    if problem:
        return problem
    header = [*(f"f{j + 1}" for j in range(info.n_columns)), "target"]
    lines = [",".join(fields) + "\n" for fields in [header, *rows]]
    write_whole(folder / info.file_name, "".join(lines))
    return ""
