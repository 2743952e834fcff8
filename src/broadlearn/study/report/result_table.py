"""A table of results, and its HTML, Markdown, LaTeX and CSV."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from broadlearn.utils import harmless, page_environment

ENVIRONMENT = page_environment("broadlearn.study.report")
MIN_P = 1e-4
LONG_TEXT = 40

_MARKDOWN = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;"} | {c: f"\\{c}" for c in "\\`*_[]|~$#!"}
)
# Brackets and stars are wrapped because a row's `\\` would take them as its argument.
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "[": "{[}",
        "]": "{]}",
        "*": "{*}",
        "±": r"$\pm$",
        "−": "$-$",
        "–": "--",
        "×": r"$\times$",
        "≤": r"$\leq$",
        "α": r"$\alpha$",
        "χ": r"$\chi$",
        "∞": r"$\infty$",
        "²": r"$^2$",
        "…": r"\dots{}",
        **{c: f"\\{c}" for c in "{}$&#_%"},
    }
)


@dataclass(frozen=True)
class Entry:
    """A number or a text, with what belongs to it.

    Parameters
    ----------
    value : float or str
        A number, or a text such as a name or "failed".
    form : str, default=".2f"
        How a number is shown: a format specification, or "p" for a p-value.
    spread : float, default=None
        Standard deviation, shown after ±.
    published : float, default=None
        The published figure, shown beside it.
    note : str, default=""
        A remark on the number, such as "3 of 5 seeds".
    best : bool, default=False
        Shown bold.

    Examples
    --------
    >>> Entry(85.217, spread=2.3).text
    '85.22 ± 2.30'
    >>> Entry(0.00001, form="p").text
    '<0.0001'
    """

    value: float | str
    form: str = ".2f"
    spread: float | None = None
    published: float | None = None
    note: str = ""
    best: bool = False

    @property
    def number(self) -> str:
        """The value as shown, alone."""
        return self.value if isinstance(self.value, str) else _shown(self.value, self.form)

    @property
    def deviation(self) -> str:
        """The spread as shown, or nothing."""
        return "" if self.spread is None else f"± {_shown(self.spread, self.form)}"

    @property
    def asides(self) -> list[str]:
        """The published figure and the note, as shown."""
        published = [] if self.published is None else [_shown(self.published, self.form)]
        return published + ([self.note] if self.note else [])

    @property
    def sort_key(self) -> str:
        """The number by which a page sorts, unrounded; nothing for a text."""
        is_number = not isinstance(self.value, str) and math.isfinite(self.value)
        return repr(float(self.value)) if is_number else ""

    @property
    def text(self) -> str:
        """Value and spread as shown."""
        return f"{self.number} {self.deviation}".rstrip()


def _shown(x: float, form: str) -> str:
    if math.isnan(x):
        return "–"
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    if form == "p":
        return f"<{MIN_P:.4f}" if x < MIN_P else f"{x:.4g}"
    return f"{x:{form}}".replace("-", "−")


Row = Sequence[Entry]
Value = float | str | None


@dataclass(frozen=True)
class ResultTable:
    r"""A captioned table that renders itself.

    Parameters
    ----------
    name : str
        Its file name without extension; also its id on the page.
    title : str
        What it shows, in a few words, and under which protocol.
    caption : str
        The same in full sentences.
    columns : sequence of str
        Column headings.
    rows : sequence of sequences of Entry
        The body.
    foot : sequence of sequences of Entry, default=()
        Rows that stay below when the table is sorted, such as means; not in the CSV.
    n_keys : int, default=1
        How many leading columns name the row.

    Examples
    --------
    >>> table = ResultTable("t", "Accuracy", "Protocol: nested.", ["data set", "A_1"],
    ...                     [[Entry("bank"), Entry(89.7366, spread=0.63, best=True)]])
    >>> print(table.to_markdown())
    **Accuracy.** Protocol: nested.
    <BLANKLINE>
    | data set | A\_1 |
    | :--- | ---: |
    | bank | **89.74** ± 0.63 |
    >>> print(table.to_csv())
    data set,A_1,A_1 sd
    bank,89.7366,0.63
    """

    name: str
    title: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Row]
    foot: Sequence[Row] = ()
    n_keys: int = 1

    def __post_init__(self) -> None:
        for row in (*self.rows, *self.foot):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"rows of table {self.name!r} must have {len(self.columns)} cells as its "
                    f"columns, got {len(row)}."
                )

    def is_numeric(self, j: int) -> bool:
        """Whether column `j` holds a number."""
        values = [row[j].value for row in (*self.rows, *self.foot)]
        return j >= self.n_keys and any(not isinstance(value, str) for value in values)

    def to_html(self) -> Markup:
        """The table element, its headings buttons to sort by; neither title nor caption."""
        return Markup(ENVIRONMENT.get_template("table.html.j2").render(table=self))

    def to_markdown(self) -> str:
        """Caption and table in GitHub's Markdown."""
        rules = [" ---: " if self.is_numeric(j) else " :--- " for j in range(len(self.columns))]
        lines = [f"**{_markdown(self.title)}.** {_markdown(self.caption)}", ""]
        lines.append(f"| {' | '.join(map(_markdown, self.columns))} |")
        lines.append(f"|{'|'.join(rules)}|")
        for row in (*self.rows, *self.foot):
            lines.append(f"| {' | '.join(_styled(cell, _markdown, '**{}**') for cell in row)} |")
        return "\n".join(lines)

    def to_latex(self) -> str:
        r"""A table environment; needs ``\usepackage{booktabs}``."""
        heading = " & ".join(map(_latex, self.columns))
        lines = [
            r"\begin{table}",
            r"\centering\small",
            rf"\caption{{{_latex(self.title)}. {_latex(self.caption)}}}",
            rf"\label{{tab:{self.name}}}",
            rf"\begin{{tabular}}{{{''.join(map(self._latex_column, range(len(self.columns))))}}}",
            r"\toprule",
            rf"{heading} \\",
            r"\midrule",
            *map(_latex_row, self.rows),
            *([r"\midrule"] if self.foot else []),
            *map(_latex_row, self.foot),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
        return "\n".join(lines)

    def _latex_column(self, j: int) -> str:
        if self.is_numeric(j):
            return "r"
        longest = max((len(row[j].text) for row in self.rows), default=0)
        return r"p{0.3\linewidth}" if longest > LONG_TEXT else "l"

    def to_csv(self) -> str:
        """The body, unrounded; spread, published figure and note in columns of their own.

        Texts that a spreadsheet would run as a formula get a leading apostrophe.
        """
        columns: list[list[Value]] = []
        for j, name in enumerate(self.columns):
            cells = [row[j] for row in self.rows]
            columns.append([name, *(cell.value for cell in cells)])
            for part, attribute in (("sd", "spread"), ("published", "published"), ("note", "note")):
                values = [getattr(cell, attribute) for cell in cells]
                if any(value not in (None, "") for value in values):
                    columns.append([f"{name} {part}", *values])
        return "\n".join(",".join(map(_csv, line)) for line in zip(*columns, strict=True))


def _one_line(text: str) -> str:
    """The text without line breaks and control characters."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text).strip()


def _markdown(text: str) -> str:
    return _one_line(text).translate(_MARKDOWN)


def _latex(text: str) -> str:
    return _one_line(text).translate(_LATEX)


def _styled(cell: Entry, quote: Callable[[str], str], bold: str) -> str:
    """Number, spread and, in brackets, what stands beside them."""
    number = bold.format(quote(cell.number)) if cell.best else quote(cell.number)
    asides = f"({quote('; '.join(cell.asides))})" if cell.asides else ""
    return " ".join(part for part in (number, quote(cell.deviation), asides) if part)


def _latex_row(row: Row) -> str:
    cells = [_styled(cell, _latex, r"\textbf{{{}}}") for cell in row]
    return " & ".join(cells) + r" \\"


def _csv(value: Value) -> str:
    """A field; `csv.writer` would not quote a lone carriage return, a new row to many readers."""
    if not isinstance(value, str):
        return "" if value is None or math.isnan(value) else str(value)
    text = harmless(value)
    return '"' + text.replace('"', '""') + '"' if re.search(r'[,"\r\n]', text) else text
