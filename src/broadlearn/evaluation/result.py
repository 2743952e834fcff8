"""What `evaluate` gives back: figures, tables, and a page of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from broadlearn.evaluation.metrics import Judged
from broadlearn.evaluation.page import render_evaluation
from broadlearn.evaluation.thresholds import UnwrappedModel
from broadlearn.utils import Array, html_table, write_whole

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How good a model is on given rows, made by `evaluate`.

    Attributes
    ----------
    metrics : pandas.DataFrame
        ``value``, ``low`` and ``high`` of each figure: the interval holds the middle 95 % of 200
        bootstrap resamples of the rows. Of a classifier ``accuracy``, ``majority_share``,
        ``balanced_accuracy``, ``roc_auc``, ``average_precision`` and ``log_loss`` (nan where the
        model gives no probabilities); of a regressor ``r2``, ``mean_absolute_error`` and
        ``root_mean_squared_error``. Of an ensemble also ``coverage`` of its conformal sets or
        intervals of 90 %, and their mean ``set_size`` or ``interval_width``.
    by_class : pandas.DataFrame
        For each class ``rows``, ``predicted``, ``recall``, ``precision`` and ``f1``; empty for a
        regressor.
    confusion : pandas.DataFrame
        Number of rows by label (row) and prediction (column); empty for a regressor.
    worst : pandas.DataFrame
        The rows with the largest ``loss`` (log-loss, or distance to the target): ``position`` in X,
        ``label``, ``prediction``, and of a classifier the ``probability`` of the label. Rows whose
        class the model does not know come first.
    importance : pandas.DataFrame or None
        What each column is worth to the model, if asked for: ``importance``, ``low`` and ``high``.
    importance_unit : str
        What these are, in words.
    parts : UnwrappedModel
        The model.
    judged : Judged or None
        Labels, predictions and probabilities of a classifier.
    target, prediction : ndarray of shape (n_samples,)
        As given, and as predicted.
    intervals : ndarray of shape (n_samples, 2) or None
        Conformal intervals of a regressor that has them.
    """

    metrics: pd.DataFrame
    by_class: pd.DataFrame
    confusion: pd.DataFrame
    worst: pd.DataFrame
    importance: pd.DataFrame | None
    importance_unit: str
    parts: UnwrappedModel
    judged: Judged | None
    target: NDArray[Any]
    prediction: NDArray[Any]
    intervals: Array | None

    @property
    def n_unknown(self) -> int:
        """Rows whose class the model does not know."""
        return 0 if self.judged is None else len(self.target) - self.judged.known.size

    def __repr__(self) -> str:
        name, value = self.metrics.index[0], self.metrics["value"].iloc[0]
        return f"<Evaluation on {len(self.target)} rows: {name} {value:.4g}>"

    def _repr_html_(self) -> str:
        rows = self.metrics.itertuples(name=None)
        note = "Intervals of 95 %; .to_html(path) writes a page, .worst has the worst rows."
        return html_table(repr(self)[1:-1], ["figure", *self.metrics.columns], rows, note)

    def to_html(
        self,
        path: str | PathLike[str] | None = None,
        *,
        title: str = "Evaluation",
        row_names: Sequence[str] | None = None,
    ) -> str | None:
        """Make one self-contained page; needs jinja2.

        Parameters
        ----------
        path : str or path-like, default=None
            Where to write it, whole or not at all.
        title : str, default="Evaluation"
        row_names : sequence of str, default=None
            What the page calls each row, such as "line 17"; by default its position.

        Returns
        -------
        str or None
            The page, if there is no path.
        """
        page = render_evaluation(self, title, row_names)
        if path is None:
            return page
        write_whole(path, page)
        return None
