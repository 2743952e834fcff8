"""Tables in, model files and ONNX graphs out."""

from broadlearn.io.model_files import load, read_header, save
from broadlearn.io.onnx_export import to_onnx
from broadlearn.io.table_files import import_pandas, read_frame
from broadlearn.io.tables import Table, as_numeric, column_preparation, read_table

__all__ = [
    "Table",
    "as_numeric",
    "column_preparation",
    "import_pandas",
    "load",
    "read_frame",
    "read_header",
    "read_table",
    "save",
    "to_onnx",
]
