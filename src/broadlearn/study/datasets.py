"""Data sets by name: the 28 of the published study, some larger ones, and some that need no file.

Files are looked for in the folder that ``BROADLEARN_DATA`` names, in the cache (the folder that
``BROADLEARN_CACHE`` names, or the system's usual place), and in ``shared/data`` beside a checkout
of the repository. A folder may hold the CSV files themselves or have them in ``uci28``,
``uci28-variants`` and ``extra``. Those of the 28 that are found nowhere are downloaded into the
cache. Every file is compared with what is known about it before it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from broadlearn.io import Table, as_numeric, read_frame
from broadlearn.study.alzheimer import PREPARED
from broadlearn.study.dataset_registry import (
    DatasetInfo,
    class_counts,
    difference,
    features_and_labels,
    lookup,
    registry,
)
from broadlearn.study.embedded import EMBEDDED
from broadlearn.study.fetch import MIRRORS, Mirror, Progress, fetch
from broadlearn.study.folders import cache_folder, find_file
from broadlearn.utils import Array

# Training and test rows.
Split = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True)
class Dataset:
    """A table to learn from.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n_rows, n_columns) or pandas.DataFrame
        A frame only for a table that has text, categories or missing values; see
        `broadlearn.io.TablePreparation`.
    y : ndarray of shape (n_rows,)
    info : DatasetInfo
    splits : tuple of (train, test), default=()
        Row numbers, where the splits come with the data; see `broadlearn.study.read_collection`.
    """

    name: str
    X: Array | pd.DataFrame
    y: NDArray[Any]
    info: DatasetInfo
    splits: tuple[Split, ...] = ()

    def __repr__(self) -> str:
        n_rows, n_columns = self.X.shape
        return f"<Dataset {self.name}: {n_rows} rows, {n_columns} columns>"


def dataset_names(kind: str | None = None) -> list[str]:
    """List the names that `load_dataset` knows.

    Parameters
    ----------
    kind : {"uci28", "extra", "embedded"}, default=None
        Only the 28 data sets of the study, only the larger ones that must be in a folder, or only
        those that need no file.

    Returns
    -------
    list of str

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


def dataset_variants(name: str) -> list[str]:
    """List the other forms of a data set.

    Parameters
    ----------
    name : str

    Returns
    -------
    list of str

    Examples
    --------
    >>> from broadlearn.study import dataset_variants
    >>> dataset_variants("monks_1")
    ['rawjoined', 'zjoined', 'embedded']
    """
    describe_dataset(name)
    return [variant for known, variant in registry() if known == name and variant]


def describe_dataset(name: str, variant: str | None = None) -> DatasetInfo:
    """Give the facts about the table that `load_dataset` would load.

    Parameters
    ----------
    name : str
    variant : str, default=None
        See `load_dataset`.

    Returns
    -------
    DatasetInfo

    Examples
    --------
    >>> from broadlearn.study import describe_dataset
    >>> info = describe_dataset("pima")
    >>> info.n_rows, info.n_columns, info.class_counts
    (768, 8, {'0': 500, '1': 268})
    """
    has_embedded = (name, "embedded") in registry()
    if variant is None and has_embedded and dataset_path(name) is None:
        variant = "embedded"
    return lookup(name, variant or "")


def dataset_path(name: str, variant: str | None = None) -> Path | None:
    """Find the file of a data set; None if it is in no folder, or needs none.

    Parameters
    ----------
    name : str
    variant : str, default=None
        See `load_dataset`.
    """
    info = registry().get((name, variant or ""))
    return None if info is None or info.kind == "embedded" else find_file(info)


def load_dataset(
    name: str,
    variant: str | None = None,
    *,
    download: bool = True,
    progress: Progress | None = None,
) -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        One of `dataset_names`.
    variant : str, default=None
        None is the form that the published study used, or, where its file is not found, a table
        that needs no file (tic_tac_toe, titanic and monks_1 have one). Others are in
        `dataset_variants`: "zjoined" for the four that the collection left on two scales,
        "embedded" for the table that needs no file even if there is one. Variants with a file are
        in no public collection and must be in a folder.
    download : bool, default=True
        Whether one of the 28 may be downloaded if it is in no folder. Where several processes load,
        call `fetch_datasets` first.
    progress : callable, default=None
        Called while downloading with the name of the file, the bytes received so far, and the
        total number of bytes or None.

    Returns
    -------
    Dataset

    Raises
    ------
    FileNotFoundError
        If the file is in no folder and is not to be downloaded.
    OSError
        If it could not be downloaded.
    ValueError
        If there is no such data set, or the file does not hold the values of the study.

    Examples
    --------
    >>> from broadlearn.study import load_dataset
    >>> data = load_dataset("tic_tac_toe", "embedded")
    >>> data.X.shape, data.info.source
    ((958, 9), 'embedded: generated from the rules of the game')
    """
    info = describe_dataset(name, variant)
    if info.kind == "embedded":
        return Dataset(name, *EMBEDDED[name](), info)
    path = dataset_path(name, variant)
    if path is None and download and info.files:
        (path,) = fetch_datasets([name], progress=progress)
    if path is None:
        raise FileNotFoundError(
            f"There is no {info.file_name} in any data folder: put it into a folder and set "
            "BROADLEARN_DATA to that."
        )
    try:
        X, y = _values(path, name)
    except ValueError as error:
        raise ValueError(f"{path} is not the file of the study: {error}") from error
    if wrong := difference(info, X, y):
        raise ValueError(f"{path} is not the file of the study: it has {wrong}.")
    return Dataset(name, X, y, info)


def _values(path: Path, name: str) -> tuple[Array | pd.DataFrame, NDArray[Any]]:
    if name in PREPARED:
        return PREPARED[name](read_frame(path))
    table = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2, encoding="utf-8-sig")
    return features_and_labels(table)


def fetch_datasets(
    names: Iterable[str] | None = None,
    *,
    mirrors: Sequence[Mirror] = MIRRORS,
    progress: Progress | None = None,
) -> list[Path]:
    """Download those of the 28 that are in no folder.

    The public collection has no checksums of its own: what is checked are rows, columns, class
    counts and all values, against the files with which this study was made.

    Parameters
    ----------
    names : iterable of str, default=None
        All 28 if None.
    mirrors : sequence of Mirror
        Where to look, in order.
    progress : callable, default=None
        See `load_dataset`.

    Returns
    -------
    list of pathlib.Path
        The files of all names given, including those that were already there.
    """
    infos = [lookup(name, "") for name in (dataset_names("uci28") if names is None else names)]
    kept_apart = [info.name for info in infos if not info.files]
    if kept_apart:
        raise ValueError(f"{', '.join(kept_apart)} cannot be downloaded, only the 28 of the study.")
    if missing := [info for info in infos if dataset_path(info.name) is None]:
        fetch(missing, cache_folder() / "uci28", mirrors=mirrors, progress=progress)
    return [path for info in infos if (path := dataset_path(info.name)) is not None]


def dataset_from_table(table: Table) -> Dataset:
    """Turn a user's table into a data set.

    Parameters
    ----------
    table : Table
        From `broadlearn.io.read_table`, with a target.

    Returns
    -------
    Dataset
        With an array if all columns are numeric and complete, otherwise with the frame.
    """
    if table.y is None:
        raise ValueError(f"Table {table.name!r} must have a target column.")
    numbers = as_numeric(table.X)
    return own_dataset(table.name, table.X if numbers is None else numbers, table.y, "a file")


def pairwise_tasks(data: Dataset | Table, groups: Sequence[str]) -> list[Dataset]:
    """Make one two-class data set for each pair of groups.

    Parameters
    ----------
    data : Dataset or Table
    groups : sequence of str
        Labels, as text; rows with others are left out.

    Returns
    -------
    list of Dataset
        In the order of the groups, named like "adni: CN vs MCI"; labels and the order of rows are
        kept.

    Examples
    --------
    >>> from broadlearn.study import load_dataset, pairwise_tasks
    >>> for task in pairwise_tasks(load_dataset("wine"), ["0", "1", "2"]):
    ...     print(task.name, task.X.shape, task.info.class_counts)
    wine: 0 vs 1 (130, 13) {'0': 59, '1': 71}
    wine: 0 vs 2 (107, 13) {'0': 59, '2': 48}
    wine: 1 vs 2 (119, 13) {'1': 71, '2': 48}
    """
    data = dataset_from_table(data) if isinstance(data, Table) else data
    groups = [str(group) for group in groups]
    if len(groups) < 2 or len(set(groups)) < len(groups):
        raise ValueError(f"groups must be two or more different labels; got {', '.join(groups)}.")
    labels = data.y.astype(str)
    unknown = [group for group in groups if group not in labels]
    if unknown:
        raise ValueError(
            f"There is no group {' or '.join(map(repr, unknown))} in {data.name!r}; its labels are "
            f"{', '.join(map(repr, np.unique(labels).tolist()))}."
        )
    tasks = []
    for pair in combinations(groups, 2):
        chosen = np.isin(labels, pair)
        X = data.X[chosen]
        X = X.reset_index(drop=True) if isinstance(X, pd.DataFrame) else X
        name = f"{data.name}: {' vs '.join(pair)}"
        tasks.append(own_dataset(name, X, data.y[chosen], data.name))
    return tasks


def own_dataset(
    name: str, X: Any, y: NDArray[Any], source: str, splits: tuple[Split, ...] = ()
) -> Dataset:
    """A data set that the registry does not know."""
    n_rows, n_columns = X.shape
    info = DatasetInfo(name, "", "table", n_rows, n_columns, class_counts(y), source=source)
    return Dataset(name, X, y, info, splits)
