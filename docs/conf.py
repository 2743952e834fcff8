"""How Sphinx builds the site: `make docs`. Nothing is fetched, neither here nor by the pages.

Where the site is published, names of other libraries link to their documentation.
"""

import os
import posixpath
import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

import broadlearn

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))
REPOSITORY = "https://github.com/broadlearn/broadlearn/blob/main"

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
    "navbar_center": [],
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
# All pages are listed beside each of them.
html_sidebars = {"**": ["contents.html"]}


def adapt_source(app: Sphinx, docname: str, source: list[str]) -> None:
    """Make the site from pages that can also be read in the repository.

    Links to scripts in `examples` lead to the gallery, links to other files outside of `docs` to
    the repository. Lists of links on the start page become the table of contents.
    """
    folder = posixpath.join("docs", posixpath.dirname(docname))

    def site_link(link: re.Match[str]) -> str:
        path, hash_sign, anchor = link[1].partition("#")
        place = posixpath.normpath(posixpath.join(folder, path))
        if not path or "://" in path or place.startswith("docs/"):
            return link[0]
        if place.startswith("examples"):
            page = "index" if place == "examples" else Path(place).stem
            return f"](/auto_examples/{page}.rst)"
        return f"]({REPOSITORY}/{place}{hash_sign}{anchor})"

    source[0] = re.sub(r"\]\(([^)\s]+)\)", site_link, source[0])
    if docname == "index":
        sections = re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", source[0], re.MULTILINE)
        for title, section in sections:
            pages = re.findall(r"^- \[.+?\]\((.+)\.(?:md|rst)\)", section, re.MULTILINE)
            listed = "\n".join(pages)
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{listed}\n```\n"


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
