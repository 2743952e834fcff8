"""What the pages of this room share: templates, stylesheets, and how numbers are written."""

from __future__ import annotations

from importlib.resources import files
from typing import Any


def page_environment() -> Any:
    """The environment of the templates: all that is not marked as safe is escaped."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise ImportError('A page needs jinja2: pip install "broadlearn[study]".') from error
    environment = Environment(
        loader=PackageLoader("broadlearn.audit"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"whole": whole, "brief": brief}
    return environment


def page_part(*names: str) -> Any:
    """Stylesheets or a script as they are, one after the other."""
    from markupsafe import Markup

    templates = files("broadlearn.audit") / "templates"
    return Markup("\n".join((templates / name).read_text("utf-8") for name in names))


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
