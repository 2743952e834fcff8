"""Names that at least two rooms use: arrays, checks, files, wording."""

from broadlearn.utils.arrays import (
    BLOCK_NUMBERS,
    FLOAT_TYPES,
    Array,
    Floats,
    distinct_rows,
    draw_seed,
    encode_targets,
    quantiles,
    row_priorities,
    row_slices,
    spread_rows,
)
from broadlearn.utils.checks import (
    READ,
    READ_SPARSE,
    check_classes,
    check_labels,
    check_magnitudes,
    check_range,
    check_sparse,
    check_targets,
    check_weights,
    first_text,
    named_text,
    read_rows,
)
from broadlearn.utils.docstrings import documented
from broadlearn.utils.errors import reason
from broadlearn.utils.files import FORMULA_STARTS, encoded, harmless, safe_csv
from broadlearn.utils.notebook import html_table
from broadlearn.utils.pages import page_environment, page_frame, whole
from broadlearn.utils.parameters import (
    CLASS_WEIGHT,
    COUNT,
    GROUPS,
    MAX_SCALE,
    POSITIVE,
    SCALE,
    STANDARDIZE,
)
from broadlearn.utils.pictures import label
from broadlearn.utils.whole_files import STANDARD_OUTPUT, is_special, write_whole
from broadlearn.utils.wording import counted, listed, out_of, percent, visible
from broadlearn.utils.workers import one_thread

__all__ = [
    "BLOCK_NUMBERS",
    "CLASS_WEIGHT",
    "COUNT",
    "FLOAT_TYPES",
    "FORMULA_STARTS",
    "GROUPS",
    "MAX_SCALE",
    "POSITIVE",
    "READ",
    "READ_SPARSE",
    "SCALE",
    "STANDARDIZE",
    "STANDARD_OUTPUT",
    "Array",
    "Floats",
    "check_classes",
    "check_labels",
    "check_magnitudes",
    "check_range",
    "check_sparse",
    "check_targets",
    "check_weights",
    "counted",
    "distinct_rows",
    "documented",
    "draw_seed",
    "encode_targets",
    "encoded",
    "first_text",
    "harmless",
    "html_table",
    "is_special",
    "label",
    "listed",
    "named_text",
    "one_thread",
    "out_of",
    "page_environment",
    "page_frame",
    "percent",
    "quantiles",
    "read_rows",
    "reason",
    "row_priorities",
    "row_slices",
    "safe_csv",
    "spread_rows",
    "visible",
    "whole",
    "write_whole",
]
