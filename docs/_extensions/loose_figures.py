"""Figures that examples hold in a variable and pyplot does not know, such as those of an audit."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

_saved: WeakSet[Figure] = WeakSet()


def scrape(block: tuple[Any, ...], variables: dict[str, Any], gallery: dict[str, Any]) -> str:
    """Save them as images of the page, each once; an image scraper of sphinx-gallery."""
    paths = []
    for value in variables["example_globals"].values():
        if isinstance(value, Figure) and not hasattr(value, "number") and value not in _saved:
            path = next(variables["image_path_iterator"])
            value.savefig(path, dpi=100)
            _saved.add(value)
            paths.append(path)
    return figure_rst(paths, gallery["src_dir"])
