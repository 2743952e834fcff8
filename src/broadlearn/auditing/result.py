"""What an audit found, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.auditing.benefit import benefit as measure_benefit
from broadlearn.auditing.cleaning import clean as clean_rows
from broadlearn.auditing.cleaning import sample_weight as weight_rows
from broadlearn.auditing.corrections import corrections_table
from broadlearn.auditing.errors import ErrorCounts, Estimate
from broadlearn.auditing.findings import FINE, VERDICTS, Health
from broadlearn.auditing.neighbours import Neighbours
from broadlearn.auditing.page import render_page
from broadlearn.auditing.plots import draw_audit
from broadlearn.auditing.rows import Rows
from broadlearn.utils import Array, html_table, safe_csv, write_whole

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

# Rows that an audit shows of itself in a notebook.
MAX_SHOWN = 10


class Evidence(NamedTuple):
    """What verdicts were made of, in the order of X.

    Attributes
    ----------
    rows : Rows
    proba : ndarray of shape (n_samples, n_classes)
        Probability of each label, held out and pooled over models; for a regression target of
        shape (n_samples, 1), the held-out prediction.
    posterior : ndarray of shape (n_samples, n_classes)
        Probability of each class to be the true one, given the label that the row has.
    suspicion : ndarray of shape (n_samples,)
        1 less the posterior of the row's own label.
    near : Neighbours
    column_shares : ndarray of shape (n_samples, n_columns)
        How much each column of `rows.columns` sets the row apart from rows of its class; rows sum
        to one, or are 0.
    projection : ndarray of shape (n_samples, 2)
        First two principal components of the rows.
    pool : dict of str to float
        Weights of the kinds of models in the held-out probabilities.
    """

    rows: Rows
    proba: Array
    posterior: Array
    suspicion: Array
    near: Neighbours
    column_shares: Array
    projection: Array
    pool: dict[str, float]


@dataclass(frozen=True, eq=False)
class Audit:
    """Judgement of every row of a table, and of the table, made by `audit`.

    Attributes
    ----------
    table : pandas.DataFrame
        One line per row, the most urgent first, with the index of X (its positions for an array):

        - ``position``: in X, counted from 0;
        - ``suspicion``: the probability that the label is wrong;
        - ``verdict``: "likely mislabelled", "ambiguous", "outlying", "contradicting duplicate",
          "duplicate" or "fine";
        - ``why``: a sentence;
        - ``label``, ``likely_label``: as given, and the one most likely to be true, or of likely
          mislabelled rows the most likely other one; for a quantity the held-out prediction;
        - ``own_probability``, ``likely_probability``: of these labels, by models that did not see
          the row, before what is known of the noise;
        - ``nearest_own``, ``nearest_other``: index of the nearest row of the same and of any other
          class;
        - ``columns``: what sets the row apart from rows of its class, with shares;
        - ``value``: how much the leave-one-out error of the other rows would grow without the row;
          negative where it harms them;
        - all columns of X, named "X: …" where a name is one of the above, "row" or "line".
    classes : ndarray of shape (n_classes,)
        Labels; none for a quantity.
    n_errors : Estimate
        How many labels are wrong: ``value``, ``low`` and ``high``, an interval of 90 %.
    errors : pandas.DataFrame
        The same by pair: ``given``, ``likely``, ``expected``, ``low``, ``high``, ``flagged``.
    by_class : pandas.DataFrame
        For each label ``rows``, ``flagged`` (likely mislabelled), ``expected``, ``low``, ``high``.
    noise_matrix : pandas.DataFrame
        Probability of a given label (column) for a true class (row).
    health : Health
        A score of 100 points, and what takes from it, in one sentence each.
    evidence : Evidence
        Arrays that the above were made of.
    """

    table: pd.DataFrame
    classes: NDArray[Any]
    error_counts: ErrorCounts
    health: Health
    evidence: Evidence

    @property
    def n_errors(self) -> Estimate:
        """How many labels are wrong."""
        return self.error_counts.total

    @property
    def errors(self) -> pd.DataFrame:
        """How many labels are wrong, by pair of labels."""
        return self.error_counts.pairs

    @property
    def by_class(self) -> pd.DataFrame:
        """How many labels are wrong, by given label."""
        return self.error_counts.by_class

    @property
    def noise_matrix(self) -> pd.DataFrame:
        """Probability of a given label (column) for a true class (row)."""
        return self.error_counts.noise_matrix

    @property
    def counts(self) -> dict[str, int]:
        """Rows of each verdict."""
        verdict = self.table["verdict"].to_numpy()
        return {name: int((verdict == name).sum()) for name in VERDICTS}

    def __repr__(self) -> str:
        found = ", ".join(f"{count} {name}" for name, count in self.counts.items() if count)
        return f"<Audit of {len(self.table)} rows: {found}>"

    def _repr_html_(self) -> str:
        columns = ["suspicion", "verdict", "label", "likely_label", "why"]
        most = self.table[self.table["verdict"] != FINE][:MAX_SHOWN]
        rows = zip(most.index, *(most[name] for name in columns), strict=True)
        note = "All rows: .table; a page: .to_html(path); what to fit on: .clean(X, y)."
        return html_table(repr(self)[1:-1], ["row", *columns], rows, note)

    @property
    def sample_weight(self) -> Array:
        """Probability of each row's label to be right, 1 less suspicion, in the order of X."""
        return weight_rows(self)

    def clean(self, X: Any, y: Any, action: str = "drop") -> tuple[Any, ...]:
        """Give back what to fit on.

        Suspect rows are the likely mislabelled ones, and contradicting duplicates whose label is
        more likely wrong than right. Outlying, ambiguous and agreeing duplicate rows stay.

        Parameters
        ----------
        X : frame of pandas or Polars, array-like or sparse matrix of shape (n_samples, n_features)
            The audited rows in their order; columns may have been scaled or added since.
        y : array-like of shape (n_samples,)
            The labels that were audited.
        action : {"drop", "relabel", "weight"}, default="drop"
            Leave suspect rows out; give those whose label is more likely wrong than right their
            likely label (classes only); or keep all rows and weigh each by the probability of its
            label to be right.

        Returns
        -------
        X, y : as given
            Frames keep index, columns and types, labels their type and categories; lists become
            arrays. The input is never changed.
        sample_weight : ndarray of shape (n_samples,)
            With "weight" only.
        """
        return clean_rows(self, X, y, action)

    def corrections(self) -> pd.DataFrame:
        """List all rows that are not fine, the most urgent first, for a person to decide on.

        Returns
        -------
        pandas.DataFrame
            ``row`` (position from 0), ``index`` (``line`` if the index of X has that name, as
            commands give it), ``label``, ``likely_label``, ``suspicion``,
            ``verdict``, ``action`` and ``new_label``. Actions are suggestions that end with "?";
            nothing is done until a person writes keep, relabel or drop.
            `broadlearn.auditing.read_corrections` reads the edited file.
        """
        return corrections_table(self)

    def benefit(
        self,
        estimator: Any,
        X: Any = None,
        *,
        n_repeats: int = 1,
        random_state: int | np.random.RandomState | None = 0,
        progress: Callable[[str, float], None] | None = None,
    ) -> pd.DataFrame:
        """Compare an estimator fitted with and without cleaning, on rows held out.

        In each of five stratified folds the table is audited anew by its training rows alone, so
        that no judged row is cleaned by its own label; judged rows are used as given. Their labels
        have errors too: random ones make gains of ``accuracy`` too small, and where errors follow
        a pattern, a model that repeats it is rewarded. ``corrected_accuracy`` undoes this by the
        noise matrix of the training rows: right in the mean if errors depend on the class alone
        and the matrix is right, but more variable, and nan where classes are mixed too much. It
        does not use the suspicion of judged rows, which would favour models like the audit's own.
        For a quantity: ``r2``, which wrong values of judged rows dominate, and
        ``neg_median_absolute_error``, which bears a few of them.

        Parameters
        ----------
        estimator : estimator
            Cloned for each fit. Without sample_weight in `fit`, there is no line "weight".
        X : array-like of shape (n_samples, n_features), default=None
            What the estimator is fitted to, if not the audited columns as numbers.
        n_repeats : int, default=1
        random_state : int, RandomState or None, default=0
        progress : callable, default=None
            Called with a stage and the share done.

        Returns
        -------
        pandas.DataFrame
            A line for "as given" and each action: each score, its ``_gain`` over "as given" with
            the standard error ``_gain_error`` (corrected for training rows that folds share), and
            ``rows_changed``, the mean number of training rows dropped, relabelled, or weighted
            below a half.
        """
        from broadlearn.auditing.auditing import audit

        return measure_benefit(
            self,
            audit,
            estimator,
            X,
            n_repeats=n_repeats,
            random_state=random_state,
            progress=progress,
        )

    def plot(self) -> Figure:
        """Draw what ranks the rows: suspicion by class, and a map of the rows; needs matplotlib.

        Returns
        -------
        matplotlib.figure.Figure
            ``figure.savefig("audit.png")`` keeps it.
        """
        return draw_audit(self)

    def to_html(
        self,
        path: str | PathLike[str] | None = None,
        *,
        title: str = "Audit",
        max_rows: int | None = 1000,
    ) -> str | None:
        """Make one self-contained page; needs jinja2.

        Parameters
        ----------
        path : str or path-like, default=None
            Where to write it, whole or not at all.
        title : str, default="Audit"
        max_rows : int or None, default=1000
            The most urgent rows to list; None lists all that are not fine.

        Returns
        -------
        str or None
            The page, if there is no path.
        """
        if max_rows is not None and (not isinstance(max_rows, Integral) or max_rows < 1):
            raise ValueError(f"max_rows must be None or a whole number >= 1, got {max_rows!r}.")
        return _written(path, render_page(self, title, max_rows))

    def to_csv(self, path: str | PathLike[str] | None = None) -> str | None:
        """Give the table as CSV; texts that begin like a formula get a leading apostrophe.

        Parameters
        ----------
        path : str or path-like, default=None
            Where to write it, whole or not at all.

        Returns
        -------
        str or None
            The text, if there is no path.
        """
        return _written(path, safe_csv(self.table))


def _written(path: str | PathLike[str] | None, text: str) -> str | None:
    if path is None:
        return text
    write_whole(path, text)
    return None
