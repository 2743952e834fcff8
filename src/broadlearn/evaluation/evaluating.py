"""Evaluate a fitted model on new rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import is_classifier
from sklearn.metrics import confusion_matrix
from sklearn.utils import resample
from sklearn.utils.validation import check_consistent_length, column_or_1d

from broadlearn.evaluation.explaining import (
    Explanation,
    explain,
    importances,
    output_unit,
    partial_dependence,
)
from broadlearn.evaluation.metrics import (
    Predictions,
    class_table,
    label_predictions,
    metrics_table,
    sample_losses,
)
from broadlearn.evaluation.thresholds import ModelParts, Threshold, unwrap_model
from broadlearn.utils import draw_seed, html_table, percent, write_whole
from broadlearn.utils.sklearn_compat import safe_indexing


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Metrics, errors and worst rows of a model, made by `evaluate`.

    Attributes
    ----------
    metrics : pandas.DataFrame
        ``value``, ``low`` and ``high`` of each metric: a 95 % interval from 200 bootstrap resamples
        of the rows. For a classifier ``accuracy``, ``majority_share``, ``balanced_accuracy`` and,
        if it has probabilities, ``roc_auc``, ``average_precision`` and ``log_loss``; for a
        regressor ``r2``, ``mean_absolute_error`` and ``root_mean_squared_error``. For an ensemble
        also ``coverage`` of its 90 % conformal sets or intervals, and ``set_size`` or
        ``interval_width``.
    by_class : pandas.DataFrame
        ``rows``, ``predicted``, ``recall``, ``precision`` and ``f1`` of each class; empty for a
        regressor.
    confusion : pandas.DataFrame
        Number of rows by label (row) and prediction (column); empty for a regressor.
    worst : pandas.DataFrame
        The 20 rows with the largest ``loss`` (log-loss, or absolute error): ``position`` in X,
        ``label``, ``prediction`` and, for a classifier with probabilities, the ``probability`` of
        the label. With `importance` also ``why``: the columns with the largest contributions to
        the prediction.
    predictions : Predictions
        Labels or targets beside predictions and probabilities.
    model_name : str
        Class name of the estimator.
    threshold : Threshold or None
        Decision threshold of the model, if it has one.
    importance : pandas.DataFrame or None
        Importance of each column (see `importances`), if asked for: ``importance``, ``low`` and
        ``high``.
    importance_unit : str
        What columns contribute to, in words.
    explained : Explanation or None
        Contributions of columns to the predictions of `worst`, if `importance` was asked for.
    dependence : dict of column to pandas.DataFrame
        Partial dependence of the output on the four most important columns, if asked for.
    """

    metrics: pd.DataFrame
    by_class: pd.DataFrame
    confusion: pd.DataFrame
    worst: pd.DataFrame
    predictions: Predictions
    model_name: str = "model"
    threshold: Threshold | None = None
    importance: pd.DataFrame | None = None
    importance_unit: str = ""
    explained: Explanation | None = None
    dependence: dict[Any, pd.DataFrame] = field(default_factory=dict)

    @property
    def is_regression(self) -> bool:
        """Whether the target is a quantity."""
        return self.predictions.classes is None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.predictions.target)

    def remarks(self) -> list[str]:
        """Return sentences on a threshold and on a class that is often missed.

        Returns
        -------
        list of str
        """
        remarks = []
        if self.threshold is not None:
            label, value = self.threshold
            remarks.append(
                f"{str(label)!r} is predicted if its probability is at least {value:.3g}."
            )
        if self.is_regression:
            return remarks
        rows, recall = self.by_class["rows"], self.by_class["recall"]
        # Worse than a coin, and rare.
        if recall.min() < 0.5 and rows[recall.idxmin()] < rows.max() / 2:
            remarks.append(
                f"Class {str(recall.idxmin())!r} is often missed: the model finds "
                f"{percent(recall.min())} of its rows. A balanced class weight or, for two "
                "classes, a lower decision threshold finds more."
            )
        return remarks

    def __repr__(self) -> str:
        name, value = self.metrics.index[0], self.metrics["value"].iloc[0]
        return f"<Evaluation on {self.n_rows} rows: {name} {value:.4g}>"

    def _repr_html_(self) -> str:
        note = "95 % intervals; .to_html(path) writes a page, .worst has the worst rows."
        return html_table(repr(self)[1:-1], self.metrics.reset_index(names="metric"), note)

    def to_html(
        self,
        path: str | PathLike[str] | None = None,
        *,
        title: str = "Evaluation",
    ) -> str | None:
        """Make a self-contained page with charts; needs jinja2 and matplotlib.

        Parameters
        ----------
        path : str or path-like, default=None
            File to write, whole or not at all.
        title : str, default="Evaluation"
            Heading of the page.

        Returns
        -------
        str or None
            The page, if there is no path.
        """
        from broadlearn.evaluation.page import render_evaluation

        page = render_evaluation(self, title)
        if path is None:
            return page
        write_whole(path, page)
        return None


def evaluate(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    importance: bool = False,
    random_state: int | np.random.RandomState | None = 0,
) -> Evaluation:
    """Evaluate a fitted model on rows that it was not fitted to.

    Parameters
    ----------
    model : estimator
        A fitted classifier, or a regressor of one target, of scikit-learn's kind.
    X : array-like or DataFrame of shape (n_samples, n_features)
        New rows.
    y : array-like of shape (n_samples,)
        Their labels or targets. Labels that the model does not know are refused.
    importance : bool, default=False
        Whether to measure the importance of columns, with partial dependence on the most important
        ones, and to explain the predictions of the worst rows.
    random_state : int, RandomState or None, default=0
        Seed of resamples and explanations.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from broadlearn import BLSClassifier, evaluate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, X_new, y, y_new = train_test_split(X, y, random_state=0)
    >>> result = evaluate(BLSClassifier(random_state=0).fit(X, y), X_new, y_new)
    >>> low, high = result.metrics.loc["balanced_accuracy", ["low", "high"]]
    >>> bool(0.85 < low < high <= 1.0), int(result.confusion.to_numpy().sum())
    (True, 143)
    """
    if not hasattr(model, "predict"):
        raise TypeError(f"model must be a fitted classifier or regressor, got {model!r:.100}.")
    y = column_or_1d(y)
    check_consistent_length(X, y)
    seed, parts = draw_seed(random_state), unwrap_model(model)
    predictions = _predict(model, parts, X, y)
    found = evaluate_predictions(
        predictions,
        random_state=seed,
        model_name=type(parts.estimator).__name__,
        threshold=parts.threshold,
    )
    return _with_reasons(found, model, X, seed) if importance else found


def evaluate_predictions(
    predictions: Predictions, *, random_state: int = 0, **facts: Any
) -> Evaluation:
    """Evaluate predictions that were already made, such as out-of-fold ones.

    `facts` are further attributes of the `Evaluation`, such as ``model_name``.

    Examples
    --------
    >>> import numpy as np
    >>> from broadlearn.evaluation import Predictions, evaluate_predictions
    >>> evaluate_predictions(Predictions(np.arange(9.0), np.arange(9.0)))
    <Evaluation on 9 rows: r2 1>
    """
    confusion = pd.DataFrame()
    if predictions.classes is not None:
        labels = predictions.classes
        counts = confusion_matrix(
            predictions.target, predictions.predicted, labels=np.arange(labels.size)
        )
        confusion = pd.DataFrame(counts, labels, labels)
    return Evaluation(
        metrics_table(predictions, random_state),
        class_table(predictions),
        confusion,
        _worst_rows(predictions),
        predictions,
        **facts,
    )


def _predict(model: Any, parts: ModelParts, X: Any, y: Any) -> Predictions:
    predicted = np.asarray(model.predict(X))
    if predicted.ndim != 1:
        raise ValueError("evaluate needs a model with one target, but this model predicts several.")
    if not is_classifier(model):
        regions = _conformal_regions(parts, X, "predict_interval")
        return Predictions(y.astype(np.float64), predicted.astype(np.float64), regions=regions)
    proba = np.asarray(model.predict_proba(X)) if hasattr(model, "predict_proba") else None
    sets = _conformal_regions(parts, X, "predict_set")
    return label_predictions(np.asarray(model.classes_), y, predicted, proba, sets)


def _conformal_regions(parts: ModelParts, X: Any, method: str) -> Any:
    """Return conformal sets or intervals of 90 %, if the model was calibrated for them."""
    estimator = parts.estimator
    if not hasattr(estimator, method) or not hasattr(estimator, "calibration_scores_"):
        return None
    return getattr(estimator, method)(parts.prepare(X))


def _worst_rows(predictions: Predictions) -> pd.DataFrame:
    """Return the rows with the largest loss."""
    losses = sample_losses(predictions)
    rows = np.argsort(-losses, kind="stable")[:20]
    rows = rows[losses[rows] > 0.0]
    table = pd.DataFrame(
        {
            "position": rows,
            "label": predictions.decoded(predictions.target[rows]),
            "prediction": predictions.decoded(predictions.predicted[rows]),
            "loss": losses[rows],
        }
    )
    if predictions.proba is not None:
        table.insert(3, "probability", np.exp(-losses[rows]))
    return table


def _with_reasons(found: Evaluation, model: Any, X: Any, seed: int) -> Evaluation:
    """Add the importance of columns, and reasons for the predictions of the worst rows."""
    # A curve of partial dependence needs no more rows.
    some = resample(X, replace=False, n_samples=min(found.n_rows, 200), random_state=seed)
    importance = importances(model, X, random_state=seed)
    worst, part = found.worst, None
    if len(worst):
        rows = worst["position"].to_numpy()
        part = explain(model, safe_indexing(X, rows), X, random_state=seed)
        worst = worst.assign(why=[", ".join(part.reasons(i)) for i in range(len(worst))])
    return replace(
        found,
        worst=worst,
        importance=importance.rename(index=str),
        importance_unit=f"mean absolute contribution to the {output_unit(model)}",
        explained=part,
        dependence=partial_dependence(model, some, importance.index[:4]),
    )
