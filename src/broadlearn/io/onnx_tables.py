"""The preparation of a table's columns, in a form that becomes part of an ONNX graph.

Graphs know no missing text and no functions of Python. So the preparation is taken apart: numbers
go straight to their imputers, and of every column of text the graph looks up what its encoder gives
for each level, for a missing text (the empty one, unless that is a level) and for all other ones.
"""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from broadlearn.io.tables import to_numbers, to_texts


class LevelTable(TransformerMixin, BaseEstimator):
    """What a fitted encoder gives for each level, column by column.

    Parameters
    ----------
    levels : list of list of str
        Texts that are told apart in each column.
    rows : list of ndarray of shape (n_levels + 1, n_numbers)
        Numbers for each of them, and last for all other texts.
    """

    def __init__(self, levels: list[list[str]], rows: list[NDArray[np.float64]]) -> None:
        self.levels, self.rows = levels, rows


def exportable(model: Any) -> Any:
    """A copy of a fitted model with `column_preparation` in a form that can be converted.

    It is the model itself where there is nothing to change.
    """
    if isinstance(model, ColumnTransformer):
        changed = copy(model)
        changed.transformers_ = [
            (name, exportable(step), columns) for name, step, columns in model.transformers_
        ]
        return changed
    if not isinstance(model, Pipeline):
        return model
    function = _own_function(model)
    if function is to_texts and isinstance(model[-1], OneHotEncoder):
        return _level_table(model[-1])
    steps = model.steps[1:] if function is to_numbers else model.steps
    return Pipeline([(name, exportable(step)) for name, step in steps])


def column_inputs(model: Any) -> dict[str, bool] | None:
    """Names of the columns that a fitted model prepares, and whether they are text.

    None where the model does not begin with `column_preparation`.
    """
    first = model
    while isinstance(first, Pipeline):
        first = first[0]
    if not isinstance(first, ColumnTransformer):
        return None
    inputs = {}
    for _, step, columns in first.transformers_:
        if isinstance(step, str) and step == "drop":
            continue
        function = _own_function(step)
        if function is None:
            return None
        inputs.update(dict.fromkeys(columns, function is to_texts))
    return inputs


def _own_function(step: Any) -> Any:
    """`to_numbers` or `to_texts`, if a pipeline begins with it."""
    if isinstance(step, Pipeline) and isinstance(step[0], FunctionTransformer):
        return next((own for own in (to_numbers, to_texts) if step[0].func is own), None)
    return None


def _level_table(encoder: OneHotEncoder) -> LevelTable:
    levels, rows = [], []
    stops = np.cumsum(encoder._n_features_outs)
    for j, (categories, stop) in enumerate(zip(encoder.categories_, stops, strict=True)):
        known = [level for level in categories if isinstance(level, str)]
        other = "?" * (1 + max(map(len, known), default=0))
        probes: list[Any] = [*known, other] if "" in known else [*known, np.nan, other]
        table = np.empty((len(probes), len(encoder.categories_)), dtype=object)
        table[:] = [column[0] for column in encoder.categories_]
        table[:, j] = probes
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Found unknown categories")
            encoded = encoder.transform(table)
        levels.append([probe if isinstance(probe, str) else "" for probe in probes[:-1]])
        rows.append(np.asarray(encoded)[:, stop - encoder._n_features_outs[j] : stop])
    return LevelTable(levels, rows)
