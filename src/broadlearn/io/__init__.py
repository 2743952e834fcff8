"""Tables in, model files and ONNX graphs out."""

from broadlearn.io.column_leaks import find_leaks
from broadlearn.io.column_records import ColumnRecord, warn_of_columns
from broadlearn.io.csv_files import FileTable, import_pandas
from broadlearn.io.preparation import TablePreparation, describe_columns
from broadlearn.io.ranked_columns import (
    RankedColumns,
    find_copies,
    find_identifiers,
    mid_ranks,
    rank_columns,
    renamings,
)
from broadlearn.io.rewriting import (
    RowChanges,
    chain_changes,
    check_rewritable,
    replace_labels,
    rewrite_table,
    row_changes,
)
from broadlearn.io.sources import FileOptions, Source
from broadlearn.io.table_files import open_table, read_file, read_frame
from broadlearn.io.tables import Table, as_numeric, read_table

__all__ = [
    "ColumnRecord",
    "FileOptions",
    "FileTable",
    "RankedColumns",
    "RowChanges",
    "Source",
    "Table",
    "TablePreparation",
    "as_numeric",
    "chain_changes",
    "check_rewritable",
    "describe_columns",
    "find_copies",
    "find_identifiers",
    "find_leaks",
    "import_pandas",
    "mid_ranks",
    "open_table",
    "rank_columns",
    "read_file",
    "read_frame",
    "read_table",
    "renamings",
    "replace_labels",
    "rewrite_table",
    "row_changes",
    "warn_of_columns",
]
