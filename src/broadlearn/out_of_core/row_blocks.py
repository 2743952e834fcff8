"""Tables too big for memory as blocks of rows: arrays, memory maps, Parquet and CSV files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# A block of rows: X, y, weights (None: all one).
RowBlock = tuple[Any, Any, Any]

EXTENSIONS = (".parquet", ".pq", ".csv")


# A function that returns a fresh iterator over blocks, for each pass.
RowSource = Callable[[], Iterator[RowBlock]]


def row_source(
    source: Any,
    y: Any = None,
    *,
    target: str | None = None,
    sample_weight: Any = None,
    block_rows: int = 8192,
) -> RowSource:
    """Return blocks of rows of a source of :func:`fit_blocks`.

    Examples
    --------
    >>> import numpy as np
    >>> source = row_source(np.zeros((5, 2)), np.arange(5), block_rows=2)
    >>> [y.tolist() for X, y, weight in source()]
    [[0, 1], [2, 3], [4]]
    """
    if block_rows < 1:
        raise ValueError(f"block_rows must be at least 1, got {block_rows!r}.")
    paths = _paths(source)
    if paths is not None:
        if target is None:
            raise ValueError("target must be the name of the target column if source is a file.")
        return _file_source(paths, target, block_rows)
    if target is not None:
        raise ValueError("target is used for files only; pass y for other sources.")
    if y is not None:
        return lambda: array_blocks(source, y, sample_weight, block_rows)
    if sample_weight is not None or isinstance(source, np.ndarray):
        raise ValueError("y must be given if source is an array.")
    if not callable(source) and iter(source) is source:
        raise ValueError(
            "source can be iterated only once, but several passes are needed; pass a function that "
            "returns a new iterator."
        )
    return lambda: map(_whole_block, source() if callable(source) else source)


def _paths(source: Any) -> list[Path] | None:
    """Return the files of a source, or None if it has none."""
    parts = [source] if isinstance(source, str | PathLike) else source
    if not isinstance(parts, list | tuple) or not parts:
        return None
    if not all(isinstance(part, str | PathLike) for part in parts):
        return None
    return [_checked(Path(part)) for part in parts]


def _checked(path: Path) -> Path:
    if path.suffix.lower() not in EXTENSIONS:
        raise ValueError(f"{path} has an unknown extension; expected {', '.join(EXTENSIONS)}.")
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    return path


def _whole_block(block: Any) -> RowBlock:
    if not isinstance(block, tuple | list) or len(block) not in (2, 3):
        raise ValueError("Every block must be (X, y) or (X, y, sample_weight).")
    return block[0], block[1], block[2] if len(block) == 3 else None


def array_blocks(X: Any, y: Any, weight: Any, block_rows: int) -> Iterator[RowBlock]:
    """Yield blocks of arrays, dataframes or series."""
    n = len(X)
    for name, other in (("y", y), ("sample_weight", weight)):
        if other is not None and len(other) != n:
            raise ValueError(f"{name} has {len(other)} rows, but X has {n}.")
    X, y, weight = (getattr(values, "iloc", values) for values in (X, y, weight))
    for start in range(0, n, block_rows):
        part = slice(start, start + block_rows)
        yield X[part], y[part], None if weight is None else weight[part]


def _file_source(paths: list[Path], target: str, block_rows: int) -> RowSource:
    """Return blocks of rows of files, which pyarrow reads."""
    try:
        dataset = import_module("pyarrow.dataset").dataset
    except ImportError as error:
        raise ImportError('Files need pyarrow: pip install "broadlearn[study]".') from error
    formats = ["csv" if path.suffix.lower() == ".csv" else "parquet" for path in paths]
    files = [dataset(path, format=kind) for path, kind in zip(paths, formats, strict=True)]
    columns = _columns(paths, [file.schema.names for file in files], target)

    def blocks() -> Iterator[RowBlock]:
        for path, file in zip(paths, files, strict=True):
            for batch in file.to_batches(batch_size=block_rows):
                if batch.num_rows:
                    X = batch.select(columns).to_pandas()
                    yield X, _labels(batch, target, path), None

    return blocks


def _columns(paths: list[Path], names: list[list[str]], target: str) -> list[str]:
    """Return the names of all columns except the target, which every file must have."""
    for path, own in zip(paths, names, strict=True):
        if target not in own:
            raise ValueError(f"{path} has no column {target!r}; it has {', '.join(own)}.")
        if own != names[0]:
            raise ValueError(f"{path} and {paths[0]} have different columns.")
    columns = [name for name in names[0] if name != target]
    if not columns:
        raise ValueError(f"{paths[0]} has no columns besides the target {target!r}.")
    return columns


def _labels(batch: Any, target: str, path: Path) -> NDArray[Any]:
    column = batch.column(target)
    if column.null_count:
        raise ValueError(f"The target column {target!r} of {path} has missing values.")
    labels = np.asarray(column.to_numpy(zero_copy_only=False))
    return labels.astype(str) if labels.dtype == object else labels
