"""Results that show themselves in a notebook: small tables, all text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from numbers import Real
from typing import Any

MAX_CHARACTERS = 200


def html_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], note: str = ""
) -> str:
    """A table for a notebook.

    Parameters
    ----------
    title : str
        Its caption.
    columns : sequence of str
    rows : iterable of sequences
        Numbers are written with four digits and to the right, long texts are cut.
    note : str, default=""
        A line below.

    Returns
    -------
    str
        HTML in which nothing of the above is taken for markup.

    Examples
    --------
    >>> html_table("Found", ["row", "why"], [(3, "<b>")]).count("&lt;b&gt;")
    1
    """
    head = "".join(f'<th style="text-align:left">{_text(name)}</th>' for name in columns)
    body = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in rows)
    below = f"<p><small>{_text(note)}</small></p>" if note else ""
    caption = '<caption style="caption-side:top;text-align:left;font-weight:bold">'
    return (
        f"<div><table>{caption}{_text(title)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}</div>"
    )


def _cell(value: Any) -> str:
    side = "right" if isinstance(value, Real) else "left"
    return f'<td style="text-align:{side}">{_text(value)}</td>'


def _text(value: Any) -> str:
    if isinstance(value, Real) and not isinstance(value, bool | int):
        text = f"{float(value):.4g}"
    else:
        text = str(value)
    return escape(text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}…")


class SearchResults(dict[str, Any]):
    """Results of a search by candidate, as scikit-learn's `cv_results_`; the best show themselves.

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
            return f"<pre>{_text(dict(self))}</pre>"
        score = score.removeprefix("rank_test_")
        ranks = list(self[f"rank_test_{score}"])
        best = sorted(range(len(ranks)), key=ranks.__getitem__)[: self.SHOWN]
        rows = [
            (
                ranks[i],
                self[f"mean_test_{score}"][i],
                self[f"std_test_{score}"][i] if f"std_test_{score}" in self else "",
                settings_text(self["params"][i]),
            )
            for i in best
        ]
        columns = ["rank", f"mean {score} on test folds", "deviation", "settings"]
        note = "The best of many is optimistic: judge it on samples that the search has not seen."
        return html_table(f"{len(ranks):,} candidates, the best {len(best)}", columns, rows, note)


def settings_text(settings: Mapping[str, Any]) -> str:
    """Settings in one line.

    Examples
    --------
    >>> settings_text({"C": 1.0, "class_weight": None})
    'C = 1.0, class_weight = None'
    """
    return ", ".join(f"{name} = {value}" for name, value in settings.items())
