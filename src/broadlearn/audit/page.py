"""An audit as one self-contained HTML page."""

from __future__ import annotations

import base64
import hashlib
import io
import math
import warnings
from importlib.resources import files
from numbers import Real
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from broadlearn.audit.auditing import Audit

# Column of the table, its heading, and how its numbers are shown; text where there is no form.
COLUMNS = (
    ("suspicion", "Suspicion", ".3f"),
    ("verdict", "Verdict", None),
    ("label", "Label", None),
    ("likely_label", "Likely label", None),
    ("why", "Why", None),
    ("own_probability", "Probability of its label", ".3f"),
    ("score", "Score", ".3f"),
    ("membership", "Membership θ", ".3f"),
    ("nonmembership", "Non-membership ν", ".3f"),
    ("foreign_share", "Other classes nearby Θ", ".3f"),
    ("nearest_own", "Nearest row, own class", ".0f"),
    ("nearest_own_distance", "its distance", ".3g"),
    ("nearest_other", "Nearest row, other class", ".0f"),
    ("nearest_other_distance", "its distance", ".3g"),
    ("far_columns", "Columns that set it apart", None),
)


def render_page(audit: Audit, title: str, max_rows: int | None) -> str:
    """The page as text, with the most suspect rows listed, or all if `max_rows` is None."""
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup
    except ImportError as error:
        raise ImportError('A page needs jinja2: pip install "broadlearn[study]".') from error
    templates = files("broadlearn.audit") / "templates"
    script = (templates / "audit.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    shown = audit.table if max_rows is None else audit.table.head(max_rows)
    return environment.from_string((templates / "audit.html.j2").read_text("utf-8")).render(
        title=title,
        n_rows=len(audit.table),
        counts=audit.counts,
        kernel_width=f"{audit.kernel_width:.4g}",
        radius=f"{audit.neighborhood_radius:.4g}",
        columns=[(heading, form is not None) for _, heading, form in COLUMNS],
        rows=[
            (row, [_cell(value, form) for value, (_, _, form) in zip(cells, COLUMNS, strict=True)])
            for row, *cells in shown[[name for name, _, _ in COLUMNS]].itertuples(name=None)
        ],
        picture=_png(audit.plot()),
        script=Markup(script),
        script_hash=f"sha256-{digest}",
        style=Markup((templates / "audit.css").read_text("utf-8")),
    )


def _cell(value: Any, form: str | None) -> tuple[str, str]:
    """What a cell shows, and the number that it is sorted by."""
    if form is None:
        return str(value), ""
    # pandas' missing value is no number.
    number = float(value) if isinstance(value, Real) else math.nan
    if math.isnan(number):
        return "–", ""
    return f"{number:{form}}", repr(number)


def _png(figure: Figure) -> str:
    """The figure as an address that holds it."""
    stream = io.BytesIO()
    with warnings.catch_warnings():
        # Letters that the font lacks are drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(stream, format="png", dpi=110, metadata={"Software": None})
    return f"data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}"
