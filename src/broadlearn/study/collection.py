"""The collection of 121 UCI data sets by Fernández-Delgado et al. (2014), in its own layout.

A folder ``NAME`` has ``NAME.txt`` with lines such as ``fich1= NAME_R.dat``, the tables it names
(tab separated: a header, an index column, features, and the label ``clase``), and
``conxuntos_kfold.dat``: row numbers from 0, where two consecutive lines are the training and the
test rows of a split, four in all.

The published figure is the mean over the splits. Where there is a training and a test file, it is
that of the test file.
"""

from __future__ import annotations

import os
from collections.abc import Collection as Names
from pathlib import Path

import numpy as np
import pandas as pd

from broadlearn.study.datasets import Dataset, Split, data_folders
from broadlearn.study.published_results import published_classifiers

SPLITS_FILE, LABEL = "conxuntos_kfold.dat", "clase"
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


def read_collection(
    folder: str | os.PathLike[str] | None = None, names: Names[str] | None = None
) -> list[Dataset]:
    r"""Read the data sets of the collection that a folder has.

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
        With the authors' splits.

    Notes
    -----
    Eleven of the 121 have a training and a test file on different scales, and are left out. Others
    with two files are one split: learnt on the first, tested on the second, as published. A table
    with missing values becomes a frame, see `Dataset`.

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
    present = {path.name.replace("_", "-"): path for path in _set_folders(root)}
    present = {name: path for name, path in present.items() if path.name in usable}
    asked = list(present) if names is None else [name.replace("_", "-") for name in names]
    if absent := [name for name in asked if name not in present]:
        raise ValueError(f"There is no data set {', '.join(absent)} in {root} that can be used.")
    datasets = []
    for name in asked:
        try:
            datasets.append(_read_set(present[name]))
        except (OSError, ValueError) as error:
            raise ValueError(f"{present[name]} cannot be read: {error}.") from error
    return datasets


def _find(named: str | os.PathLike[str] | None) -> Path:
    """Folder of the collection."""
    tried = list(data_folders()) if named is None else [Path(named)]
    for folder in tried:
        for root in (folder, folder / "uci121"):
            if _set_folders(root):
                return root
    raise FileNotFoundError(
        f"The collection is not in {', '.join(map(str, tried))}: expected a folder NAME with "
        f"NAME.txt for each data set."
    )


def _set_folders(root: Path) -> list[Path]:
    return sorted(path.parent for path in root.glob("*/*.txt") if path.stem == path.parent.name)


def _read_set(path: Path) -> Dataset:
    lines = (
        line.partition("=") for line in (path / f"{path.name}.txt").read_text("latin-1").split("\n")
    )
    facts = {key.strip(): value.strip() for key, _, value in lines}
    names = [facts[key] for key in ("fich1", "fich2") if facts.get(key)]
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
    """Features as numbers, and whole numbers as labels in the last column."""
    table = pd.read_csv(path, sep=r"\s+", na_values="?", encoding="latin-1")
    if LABEL not in table.columns:
        raise ValueError(f"{path.name} has no column {LABEL}")
    table = table.reset_index(drop=True).apply(pd.to_numeric)
    labels = table.pop(LABEL)
    if labels.isna().any() or (labels % 1 != 0).any():
        raise ValueError(f"{path.name} must have integer labels")
    return table.astype(float).assign(**{LABEL: labels.astype(int)})


def _read_splits(path: Path, n_rows: int) -> tuple[Split, ...]:
    lines = [line.split() for line in path.read_text("latin-1").splitlines() if line.strip()]
    rows = [np.array(line, dtype=np.intp) for line in lines]
    splits = tuple(zip(rows[::2], rows[1::2], strict=False))
    outside = any(part.min() < 0 or part.max() >= n_rows for part in rows)
    shared = any(np.intersect1d(train, test).size for train, test in splits)
    if not splits or len(rows) % 2 or outside or shared:
        raise ValueError(
            f"{path.name} must have pairs of lines, training and test rows from 0 to {n_rows - 1} "
            "that do not overlap"
        )
    return splits
