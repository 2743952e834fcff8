"""Tables in files as data frames, and their columns as numbers."""

from broadlearn.tables.labels import infer_task
from broadlearn.tables.preparation import TablePreparation
from broadlearn.tables.reading import read_frame
from broadlearn.tables.sources import FileOptions, TableError
from broadlearn.tables.table import Table, read_table
from broadlearn.tables.writing import write_frame

__all__ = [
    "FileOptions",
    "Table",
    "TableError",
    "TablePreparation",
    "infer_task",
    "read_frame",
    "read_table",
    "write_frame",
]
