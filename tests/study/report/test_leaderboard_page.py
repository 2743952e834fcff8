import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from made_up_collection import write_collection, write_set

from broadlearn.study.collection import TWO_SCALES
from broadlearn.study.leaderboard import make_leaderboard
from broadlearn.study.leaderboard_ranks import rank_among_published
from broadlearn.study.report.leaderboard_page import sentence, write_leaderboard
from broadlearn.study.result_store import ResultStore

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = write_collection(tmp_path_factory.mktemp("uci121"))
    write_set(folder, "zoo", [[1.0], [2.0]], [0, 1], [([0], [5])])
    write_set(folder, "spect", [[1.0], [2.0]], [0, 1], [([0], [1])])
    board = make_leaderboard(folder, ["majority", "sklearn.naive_bayes:GaussianNB"])
    with ResultStore(folder / "results.db") as store:
        board.study.run(store)
        return write_leaderboard(
            board, store, folder / "page", title="A <b>board</b>", command="broadlearn 'x <y>'"
        )


def test_page_tables_and_figures(page):
    found = {path.relative_to(page.parent).as_posix() for path in page.parent.rglob("*.*")}
    names = ("standing", "top_1", "top_2", "datasets_1", "datasets_2", "left_out")
    assert found == {
        "index.html",
        "figures/ranks.svg",
        "figures/datasets.svg",
        *(f"tables/{name}.{end}" for name in names for end in ("csv", "md", "tex")),
    }
    for path in (page.parent / "figures").iterdir():
        assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    standing = pd.read_csv(page.parent / "tables" / "standing.csv")
    assert standing["model"].tolist() == ["GaussianNB"] * 3 + ["majority"] * 3
    assert len(pd.read_csv(page.parent / "tables" / "datasets_1.csv")) == 3


def test_the_page_says_what_it_must(page):
    html = page.read_text("utf-8")
    for words in (
        "A &lt;b&gt;board&lt;/b&gt;</title>",
        "broadlearn &#39;x &lt;y&gt;&#39;",
        "GaussianNB is number",
        "on the 2 among the 28, number",
        "on the other 1, number",
        "All units are done.",
        "ranked among the 179 alone",
        "names rows 0 to 5, and the table has rows 0 to 1",
        "its training and its test file are on different scales",
        *TWO_SCALES,
    ):
        assert words in html
    assert "stratified folds" not in html


def test_nothing_is_loaded_from_anywhere(page):
    links = re.findall(r'(?:href|src)="([^"]*)"', page.read_text("utf-8"))
    assert links
    assert all(link.startswith(("#", "data:")) for link in links)


def test_nothing_done_is_a_page_too(tmp_path):
    board = make_leaderboard(write_collection(tmp_path / "uci121"), ["majority"])
    with ResultStore(tmp_path / "results.db") as store:
        page = write_leaderboard(board, store, tmp_path / "page", title="t", command="c")
    html = page.read_text("utf-8")
    assert "0 of 12 units are done." in html
    assert "unfinished" in html


def test_sentences():
    ahead = sentence(rank_among_published(pd.Series({"iris": 100.0}), "mine"))
    assert ahead.startswith("mine is number 1 of 180 on one data set, with a mean rank of 1.0, ")
    assert "ahead of the best published classifier" in ahead
    behind = sentence(rank_among_published(pd.Series({"iris": 10.0, "zoo": np.nan}), "mine"))
    assert "behind the best published classifier" in behind
    assert behind.endswith("It failed on zoo.")


@pytest.mark.parametrize("width", [320, 1280])
def test_browser_finds_no_error_and_scrolls_tables_not_the_page(browser, visit, page, width):
    assert visit(page) == ([], {page.as_uri()})
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 1000}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        wide, shown = browser.execute_script(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide <= shown
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
