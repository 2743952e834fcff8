"""Results that show themselves in a notebook: small tables, all text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from numbers import Real
from typing import Any, Self, overload

MAX_CHARACTERS, LONG_TEXT = 200, 40


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
        Numbers are written with four digits and to the right, long texts are cut. A column whose
        first entry is a number has its name to the right.
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
    cells = [list(row) for row in rows]
    first = cells[0] if cells else [""] * len(columns)
    head = "".join(
        f'<th scope="col" style="text-align:{_side(value)}">{_text(name)}</th>'
        for name, value in zip(columns, first, strict=True)
    )
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in cells)
    below = f"<p><small>{escape(note)}</small></p>" if note else ""
    caption = '<caption style="caption-side:top;text-align:left;font-weight:bold">'
    return (
        f'<div style="overflow-x:auto"><table>{caption}{escape(title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}</div>"
    )


def _cell(value: Any) -> str:
    text = _text(value)
    # On a narrow screen a table is rather scrolled than a sentence written in a column of letters.
    width = ";min-width:16em" if len(text) > LONG_TEXT else ""
    return f'<td style="text-align:{_side(value)}{width}">{text}</td>'


def _side(value: Any) -> str:
    return "right" if isinstance(value, Real) else "left"


def _text(value: Any) -> str:
    if isinstance(value, Real) and not isinstance(value, bool | int):
        text = f"{float(value):.4g}"
    else:
        text = str(value)
    return escape(text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}…")


class Records(list[dict[str, Any]]):
    """A list of records that shows itself as a table, with the fields of the first as columns.

    Parameters
    ----------
    records : iterable of dict
    word : str, default="record"
        What one of them is.

    Examples
    --------
    >>> members = Records([{"family": "sine", "C": 1.0}], "member")
    >>> members
    [{'family': 'sine', 'C': 1.0}]
    >>> "1 member<" in members._repr_html_()
    True
    """

    SHOWN = 10

    def __init__(self, records: Iterable[dict[str, Any]] = (), word: str = "record") -> None:
        super().__init__(records)
        self.word = word

    def _repr_html_(self) -> str:
        shown = self[: self.SHOWN]
        columns = list(dict.fromkeys(name for record in shown for name in record))
        rows = [[record.get(name, "") for name in columns] for record in shown]
        part = f", the first {len(shown)}" if len(shown) < len(self) else ""
        words = self.word if len(self) == 1 else f"{self.word}s"
        return html_table(f"{len(self):,} {words}{part}", columns, rows)


class RecordsAttribute:
    """A fitted attribute that holds records: kept as a plain list, given out as `Records`.

    So files and pickles of a model hold nothing but lists and dicts.

    Parameters
    ----------
    word : str
        What one of the records is.

    Examples
    --------
    >>> class Model:
    ...     members_ = RecordsAttribute("member")
    >>> model = Model()
    >>> hasattr(model, "members_")
    False
    >>> model.members_ = [{"C": 1.0}]
    >>> type(model.members_).__name__, vars(model)
    ('Records', {'members_': [{'C': 1.0}]})
    """

    def __init__(self, word: str) -> None:
        self.word = word

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, model: None, owner: type) -> Self: ...

    @overload
    def __get__(self, model: object, owner: type) -> Records: ...

    def __get__(self, model: object, owner: type) -> Records | Self:
        if model is None:
            return self
        if self.name not in vars(model):
            raise AttributeError(f"{owner.__name__!r} object has no attribute {self.name!r}")
        return Records(vars(model)[self.name], self.word)

    def __set__(self, model: object, records: Iterable[dict[str, Any]]) -> None:
        vars(model)[self.name] = list(records)

    def __delete__(self, model: object) -> None:
        del vars(model)[self.name]


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
