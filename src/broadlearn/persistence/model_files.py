"""Model files: a checksum, a header, and a skops archive.

The first line holds the format and the SHA-256 of all that follows, the second line the header as
JSON. The rest is the archive of the model; skops can read the file as it is.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from sklearn.base import BaseEstimator

from broadlearn.persistence.archives import MAX_TEXT_BYTES, read_archive, write_archive
from broadlearn.utils import reason, write_whole

FORMAT = 1
LIBRARIES = ("broadlearn", "numpy", "scipy", "scikit-learn", "skops")
_FIRST_LINE = re.compile(rf"broadlearn model {FORMAT} ([0-9a-f]{{64}})\n".encode())


def save(
    model: BaseEstimator,
    path: str | os.PathLike[str],
    *,
    target: str | None = None,
) -> None:
    """Write a model to a file, whole or not at all.

    Parameters
    ----------
    model : estimator
        An estimator of this package, alone or with scikit-learn's estimators in a pipeline. The
        same model gives the same bytes. The records of a search (``cv_results_`` and ``scorer_``)
        are left out.
    path : str or path-like
        An existing file is replaced.
    target : str, default=None
        Name of the column that the model predicts, for the header.

    Raises
    ------
    ValueError
        If the model holds something that model files cannot, such as a function.

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
    """Return the content of the file that `save` writes, in parts."""
    kind = type(model).__name__
    if not isinstance(model, BaseEstimator):
        raise ValueError(f"model must be an estimator, got {kind}.")
    try:
        archive = write_archive(model)
        head = json.dumps(_header(model, target), separators=(",", ":")).encode() + b"\n"
    # skops raises errors of its own where it has no form for an object.
    except Exception as error:
        raise ValueError(f"This {kind} cannot be saved: {reason(error)}.") from error
    if len(head) > MAX_TEXT_BYTES:
        raise ValueError(f"This {kind} cannot be saved: its column names are too long.")
    digest = hashlib.sha256(head)
    digest.update(archive)
    return [f"broadlearn model {FORMAT} {digest.hexdigest()}\n".encode(), head, archive]


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote (with an example there).

    No code in the file is run, and only estimators and plain values are created. The checksum and
    all sizes are checked before anything is restored.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    estimator
        With the same versions of the libraries, it predicts exactly what the saved one does.

    Raises
    ------
    ValueError
        If the file is damaged, of another format, or not a model file.
    """
    path = Path(path)
    with _opened(path) as (file, _):
        try:
            return read_archive(file)
        # Whatever a forged tree makes skops, NumPy or a constructor raise.
        except Exception as error:
            raise ValueError(f"{path} cannot be loaded: {reason(error)}.") from error


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what a model file says about itself, without restoring the model.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    dict
        ``format`` (of the file), ``model`` (name of its class), ``versions`` (of the libraries that
        wrote it), ``columns`` and ``classes`` (lists, or None if unknown), ``target`` (name of the
        predicted column, or None), ``sha256`` (of all after the first line).

    Raises
    ------
    ValueError
        If the file is damaged, of another format, or not a model file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from broadlearn import BLSClassifier, save
    >>> from broadlearn.persistence import read_header
    >>> with TemporaryDirectory() as folder:
    ...     save(BLSClassifier(), Path(folder, "new.blm"), target="species")
    ...     header = read_header(Path(folder, "new.blm"))
    >>> header["model"], header["target"], header["classes"]
    ('BLSClassifier', 'species', None)
    """
    with _opened(Path(path)) as (_, header):
        return header


def _header(model: Any, target: str | None) -> dict[str, Any]:
    names, classes = getattr(model, "feature_names_in_", None), getattr(model, "classes_", None)
    return {
        "model": type(model).__name__,
        "versions": {name: version(name) for name in LIBRARIES},
        "columns": None if names is None else [str(name) for name in names],
        "classes": None if classes is None else _plain(classes),
        "target": None if target is None else str(target),
    }


def _plain(classes: Any) -> list[Any]:
    """Return classes as values that JSON knows."""
    values = np.asarray(classes, dtype=object).tolist()
    return [value if isinstance(value, int | float | str) else str(value) for value in values]


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, dict[str, Any]]]:
    """Open a file of the known format with the right checksum, and read its header."""
    if path.is_dir():
        raise IsADirectoryError(f"Expected a model file, got a directory: {path}.")
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    with path.open("rb") as file:
        first = file.readline(100)
        matched = _FIRST_LINE.fullmatch(first)
        if matched is None:
            raise ValueError(f"{path} is not a model file of this version of broadlearn.")
        sha256 = matched[1].decode()
        if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
            raise ValueError(f"{path} is damaged: its content does not match its checksum.")
        file.seek(len(first))
        try:
            header = json.loads(file.readline(MAX_TEXT_BYTES))
            for name, kind in _HEADER_TYPES.items():
                if not isinstance(header[name], kind):
                    raise TypeError(name)
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"{path} is damaged: its header cannot be read.") from error
        yield file, {"format": FORMAT, **header, "sha256": sha256}


_HEADER_TYPES: dict[str, Any] = {
    "model": str,
    "versions": dict,
    "columns": list | None,
    "classes": list | None,
    "target": str | None,
}
