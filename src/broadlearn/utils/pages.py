"""Frame, styles, scripts and number formats that all pages share, and tables for notebooks."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from broadlearn.utils.wording import visible

if TYPE_CHECKING:
    import pandas as pd


def page_environment(package: str) -> Any:
    """Return the jinja2 environment of a package's templates; text is escaped unless marked safe.

    The folder ``templates`` of the package comes first, then that of this room, which has the frame
    of all pages, ``base.html.j2``.
    """
    try:
        from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise ImportError('A page needs jinja2: pip install "broadlearn[study]".') from error
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(__package__)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters |= {"whole": whole, "brief": brief}
    return environment


def page_frame(package: str, styles: Sequence[str], scripts: Sequence[str] = ()) -> dict[str, Any]:
    """Return what the frame of a page shows around its content.

    Files are those of the package's folder ``templates``, or of this room's. ``script_hash`` lets a
    browser run the ``script`` and nothing else.
    """
    from markupsafe import Markup

    script = "\n".join(_text(package, name) for name in scripts)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return {
        "style": Markup("\n".join(_text(package, name) for name in ("base.css", *styles))),
        "script": Markup(script),
        "script_hash": f"sha256-{digest}" if script else "",
    }


def _text(package: str, name: str) -> str:
    own = files(package) / "templates" / name
    path = own if own.is_file() else files(__package__ or "") / "templates" / name
    return path.read_text("utf-8")


def _shown(value: Any) -> Any:
    """Write unprintable characters of plain text as escapes."""
    return visible(value) if type(value) is str else value


def whole(number: float) -> str:
    """Return a count with thousands separators.

    Examples
    --------
    >>> whole(12345.6)
    '12,346'
    """
    return f"{number:,.0f}"


def brief(number: float) -> str:
    """Return a count with one decimal if it is small.

    Examples
    --------
    >>> brief(1.25), brief(99.0)
    ('1.2', '99')
    """
    return f"{number:.1f}" if number < 9.95 else whole(number)


def html_table(title: str, table: pd.DataFrame, note: str) -> str:
    """Return an HTML table with a title and a note below, by pandas; all text is escaped.

    Floats are shown with four digits; texts are cut after 200 characters.

    Examples
    --------
    >>> import pandas as pd
    >>> html_table("Found", pd.DataFrame({"why": ["<b>"]}), "One row.").count("&lt;b&gt;")
    1
    """
    from pandas import option_context

    with option_context("display.max_colwidth", 200):
        body = table.to_html(
            index=False, border=0, justify="left", float_format=lambda x: f"{x:.4g}"
        )
    return f"<div><p><b>{escape(title)}</b></p>{body}<p><small>{escape(note)}</small></p></div>"
