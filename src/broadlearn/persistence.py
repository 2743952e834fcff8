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
from importlib.metadata import version
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.model_selection._search import BaseSearchCV

import broadlearn
from broadlearn._files import write_whole
from broadlearn._model_state import rebuild, take_apart

MAGIC = b"\x89BLM\r\n\x1a\n"
FORMAT = 1
# Magic, length of the header, SHA-256 of the header.
PREAMBLE = struct.Struct("<8sI32s")
# More than models have, unless they tell some 40,000 levels of text apart; a hostile file of these
# sizes is refused within 300 MB of memory. Marks are the brackets and commas of the tree.
MOST_HEADER_BYTES = 1 << 20
MOST_ARRAYS = 1 << 14
MOST_TREE_BYTES = 1 << 23
MOST_MARKS = 300_000
LIBRARIES = ("numpy", "scipy", "scikit-learn", "skops")
# Booleans, integers, floats and text, of a known size.
_DTYPE = re.compile(r"[<>|][biufUS][1-9]\d{0,8}")


def save(model: BaseEstimator, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, whole or not at all.

    Parameters
    ----------
    model : estimator
        Any of this library but a search, of which ``best_estimator_`` can be saved, or a pipeline
        of one with scikit-learn's own preparation. The same model gives the same bytes.
    path : str or path
        A file that exists is replaced.

    Raises
    ------
    ValueError
        Where the model holds something that is not on the fixed list of types, such as a function
        of the user's.

    See Also
    --------
    load : Read the model back.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier
    >>> from broadlearn.persistence import load, save
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BLSClassifier(random_state=0).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     save(model, Path(folder, "iris.blm"))
    ...     again = load(Path(folder, "iris.blm"))
    >>> bool((again.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    kind, path = type(model).__name__, Path(path)
    if isinstance(model, BaseSearchCV):
        raise ValueError(f"A {kind} cannot be saved; save its best_estimator_ instead.")
    if not isinstance(model, BaseEstimator):
        raise ValueError(f"model must be an estimator that can be saved, got {kind}.")
    try:
        text, arrays = take_apart(model)
        declarations = [_declare(array) for array in arrays]
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"This {kind} cannot be saved: {_first_line(error)}.") from error
    parts = [zlib.compress(text, 9), *(array.tobytes(order="A") for array in arrays)]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    header = {
        "format": FORMAT,
        "model": kind,
        "versions": {
            "broadlearn": broadlearn.__version__,
            **{name: version(name) for name in LIBRARIES},
        },
        "tree": {"bytes": len(text), "compressed": len(parts[0])},
        "arrays": declarations,
        "payload": {"bytes": sum(map(len, parts)), "sha256": digest.hexdigest()},
    }
    head = json.dumps(header, separators=(",", ":")).encode()
    if _is_large(text, len(arrays)) or len(head) > MOST_HEADER_BYTES:
        raise ValueError(
            f"This {kind} cannot be saved: its state has too many parts, such as levels of text or "
            "names of columns."
        )
    write_whole(
        path, [PREAMBLE.pack(MAGIC, len(head), hashlib.sha256(head).digest()), head, *parts]
    )


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote.

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
        Where the file is damaged, of a newer format, or not a model file.

    See Also
    --------
    save : Write a model to a file; an example is there.
    """
    path = Path(path)
    with _open(path) as file:
        header = _read_header(file, path)
        start = file.tell()
        try:
            layout = _layout(header)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is damaged: its header makes no sense.") from error
        n_bytes = os.fstat(file.fileno()).st_size - start
        if n_bytes != layout.n_bytes:
            which = "shorter" if n_bytes < layout.n_bytes else "longer"
            raise ValueError(f"{path} is damaged: it is {which} than its header says.")
        if hashlib.file_digest(file, "sha256").hexdigest() != layout.digest:
            raise ValueError(f"{path} is damaged: its content does not match its checksum.")
        file.seek(start)
        text = _expand(file.read(layout.compressed_bytes), layout.tree_bytes, path)
        contents = [file.read(array[-1]) for array in layout.arrays]
    try:
        arrays = [
            np.ndarray(shape, dtype, content, order=order)
            for (dtype, shape, order, _), content in zip(layout.arrays, contents, strict=True)
        ]
        return rebuild(text, arrays)
    # Whatever a hostile tree makes skops or a constructor raise.
    except Exception as error:
        raise ValueError(f"{path} cannot be loaded: {_first_line(error)}.") from error


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what a model file says of itself, without loading the model.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    dict
        ``format`` (of the file), ``model`` (name of its class), ``versions`` (of the libraries that
        wrote it), ``tree``, ``arrays`` and ``payload`` (sizes and checksum).
    """
    path = Path(path)
    with _open(path) as file:
        return _read_header(file, path)


class _Layout(NamedTuple):
    """Sizes of the parts of a payload."""

    tree_bytes: int
    compressed_bytes: int
    arrays: list[tuple[np.dtype[Any], tuple[int, ...], Any, int]]
    n_bytes: int
    digest: str


def _declare(array: NDArray[Any]) -> list[Any]:
    """Type, shape and order of an array, for the header."""
    if not _DTYPE.fullmatch(array.dtype.str):
        raise ValueError(f"it holds an array of type {array.dtype}")
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    return [array.dtype.str, list(array.shape), "F" if fortran else "C"]


def _layout(header: dict[str, Any]) -> _Layout:
    """The sizes that a header declares, if they make sense and add up."""
    tree, compressed, total = (
        _count(header[part][name])
        for part, name in (("tree", "bytes"), ("tree", "compressed"), ("payload", "bytes"))
    )
    arrays = []
    for name, lengths, order in header["arrays"]:
        shape = tuple(map(_count, lengths))
        if not _DTYPE.fullmatch(name) or order not in ("C", "F"):
            raise ValueError("unknown type of array")
        dtype = np.dtype(name)
        arrays.append((dtype, shape, order, math.prod(shape) * dtype.itemsize))
    if tree > MOST_TREE_BYTES or len(arrays) > MOST_ARRAYS:
        raise ValueError("more than a model has")
    if compressed + sum(array[-1] for array in arrays) != total:
        raise ValueError("sizes do not add up")
    return _Layout(tree, compressed, arrays, total, str(header["payload"]["sha256"]))


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("not a size")
    return value


def _open(path: Path) -> BufferedReader:
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    return path.open("rb")


def _read_header(file: BufferedReader, path: Path) -> dict[str, Any]:
    """The header, if it is whole and of a known format."""
    preamble = file.read(PREAMBLE.size)
    if preamble[: len(MAGIC)] != MAGIC:
        raise ValueError(f"{path} is not a model file of broadlearn.")
    if len(preamble) < PREAMBLE.size:
        raise ValueError(f"{path} is damaged: it ends within its header.")
    _, n_bytes, digest = PREAMBLE.unpack(preamble)
    head = file.read(n_bytes) if n_bytes <= MOST_HEADER_BYTES else b""
    if hashlib.sha256(head).digest() != digest:
        raise ValueError(f"{path} is damaged: its header does not match its checksum.")
    try:
        header = json.loads(head)
        form = _count(header["format"])
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: its header makes no sense.") from error
    if form > FORMAT:
        raise ValueError(
            f"{path} has format {form} of model files, newer than format {FORMAT} that broadlearn "
            f"{broadlearn.__version__} reads."
        )
    return dict(header)


def _expand(compressed: bytes, n_bytes: int, path: Path) -> bytes:
    """Decompressed text of exactly so many bytes."""
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(compressed, n_bytes + 1)
    except zlib.error as error:
        raise ValueError(f"{path} is damaged: {error}.") from error
    if len(text) != n_bytes or not stream.eof:
        raise ValueError(f"{path} is damaged: its tree is not as large as its header says.")
    if _is_large(text, 0):
        raise ValueError(f"{path} cannot be loaded: its state has too many parts.")
    return text


def _is_large(text: bytes, n_arrays: int) -> bool:
    """Whether a tree has more parts than can be read in bounded memory."""
    n_marks = sum(map(text.count, (b"{", b"[", b",")))
    return len(text) > MOST_TREE_BYTES or n_marks > MOST_MARKS or n_arrays > MOST_ARRAYS


def _first_line(error: Exception) -> str:
    """What an error says, as the end of a sentence that is safe to print."""
    line = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
    return "".join(mark if mark.isprintable() else "?" for mark in line).rstrip(".")
