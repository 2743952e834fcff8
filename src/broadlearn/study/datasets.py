"""Data sets by name: the 28 of the published study, larger ones, and ones that need no file.

Files are searched in the folder named by ``BROADLEARN_DATA``, in the cache (``BROADLEARN_CACHE`` or
the usual place of the system), and in ``shared/data`` beside a checkout of the repository. A folder
holds CSV files, possibly in ``uci28``, ``uci28-variants`` and ``extra``, or the files of the UCI
collection in ``uci121``. Missing files of the 28 are downloaded. A checksum guards all values.
"""

from __future__ import annotations

import difflib
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from broadlearn.study.alzheimer import PREPARED
from broadlearn.study.embedded import EMBEDDED
from broadlearn.utils import Array

# Training and test rows.
Split = tuple[NDArray[np.intp], NDArray[np.intp]]
# A copy of the UCI collection of Fernández-Delgado et al. (2014), pinned to one commit.
MIRROR = (
    "https://raw.githubusercontent.com/CameronDiao/GLVQ-For-Classification-In-Randomized-NN-And-HDC"
    "/dec0fe3169b95a7dc8e224cf1aabcb6be914fc96/data/"
)
ARCHIVE = "https://persoal.citius.usc.es/manuel.fernandez.delgado/papers/jmlr/data.tar.gz"


@dataclass(frozen=True)
class DatasetInfo:
    """Facts about a named data set: a line of ``dataset_registry.csv``.

    `variant` is "" for the published form; `kind` is "uci28", "extra" or "embedded", which needs no
    file. `class_counts` are rows per label, in the order of the labels, and `sha256` is that of the
    values. `files` are paths in the UCI collection, to be joined; `file` is a file name other than
    ``name.csv`` or ``name__variant.csv``.
    """

    name: str
    variant: str
    kind: str
    n_rows: int
    n_columns: int
    class_counts: tuple[int, ...]
    sha256: str
    source: str
    files: tuple[str, ...]
    note: str
    file: str

    @property
    def file_name(self) -> str:
        """Name of the CSV file."""
        plain = f"{self.name}__{self.variant}.csv" if self.variant else f"{self.name}.csv"
        return self.file or plain


@dataclass(frozen=True)
class Dataset:
    """A table to learn from.

    Parameters
    ----------
    name : str
    X : array-like of shape (n_rows, n_columns) or DataFrame
        A frame where columns hold text, categories or missing values.
    y : array-like of shape (n_rows,)
        Class labels.
    splits : tuple of (train, test), default=()
        Row numbers, where splits come with the data; see `read_collection`.
    groups : array-like of shape (n_rows,), default=None
        What rows belong to, such as a person with several visits; rows of one group are never in
        two folds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn.study import Dataset
    >>> Dataset("my flowers", *load_iris(return_X_y=True))
    <Dataset my flowers: 150 rows, 4 columns>
    """

    name: str
    X: Array | pd.DataFrame
    y: NDArray[Any]
    splits: tuple[Split, ...] = ()
    groups: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        X, y = self.X, np.asarray(self.y)
        groups = None if self.groups is None else np.asarray(self.groups)
        if isinstance(X, pd.DataFrame):
            if all(map(pd.api.types.is_numeric_dtype, X.dtypes)) and not X.isna().any(axis=None):
                X = X.to_numpy(dtype=np.float64)
            else:
                X = X.reset_index(drop=True)
        else:
            X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or y.shape != (len(X),):
            raise ValueError(
                f"Data set {self.name!r} must have a table X and one label per row, got shapes "
                f"{np.shape(self.X)} and {np.shape(self.y)}."
            )
        if groups is not None and (groups.shape != y.shape or pd.isna(groups).any()):
            raise ValueError(f"Data set {self.name!r} must have one group per row, none missing.")
        for name, value in (("X", X), ("y", y), ("groups", groups)):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        n_rows, n_columns = self.X.shape
        return f"<Dataset {self.name}: {n_rows} rows, {n_columns} columns>"


@cache
def registry() -> dict[tuple[str, str], DatasetInfo]:
    """Return all data sets by name and variant, in the order of the file."""
    with (files("broadlearn.study") / "dataset_registry.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file, dtype=str, keep_default_na=False)
    infos = {}
    for row in table.to_dict("records"):
        row |= {"n_rows": int(row["n_rows"]), "n_columns": int(row["n_columns"])}
        counts = tuple(map(int, row["class_counts"].split()))
        row |= {"class_counts": counts, "files": tuple(row["files"].split())}
        infos[row["name"], row["variant"]] = DatasetInfo(**row)
    return infos


def dataset_names(kind: str | None = None) -> list[str]:
    """List the names that `load_dataset` knows.

    `kind` is "uci28" for the 28 data sets of the study, "extra" for others that must be in a
    folder, "embedded" for those that need no file, or None for all.

    Examples
    --------
    >>> from broadlearn.study import dataset_names
    >>> len(dataset_names("uci28"))
    28
    >>> dataset_names("embedded")
    ['tic_tac_toe', 'titanic', 'monks_1', 'monks_2', 'monks_3', 'iris', 'wine', 'wdbc', 'digits']
    """
    infos = registry().values()
    kinds = dict.fromkeys(info.kind for info in infos)
    if kind not in (None, *kinds):
        raise ValueError(f"kind must be one of {', '.join(kinds)} or None; got {kind!r}.")
    return list(dict.fromkeys(info.name for info in infos if kind in (None, info.kind)))


def describe_dataset(name: str, variant: str | None = None) -> DatasetInfo:
    """Return the facts about the table that `load_dataset` would load.

    Examples
    --------
    >>> from broadlearn.study import describe_dataset
    >>> info = describe_dataset("pima")
    >>> info.n_rows, info.n_columns, info.class_counts
    (768, 8, (500, 268))
    """
    if name not in dataset_names():
        close = difflib.get_close_matches(name.replace("-", "_"), dataset_names())
        names = f"did you mean {close[0]!r}?" if close else f"use {', '.join(dataset_names())}."
        raise ValueError(f"There is no data set {name!r}; {names}")
    if variant is None and (name, "embedded") in registry() and not dataset_files(name):
        variant = "embedded"
    if (name, variant or "") not in registry():
        variants = [other for known, other in registry() if known == name and other]
        hint = f"use one of {', '.join(variants)}" if variants else "it has none"
        raise ValueError(f"Data set {name!r} has no variant {variant!r}; {hint}.")
    return registry()[name, variant or ""]


def data_folders() -> Iterator[Path]:
    """Yield the folders that may hold data, in order."""
    if folder := os.environ.get("BROADLEARN_DATA"):
        if not Path(folder).is_dir():
            raise ValueError(f"BROADLEARN_DATA must name a folder; there is none at {folder}.")
        yield Path(folder)
    yield cache_folder()
    package = Path(__file__).resolve().parents[1]
    repository = package.parents[1]
    if package.parent.name == "src" and (repository / "pyproject.toml").is_file():
        yield repository.parent / "shared" / "data"


def cache_folder() -> Path:
    """Return the folder of downloads: ``BROADLEARN_CACHE`` or the usual one of the system."""
    import pooch

    return Path(os.environ.get("BROADLEARN_CACHE") or pooch.os_cache("broadlearn"))


def dataset_files(name: str, variant: str | None = None) -> list[Path]:
    """Find the files of a data set; empty if it is in no folder, or needs none."""
    info = registry().get((name, variant or ""))
    if info is None or info.kind == "embedded":
        return []
    inside = "extra" if info.kind == "extra" else "uci28-variants" if info.variant else "uci28"
    for folder in data_folders():
        for path in (folder / inside / info.file_name, folder / info.file_name):
            if path.is_file():
                return [path]
        originals = [folder / "uci121" / file for file in info.files]
        if originals and all(path.is_file() for path in originals):
            return originals
    return []


def load_dataset(name: str, variant: str | None = None) -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        One of `dataset_names`.
    variant : str, default=None
        None is the published form or, where its file is not found, the "embedded" one, which needs
        no file (tic_tac_toe, titanic and monks_1 have one). "zjoined" is for the four that the
        collection left on two scales, "thinned" for 600 rows of digits. Variants with a file must
        be in a folder.

    Returns
    -------
    Dataset
        A missing file of the 28 is downloaded.

    Examples
    --------
    >>> from broadlearn.study import load_dataset
    >>> load_dataset("tic_tac_toe", "embedded")
    <Dataset tic_tac_toe: 958 rows, 9 columns>
    """
    info = describe_dataset(name, variant)
    if info.kind == "embedded":
        return Dataset(name, *EMBEDDED[name, info.variant]())
    paths = dataset_files(name, variant)
    if not paths and info.files:
        paths = _download(info)
    if not paths:
        raise FileNotFoundError(
            f"There is no {info.file_name} in any data folder: put it into a folder and set "
            "BROADLEARN_DATA to that folder."
        )
    return Dataset(name, *_checked_values(paths, info))


def _download(info: DatasetInfo) -> list[Path]:
    """Download the files of a data set into the cache.

    The collection publishes no checksums of its files; those of the values guard them.
    """
    import pooch

    folder = cache_folder() / "uci121"
    mirror = pooch.create(folder, MIRROR, registry=dict.fromkeys(info.files), retry_if_failed=2)
    try:
        paths = [Path(mirror.fetch(file)) for file in info.files]
        _checked_values(paths, info)
    except (OSError, ValueError) as error:
        for file in info.files:
            (folder / file).unlink(missing_ok=True)
        raise OSError(
            f"Could not download {info.name} ({error}). Unpack {ARCHIVE} into {folder}, or set "
            "BROADLEARN_DATA to a folder that has the files."
        ) from error
    return paths


def _checked_values(
    paths: Sequence[Path], info: DatasetInfo
) -> tuple[Array | pd.DataFrame, NDArray[Any]]:
    """Read files, and refuse other values than those of the study."""
    try:
        X, y = _values(paths, info.name)
        if values_sha256(X, y) != info.sha256:
            raise ValueError(
                f"other values in {X.shape[0]} rows and {X.shape[1]} columns, expected "
                f"{info.n_rows} and {info.n_columns}"
            )
    except (ValueError, KeyError) as error:
        raise ValueError(f"{paths[0]} is not the file of the study ({error}).") from error
    return X, y


def _values(paths: Sequence[Path], name: str) -> tuple[Array | pd.DataFrame, NDArray[Any]]:
    if name in PREPARED:
        return PREPARED[name](pd.read_csv(paths[0]))
    if paths[0].suffix == ".csv":
        table = np.loadtxt(paths[0], delimiter=",", skiprows=1, ndmin=2, encoding="utf-8-sig")
    else:
        # The collection's own files begin every row with its number.
        parts = [np.loadtxt(path, skiprows=1, ndmin=2)[:, 1:] for path in paths]
        table = np.concatenate(parts)
    return table[:, :-1].copy(), table[:, -1].astype(np.int64)


def values_sha256(X: NDArray[Any] | pd.DataFrame, y: NDArray[Any]) -> str:
    """Return the SHA-256 of a table's values, however the file writes them."""
    if isinstance(X, pd.DataFrame):
        lines = [X.to_csv(index=False, lineterminator="\n"), *map(str, y)]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()
    unsigned_zeros = np.asarray(X, dtype=np.float64) + 0.0
    digest = hashlib.sha256(unsigned_zeros.astype("<f8").tobytes())
    digest.update(np.asarray(y).astype("<i8").tobytes())
    return digest.hexdigest()


def pairwise_tasks(data: Dataset, groups: Sequence[str]) -> list[Dataset]:
    """Make one two-class data set, such as "clinic: CN vs MCI", for each pair of labels.

    Labels are given as text. Rows with other labels are left out.
    """
    labels = data.y.astype(str)
    if len(groups) < 2 or not set(groups) <= set(labels):
        raise ValueError(
            f"pairwise must be two or more labels of {data.name!r}, which are "
            f"{', '.join(np.unique(labels))}; got {', '.join(groups)}."
        )
    tasks = []
    for pair in combinations(groups, 2):
        rows = np.isin(labels, pair)
        name = f"{data.name}: {' vs '.join(pair)}"
        people = None if data.groups is None else data.groups[rows]
        tasks.append(Dataset(name, data.X[rows], data.y[rows], groups=people))
    return tasks
