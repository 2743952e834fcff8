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
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from broadlearn.io.column_encoding import Encoding, encode
from broadlearn.io.column_reading import Reading
from broadlearn.io.preparation import TablePreparation
from broadlearn.io.tables import to_numbers, to_texts

# Words of columns that hold booleans or 0 and 1, which graphs take as numbers.
_TRUTH = {"false", "true", "0", "1"}


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


class NumberColumns(TransformerMixin, BaseEstimator):
    """Columns of numbers with missing ones filled in.

    Parameters
    ----------
    fill : list of float
        What a missing number of each column becomes.
    empty : list of float
        Numbers that stand for missing ones; nan for none.
    indicator : bool
        Whether a number that says if the first one is missing comes last.
    """

    def __init__(self, fill: list[float], empty: list[float], indicator: bool) -> None:
        self.fill, self.empty, self.indicator = fill, empty, indicator


def exportable(model: Any) -> Any:
    """A copy of a fitted model with the preparation of its columns in a form for conversion.

    It is the model itself where there is nothing to change.
    """
    if isinstance(model, TablePreparation):
        steps = [(f"part {k}", *part) for k, part in enumerate(_parts(model))]
        changed = ColumnTransformer(steps, sparse_threshold=0)
        changed.transformers_ = steps
        return changed
    if isinstance(model, ColumnTransformer):
        changed = copy(model)
        changed.transformers_ = [
            (name, exportable(step), columns) for name, step, columns in model.transformers_
        ]
        return changed
    if isinstance(model, FixedThresholdClassifier):
        raise ValueError(
            "a graph has no decision threshold; export the model within (its parts are in "
            "broadlearn.io.unwrap_model) and compare its probabilities with the threshold"
        )
    if not isinstance(model, Pipeline):
        return model
    function = _own_function(model)
    if function is to_texts and isinstance(model[-1], OneHotEncoder):
        return _level_table(model[-1])
    steps = model.steps[1:] if function is to_numbers else model.steps
    return Pipeline([(name, exportable(step)) for name, step in steps])


def column_inputs(model: Any) -> dict[str, bool] | None:
    """Names of the columns that a fitted model prepares, and whether they are text.

    None where the model does not begin with a preparation of columns.
    """
    first = model
    while isinstance(first, Pipeline):
        first = first[0]
    if isinstance(first, TablePreparation):
        return {
            name: isinstance(step, LevelTable) for step, names in _parts(first) for name in names
        }
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


def _parts(preparation: TablePreparation) -> list[tuple[NumberColumns | LevelTable, list[str]]]:
    """What is done with which columns, in their order; neighbours of a kind in one."""
    parts: list[tuple[NumberColumns | LevelTable, list[str]]] = []
    for name, (reading, encoding) in preparation.plans().items():
        if reading.how in ("date", "parts", "compound"):
            what = "dates" if reading.how == "date" else "amounts of several numbers"
            raise ValueError(
                f"column {name!r} holds {what}, which graphs cannot read; leave it out, or turn it "
                "into numbers first"
            )
        last = parts[-1][0] if parts else None
        if reading.how == "number" or (reading.kind == "boolean" and set(reading.codes) <= _TRUTH):
            if len(reading.empty) > 1:
                raise ValueError(
                    f"column {name!r} has several numbers that stand for missing values, which "
                    "graphs cannot tell apart; leave them empty"
                )
            empty = reading.empty[0] if reading.empty else np.nan
            plain = not encoding.indicator
            if isinstance(last, NumberColumns) and plain and not last.indicator:
                last.fill.append(encoding.fill[0])
                last.empty.append(empty)
                parts[-1][1].append(name)
            else:
                step = NumberColumns([encoding.fill[0]], [empty], encoding.indicator)
                parts.append((step, [name]))
            continue
        levels, rows = _levels_of(reading, encoding)
        if isinstance(last, LevelTable):
            last.levels.append(levels)
            last.rows.append(rows)
            parts[-1][1].append(name)
        else:
            parts.append((LevelTable([levels], [rows]), [name]))
    return parts


def _levels_of(reading: Reading, encoding: Encoding) -> tuple[list[str], NDArray[np.float64]]:
    """Texts of a column with their numbers: levels, their keys, the empty text; then all others."""
    codes = {**{key: float(code) for key, code in reading.codes.items()}}
    codes |= {level: float(code) for code, level in enumerate(reading.levels)}
    codes.setdefault("", np.nan)
    numbers = encode(reading, encoding, np.array([*codes.values(), -1.0]))
    return list(codes), numbers


def convert_numbers(graph: Any, operator: Any) -> None:
    """Fill in missing numbers, and say which were."""
    from onnx import TensorProto

    step: NumberColumns = operator.raw_operator
    numbers = graph.node("Cast", operator.inputs[0].full_name, to=TensorProto.DOUBLE)
    missing = graph.node("IsNaN", numbers)
    if not np.isnan(step.empty).all():
        # Inputs are of single precision.
        empty = np.asarray(step.empty, dtype=np.float32).astype(np.float64)
        missing = graph.node("Or", missing, graph.node("Equal", numbers, empty))
    filled = graph.node("Where", missing, np.asarray(step.fill, dtype=np.float64), numbers)
    if step.indicator:
        flag = graph.node("Cast", missing, to=TensorProto.DOUBLE)
        filled = graph.node("Concat", filled, flag, axis=1)
    graph.finish(filled, operator.outputs[0])


def convert_levels(graph: Any, operator: Any) -> None:
    """Look up the numbers of each text, column by column."""
    table: LevelTable = operator.raw_operator
    texts = operator.inputs[0].full_name
    parts = []
    for j, (levels, rows) in enumerate(zip(table.levels, table.rows, strict=True)):
        codes = graph.node(
            "LabelEncoder",
            graph.node("Gather", texts, np.array(j), axis=1),
            op_domain="ai.onnx.ml",
            op_version=2,
            keys_strings=levels,
            values_int64s=list(range(len(levels))),
            default_int64=len(levels),
        )
        parts.append(graph.node("Gather", rows, codes, axis=0))
    graph.finish(graph.node("Concat", *parts, axis=1), operator.outputs[0])
