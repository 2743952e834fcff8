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
    MAX_VALUE,
    STANDARDIZE,
    PositiveNumbers,
    check_range,
    check_weights,
)
from broadlearn.utils.files import FORMULA_STARTS, encoded, harmless, safe_csv, write_whole
from broadlearn.utils.pictures import label
from broadlearn.utils.progress import PassProgress, Progress
from broadlearn.utils.row_standardization import standardize_rows
from broadlearn.utils.standardization import SAFE_EXPONENT, Standardization, learn_standardization

__all__ = [
    "BLOCK_NUMBERS",
    "FLOAT_TYPES",
    "FORMULA_STARTS",
    "MAX_VALUE",
    "SAFE_EXPONENT",
    "STANDARDIZE",
    "Array",
    "Floats",
    "PassProgress",
    "PositiveNumbers",
    "Progress",
    "Standardization",
    "check_range",
    "check_weights",
    "distinct_rows",
    "draw_seed",
    "encode_targets",
    "encoded",
    "harmless",
    "label",
    "learn_standardization",
    "quantiles",
    "row_priorities",
    "row_slices",
    "safe_csv",
    "spread_rows",
    "standardize_rows",
    "write_whole",
]
