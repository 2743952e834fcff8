"""What every room may use: arrays, standardisation, seeds, checks, progress, whole files."""

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
    CLASS_WEIGHT,
    MAX_VALUE,
    ONE_CLASS,
    READ,
    READ_SPARSE,
    STANDARDIZE,
    PositiveNumbers,
    check_labels,
    check_range,
    check_sparse,
    check_weights,
)
from broadlearn.utils.fences import FenceRows, draw_fence_rows, learn_fences
from broadlearn.utils.files import FORMULA_STARTS, encoded, harmless, safe_csv
from broadlearn.utils.memory import (
    TooLargeError,
    check_memory,
    memory_limit,
    parse_size,
    size_text,
)
from broadlearn.utils.notebook import Records, RecordsAttribute, SearchResults, html_table
from broadlearn.utils.pages import brief, page_environment, page_frame, whole
from broadlearn.utils.pictures import label
from broadlearn.utils.progress import FitProgress, callback_steps, has_callbacks
from broadlearn.utils.row_standardization import standardize_rows
from broadlearn.utils.standardization import (
    Standardization,
    last_within,
    learn_standardization,
    safe_exponents,
    scaled_bounds,
    with_missing,
)
from broadlearn.utils.whole_files import is_special, write_whole
from broadlearn.utils.workers import one_thread, parallel, spare_children_interrupts

__all__ = [
    "BLOCK_NUMBERS",
    "CLASS_WEIGHT",
    "FLOAT_TYPES",
    "FORMULA_STARTS",
    "MAX_VALUE",
    "ONE_CLASS",
    "READ",
    "READ_SPARSE",
    "STANDARDIZE",
    "Array",
    "FenceRows",
    "FitProgress",
    "Floats",
    "PositiveNumbers",
    "Records",
    "RecordsAttribute",
    "SearchResults",
    "Standardization",
    "TooLargeError",
    "brief",
    "callback_steps",
    "check_labels",
    "check_memory",
    "check_range",
    "check_sparse",
    "check_weights",
    "distinct_rows",
    "draw_fence_rows",
    "draw_seed",
    "encode_targets",
    "encoded",
    "harmless",
    "has_callbacks",
    "html_table",
    "is_special",
    "label",
    "last_within",
    "learn_fences",
    "learn_standardization",
    "memory_limit",
    "one_thread",
    "page_environment",
    "page_frame",
    "parallel",
    "parse_size",
    "quantiles",
    "row_priorities",
    "row_slices",
    "safe_csv",
    "safe_exponents",
    "scaled_bounds",
    "size_text",
    "spare_children_interrupts",
    "spread_rows",
    "standardize_rows",
    "whole",
    "with_missing",
    "write_whole",
]
