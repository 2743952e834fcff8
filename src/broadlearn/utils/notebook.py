"""Small tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

MAX_CHARACTERS = 200


def html_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], note: str = ""
) -> str:
    """Return an HTML table with a caption, by pandas; all text is escaped.

    Parameters
    ----------
    title : str
        Caption.
    columns : sequence of str
    rows : iterable of sequences
        Floats are shown with four digits; texts are cut after 200 characters.
    note : str, default=""
        Line below the table.

    Returns
    -------
    str

    Examples
    --------
    >>> html_table("Found", ["row", "why"], [(3, "<b>")]).count("&lt;b&gt;")
    1
    """
    import pandas as pd

    table = pd.DataFrame([list(row) for row in rows], columns=list(columns))
    with pd.option_context("display.max_colwidth", MAX_CHARACTERS):
        body = table.to_html(
            index=False, border=0, justify="left", float_format=lambda x: f"{x:.4g}"
        )
    below = f"<p><small>{escape(note)}</small></p>" if note else ""
    return f"<div><p><b>{escape(title)}</b></p>{body}{below}</div>"


class SearchResults(dict[str, Any]):
    """Results of a search by candidate, as scikit-learn's `cv_results_`; the best are displayed.

    Examples
    --------
    >>> found = SearchResults(
    ...     params=[{"C": 1.0}], rank_test_score=[1], mean_test_score=[0.9], std_test_score=[0.1]
    ... )
    >>> "C = 1.0" in found._repr_html_()
    True
    """

    SHOWN = 10

    def _repr_html_(self) -> str:
        score = next((name for name in self if name.startswith("rank_test_")), None)
        if score is None or "params" not in self:
            return f"<pre>{escape(str(dict(self)))}</pre>"
        score = score.removeprefix("rank_test_")
        ranks, means = list(self[f"rank_test_{score}"]), self[f"mean_test_{score}"]
        best = sorted(range(len(ranks)), key=ranks.__getitem__)[: self.SHOWN]
        texts = [", ".join(f"{k} = {v}" for k, v in params.items()) for params in self["params"]]
        rows = [(ranks[i], means[i], texts[i]) for i in best]
        columns = ["rank", f"mean {score} on test folds", "settings"]
        note = (
            "The best of many is optimistic: evaluate it on samples that the search has not seen."
        )
        return html_table(f"{len(ranks):,} candidates, the best {len(best)}", columns, rows, note)
