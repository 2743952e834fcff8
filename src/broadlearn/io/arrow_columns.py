"""Tables of Arrow as frames of pandas, whatever their columns hold."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from broadlearn.io.arrow_sizes import PER_TEXT_BYTE
from broadlearn.io.csv_files import import_pandas
from broadlearn.io.errors import reason
from broadlearn.io.sources import FileOptions, Source
from broadlearn.utils import check_memory

if TYPE_CHECKING:
    import pandas as pd

# Days since 1970 that Python has dates for: from year 1 to year 9999.
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
_DAY = 86_400
# Moments that have a day before and after them, of whatever zone.
_FIRST_MOMENT, _LAST_MOMENT = np.datetime64("0001-01-02"), np.datetime64("9999-12-30")


def arrow_frame(table: Any, source: Source, options: FileOptions) -> pd.DataFrame:
    """A table of Arrow as a frame of pandas.

    Bytes that are text become text, days that Python has no dates for moments, and dictionaries of
    dates or decimals what they stand for. Times of a zone that is not known here are taken as UTC,
    which a warning says. In columns of lists, records and whatever else cannot be used, every cell
    is an empty record: a few bytes of a file may stand for very many items. They are there for
    users to be told their names, and to leave them out.

    Parameters
    ----------
    table : pyarrow.Table
    source : Source
        Where it comes from, for warnings.
    options : FileOptions
        What memory it may take.

    Returns
    -------
    pandas.DataFrame
    """
    import pyarrow

    n_bytes = sum(_view_bytes(column) for column in table.columns)
    check_memory(source, PER_TEXT_BYTE * n_bytes, options.max_memory)
    _refuse_damage(table)
    # Lets pyarrow know the types of periods and intervals.
    import_pandas().period_range("2000", periods=1, freq="D").array.__arrow_array__()
    unused = []
    for j, name in enumerate(table.column_names):
        column = _readable(table.column(j), name, f" of {source}")
        if column is None:
            unused.append(j)
            column = pyarrow.nulls(len(table))
        if column is not table.column(j):
            table = table.set_column(j, pyarrow.field(name, column.type), column)
    frame = plain_types(table.to_pandas())
    names = list(frame.columns)
    for j in unused:
        place = j if len(names) == table.num_columns else names.index(table.column_names[j])
        frame.isetitem(place, _empty_records(len(frame)).set_axis(frame.index))
    return frame


def _refuse_damage(table: Any) -> None:
    """Raise where offsets of a damaged file point anywhere, or bytes are no text."""
    import pyarrow

    try:
        table.validate(full=True)
    except pyarrow.ArrowInvalid:
        for name, column in zip(table.column_names, table.columns, strict=True):
            try:
                column.validate(full=True)
            except pyarrow.ArrowInvalid as error:
                raise ValueError(
                    f"column {str(name)[:100]!r} is damaged: {reason(error)}"
                ) from error
        raise


def plain_types(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame whose columns of Arrow's types have those of NumPy and pandas.

    Moments of a zone are in UTC where some are beyond Python's dates, for which zones say nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> days = pd.Series(["1970-01-02", None]).astype("timestamp[s][pyarrow]")
    >>> plain_types(pd.DataFrame({"day": days})).dtypes.tolist()
    [dtype('<M8[s]')]
    """
    pandas, found = import_pandas(), {}
    for j, dtype in enumerate(frame.dtypes):
        if not isinstance(dtype, pandas.ArrowDtype | pandas.DatetimeTZDtype):
            continue
        plain = frame.iloc[:, j]
        if isinstance(dtype, pandas.ArrowDtype):
            column = _readable(plain.array.__arrow_array__(), str(plain.name), "")
            plain = _empty_records(len(plain)) if column is None else column.to_pandas()
        if isinstance(plain.dtype, pandas.DatetimeTZDtype):
            moments = plain.dt.tz_convert(None)
            if ((moments < _FIRST_MOMENT) | (moments > _LAST_MOMENT)).any():
                plain = moments
        if plain.dtype != dtype:
            found[j] = plain.set_axis(frame.index)
    if not found:
        return frame
    columns = [found.get(j, frame.iloc[:, j]) for j in range(frame.shape[1])]
    return pandas.concat(columns, axis="columns").set_axis(frame.columns, axis="columns")


def _empty_records(n_rows: int) -> pd.Series:
    return import_pandas().Series([{}] * n_rows, dtype=object)


def _view_bytes(column: Any) -> float:
    """Bytes of texts that are views, of which very many may be of the same text."""
    from pyarrow import types

    if not (types.is_string_view(column.type) or types.is_binary_view(column.type)):
        return 0.0
    return float(sum(_viewed(chunk) for chunk in column.chunks))


def _viewed(chunk: Any) -> int:
    # A view has 16 bytes, of which the first four are the length of the text.
    views = np.frombuffer(chunk.buffers()[1], np.int32).reshape(-1, 4)
    lengths = views[chunk.offset : chunk.offset + len(chunk), 0]
    return int(lengths.sum(dtype=np.int64))


def _readable(column: Any, name: str, where: str) -> Any:
    """A column of Arrow as one that pandas reads; None where it cannot be used."""
    import pyarrow
    from pyarrow import types

    kind = column.type
    if isinstance(kind, pyarrow.BaseExtensionType):
        inner = kind.storage_type
        return column if types.is_primitive(inner) or types.is_string(inner) else None
    if types.is_run_end_encoded(kind):
        column = _without_runs(column)
        return None if column is None else _readable(column, name, where)
    if types.is_dictionary(kind):
        if types.is_nested(kind.value_type):
            return None
        if types.is_temporal(kind.value_type) or types.is_decimal(kind.value_type):
            return _readable(column.cast(kind.value_type), name, where)
        # Without a chunk there is no row.
        if column.num_chunks:
            return pyarrow.chunked_array([_with_proper_levels(chunk) for chunk in column.chunks])
        return column
    if types.is_timestamp(kind) and kind.tz is not None:
        return _with_known_zone(column, name, where)
    if types.is_date(kind):
        return _with_possible_days(column)
    if types.is_time64(kind) and kind.unit == "ns":
        return column.cast(pyarrow.time64("us"), safe=False)
    return None if types.is_nested(kind) or types.is_interval(kind) else _as_text(column)


def _without_runs(column: Any) -> Any:
    """Runs of equal values row by row: numbers as they are, others as levels; None of lists."""
    import pyarrow
    from pyarrow import compute, types

    if types.is_nested(column.type.value_type):
        return None
    found = []
    for chunk in column.chunks:
        levels = chunk.values
        if types.is_primitive(levels.type):
            found.append(compute.run_end_decode(chunk))
            continue
        encoded = levels if types.is_dictionary(levels.type) else levels.dictionary_encode()
        runs = pyarrow.RunEndEncodedArray.from_arrays(chunk.run_ends, encoded.indices)
        indices = compute.run_end_decode(runs.slice(chunk.offset, len(chunk)))
        found.append(pyarrow.DictionaryArray.from_arrays(indices, encoded.dictionary))
    return pyarrow.chunked_array(found) if found else None


def _as_text(column: Any) -> Any:
    """Bytes as text, if they are."""
    import pyarrow
    from pyarrow import types

    kind = column.type
    if not (
        types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_fixed_size_binary(kind)
        or types.is_binary_view(kind)
    ):
        return column
    try:
        return column.cast(pyarrow.large_binary()).cast(pyarrow.large_string())
    except pyarrow.ArrowInvalid:
        return column


def _with_proper_levels(chunk: Any) -> Any:
    """An array of a dictionary whose values are different and none of them missing."""
    import pyarrow

    levels = _as_text(chunk.dictionary)
    distinct = levels.dictionary_encode()
    if len(distinct.dictionary) == len(levels):
        if levels is chunk.dictionary:
            return chunk
        indices = chunk.indices
    else:
        indices = distinct.indices.take(chunk.indices)
    return pyarrow.DictionaryArray.from_arrays(
        indices, distinct.dictionary, ordered=chunk.type.ordered
    )


def _with_known_zone(column: Any, name: str, where: str) -> Any:
    import pyarrow

    unit, zone = column.type.unit, column.type.tz
    try:
        pyarrow.array([0], column.type).to_pandas()
    # By whichever library of zones there is.
    except Exception:
        warnings.warn(
            f"Column {name[:100]!r}{where} has times of a zone that is not known, "
            f"{zone[:50]!r}: they are taken as UTC.",
            UserWarning,
            stacklevel=6,
        )
        return column.cast(pyarrow.timestamp(unit, "UTC"))
    return column


def _with_possible_days(column: Any) -> Any:
    import pyarrow
    from pyarrow import compute, types

    if types.is_date32(column.type):
        days = column.cast(pyarrow.int32()).cast(pyarrow.int64())
    else:
        days = compute.divide(column.cast(pyarrow.int64()), 1000 * _DAY)
    ends = compute.min_max(days).as_py()
    if ends["min"] is None or (_FIRST_DAY <= ends["min"] and ends["max"] <= _LAST_DAY):
        return column
    return compute.multiply(days, _DAY).cast(pyarrow.timestamp("s"))
