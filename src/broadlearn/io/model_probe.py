"""A model is used once, on a made-up sample, before it is handed out.

What a fit learnt tells a sample that the model can take: levels of words, means of columns,
examples. So a model whose parts do not work together is found out when it is read, and not later.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.utils.validation import check_is_fitted

from broadlearn.io.csv_files import import_pandas
from broadlearn.io.preparation import TablePreparation

METHODS = ("predict", "predict_proba", "decision_function", "predict_set", "predict_interval")
# Where a fit has put typical values of the columns.
_TYPICAL = ("mean_", "center_", "statistics_", "data_min_", "data_max_", "max_abs_")
_OURS = "broadlearn."


def use_once(model: Any) -> None:
    """Raise unless a fitted model gives finite answers for a sample that suits it.

    Where other transformers come first, a sample that suits may not be known: what they refuse by
    a `ValueError` says nothing against the model then.
    """
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if not _is_fitted(model):
            return
        for step in _all_steps(model):
            _name_columns(step)
        try:
            _use(model, _sample(model))
        except ValueError:
            if _is_own(model):
                raise
            # The last step by itself.
            last = model[-1] if isinstance(model, Pipeline) else model
            if last is not model and isinstance(last, BaseEstimator):
                use_once(last)


def _name_columns(step: Any) -> None:
    """Raise unless a step names its columns, or says why it cannot."""
    if not hasattr(step, "get_feature_names_out"):
        return
    try:
        names = step.get_feature_names_out()
    except (AttributeError, ValueError):
        # Of a step that does not know them.
        return
    if np.ndim(names) != 1:
        raise ValueError(f"{type(step).__name__} has no names of columns")


def _is_own(model: Any) -> bool:
    """Whether all of a model is of this library."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    return all(type(step).__module__.startswith(_OURS) for step in steps)


def _is_fitted(model: Any) -> bool:
    """Whether a model has learnt enough to be used."""
    stream = getattr(model, "_stream", None)
    if stream is not None and stream.sums is None:
        return False
    try:
        check_is_fitted(model)
    except NotFittedError:
        learnt = [name for name in vars(model) if name.endswith("_") and name[0] != "_"]
        if learnt:
            raise ValueError(f"{type(model).__name__} lacks a part of what it learnt") from None
        return False
    return True


def _use(model: Any, X: Any) -> None:
    """Ask a model for all that it says of samples."""
    used = False
    for name in METHODS:
        if not hasattr(model, name):
            continue
        try:
            found = np.asarray(getattr(model, name)(X))
        except ValueError:
            if name in ("predict_set", "predict_interval"):
                # Calibration is not in files of earlier versions.
                continue
            raise
        used = True
        if found.dtype.kind == "f" and not np.isfinite(found).all():
            raise ValueError(f"{name} of {type(model).__name__} gives no number")
    if not used and hasattr(model, "transform"):
        model.transform(X)


def _sample(model: Any) -> Any:
    """A table of one sample that suits a model."""
    row = _row(model)
    names = getattr(_first(model), "feature_names_in_", None)
    if names is None and not any(isinstance(value, str) or value is None for value in row):
        return np.array([row], dtype=np.float64)
    if names is None:
        return np.array([row], dtype=object)
    if _takes_frames(_first(model)):
        return import_pandas().DataFrame(
            {name: [value] for name, value in zip(names, row, strict=True)}
        )
    return np.array([row], dtype=np.float64 if _is_numeric(row) else object)


def _is_numeric(row: list[Any]) -> bool:
    return all(isinstance(value, int | float | np.number) for value in row)


def _takes_frames(model: Any) -> bool:
    return isinstance(model, ColumnTransformer | TablePreparation | FeatureUnion)


def _first(model: Any) -> Any:
    """What a model hands its samples to first."""
    if isinstance(model, Pipeline):
        steps = [step for _, step in model.steps if isinstance(step, BaseEstimator)]
        return _first(steps[0]) if steps else model
    if isinstance(model, FixedThresholdClassifier):
        return _first(model.estimator_)
    return _first(model.estimator) if isinstance(model, FrozenEstimator) else model


def _row(model: Any) -> list[Any]:
    """One value for each column that a model wants."""
    first = _first(model)
    if isinstance(first, TablePreparation):
        examples = {record.name: record.example for record in first.columns_}
        names = getattr(first, "feature_names_in_", None)
        wanted = examples if names is None else names
        return [examples.get(str(name)) or None for name in wanted]
    n = int(getattr(first, "n_features_in_", 1))
    if isinstance(first, ColumnTransformer):
        row: list[Any] = [0.0] * n
        for name, step, _ in first.transformers_:
            places = first._transformer_to_input_indices[name]
            if isinstance(step, BaseEstimator):
                for place, value in zip(places, _row(step), strict=False):
                    row[place] = value
        return row
    for step in _steps(model):
        if getattr(step, "n_features_in_", None) != n:
            break
        if hasattr(step, "categories_"):
            return [levels[0] if len(levels) else 0.0 for levels in step.categories_]
        for name in _TYPICAL:
            values = getattr(step, name, None)
            if isinstance(values, np.ndarray) and values.shape == (n,):
                return [0.0 if _is_missing(value) else value for value in values.tolist()]
    return [1.0] * n


def _is_missing(value: Any) -> bool:
    return value is None or value != value


def _steps(model: Any) -> list[Any]:
    """The steps of a model, one after the other."""
    if isinstance(model, Pipeline):
        return [inner for _, step in model.steps for inner in _steps(step)]
    return [model]


def _all_steps(model: Any) -> list[Any]:
    """The steps of a model, also those beside each other and within others."""
    inner: list[Any] = []
    if isinstance(model, Pipeline):
        inner = [step for _, step in model.steps]
    elif isinstance(model, FeatureUnion):
        inner = [step for _, step in model.transformer_list]
    elif isinstance(model, ColumnTransformer):
        inner = [step for _, step, _ in getattr(model, "transformers_", ())]
    found = [step for part in inner if isinstance(part, BaseEstimator) for step in _all_steps(part)]
    return [model, *found]
