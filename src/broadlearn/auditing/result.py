"""What an audit found, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from broadlearn.auditing.benefit import benefit as measure_benefit
from broadlearn.auditing.checks import Evidence
from broadlearn.auditing.cleaning import clean as clean_rows
from broadlearn.auditing.corrections import Corrections, corrections_table
from broadlearn.auditing.errors import Estimate
from broadlearn.auditing.findings import FINE, MAX_LINES, VERDICTS, Health
from broadlearn.auditing.page import render_page
from broadlearn.auditing.plots import draw_audit
from broadlearn.auditing.rows import Rows
from broadlearn.utils import Array, harmless, html_table, safe_csv, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Audit:
    """Judgement of every row of a table, and of the table, made by `audit`.

    Attributes
    ----------
    table : pandas.DataFrame
        One line per row, the most suspect label first, with the index of X (positions for an
        array):

        - ``position``: in X, counted from 0;
        - ``suspicion``: the probability that the label is wrong;
        - ``verdict``: "likely mislabelled", "contradicting duplicate", "outlier", "duplicate",
          "ambiguous" or "fine";
        - ``why``: a sentence, for rows that are not fine;
        - ``label``, ``likely_label``: as given, and the one most likely to be true, or of likely
          mislabelled rows the most likely other one; for a quantity the out-of-sample prediction;
        - ``own_probability``, ``likely_probability``: out-of-sample probabilities of these labels;
        - all columns of X, named "X: …" where a name is one of the above or "row".
    rows : Rows
        The audited table: ``frame``, ``labels``, ``classes``, and all columns as ``numbers``.
    evidence : Evidence
        What the models say of the rows.
    health : Health
        A score of 100 points, and what takes from it, in one sentence each.
    """

    table: pd.DataFrame
    rows: Rows
    evidence: Evidence
    health: Health

    @property
    def classes(self) -> NDArray[Any]:
        """Labels; none for a quantity."""
        return self.rows.classes

    @property
    def n_errors(self) -> Estimate:
        """How many labels are wrong: ``value``, ``low`` and ``high``, an interval of 90 %."""
        return self.evidence.errors.total

    @property
    def errors(self) -> pd.DataFrame:
        """The same by pair: ``given``, ``likely``, ``expected``, ``low``, ``high``, ``flagged``."""
        return self.evidence.errors.pairs

    @property
    def by_class(self) -> pd.DataFrame:
        """The same by label: ``rows``, ``flagged``, ``expected``, ``low``, ``high``."""
        return self.evidence.errors.by_class

    @property
    def noise_matrix(self) -> pd.DataFrame:
        """Probability of a given label (column) for a true class (row)."""
        return self.evidence.errors.noise_matrix

    @property
    def counts(self) -> dict[str, int]:
        """Number of rows with each verdict."""
        counts = self.table["verdict"].value_counts()
        names = [*VERDICTS[:-1], *(name for name in counts.index if name not in VERDICTS), FINE]
        return {name: int(counts.get(name, 0)) for name in names}

    @property
    def lists(self) -> dict[str, pd.DataFrame]:
        """Rows of each verdict, the worst first, as `table` has them; a row can be in several.

        "likely mislabelled" is by suspicion, "outlier" by distance.
        """
        by_position = self.table.set_index("position", drop=False)
        lists = {}
        for finding in self.health.findings:
            if finding.verdict and len(finding.rows):
                part = by_position.loc[finding.rows].set_axis(self.rows.frame.index[finding.rows])
                lists[finding.verdict] = part.assign(
                    verdict=finding.verdict, why=list(finding.reasons)
                )
        rank = {name: place for place, name in enumerate(VERDICTS)}
        return dict(sorted(lists.items(), key=lambda item: rank.get(item[0], len(rank))))

    def __repr__(self) -> str:
        found = []
        for name, count in self.counts.items():
            plural = "s" if count > 1 and name.endswith(("duplicate", "outlier")) else ""
            if count:
                found.append(f"{count} {name}{plural}")
        return f"<Audit of {len(self.table)} rows: {', '.join(found)}>"

    def _repr_html_(self) -> str:
        columns = ["suspicion", "verdict", "label", "likely_label", "why"]
        most = self.table.loc[self.table["verdict"] != FINE, columns][:MAX_LINES]
        most.insert(0, "row", most.index)
        note = "All rows: .table; a page: .to_html(path); what to fit on: .clean(X, y)."
        return html_table(repr(self)[1:-1], most, note)

    @property
    def sample_weight(self) -> Array:
        """Probability of each row's label to be right, 1 less suspicion, in the order of X."""
        return 1.0 - self.evidence.suspicion

    def clean(self, X: Any, y: Any, action: str = "drop") -> tuple[Any, ...]:
        """Return what to fit on.

        Suspect rows are the likely mislabelled ones, and contradicting duplicates whose label is
        more likely wrong than right. Outliers, ambiguous rows and copies stay.

        Parameters
        ----------
        X : frame of pandas or Polars, array-like or sparse matrix of shape (n_samples, n_features)
            The audited rows in their order; columns may have been scaled or added since.
        y : array-like of shape (n_samples,)
            The labels that were audited.
        action : {"drop", "relabel", "weight"}, default="drop"
            Leave suspect rows out; give those whose label is more likely wrong than right their
            likely label (classes only); or keep all rows and weight each by the probability of its
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
        """List all rows that are not fine, the most suspect first, for a person to decide on.

        Returns
        -------
        pandas.DataFrame
            ``row`` (position from 0), ``index``, ``label``, ``likely_label``, ``suspicion``,
            ``verdict``, ``action`` and ``new_label``. Actions are suggestions that end with "?";
            nothing is done until a person writes keep, relabel or drop.
            `broadlearn.auditing.read_corrections` reads the edited file.
        """
        return corrections_table(self)

    def recheck(self, corrections: Corrections, **options: Any) -> Audit:
        """Audit the table as a person has corrected it.

        The noise that was learnt before is kept: after corrections the labels no longer show it,
        but it is still in the rows that nobody has looked at. Rows that a person decided on are not
        suspect any more.

        Parameters
        ----------
        corrections : Corrections
            From `broadlearn.auditing.read_corrections`, with the labels of this table.
        **options
            Further parameters of `audit`.

        Returns
        -------
        Audit
            Of the rows that were not dropped.
        """
        from broadlearn.auditing.auditing import audit

        return audit(
            self.rows.frame.iloc[corrections.changes.kept],
            corrections.corrected,
            **{
                "task": "regression" if self.rows.is_regression else "classification",
                "preparation": self.rows.preparation,
                "noise": None if self.rows.is_regression else self.noise_matrix,
                "confirmed": corrections.confirmed,
                **options,
            },
        )

    def benefit(
        self,
        estimator: Any,
        X: Any = None,
        *,
        n_repeats: int = 1,
        random_state: int | np.random.RandomState | None = 0,
        progress: Callable[[str, float], object] | None = None,
    ) -> pd.DataFrame:
        """Compare an estimator fitted with and without cleaning, on rows that take no part in it.

        In each of five folds the training rows are audited and cleaned by themselves, and the
        others used as given. Their labels have errors too: random ones make gains too small, and
        where errors follow a pattern, a model that repeats it is rewarded.

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
            A line for "as given" and each action: ``score`` (accuracy, or R² of a quantity), its
            ``gain`` over "as given" with the standard error ``gain_error`` (corrected for training
            rows that folds share), and ``rows_changed``, the mean number of training rows dropped,
            relabelled, or weighted below a half.
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
        """Draw suspicion by class, and a map of the rows; needs matplotlib.

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
        """Write one self-contained page; needs jinja2 and matplotlib.

        Parameters
        ----------
        path : str or path-like, default=None
            Where to write it, whole or not at all.
        title : str, default="Audit"
        max_rows : int or None, default=1000
            Rows in each list (labels, outliers, duplicates) at most; None lists all that are not
            fine.

        Returns
        -------
        str or None
            The page, if there is no path.
        """
        if max_rows is not None and (not isinstance(max_rows, Integral) or max_rows < 1):
            raise ValueError(f"max_rows must be None or an integer >= 1, got {max_rows!r}.")
        return _written(path, render_page(self, title, max_rows))

    def to_csv(self, path: str | PathLike[str] | None = None) -> str | None:
        """Return or write the table as CSV; texts that begin like a formula get an apostrophe.

        Parameters
        ----------
        path : str or path-like, default=None
            Where to write it, whole or not at all.

        Returns
        -------
        str or None
            The text, if there is no path.
        """
        table = self.table.set_axis(self.table.index.map(harmless))
        return _written(path, safe_csv(table))


def _written(path: str | PathLike[str] | None, text: str) -> str | None:
    if path is None:
        return text
    write_whole(path, text)
    return None
