"""A self-contained HTML page, and its tables and figures as files beside it."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib
import pandas as pd
from markupsafe import Markup
from matplotlib.figure import Figure

from broadlearn.study.report.drawing import to_svg
from broadlearn.study.report.result_table import ENVIRONMENT, ResultTable
from broadlearn.study.result_store import versions
from broadlearn.utils import encoded, page_frame, write_whole


@dataclass(frozen=True)
class Picture:
    """A figure on the page; small ones stand side by side."""

    name: str
    title: str
    caption: str
    svg: Markup
    small: bool = False


@dataclass
class Section:
    """A heading and what is below it: paragraphs, figures, tables."""

    name: str
    title: str
    texts: list[str] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    tables: list[ResultTable] = field(default_factory=list)

    def draw(
        self, name: str, title: str, caption: str, figure: Figure | None, *, small: bool = False
    ) -> None:
        """Add a figure, if there is one."""
        if figure is not None:
            svg = to_svg(figure, f"figure_{name}", f"{title}. {caption}")
            self.pictures.append(Picture(name, title, caption, svg, small))


def write_document(
    folder: str | os.PathLike[str], template: str, sections: Sequence[Section], **content: object
) -> Path:
    """Write ``index.html``, ``tables/*.csv``, ``*.md``, ``*.tex`` and ``figures/*.svg``.

    Parameters
    ----------
    folder : path
        Created if it does not exist.
    template : str
        Name of the page's template.
    sections : sequence of Section
        Those without content are left out.
    **content : object
        What else the template shows: title, command, summary, protocols, caveats and environment.

    Returns
    -------
    page : Path
        Path of the page. Each file is written whole or not at all, the page last.
    """
    shown = [s for s in sections if s.texts or s.pictures or s.tables]
    page = _render(template, sections=shown, **content)
    folder = Path(folder)
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    (folder / "figures").mkdir(exist_ok=True)
    for section in shown:
        for table in section.tables:
            write_whole(folder / "tables" / f"{table.name}.csv", f"{table.to_csv()}\n")
            write_whole(folder / "tables" / f"{table.name}.md", f"{table.to_markdown()}\n")
            write_whole(folder / "tables" / f"{table.name}.tex", f"{table.to_latex()}\n")
        for picture in section.pictures:
            write_whole(folder / "figures" / f"{picture.name}.svg", f"{picture.svg}\n")
    write_whole(folder / "index.html", page)
    return folder / "index.html"


def environment(frame: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Versions that made the results, where the units know them, and this page."""
    here = versions() | {"pandas": pd.__version__, "matplotlib": matplotlib.__version__}
    known = pd.DataFrame([v for v in frame.get("versions", ()) if isinstance(v, Mapping)])
    computed = {n: ", ".join(sorted(set(known[n].dropna().astype(str)))) for n in known}
    return ({"Results": computed} if computed else {}) | {"This page": here}


def _render(template: str, **content: object) -> str:
    frame = page_frame("broadlearn.study.report", ["report.css"], ["sort.js"])
    page: str = ENVIRONMENT.get_template(template).render(**content, **frame, as_link=_as_link)
    return page


def _as_link(text: str, kind: str) -> str:
    """The text as a data URL."""
    return f"data:{kind};charset=utf-8;base64,{base64.b64encode(encoded(text)).decode()}"
