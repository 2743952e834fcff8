"""Whether cleaning helps a model, judged on rows that take no part in it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import median_absolute_error, r2_score
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from broadlearn.auditing.cleaning import ACTIONS, Audited, clean
from broadlearn.io import TablePreparation, import_pandas
from broadlearn.utils import Array
from broadlearn.utils.sklearn_compat import safe_indexing

if TYPE_CHECKING:
    import pandas as pd

FOLDS = 5
AS_GIVEN = "as given"
# Against labels as given, and one that bears wrong ones.
SCORES = {
    "classification": ("accuracy", "corrected_accuracy"),
    "regression": ("r2", "neg_median_absolute_error"),
}
# Noise that mixes classes more than this cannot be undone.
MAX_CONDITION = 100.0


def benefit(
    audit: Audited,
    audit_rows: Callable[..., Any],
    estimator: Any,
    X: Any = None,
    *,
    n_repeats: int = 1,
    random_state: int | np.random.RandomState | None = 0,
    progress: Callable[[str, float], None] | None = None,
) -> pd.DataFrame:
    """Compare an estimator with and without cleaning; `Audit.benefit` says more.

    `audit_rows` is called as ``audit(X, y, task=, random_state=)`` for the training rows of each
    fold.
    """
    rows = audit.evidence.rows
    n = len(rows.labels)
    if X is not None and (X.shape[0] if hasattr(X, "shape") else len(X)) != n:
        raise ValueError(f"X must have the {n} rows audited.")
    task = "regression" if rows.is_regression else "classification"
    key = _weight_parameter(estimator)
    actions = [a for a in ACTIONS if a != "relabel" or not rows.is_regression]
    if key is None:
        actions.remove("weight")
        warnings.warn(
            f"{type(estimator).__name__} takes no sample_weight, so that 'weight' is left out.",
            UserWarning,
            stacklevel=3,
        )
    scores: dict[str, list[list[float]]] = {action: [] for action in (AS_GIVEN, *actions)}
    changed: dict[str, list[int]] = {action: [] for action in scores}
    folds = list(_folds(rows.labels, rows.is_regression, n_repeats, random_state))
    for done, (train, judged) in enumerate(folds):
        if progress is not None:
            progress(f"fold {done + 1} of {len(folds)}", done / len(folds))
        frame, labels = rows.frame.iloc[train], rows.labels[train]
        found = audit_rows(frame, labels, task=task, random_state=random_state)
        given, new = _inputs(rows.frame, X, train, judged)
        for action in scores:
            data = (given, labels, None)
            if action != AS_GIVEN:
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", "Without suspect rows")
                    # The frame that was audited has the index that is compared.
                    picked = clean(found, np.arange(len(train))[:, None], labels, action)
                kept, weight = picked[0][:, 0], picked[2] if action == "weight" else None
                data = (safe_indexing(given, kept), picked[1], weight)
            changed[action].append(_count_changed(labels, data[1], data[2]))
            fitted = clone(estimator)
            options: dict[str, Any] = {} if data[2] is None else {str(key): data[2]}
            predicted = fitted.fit(data[0], data[1], **options).predict(new)
            scores[action].append(_scores(rows.labels[judged], predicted, found))
    names = SCORES[task]
    return _summary(scores, changed, names, len(folds[0][1]) / len(folds[0][0]))


def _folds(
    labels: NDArray[Any], regression: bool, n_repeats: int, random_state: Any
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    splitter = RepeatedKFold if regression else RepeatedStratifiedKFold
    folds = splitter(n_splits=FOLDS, n_repeats=n_repeats, random_state=random_state)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class")
        yield from folds.split(labels, labels)


def _weight_parameter(estimator: Any) -> str | None:
    """How `fit` calls the weights of rows, if it takes them."""
    if not isinstance(estimator, Pipeline):
        return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else None
    name, last = estimator.steps[-1]
    inner = _weight_parameter(last)
    return None if inner is None else f"{name}__{inner}"


def _inputs(frame: pd.DataFrame, X: Any, train: Any, judged: Any) -> tuple[Any, Any]:
    """What is fitted to and what is predicted; columns become numbers by training rows alone."""
    if X is not None:
        return safe_indexing(X, train), safe_indexing(X, judged)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # identifiers, new levels
        prepare = TablePreparation()
        return prepare.fit_transform(frame.iloc[train]), prepare.transform(frame.iloc[judged])


def _count_changed(given: NDArray[Any], labels: NDArray[Any], weight: Array | None) -> int:
    if weight is not None:
        return int((weight < 0.5).sum())
    if len(labels) < len(given):
        return len(given) - len(labels)
    return int((labels != given).sum())


def _scores(label: NDArray[Any], predicted: NDArray[Any], found: Any) -> list[float]:
    """Those of `SCORES`."""
    if found.evidence.rows.is_regression:
        return [r2_score(label, predicted), -median_absolute_error(label, predicted)]
    right = float(np.mean(predicted == label))
    return [right, corrected_accuracy(label, predicted, found.noise_matrix)]


def corrected_accuracy(
    label: NDArray[Any], predicted: NDArray[Any], noise_matrix: pd.DataFrame
) -> float:
    """Accuracy against the true labels, where those given are wrong with known probabilities.

    The inverse of the matrix P(given | true) undoes the noise in the mean: with its entry
    [given, c] as the score of a prediction c, the mean over what may be given is 1 where c is
    true and 0 elsewhere. nan where classes are mixed too much for that.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> noise = pd.DataFrame([[0.8, 0.2], [0.0, 1.0]], list("ab"), list("ab"))
    >>> true = np.array(["a"] * 10 + ["b"] * 10)
    >>> given = np.array(["a"] * 8 + ["b"] * 12)
    >>> float(round(np.mean(given == true), 2)), round(corrected_accuracy(given, true, noise), 2)
    (0.9, 1.0)
    """
    # Labels that were not there to learn noise of are taken as right.
    names = list(dict.fromkeys([*noise_matrix.index, *label.tolist(), *predicted.tolist()]))
    T = np.eye(len(names))
    known = len(noise_matrix)
    T[:known, :known] = noise_matrix.to_numpy()
    if not np.isfinite(T).all() or np.linalg.cond(T) > MAX_CONDITION:
        return float("nan")
    place = {name: k for k, name in enumerate(names)}
    given = [place[name] for name in label.tolist()]
    chosen = [place[name] for name in predicted.tolist()]
    return float(np.linalg.inv(T)[given, chosen].mean())


def _summary(
    scores: dict[str, list[list[float]]],
    changed: dict[str, list[int]],
    names: tuple[str, ...],
    test_share: float,
) -> pd.DataFrame:
    values = {action: np.array(folds) for action, folds in scores.items()}
    table = import_pandas().DataFrame(index=import_pandas().Index(values, name="action"))
    for j, name in enumerate(names):
        gain = {action: folds[:, j] - values[AS_GIVEN][:, j] for action, folds in values.items()}
        table[name] = [folds[:, j].mean() for folds in values.values()]
        table[f"{name}_gain"] = [folds.mean() for folds in gain.values()]
        # Training rows of folds overlap, so that folds vary less than new data would: Nadeau and
        # Bengio's correction.
        table[f"{name}_gain_error"] = [
            np.sqrt((1.0 / folds.size + test_share) * folds.var(ddof=1)) for folds in gain.values()
        ]
    table["rows_changed"] = [np.mean(counts) for counts in changed.values()]
    return table
