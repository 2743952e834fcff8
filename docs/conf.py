"""How Sphinx builds the site: `make docs`. Nothing is fetched, neither here nor by the pages.

Where the site is published, names of other libraries link to their documentation.
"""

import os
import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

import broadlearn

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "broadlearn"
author = "The broadlearn developers"
project_copyright = author
version = release = broadlearn.__version__

extensions = [
    "command_line",
    "mathml",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
if "READTHEDOCS" in os.environ:
    extensions.append("sphinx.ext.intersphinx")
intersphinx_mapping = {
    "numpy": ("https://numpy.org/doc/stable", None),
    "pandas": ("https://pandas.pydata.org/docs", None),
    "python": ("https://docs.python.org/3", None),
    "sklearn": ("https://scikit-learn.org/stable", None),
}
exclude_patterns = ["_build", "auto_examples/*.ipynb", "auto_examples/*.py"]
templates_path = ["_templates"]
default_role = "py:obj"
highlight_language = "none"
# Options begin with two hyphens.
smartquotes = False

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("matplotlib", "loose_figures.scrape"),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "broadlearn"
html_math_renderer = "mathml"
html_context = {"default_mode": "auto"}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": True,
    "navbar_align": "left",
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
if "READTHEDOCS" in os.environ:
    # The list of versions is fetched by the pages, and made by who publishes a new one.
    html_theme_options |= {
        "switcher": {
            "json_url": "https://broadlearn.readthedocs.io/en/latest/_static/versions.json",
            "version_match": os.environ.get("READTHEDOCS_VERSION", "latest"),
        },
        "check_switcher": False,
        "navbar_end": ["version-switcher", "theme-switcher"],
    }
# Pages that have no others beside them need no sidebar.
html_sidebars = {"index": []}


def adapt_source(app: Sphinx, docname: str, source: list[str]) -> None:
    """Give result tables a title, their bold caption."""
    if docname.startswith("results/"):
        source[0] = re.sub(r"\A\*\*(.+?)\.\*\* *", r"# \1\n\n", source[0])
        source[0] = source[0].replace(" ± ", "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}")


def tidy_docstring(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Join lines that end in a backslash, which raw docstrings keep, and quote a name in types."""
    text = re.sub(r"\\\n *", "", "\n".join(lines))
    lines[:] = text.replace("(n_features_in_,)", "(``n_features_in_``,)").split("\n")


def setup(app: Sphinx) -> None:
    """Connect what is done to sources; docstrings before numpydoc reads them."""
    app.connect("source-read", adapt_source)
    app.connect("autodoc-process-docstring", tidy_docstring, priority=400)
