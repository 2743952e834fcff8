import base64
import hashlib
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from made_up_results import HOSTILE

from broadlearn.audit import audit

pytestmark = pytest.mark.slow

TITLE = "An <b>audit</b> & more"


@pytest.fixture(scope="module")
def found():
    """An audit whose labels and column names try to be markup."""
    rng = np.random.default_rng(0)
    y = rng.choice([*HOSTILE[:2], "lone"], 60, p=[0.5, 0.48, 0.02])
    y[y == "lone"] = HOSTILE[0]
    y[7] = "lone"
    X = pd.DataFrame({HOSTILE[1]: rng.normal(size=60) + 4 * (y == HOSTILE[0]), "b": y == "lone"})
    X.iloc[3, 0] = 90.0
    y[5] = HOSTILE[1] if y[5] == HOSTILE[0] else HOSTILE[0]
    return audit(X, y)


@pytest.fixture(scope="module")
def page(found, tmp_path_factory):
    path = tmp_path_factory.mktemp("audit") / "audit.html"
    assert found.to_html(path, title=TITLE) is None
    return path


class Parsed(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.elements = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    handle_startendtag = handle_starttag


def test_nothing_is_loaded_from_anywhere(page):
    html = page.read_text("utf-8")
    tags = [tag for tag, _ in Parsed(html).elements]
    assert tags.count("img") == tags.count("script") == 1
    assert not {"iframe", "object", "embed", "form", "base"} & set(tags)
    for _, attributes in Parsed(html).elements:
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in {"href", "src"}:
                assert value.startswith("data:")
    assert "url(" not in html
    assert "@import" not in html


def test_policy_allows_the_one_script(page):
    html = page.read_text("utf-8")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    (script,) = re.findall(r"<script>(.*?)</script>", html, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy


def test_what_the_page_says(found, page):
    html = page.read_text("utf-8")
    assert "<title>An &lt;b&gt;audit&lt;/b&gt; &amp; more</title>" in html
    assert html.count("<tr data-verdict=") == 60
    assert "are listed" not in html
    for verdict, count in found.counts.items():
        assert f"<b>{count}</b> {verdict}" in html
    short = found.to_html(max_rows=5)
    assert short.count("<tr data-verdict=") == 5
    assert "Only the 5 most suspect of 60 rows are listed." in short


def test_the_same_audit_gives_the_same_page(found):
    assert found.to_html() == found.to_html()


@pytest.mark.parametrize("max_rows", [0, 2.5, "all"])
def test_bad_max_rows(found, max_rows):
    with pytest.raises(ValueError, match="max_rows must be"):
        found.to_html(max_rows=max_rows)


def cells(browser, column):
    return browser.execute_script(
        """return Array.from(document.querySelectorAll("tbody tr"))
             .filter((row) => row.offsetParent !== null).map((row) => row.cells[arguments[0]])
             .map((cell) => cell.dataset.value ?? cell.textContent)""",
        column,
    )


def test_browser_finds_no_error_and_asks_for_nothing(browser, visit, page):
    assert visit(page) == ([], {page.as_uri()})
    assert browser.title == TITLE
    picture = "return document.querySelector('.picture img').naturalWidth"
    assert browser.execute_script(picture) > 800


def test_browser_shows_hostile_text_as_text(browser, page, found):
    browser.get(page.as_uri())
    assert cells(browser, 3) == found.table["label"].tolist()
    assert browser.title == TITLE


def test_browser_sorts(browser, page):
    browser.get(page.as_uri())
    headings = browser.find_elements("css selector", "thead th")
    headings[0].find_element("css selector", "button").click()
    assert [int(row) for row in cells(browser, 0)] == list(range(59, -1, -1))
    headings[0].find_element("css selector", "button").send_keys("\ue007")
    assert headings[0].get_attribute("aria-sort") == "ascending"
    assert [int(row) for row in cells(browser, 0)] == list(range(60))
    headings[11].find_element("css selector", "button").click()
    *numbers, missing = cells(browser, 11)
    assert missing == ""
    assert [float(n) for n in numbers] == sorted(map(float, numbers), reverse=True)


def test_browser_filters(browser, page, found):
    browser.get(page.as_uri())
    support = pytest.importorskip("selenium.webdriver.support.ui")
    select = support.Select(browser.find_element("id", "verdict"))
    select.select_by_visible_text("far from its class")
    expected = found.table.index[found.table["verdict"] == "far from its class"]
    assert [int(row) for row in cells(browser, 0)] == expected.tolist()
    select.select_by_visible_text("all")
    browser.find_element("id", "words").send_keys("the only row of CLASS lone")
    assert cells(browser, 0) == ["7"]
    assert browser.find_element("id", "found").text == "1 of 60 listed rows"
