"""The collection of 121 UCI data sets by Fernández-Delgado et al. (2014), in its own layout.

A folder ``NAME`` has ``NAME.txt`` with lines such as ``fich1= NAME_R.dat``, the tables that this
names (tab separated: a header, an index column, features, and the label ``clase``), and
``conxuntos_kfold.dat``: row numbers from 0, where two consecutive lines are the training and the
test rows of a split, four in all.

The published figure is the mean over the splits. Where there is a training and a test file, it is
that of the test file: the published accuracies are whole multiples of one row of that file.
"""

from __future__ import annotations

import io
import os
from collections.abc import Collection as Names
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from broadlearn.study.datasets import Dataset, Split, own_dataset
from broadlearn.study.folders import data_folders
from broadlearn.study.published_results import published_classifiers

# Where the collection may be within a folder of data.
INSIDE = ("", "uci121", "data")
SPLITS_FILE = "conxuntos_kfold.dat"
LABEL = "clase"
SOURCE = "UCI, as prepared by Fernández-Delgado et al. (2014)"
# Rows of their training file are on another scale than rows of their test file.
TWO_SCALES = (
    "annealing",
    "hayes-roth",
    "hill-valley",
    "horse-colic",
    "image-segmentation",
    "monks-1",
    "monks-2",
    "monks-3",
    "soybean",
    "spect",
    "spectf",
)
TWO_SCALES_REASON = "its training and its test file are on different scales"
_MISSING = ["", "?", "NA", "NaN", "nan", "na", "null"]


@dataclass(frozen=True)
class Collection:
    """Data sets with the authors' splits.

    Attributes
    ----------
    folder : Path
    datasets : tuple of Dataset
        Those that can be compared with the published accuracies.
    left_out : dict of str to str
        Why others that are in the folder are left out, by name.
    """

    folder: Path
    datasets: tuple[Dataset, ...]
    left_out: dict[str, str]


def read_collection(
    folder: str | os.PathLike[str] | None = None, names: Names[str] | None = None
) -> Collection:
    r"""Read the data sets of the collection that a folder has.

    Parameters
    ----------
    folder : path, default=None
        With one folder per data set, or with these in ``uci121`` or ``data``. By default the
        folders are searched that `load_dataset` looks into.
    names : collection of str, default=None
        Only these data sets; "-" and "_" are the same.

    Returns
    -------
    Collection

    Raises
    ------
    FileNotFoundError
        If the folder does not have the collection.
    ValueError
        If one of `names` is not there, or no data set is left.

    Notes
    -----
    Eleven of the 121 have a training and a test file that are on different scales, and are left
    out. Others with two files are one split: learnt on the first, tested on the second, as
    published. A table with missing values becomes a frame, see `Dataset`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from broadlearn.study import read_collection
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     iris = Path(folder) / "iris"
    ...     iris.mkdir()
    ...     _ = (iris / "iris.txt").write_text("n_arquivos= 1\nfich1= iris_R.dat\n")
    ...     _ = (iris / "iris_R.dat").write_text("\tf1\tclase\n1\t0.5\t0\n2\t-0.5\t1\n")
    ...     _ = (iris / "conxuntos_kfold.dat").write_text("0\n1\n")
    ...     (data,) = read_collection(folder).datasets
    >>> data.name, data.X.shape, len(data.splits)
    ('iris', (2, 1), 1)
    """
    root = _find(folder)
    published = {_plain(name): name for name in published_classifiers().index}
    found = {_plain(path.name): path for path in _set_folders(root, published)}
    if names is not None:
        asked = {_plain(name): name for name in names}
        if absent := [name for plain, name in asked.items() if plain not in found]:
            raise ValueError(f"There is no data set {', '.join(absent)} in {root}.")
        found = {plain: path for plain, path in found.items() if plain in asked}
    datasets, left_out = [], {}
    for plain, path in found.items():
        name = published.get(plain, path.name)
        if plain not in published:
            left_out[name] = "it is not among the 121 with published accuracies"
        elif name in TWO_SCALES:
            left_out[name] = TWO_SCALES_REASON
        else:
            try:
                datasets.append(_read_set(path, name))
            except (OSError, ValueError) as error:
                left_out[name] = f"it cannot be read: {_reason(error)}"
    if not datasets:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise ValueError(f"No data set in {root} can be used: {reasons}.")
    return Collection(root, tuple(datasets), left_out)


def _find(named: str | os.PathLike[str] | None) -> Path:
    """The folder of the collection."""
    tried = list(data_folders()) if named is None else [Path(named)]
    for folder in tried:
        for inside in INSIDE:
            if any(_is_set(path) for path in _subfolders(folder / inside)):
                return folder / inside
    where = ", ".join(map(str, tried))
    raise FileNotFoundError(
        f"The collection is not in {where}: there must be a folder NAME with NAME.txt and "
        f"{SPLITS_FILE} for each data set."
    )


def _subfolders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def _is_set(path: Path) -> bool:
    return (path / f"{path.name}.txt").is_file() or (path / SPLITS_FILE).is_file()


def _set_folders(root: Path, published: Names[str]) -> list[Path]:
    return [path for path in _subfolders(root) if _is_set(path) or _plain(path.name) in published]


def _plain(name: str) -> str:
    return name.casefold().replace("_", "-")


def _reason(error: Exception) -> str:
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        text = f"{Path(str(error.filename)).name}: {error.strerror}"
    return " ".join(text.split()).rstrip(".")


def _read_set(path: Path, name: str) -> Dataset:
    facts = _facts(path / f"{path.name}.txt")
    first = facts.get("fich1", f"{path.name}_R.dat")
    tables = [_read_table(path / Path(first).name)]
    if "fich2" in facts:
        tables.append(_read_table(path / Path(facts["fich2"]).name))
        if tables[0][0].shape[1] != tables[1][0].shape[1]:
            raise ValueError("its training and its test file have different columns")
    X = pd.concat([X for X, _ in tables], ignore_index=True)
    y = np.concatenate([y for _, y in tables])
    if len(tables) == 2:
        rows = np.arange(len(y))
        splits: tuple[Split, ...] = ((rows[: len(tables[0][1])], rows[len(tables[0][1]) :]),)
    else:
        splits = _read_splits(path / SPLITS_FILE, len(y))
    labels = _whole_numbers(y)
    complete = not X.isna().any(axis=None)
    return own_dataset(name, X.to_numpy() if complete else X, labels, SOURCE, splits)


def _facts(path: Path) -> dict[str, str]:
    """The lines ``key= value`` of a file."""
    lines = (line.partition("=") for line in path.read_text("latin-1").split("\n"))
    facts = {key.strip(): value.strip() for key, _, value in lines}
    return {key: value for key, value in facts.items() if value and key.isidentifier()}


def _read_table(path: Path) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Features as numbers, and labels."""
    lines = [line.rstrip() for line in path.read_text("latin-1").splitlines() if line.strip()]
    if len(lines) < 2:
        raise ValueError(f"{path.name} must have a header and rows")
    header, frame = _cells(lines, path.name)
    named = [j for j, column in enumerate(header) if column]
    label = next((j for j in named if header[j].casefold() == LABEL), named[-1])
    if _is_number(header[label]):
        raise ValueError(f"{path.name} must have a header with the column {LABEL}")
    if frame[label].isna().any():
        raise ValueError(f"{path.name} has no label in row {int(frame[label].isna().argmax()) + 1}")
    features = frame[[j for j in named if j != label]]
    if features.shape[1] == 0:
        raise ValueError(f"{path.name} must have a column of features")
    numbers = features.apply(pd.to_numeric, errors="coerce").astype(float)
    wrong = ((numbers.isna() & features.notna()) | np.isinf(numbers)).to_numpy()
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        text = str(features.iloc[i, j])
        raise ValueError(f"{path.name} has {text!r} in row {i + 1} where a number is expected")
    numbers.columns = pd.Index([header[j] for j in numbers.columns])
    return numbers, frame[label].to_numpy(dtype=object)


def _cells(lines: list[str], file: str) -> tuple[list[str], pd.DataFrame]:
    """Column names, "" for the index, and the cells below them."""
    for separator in ["\t", None] if "\t" in lines[0] else [None]:
        header = [name.strip(" \"'") for name in lines[0].split(separator)]
        try:
            frame = pd.read_csv(
                io.StringIO("\n".join(lines[1:])),
                sep=separator or r"\s+",
                header=None,
                low_memory=False,
                skipinitialspace=True,
                na_values=_MISSING,
                keep_default_na=False,
            )
        except pd.errors.ParserError:
            continue
        if frame.shape[1] - len(header) in (0, 1):
            texts = [j for j in frame if not pd.api.types.is_numeric_dtype(frame[j])]
            stripped = frame[texts].apply(lambda column: column.str.strip())
            frame[texts] = stripped.mask(stripped.isin(_MISSING))
            return [""] * (frame.shape[1] - len(header)) + header, frame
    raise ValueError(f"{file} has rows that do not fit the columns of its header")


def _is_number(text: object) -> bool:
    try:
        float(str(text))
    except ValueError:
        return False
    return True


def _whole_numbers(labels: NDArray[Any]) -> NDArray[Any]:
    """Labels as whole numbers if all are, else as text."""
    if all(_is_number(label) and float(label).is_integer() for label in labels):
        return np.array([int(float(label)) for label in labels])
    return labels.astype(str)


def _read_splits(path: Path, n_rows: int) -> tuple[Split, ...]:
    lines = [line.split() for line in path.read_text("latin-1").splitlines() if line.strip()]
    try:
        rows = [np.array(line, dtype=np.intp) for line in lines]
    except ValueError:
        raise ValueError(f"{path.name} must hold row numbers only") from None
    if not rows or len(rows) % 2:
        raise ValueError(
            f"{path.name} must have pairs of lines, training and test rows; it has {len(rows)}"
        )
    low, high = min(part.min() for part in rows), max(part.max() for part in rows)
    if low == 1 and high == n_rows:
        # They are counted from 1.
        rows, low, high = [part - 1 for part in rows], low - 1, high - 1
    if low < 0 or high >= n_rows:
        raise ValueError(
            f"{path.name} names rows {low} to {high}, and the table has rows 0 to {n_rows - 1}"
        )
    splits = tuple(zip(rows[::2], rows[1::2], strict=True))
    if any(np.intersect1d(train, test).size for train, test in splits):
        raise ValueError(f"{path.name} has a split with rows that are for training and for testing")
    return splits
