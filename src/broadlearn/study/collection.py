"""The collection of 121 UCI data sets by Fernández-Delgado et al. (2014), in its own layout.

A folder ``NAME`` has ``NAME.txt`` with lines such as ``fich1= NAME_R.dat``, the tables it names
(tab separated: a header, an index column, features, and the label ``clase``), and
``conxuntos_kfold.dat``: row numbers from 0, where two consecutive lines are the training and the
test rows of a split, four in all. Where there are two tables, they are the training and the test
rows of the only split. The published figure is the mean over the splits.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection as Names
from pathlib import Path

import numpy as np
import pandas as pd

from broadlearn.study.datasets import Dataset, Split, data_folders
from broadlearn.study.published_results import published_classifiers

SPLITS_FILE, LABEL = "conxuntos_kfold.dat", "clase"
# Rows of their training file are on another scale than rows of their test file.
TWO_SCALES = (
    *("annealing", "hayes-roth", "hill-valley", "horse-colic", "image-segmentation", "monks-1"),
    *("monks-2", "monks-3", "soybean", "spect", "spectf"),
)


def read_collection(
    folder: str | os.PathLike[str] | None = None, names: Names[str] | None = None
) -> list[Dataset]:
    r"""Read the data sets of the collection that a folder has, with the authors' splits.

    Parameters
    ----------
    folder : path, default=None
        With one folder per data set, or with these in ``uci121``. By default the folders are
        searched that `load_dataset` looks into.
    names : collection of str, default=None
        Only these data sets; "-" and "_" are the same.

    Returns
    -------
    list of Dataset
        Without the eleven whose training and test file are on different scales.

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
    ...     (data,) = read_collection(folder)
    >>> data.name, data.X.shape, len(data.splits)
    ('iris', (2, 1), 1)
    """
    root = _find(folder)
    usable = set(published_classifiers().index).difference(TWO_SCALES)
    paths = {
        path.name.replace("_", "-"): path for path in _set_folders(root) if path.name in usable
    }
    wanted = list(paths) if names is None else [name.replace("_", "-") for name in names]
    if missing := [name for name in wanted if name not in paths]:
        raise ValueError(f"{root} has no usable data set {', '.join(missing)}.")
    datasets = []
    for name in wanted:
        try:
            datasets.append(_read_set(paths[name]))
        except (OSError, ValueError) as error:
            raise ValueError(f"{paths[name]} cannot be read: {error}.") from error
    return datasets


def _find(folder: str | os.PathLike[str] | None) -> Path:
    """Return the folder of the collection."""
    parents = list(data_folders()) if folder is None else [Path(folder)]
    for parent in parents:
        for root in (parent, parent / "uci121"):
            if _set_folders(root):
                return root
    raise FileNotFoundError(
        f"The collection is not in {', '.join(map(str, parents))}: expected a folder NAME with "
        f"NAME.txt for each data set."
    )


def _set_folders(root: Path) -> list[Path]:
    return sorted(path.parent for path in root.glob("*/*.txt") if path.stem == path.parent.name)


def _read_set(path: Path) -> Dataset:
    text = (path / f"{path.name}.txt").read_text("latin-1")
    names = re.findall(r"^\s*fich[12]\s*=\s*(\S+)", text, re.MULTILINE)
    tables = [_read_table(path / Path(name).name) for name in names or [f"{path.name}_R.dat"]]
    table = pd.concat(tables, ignore_index=True)
    X, y = table.drop(columns=LABEL), table[LABEL].to_numpy()
    if len(tables) == 2:
        rows, n_first = np.arange(len(y)), len(tables[0])
        splits: tuple[Split, ...] = ((rows[:n_first], rows[n_first:]),)
    else:
        splits = _read_splits(path / SPLITS_FILE, len(y))
    return Dataset(path.name, X, y, splits)


def _read_table(path: Path) -> pd.DataFrame:
    """Read features as numbers, and whole numbers as labels in the last column."""
    table = pd.read_csv(path, sep=r"\s+", na_values="?", encoding="latin-1")
    if LABEL not in table.columns:
        raise ValueError(f"{path.name} has no column {LABEL}")
    table = table.reset_index(drop=True).apply(pd.to_numeric)
    labels = table.pop(LABEL).astype(int)
    return table.astype(float).assign(**{LABEL: labels})


def _read_splits(path: Path, n_rows: int) -> tuple[Split, ...]:
    lines = [line.split() for line in path.read_text("latin-1").splitlines() if line.strip()]
    rows = [np.array(line, dtype=np.intp) for line in lines]
    if not rows or len(rows) % 2 or max(map(np.max, rows)) >= n_rows:
        raise ValueError(
            f"{path.name} must have pairs of lines, training and test rows from 0 to {n_rows - 1}"
        )
    return tuple(zip(rows[::2], rows[1::2], strict=True))
