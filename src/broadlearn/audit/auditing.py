"""Which rows of a table are suspect, and why."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.decomposition import PCA
from sklearn.utils import check_random_state

from broadlearn.audit.held_out import held_out_probabilities
from broadlearn.audit.neighbours import find_neighbours
from broadlearn.audit.page import render_page
from broadlearn.audit.plots import draw_audit
from broadlearn.audit.rows import Rows, prepare_rows
from broadlearn.audit.verdicts import VERDICTS, judge
from broadlearn.io import import_pandas
from broadlearn.sample_scores import intuitionistic_scores
from broadlearn.utils import Array, safe_csv, write_whole

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

# Tables of more rows than this are scored by so many landmarks per class.
MAX_EXACT_ROWS = 10_000
LANDMARKS = 1000


@dataclass(frozen=True, eq=False)
class Audit:
    """Judgement of every row of a table, made by `audit`.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per sample, the most suspect first; the index is its position in X, counted from 0.

        - ``suspicion``: 1 less the probability of the label, at least 0.5 for far rows;
        - ``verdict``: "fine", "far from its class", "among another class" or "both";
        - ``why``: a sentence;
        - ``label``, ``likely_label``: as given, and the most probable one;
        - ``own_probability``: of the label, by models that were fitted without the row;
        - ``score``, ``membership``, ``nonmembership``, ``foreign_share``: score, theta, nu and
          Theta of `intuitionistic_scores`, the last being the share of other classes nearby;
        - ``nearest_own``, ``nearest_own_distance``, ``nearest_other``,
          ``nearest_other_distance``: nearest rows of the same and of any other class;
        - ``far_columns``: columns that make up most of the distance from the nearest rows of the
          same class, with their shares of it.
    projection : ndarray of shape (n_samples, 2)
        First two principal components of the rows, in the order of X.
    kernel_width, neighborhood_radius : float
        mu and epsilon of the scores.
    """

    table: pd.DataFrame
    projection: Array
    kernel_width: float
    neighborhood_radius: float

    @property
    def counts(self) -> dict[str, int]:
        """Rows of each verdict."""
        verdict = self.table["verdict"].to_numpy()
        return {name: int((verdict == name).sum()) for name in VERDICTS}

    def __repr__(self) -> str:
        found = ", ".join(f"{count} {name}" for name, count in self.counts.items() if count)
        return f"<Audit of {len(self.table)} rows: {found}>"

    def plot(self) -> Figure:
        """Draw three panels; needs matplotlib.

        Membership against non-membership, with the region of score 0 shaded; a histogram of the
        scores of each class; the rows in two dimensions, coloured by score. Of many rows, 4,000
        are drawn.

        Returns
        -------
        matplotlib.figure.Figure
            ``figure.savefig("audit.png")`` keeps it.
        """
        return draw_audit(self.table, self.projection)

    def to_html(
        self,
        path: str | PathLike[str] | None = None,
        *,
        title: str = "Audit",
        max_rows: int | None = 1000,
    ) -> str | None:
        """Make one self-contained page; needs matplotlib and jinja2.

        Parameters
        ----------
        path : str or path-like, default=None
            Where to write it, whole or not at all.
        title : str, default="Audit"
        max_rows : int or None, default=1000
            The most suspect rows to list; None lists all.

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


def audit(
    X: Any,
    y: ArrayLike,
    *,
    kernel_width: float | str = "auto",
    neighborhood_radius: float | None = None,
    landmarks: int | str | None = "auto",
    n_neighbors: int = 10,
    random_state: int | np.random.RandomState | None = 0,
) -> Audit:
    """Judge every row of a table: whether it belongs to the class that its label names.

    A row is *among another class* where another label is at least twice as probable as its own, by
    broad learning systems that were fitted without the row. It is *far from its class* where its
    distance from the mean of its five nearest rows of the same class is far out (more than three
    interquartile ranges above the upper quartile of its class, and more than two rows of the class
    usually are apart). Rows are sorted by suspicion, the probability that the label is wrong, which
    is taken as at least 0.5 for far rows.

    Time grows with the square of the rows (for neighbours), memory with their number.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or pandas.DataFrame
        Numbers, or a frame that may also have text, categories, booleans and missing values, see
        `broadlearn.io.column_preparation`. Columns are standardised here.
    y : array-like of shape (n_samples,)
        Class labels, at least two different ones.
    kernel_width : float or "auto", default="auto"
        mu of the scores. "auto" needs no word on which rows are good, see
        `broadlearn.sample_scores.intuitionistic_scores`.
    neighborhood_radius : float, default=None
        epsilon of the scores; None takes the largest class radius.
    landmarks : int, "auto" or None, default="auto"
        Rows drawn per class to estimate scores from; None uses all. "auto" draws 1,000 where there
        are more than 10,000 rows.
    n_neighbors : int, default=10
        Nearest rows whose classes the sentences count.
    random_state : int, RandomState or None, default=0
        Seeds the models and the landmarks.

    Returns
    -------
    Audit
        With ``table``, ``plot()``, ``to_html()`` and ``to_csv()``. Needs pandas.

    Examples
    --------
    >>> import numpy as np
    >>> from broadlearn import audit
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(0, 1, (50, 2)), rng.normal(5, 1, (50, 2))])
    >>> y = np.repeat(["low", "high"], 50)
    >>> y[70], X[20] = "low", [-9, 0]
    >>> found = audit(X, y)
    >>> found
    <Audit of 100 rows: 98 fine, 1 far from its class, 1 both>
    >>> found.table[["verdict", "label", "likely_label"]].head(2)
                    verdict label likely_label
    row
    70                 both   low         high
    20   far from its class   low          low
    """
    pandas = import_pandas()
    if not isinstance(n_neighbors, Integral) or n_neighbors < 1:
        raise ValueError(f"n_neighbors must be a whole number >= 1, got {n_neighbors!r}.")
    if not isinstance(kernel_width, str | Real):
        raise ValueError(f'kernel_width must be a positive number or "auto", got {kernel_width!r}.')
    if isinstance(landmarks, str) and landmarks != "auto":
        raise ValueError(f'landmarks must be a whole number, "auto" or None, got {landmarks!r}.')
    rows = prepare_rows(X, y)
    seed = int(check_random_state(random_state).randint(1 << 30))
    if landmarks == "auto":
        landmarks = LANDMARKS if len(rows.Z) > MAX_EXACT_ROWS else None
    scores = intuitionistic_scores(
        rows.Z,
        rows.codes,
        kernel_width=kernel_width,
        neighborhood_radius=neighborhood_radius,
        landmarks=landmarks,
        random_state=seed,
    )
    p = held_out_probabilities(rows.Z, rows.codes, rows.classes.size, seed)
    near = find_neighbours(rows.Z, rows.codes, rows.classes.size, int(n_neighbors))
    verdicts = judge(rows, p, near)
    order = np.argsort(-verdicts.suspicion, kind="stable")
    table = pandas.DataFrame(
        {
            "suspicion": verdicts.suspicion,
            "verdict": np.array(VERDICTS, dtype=object)[verdicts.verdict],
            "why": verdicts.why,
            "label": rows.classes[rows.codes],
            "likely_label": rows.classes[verdicts.likely],
            "own_probability": p[np.arange(len(p)), rows.codes],
            "score": scores.score,
            "membership": scores.membership,
            "nonmembership": scores.nonmembership,
            "foreign_share": scores.heterogeneity,
            "nearest_own": _positions(near.own),
            "nearest_own_distance": near.own_distance,
            "nearest_other": _positions(near.other),
            "nearest_other_distance": near.other_distance,
            "far_columns": verdicts.far_columns,
        },
        index=pandas.RangeIndex(len(rows.Z), name="row"),
    ).iloc[order]
    return Audit(table, _project(rows), float(scores.kernel_width), float(scores.radius))


def _positions(found: NDArray[np.intp]) -> Any:
    """Row numbers, with pandas' own missing value where there is none."""
    return import_pandas().arrays.IntegerArray(found.astype(np.int64), found < 0)


def _project(rows: Rows) -> Array:
    places = np.zeros((len(rows.Z), 2))
    if not rows.Z.any():
        return places
    n_components = min(2, *rows.Z.shape)
    places[:, :n_components] = PCA(n_components, random_state=0).fit_transform(rows.Z)
    return places


def _written(path: str | PathLike[str] | None, text: str) -> str | None:
    if path is None:
        return text
    write_whole(path, text)
    return None
