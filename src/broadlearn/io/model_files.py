"""Models as files: no pickle, and nothing is read into memory that the header does not account for.

A file is a magic, the length and the SHA-256 of a header, the header as JSON, and the payload: the
tree of the model's state as compressed JSON, then its arrays, one after the other. The header says
how large each is, and the SHA-256 of the payload.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from broadlearn.io.errors import reason
from broadlearn.io.model_checks import check_model
from broadlearn.io.model_probe import use_once
from broadlearn.io.model_state import rebuild, take_apart, without_record
from broadlearn.utils import write_whole
from broadlearn.utils.sklearn_compat import BaseSearchCV

MAGIC = b"\x89BLM\r\n\x1a\n"
FORMAT = 2
# Magic, length of the header, SHA-256 of the header.
PREAMBLE = struct.Struct("<8sI32s")
# More than models have, unless they tell some 40,000 levels of text apart; a hostile file of these
# sizes is refused within 300 MB of memory. Marks are the brackets and commas of the tree.
MAX_HEADER_BYTES = 1 << 20
MAX_ARRAYS = 1 << 14
MAX_TREE_BYTES = 1 << 23
MAX_MARKS = 300_000
LIBRARIES = ("broadlearn", "numpy", "scipy", "scikit-learn", "skops")
# Booleans, integers, floats and text, of a known size.
_DTYPE = re.compile(r"[<>|][biufUS][1-9]\d{0,8}")


def save(model: BaseEstimator, path: str | os.PathLike[str], *, target: str | None = None) -> None:
    """Write a model to a file, whole or not at all.

    Parameters
    ----------
    model : estimator
        Any of this library but a search, of which ``best_estimator_`` can be saved, or a pipeline
        of one with scikit-learn's own preparation. The same model gives the same bytes. The record
        of an ensemble's search, ``cv_results_``, and callbacks are left out.
    path : str or path
        A file that exists is replaced.
    target : str, default=None
        Name of the column that the model predicts, for `read_header`, by which ``broadlearn
        evaluate`` finds it.

    Raises
    ------
    ValueError
        Where the model holds something that is not on the fixed list of types, such as a function
        of the user's.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier, load, save
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BLSClassifier(random_state=0).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     save(model, Path(folder, "iris.blm"))
    ...     again = load(Path(folder, "iris.blm"))
    >>> bool((again.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    write_whole(path, model_parts(model, target))


def model_parts(model: BaseEstimator, target: str | None = None) -> list[bytes]:
    """The content of the file that `save` writes, in parts."""
    kind = type(model).__name__
    if isinstance(model, BaseSearchCV):
        raise ValueError(f"A {kind} cannot be saved; save its best_estimator_ instead.")
    if not isinstance(model, BaseEstimator):
        raise ValueError(f"model must be an estimator that can be saved, got {kind}.")
    try:
        text, arrays = take_apart(model)
        declarations = [_declare(array) for array in arrays]
        bare = without_record(model)
        check_model(bare)
        use_once(bare)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"This {kind} cannot be saved: {reason(error)}.") from error
    parts = [zlib.compress(text, 9), *(array.tobytes(order="A") for array in arrays)]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    header = {
        "format": FORMAT,
        "model": kind,
        "versions": library_versions(),
        **({} if target is None else {"target": str(target)}),
        "tree": {"bytes": len(text), "compressed": len(parts[0])},
        "arrays": declarations,
        "payload": {"bytes": sum(map(len, parts)), "sha256": digest.hexdigest()},
    }
    head = json.dumps(header, separators=(",", ":")).encode()
    if _is_large(text) or len(arrays) > MAX_ARRAYS or len(head) > MAX_HEADER_BYTES:
        raise ValueError(
            f"This {kind} cannot be saved: its state has too many parts, such as levels of text or "
            "names of columns."
        )
    preamble = PREAMBLE.pack(MAGIC, len(head), hashlib.sha256(head).digest())
    return [preamble, head, *parts]


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote; an example is there.

    Nothing in the file is run, and only types on a fixed list are made. Sizes are checked before
    anything is read, checksums before anything is made.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    estimator
        It predicts what the saved one does, to the last bit with the same libraries.

    Raises
    ------
    ValueError
        Where the file is damaged, of another format, or not a model file.
    """
    path = Path(path)
    with _opened(path) as (file, header):
        start = file.tell()
        try:
            tree, compressed, total, declared = _sizes(header)
            digest = str(header["payload"]["sha256"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is damaged: its header makes no sense.") from error
        found = os.fstat(file.fileno()).st_size - start
        if found != total:
            which = "shorter" if found < total else "longer"
            raise ValueError(f"{path} is damaged: it is {which} than its header says.")
        if hashlib.file_digest(file, "sha256").hexdigest() != digest:
            raise ValueError(f"{path} is damaged: its content does not match its checksum.")
        file.seek(start)
        text = _expand(file.read(compressed), tree, path)
        contents = [(*array, file.read(n_bytes)) for *array, n_bytes in declared]
    try:
        arrays = [
            np.ndarray(shape, dtype, content, order=order)
            for dtype, shape, order, content in contents
        ]
        model = rebuild(text, arrays)
        check_model(model)
        use_once(model)
    # Whatever a hostile tree makes skops or a constructor raise.
    except Exception as error:
        raise ValueError(f"{path} cannot be loaded: {reason(error)}.") from error
    return model


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what a model file says of itself, without loading the model.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    dict
        ``format`` (of the file), ``model`` (name of its class), ``versions`` (of the libraries that
        wrote it), ``tree``, ``arrays`` and ``payload`` (sizes and checksum), and if it is known
        ``target`` (name of the column that the model predicts).
    """
    with _opened(Path(path)) as (_, header):
        if not _says_what_it_is(header):
            raise ValueError(f"{path} is damaged: its header makes no sense.")
        return header


@cache
def library_versions() -> dict[str, str]:
    """Versions of the libraries that a model depends on."""
    return {name: version(name) for name in LIBRARIES}


def _declare(array: NDArray[Any]) -> list[Any]:
    """Type, shape and order of an array, for the header."""
    if not _DTYPE.fullmatch(array.dtype.str):
        raise ValueError(f"it holds an array of type {array.dtype}")
    return [array.dtype.str, list(array.shape), "C" if array.flags.c_contiguous else "F"]


def _sizes(header: dict[str, Any]) -> tuple[int, int, int, list[Any]]:
    """Bytes of the tree, packed and not, and of all; type, shape, order and bytes of each array."""
    tree, compressed = map(_count, (header["tree"]["bytes"], header["tree"]["compressed"]))
    total, arrays = _count(header["payload"]["bytes"]), []
    for name, lengths, order in header["arrays"]:
        shape = tuple(map(_count, lengths))
        if not _DTYPE.fullmatch(name) or order not in ("C", "F"):
            raise ValueError("unknown type of array")
        dtype = np.dtype(name)
        arrays.append((dtype, shape, order, math.prod(shape) * dtype.itemsize))
    if tree > MAX_TREE_BYTES or len(arrays) > MAX_ARRAYS:
        raise ValueError("more than a model has")
    if compressed + sum(array[-1] for array in arrays) != total:
        raise ValueError("sizes do not add up")
    return tree, compressed, total, arrays


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("not a size")
    return value


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BufferedReader, dict[str, Any]]]:
    """A file, read up to the end of its header, and that, if it is whole and of a known format."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, where a model file is expected.")
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    with path.open("rb") as file:
        preamble = file.read(PREAMBLE.size)
        if preamble[: len(MAGIC)] != MAGIC:
            raise ValueError(f"{path} is not a model file of broadlearn.")
        if len(preamble) < PREAMBLE.size:
            raise ValueError(f"{path} is damaged: it ends within its header.")
        _, n_bytes, digest = PREAMBLE.unpack(preamble)
        head = file.read(n_bytes) if n_bytes <= MAX_HEADER_BYTES else b""
        if hashlib.sha256(head).digest() != digest:
            raise ValueError(f"{path} is damaged: its header does not match its checksum.")
        try:
            header = dict(json.loads(head))
            form = _count(header["format"])
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"{path} is damaged: its header makes no sense.") from error
        if form != FORMAT:
            age = "newer" if form > FORMAT else "older"
            raise ValueError(
                f"{path} has format {form} of model files, {age} than format {FORMAT} that "
                f"broadlearn {version('broadlearn')} reads."
            )
        yield file, header


def _says_what_it_is(header: dict[str, Any]) -> bool:
    """Whether a header names a model, versions and, if anything, a target."""
    versions, target = header.get("versions"), header.get("target", "")
    return (
        isinstance(header.get("model"), str)
        and header["model"].isidentifier()
        and isinstance(versions, dict)
        and all(isinstance(number, str) and number.isprintable() for number in versions.values())
        and all(name.isprintable() for name in versions)
        and isinstance(target, str)
    )


def _expand(compressed: bytes, n_bytes: int, path: Path) -> bytes:
    """Decompressed text of exactly so many bytes."""
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(compressed, n_bytes + 1)
    except zlib.error as error:
        raise ValueError(f"{path} is damaged: {error}.") from error
    if len(text) != n_bytes or not stream.eof:
        raise ValueError(f"{path} is damaged: its tree is not as large as its header says.")
    if _is_large(text):
        raise ValueError(f"{path} cannot be loaded: its state has too many parts.")
    return text


def _is_large(tree: bytes) -> bool:
    """Whether a tree has more parts than can be read in bounded memory."""
    return len(tree) > MAX_TREE_BYTES or sum(map(tree.count, (b"{", b"[", b","))) > MAX_MARKS
