"""What all pages share: frame, colours, the script that sorts tables, how numbers are written."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from broadlearn.utils.wording import visible


def page_environment(package: str) -> Any:
    """The environment of a package's templates: all that is not marked as safe is escaped.

    Parameters
    ----------
    package : str
        Whose folder ``templates`` is looked into first, and then that of this room, which has the
        frame of all pages, ``base.html.j2``.

    Returns
    -------
    jinja2.Environment
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
    """What the frame of a page shows around its content.

    Parameters
    ----------
    package : str
        Whose folder ``templates`` has the files.
    styles : sequence of str
        Names of the page's own stylesheets, which follow that of all pages.
    scripts : sequence of str, default=()
        Names of scripts, such as ``sort.js`` of this room.

    Returns
    -------
    dict of str to object
        ``style``, ``script`` and the ``script_hash`` that lets a browser run it and nothing else.
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
    found = own if own.is_file() else files(__package__ or "") / "templates" / name
    return found.read_text("utf-8")


def _shown(value: Any) -> Any:
    """Write unprintable characters of plain text as escapes."""
    return visible(value) if type(value) is str else value


def whole(number: float) -> str:
    """A count.

    Examples
    --------
    >>> whole(12345.6)
    '12,346'
    """
    return f"{number:,.0f}"


def brief(number: float) -> str:
    """A count that need not be whole: one decimal where it is small.

    Examples
    --------
    >>> brief(1.25), brief(99.0)
    ('1.2', '99')
    """
    return f"{number:.1f}" if number < 9.95 else whole(number)
