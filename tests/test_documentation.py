"""Sources of the site: what they name exists, what they show runs. `make docs` builds it."""

import ast
import doctest
import importlib
import re
import shlex
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from broadlearn.cli.app import app

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BUILT = ("_build", "auto_examples", "generated")
PAGES = sorted(path for path in DOCS.rglob("*.md") if path.relative_to(DOCS).parts[0] not in BUILT)
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
# Rooms that users import from, with the names that they offer to other rooms only.
ROOMS = {
    "broadlearn": (),
    "broadlearn.sample_scores": (
        "Geometry",
        "SCORERS",
        "SCORE_CONSTRAINTS",
        "SCORE_PARAGRAPHS",
        "as_scorer",
        "learn_geometry",
        "margin_scores",
        "margins_of",
        "untrusted",
    ),
    "broadlearn.out_of_core": (),
    "broadlearn.persistence": ("model_parts",),
    "broadlearn.tables": (),
}
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def name(path):
    return path.relative_to(ROOT).as_posix()


def documented():
    listing = (DOCS / "api.rst").read_text("utf-8")
    return set(re.findall(r"^(?:   |\.\. data:: )([A-Za-z_.]+)$", listing, re.MULTILINE))


@pytest.mark.parametrize("path", ROOMS)
def test_every_public_name_is_in_the_api_page(path):
    offered = {entry for entry in importlib.import_module(path).__all__ if entry[0] != "_"}
    prefix = path.removeprefix("broadlearn").removeprefix(".")
    # The package itself gives some names of its rooms.
    missing = {
        entry
        for entry in offered - set(ROOMS[path])
        if not {entry, f"{prefix}.{entry}".lstrip(".")} & documented()
    }
    assert not missing
    assert set(ROOMS[path]) <= offered


def test_every_name_of_the_api_page_exists():
    for entry in documented():
        *modules, last = entry.split(".")
        assert hasattr(importlib.import_module(".".join(["broadlearn", *modules])), last), entry


def anchors(page):
    """What links to a page may end in: its headings down to the third level."""
    text = FENCE.sub("", page.read_text("utf-8"))
    found = set()
    for heading in re.findall(r"^#{1,3} +(.+?) *$", text, re.MULTILINE):
        shown = LINK.sub("]", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", shown).replace(" ", "-")
        again = next(n for n in range(99) if (f"{slug}-{n}" if n else slug) not in found)
        found.add(f"{slug}-{again}" if again else slug)
    return found


def test_anchors_are_those_that_github_and_the_site_make(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# `fit`, [a](b.md) & C\n## Two\n## Two\n```\n# no\n```\n#### deep\n")
    assert anchors(page) == {"fit-a--c", "two", "two-1"}


@pytest.mark.parametrize("page", [*PAGES, *sorted(ROOT.glob("*.md"))], ids=name)
def test_links_lead_somewhere(page):
    for link in LINK.findall(FENCE.sub("", page.read_text("utf-8"))):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        found = page.parent / path if path else page
        assert found.exists(), link
        assert not anchor or found.suffix != ".md" or anchor in anchors(found), link


def test_the_path_of_a_newcomer_is_short():
    path = [ROOT / "README.md", DOCS / "index.md", *sorted((DOCS / "tutorials").glob("*.md"))]
    assert sum(len(page.read_text("utf-8").split()) for page in path) <= 2500


def test_ten_tasks_are_one_click_from_the_start_page():
    start = (DOCS / "index.md").read_text("utf-8")
    assert len(re.findall(r"^\| .+ \| \[.+\]\(.+\.md(#.+)?\) \|$", start, re.MULTILINE)) == 10


def blocks(page, kind):
    """Blocks of code of one kind on a page."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def beside(page, folder):
    """Copy the tables that a page shows into a folder, and work there."""
    for table in page.parent.glob("*.csv"):
        shutil.copy(table, folder)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Column 'patient' is left out")
@pytest.mark.parametrize(
    "page",
    [
        # Its audits of five folds take a minute.
        pytest.param(page, marks=pytest.mark.soak if page.stem == "label_errors" else ())
        for page in PAGES
        if blocks(page, "pycon")
    ],
    ids=name,
)
def test_code_of_pages_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    beside(page, tmp_path)
    code = "\n".join(blocks(page, "pycon"))
    test = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), 0)
    report = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.append)
    assert not report, "".join(report)


@pytest.mark.slow
def test_the_readme_prints_what_it_shows(capsys):
    code, shown, *_ = re.findall(
        r"^```(?:python)?\n((?:from|  ).*?)^```$",
        (ROOT / "README.md").read_text("utf-8"),
        re.M | re.S,
    )
    exec(code, {})

    def rows(text):
        """Words without percentages, which depend on the versions of libraries."""
        return re.sub(r"[\d.]+ %", "%", text).split()

    assert rows(capsys.readouterr().out) == rows(shown)


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted((DOCS / "tutorials").glob("*.md")), ids=name)
def test_commands_of_tutorials_print_what_is_shown(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    beside(page, tmp_path)
    for block in blocks(page, "console"):
        command, _, shown = block.partition("\n")
        assert command.startswith("$ broadlearn "), command
        said = CliRunner().invoke(app, shlex.split(command)[2:])
        assert said.exit_code == 0, said.output
        assert doctest.OutputChecker().check_output(shown, said.stdout, OPTIONS), said.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=name)
def test_examples_compile_and_begin_with_a_title(example):
    tree = ast.parse(example.read_text("utf-8"), filename=str(example))
    compile(tree, str(example), "exec")
    title, rule, *_ = ast.get_docstring(tree).splitlines()
    assert title
    assert rule == "=" * len(title)


def test_every_page_is_listed_on_the_start_page():
    start = (DOCS / "index.md").read_text("utf-8")
    listed = {DOCS / path for path in re.findall(r"^- \[.+?\]\((.+?)\)", start, re.MULTILINE)}
    assert {*PAGES, DOCS / "api.rst"} - listed == {DOCS / "index.md"}


def test_promises_name_tests_that_exist():
    page = (DOCS / "reliability.md").read_text("utf-8")
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    promises = re.findall(r"^\| \*\*.*\| (.*) \|$", page, re.MULTILINE)
    assert promises
    for shown_by in promises:
        named = re.findall(r"`([\w/.]+)`", shown_by)
        assert named, shown_by
        for name in named:
            path = ROOT / name if name.startswith("benchmarks/") else ROOT / "tests" / name
            assert path.exists() if name.endswith(".py") else f"def {name}(" in tests, name


def test_pages_are_few_and_plain_markdown():
    assert len(PAGES) + 1 <= 30  # with api.rst
    for page in PAGES:
        text = page.read_text("utf-8")
        assert not re.search(r"^```\{toctree\}|\{(?:doc|ref|meth|func|class)\}`", text, re.M), page
