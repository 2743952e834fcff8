"""Tables in, model files and ONNX graphs out."""

from broadlearn.io.model_files import load, read_header, save
from broadlearn.io.onnx_export import to_onnx
from broadlearn.io.rewriting import (
    RowChanges,
    chain_changes,
    check_rewritable,
    replace_labels,
    rewrite_table,
    row_changes,
    row_lines,
)
from broadlearn.io.table_files import import_pandas, read_frame
from broadlearn.io.tables import Table, as_numeric, column_preparation, read_table

__all__ = [
    "RowChanges",
    "Table",
    "as_numeric",
    "chain_changes",
    "check_rewritable",
    "column_preparation",
    "import_pandas",
    "load",
    "read_frame",
    "read_header",
    "read_table",
    "replace_labels",
    "rewrite_table",
    "row_changes",
    "row_lines",
    "save",
    "to_onnx",
]
