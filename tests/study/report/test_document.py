import re

import pytest
from made_up_results import MODELS, study

from broadlearn.study.report.document import Section, environment, write_document
from broadlearn.study.report.figures import critical_difference_figure
from broadlearn.study.report.pooling import check_units, pool
from broadlearn.study.report.result_table import Entry, ResultTable

TABLE = ResultTable("t", "A table", "What it shows.", ["name", "value"], [[Entry("x"), Entry(1.0)]])


def write(folder, sections):
    return write_document(
        folder, "page.html.j2", sections, title="Title", command="do", summary=["One."],
        protocols={}, caveats=["Beware."], environment={"This page": {"numpy": "2"}},
    )  # fmt: skip


def test_sections_with_tables_as_files(tmp_path):
    sections = [Section("a", "First", ["Words & more."], tables=[TABLE]), Section("b", "Nothing")]
    page = write(tmp_path / "deep" / "page", sections)
    html = page.read_text("utf-8")
    for words in ("First", "Words &amp; more.", "One.", "Beware.", "A table", "<code>do</code>"):
        assert words in html
    assert "Nothing" not in html
    names = {path.name for path in (page.parent / "tables").iterdir()}
    assert names == {"t.csv", "t.md", "t.tex"}


@pytest.mark.slow
def test_figures_as_files(tmp_path):
    section = Section("a", "First")
    section.draw("none", "Nothing", "To see.", None)
    assert section.pictures == []
    cells = pool(check_units(study(["x", "y"], MODELS[:3])))
    figure = critical_difference_figure(cells, "nested")
    section.draw("ranks", "Ranks", "Of models.", figure)
    page = write(tmp_path, [section])
    assert (tmp_path / "figures" / "ranks.svg").read_text("utf-8").startswith("<svg")
    assert 'aria-label="Ranks. Of models."' in page.read_text("utf-8")


@pytest.mark.slow
def test_small_figures_stand_side_by_side(tmp_path):
    section = Section("a", "First")
    cells = pool(check_units(study(["x", "y"], MODELS[:3])))
    for name, small in (("one", True), ("two", True), ("three", False), ("four", True)):
        figure = critical_difference_figure(cells, "nested")
        section.draw(name, "Ranks", "Of models.", figure, small=small)
    html = write(tmp_path, [section]).read_text("utf-8")
    found = re.findall(r'<div class="panels">|<figure class="drawing[^"]*"|</figure>\n</div>', html)
    shape = [
        "P" if "panels" in part else "/P" if "</div>" in part else "s" if "small" in part else "L"
        for part in found
    ]
    assert shape == ["P", "s", "s", "/P", "L", "P", "s", "/P"]


def test_environment_of_results_and_page():
    frame = study(["x"], MODELS[:1])
    assert list(environment(frame)) == ["This page"]
    frame["versions"] = [{"numpy": "2.1"}, {"numpy": "2.0"}][: len(frame)]
    assert environment(frame)["Results"] == {"numpy": "2.0, 2.1"}
