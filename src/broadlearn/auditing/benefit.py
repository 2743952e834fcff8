"""Whether cleaning helps a model, judged on rows that take no part in it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from broadlearn.auditing.cleaning import ACTIONS, clean
from broadlearn.utils import Array
from broadlearn.utils.sklearn_compat import safe_indexing

if TYPE_CHECKING:
    from broadlearn.auditing.result import Audit

AS_GIVEN = "as given"


def benefit(
    audit: Audit,
    audit_rows: Callable[..., Audit],
    estimator: Any,
    X: Any,
    *,
    n_repeats: int,
    random_state: int | np.random.RandomState | None,
    progress: Callable[[str, float], object] | None,
) -> pd.DataFrame:
    """Compare an estimator with and without cleaning; `Audit.benefit` says more.

    `audit_rows` is called as ``audit(X, y, task=, preparation=, random_state=)`` for the training
    rows of each fold.
    """
    rows = audit.rows
    X = rows.numbers if X is None else X
    if (X.shape[0] if hasattr(X, "shape") else len(X)) != rows.size:
        raise ValueError(f"X must have the {rows.size} audited rows.")
    task = "regression" if rows.is_regression else "classification"
    key = _weight_parameter(estimator)
    actions = [a for a in ACTIONS if a != "relabel" or not rows.is_regression]
    if key is None:
        actions.remove("weight")
        warnings.warn(
            f"{type(estimator).__name__} takes no sample_weight, so 'weight' is left out.",
            UserWarning,
            stacklevel=3,
        )
    scores: dict[str, list[float]] = {action: [] for action in (AS_GIVEN, *actions)}
    changed: dict[str, list[int]] = {action: [] for action in scores}
    splitter = RepeatedKFold if rows.is_regression else RepeatedStratifiedKFold
    splits = splitter(n_splits=5, n_repeats=n_repeats, random_state=random_state)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class|Without suspect rows")
        folds = list(splits.split(rows.labels, rows.labels))
        for done, (train, judged) in enumerate(folds):
            if progress is not None:
                progress(f"fold {done + 1} of {len(folds)}", done / len(folds))
            frame, labels = rows.frame.iloc[train], rows.labels[train]
            found = audit_rows(
                *(frame, labels),
                task=task,
                preparation=rows.preparation,
                random_state=random_state,
            )
            for action in scores:
                kept, y, weight = np.arange(train.size), labels, None
                if action != AS_GIVEN:
                    picked = clean(found, kept[:, None], labels, action)
                    kept, y = picked[0][:, 0], picked[1]
                    weight = picked[2] if action == "weight" else None
                changed[action].append(_count_changed(labels, y, weight))
                options: dict[str, Any] = {} if weight is None else {str(key): weight}
                fitted = clone(estimator).fit(safe_indexing(X, train[kept]), y, **options)
                scores[action].append(fitted.score(safe_indexing(X, judged), rows.labels[judged]))
    return _summary(scores, changed, len(folds[0][1]) / len(folds[0][0]))


def _weight_parameter(estimator: Any) -> str | None:
    """Return how `fit` calls the weights of rows, if it takes them."""
    if not isinstance(estimator, Pipeline):
        return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else None
    name, last = estimator.steps[-1]
    inner = _weight_parameter(last)
    return None if inner is None else f"{name}__{inner}"


def _count_changed(given: NDArray[Any], labels: NDArray[Any], weight: Array | None) -> int:
    if weight is not None:
        return int((weight < 0.5).sum())
    if len(labels) < len(given):
        return len(given) - len(labels)
    return int((labels != given).sum())


def _summary(
    scores: dict[str, list[float]], changed: dict[str, list[int]], test_share: float
) -> pd.DataFrame:
    values = pd.DataFrame(scores)
    gain = values.sub(values[AS_GIVEN], axis=0)
    # Training rows of folds overlap, so folds vary less than new data would: Nadeau and Bengio's
    # correction.
    error = np.sqrt((1.0 / len(values) + test_share) * gain.var())
    return pd.DataFrame(
        {
            "score": values.mean(),
            "gain": gain.mean(),
            "gain_error": error,
            "rows_changed": pd.DataFrame(changed).mean(),
        }
    ).rename_axis("action")
