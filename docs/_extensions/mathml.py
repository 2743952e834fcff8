"""Formulas as MathML, by docutils' own converter: pages show them without scripts or network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def visit_inline(writer: Any, node: nodes.math) -> None:
    """Write a formula within a sentence."""
    writer.body.append(_markup(node, as_block=False))
    raise nodes.SkipNode


def visit_block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula on a line of its own."""
    writer.body.append(f'<div class="formula">\n{_markup(node, as_block=True)}\n</div>\n')
    raise nodes.SkipNode


def _markup(node: nodes.Element, *, as_block: bool) -> str:
    try:
        markup = tex2mathml(node.astext(), as_block=as_block)
    except MathError as error:
        logger.warning("formula %r: %s", node.astext(), error, location=node)
        return ""
    # The two bars of a norm would stretch differently, as browsers take each for an opening one.
    return markup.replace("<mo>‖</mo>", '<mo stretchy="false" form="prefix">‖</mo>')


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the renderer, for `html_math_renderer = "mathml"`."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
