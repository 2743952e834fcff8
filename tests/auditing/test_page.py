import base64
import hashlib
import io
import json
import re
from html.parser import HTMLParser

import pandas as pd
import pytest
from made_up_results import HOSTILE
from stub_audit import blood, hostile, quantity

from broadlearn.auditing.page import render_page
from broadlearn.utils import encoded, safe_csv

ENTER = "\ue007"
TITLE = "An <b>audit</b> & more"
MADE_UP = {"blood": blood, "quantity": quantity, "hostile": lambda: hostile(HOSTILE)}
LISTS = {"outlier": "outliers", "duplicate": "duplicates"}


def suspects(audit):
    """Rows as the page lists them: labels by suspicion, then each other list."""
    table = audit.table[audit.table["verdict"] != "fine"]
    lists = table["verdict"].map(LISTS).fillna("labels")
    names = sorted(lists.unique(), key=lambda name: name != "labels")
    return pd.concat([table[lists == name] for name in names])


@pytest.fixture(scope="module")
def audits():
    return {name: make() for name, make in MADE_UP.items()}


@pytest.fixture(scope="module")
def pages(audits):
    return {name: render_page(audit, TITLE, None) for name, audit in audits.items()}


class Parsed(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.elements = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    handle_startendtag = handle_starttag


@pytest.mark.parametrize("name", MADE_UP)
def test_nothing_is_loaded_from_anywhere(pages, name):
    html = pages[name]
    elements = Parsed(html).elements
    tags = {tag for tag, _ in elements}
    assert not {"iframe", "object", "embed", "form", "base"} & tags
    scripts = [attributes for tag, attributes in elements if tag == "script"]
    assert scripts == [{"type": "application/json", "id": "data"}, {}]
    for _, attributes in elements:
        for key, value in attributes.items():
            assert not key.startswith("on")
            if key in {"href", "src"}:
                assert value.startswith(("data:", "#"))
    assert "url(" not in html
    assert "@import" not in html
    if name != "hostile":
        assert "://" not in html


def test_policy_allows_the_one_script(pages):
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', pages["blood"])
    (script,) = re.findall(r"<script>(.*?)</script>", pages["blood"], flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy


@pytest.mark.parametrize("name", MADE_UP)
def test_all_suspects_are_listed_and_no_other(audits, pages, name):
    listed = [int(row) for row in re.findall(r'<li class="card [^"]*" id="row-(\d+)"', pages[name])]
    assert listed == suspects(audits[name])["position"].tolist()
    (data,) = re.findall(r'id="data">(.*?)</script>', pages[name])
    assert [suspect["row"] for suspect in json.loads(data)["suspects"]] == listed


def test_every_list_has_a_limit_of_its_own(audits):
    html = render_page(audits["blood"], TITLE, 5)
    assert html.count('<li class="card') == 15
    n_suspects = len(suspects(audits["blood"]))
    assert f"15 of {n_suspects} suspects are listed" in html
    n_labels = (~audits["blood"].table["verdict"].isin([*LISTS, "fine"])).sum()
    assert f"Labels <b>{n_labels}</b>" in html
    cards = re.findall(r'<li class="card ([^"]*)"', html)
    assert set(cards[:5]) <= {"likely-mislabelled", "contradicting-duplicate", "ambiguous"}
    assert (set(cards[5:10]), set(cards[10:])) in (
        ({"outlier"}, {"duplicate"}),
        ({"duplicate"}, {"outlier"}),
    )


def test_head(audits, pages):
    html, counts = pages["blood"], audits["blood"].counts
    assert "<title>An &lt;b&gt;audit&lt;/b&gt; &amp; more</title>" in html
    assert "labels are wrong (90 % interval" in html
    for verdict, count in counts.items():
        assert (f"<b>{count}</b> {verdict}" in html) == (count > 0)
    assert '<b>97</b> <span class="quiet">of 100</span>' in html
    flagged = audits["blood"].by_class.loc["donated"]
    assert f"<b>{flagged['flagged']:.0f}</b> of {flagged['rows']:.0f}<" in html


def test_no_suspects():
    html = render_page(blood(share=0.0), TITLE, None)
    assert "No row is suspect" in html
    assert '<li class="card' not in html


def test_regression_has_no_classes(pages):
    html = pages["quantity"]
    assert "target values are wrong" in html
    assert 'id="errors"' not in html
    assert 'id="given"' not in html


def test_the_same_audit_gives_the_same_page(audits, pages):
    assert render_page(audits["hostile"], TITLE, None) == pages["hostile"]


def test_marks_that_steer_or_reverse_text_are_written_as_escapes():
    names = ("a\x1b[2J", "b\u202etxt", "c\u2066", "d", "e")
    html = render_page(hostile(names), "t\u202e", None)
    assert not {"\x1b", "\u202e", "\u2066"} & set(html)
    assert r"<title>t\u202e</title>" in html
    (data,) = re.findall(r'id="data">(.*?)</script>', html)
    assert json.loads(data)["classes"] == sorted(names[:3])


@pytest.mark.slow
def test_browser_shows_such_marks_as_escapes(browser, tmp_path):
    page = tmp_path / "audit.html"
    page.write_bytes(encoded(render_page(hostile(("a", "b\u202etxt", "c", "d", "e")), TITLE, None)))
    browser.get(page.as_uri())
    text = browser.execute_script("return document.body.innerText")
    assert r"b\u202etxt" in text
    assert "\u202e" not in text


@pytest.fixture
def opened(browser, pages, tmp_path):
    """Opens a made-up page without choices from before."""

    def open_page(name):
        path = tmp_path / "audit.html"
        path.write_bytes(encoded(pages[name]))
        browser.get(path.as_uri())
        browser.execute_script("localStorage.clear()")
        browser.get(path.as_uri())
        return path

    return open_page


def visible(browser):
    script = """return Array.from(document.querySelectorAll(".card"))
      .filter((card) => card.offsetParent !== null).map((card) => Number(card.id.slice(4)))"""
    return browser.execute_script(script)


def press(browser, keys):
    for key in keys:
        browser.switch_to.active_element.send_keys(key)


def corrections(browser):
    return pd.read_csv(io.StringIO(browser.execute_script("return corrections()")), dtype=str)


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE_UP)
@pytest.mark.parametrize("width", [1400, 390])
def test_browser_finds_no_error_asks_for_nothing_and_scrolls_only_down(
    browser, visit, opened, name, width
):
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    page = opened(name)
    assert visit(page) == ([], {page.as_uri()})
    assert browser.title == TITLE
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.slow
def test_browser_shows_values_beside_the_nearest_rows(browser, opened, audits):
    opened("blood")
    audit = audits["blood"]
    position = suspects(audit)["position"].iloc[0]
    lines = browser.execute_script(
        """return Array.from(document.querySelectorAll(".card:first-child .compare tbody tr"))
             .map((line) => Array.from(line.cells, (cell) => cell.textContent))"""
    )
    frame = audit.rows.frame
    shown = {re.sub(r"[\d]+ %$", "", name): float(mine) for name, mine, *_ in lines}
    assert shown == frame.iloc[position].to_dict()
    assert all(len(line) == 8 for line in lines)


@pytest.mark.slow
def test_browser_filters_and_sorts(browser, opened, audits):
    opened("blood")
    support = pytest.importorskip("selenium.webdriver.support.ui")
    every = suspects(audits["blood"])
    table = every[~every["verdict"].isin(LISTS)]
    assert visible(browser) == table["position"].tolist()[:25]
    browser.find_element("css selector", "button[value=outliers]").click()
    assert visible(browser) == every["position"][every["verdict"] == "outlier"].tolist()[:25]
    browser.find_element("css selector", "button[value=labels]").click()
    given = support.Select(browser.find_element("id", "given"))
    given.select_by_value("0")
    assert set(visible(browser)) == set(table["position"][table["label"] == "donated"])
    given.select_by_value("")
    support.Select(browser.find_element("id", "order")).select_by_value("row")
    assert visible(browser) == sorted(table["position"])[:25]
    browser.find_element("id", "words").send_keys(table.index[3])
    assert visible(browser) == [table["position"].iloc[3]]
    assert browser.find_element("id", "found").text.startswith("1 of 1 shown")


@pytest.mark.slow
def test_browser_saves_what_keys_decide(browser, opened, audits):
    page = opened("hostile")
    table = suspects(audits["hostile"])
    # Keep the first, relabel the second, drop the fourth, which is then undone for the third.
    press(browser, ["j", "1", "j", "2", "j", "3", "3", "j", "3"])
    assert browser.find_element("id", "decided").text == (
        f"Decided 3 of {len(table)}: 1 keep, 1 relabel, 1 drop"
    )
    browser.get(page.as_uri())
    saved = corrections(browser)
    expected = pd.DataFrame(
        {
            "row": table["position"].to_numpy(),
            "index": table.index,
            "label": table["label"].to_numpy(),
            "likely_label": table["likely_label"].to_numpy(),
            "suspicion": table["suspicion"].round(4).to_numpy(),
            "verdict": table["verdict"].to_numpy(),
            "action": ["keep", "relabel", "", "drop"] + [""] * (len(table) - 4),
            "new_label": ["", table["likely_label"].iloc[1]] + [""] * (len(table) - 2),
        }
    ).set_index("row")
    wanted = pd.read_csv(io.StringIO(safe_csv(expected)), dtype=str)
    for both in (saved, wanted):
        both["suspicion"] = both["suspicion"].astype(float)
    pd.testing.assert_frame_equal(saved, wanted)
    text = browser.execute_script("return corrections()")
    assert "\"'=HYPERLINK('http://example.invalid')\"" in text
    assert '"""><img src=x onerror=""' in text
    browser.find_element("id", "forget").click()
    assert corrections(browser)["action"].isna().all()


@pytest.mark.slow
def test_browser_downloads_the_choice_of_another_label(browser, opened, audits):
    opened("blood")
    support = pytest.importorskip("selenium.webdriver.support.ui")
    card = browser.find_element("css selector", ".card")
    card.find_element("css selector", "button[value=relabel]").send_keys(ENTER)
    select = support.Select(card.find_element("css selector", ".new select"))
    first = suspects(audits["blood"]).iloc[0]
    assert select.first_selected_option.get_attribute("value") == first["likely_label"]
    name = str(audits["blood"].classes[0])
    select.select_by_value(name)
    browser.execute_script(
        "URL.createObjectURL = (blob) => { window.made = blob; return 'data:,'; };"
    )
    browser.find_element("id", "download").click()
    text = browser.execute_async_script("window.made.text().then(arguments[0])")
    line = pd.read_csv(io.StringIO(text)).iloc[0]
    assert (line["row"], line["action"], line["new_label"]) == (first["position"], "relabel", name)


@pytest.mark.slow
def test_browser_relabels_a_quantity_by_a_number(browser, opened, audits):
    opened("quantity")
    press(browser, ["j", "2"])
    field = browser.find_element("css selector", ".new input")
    likely = suspects(audits["quantity"])["likely_label"].iloc[0]
    assert float(field.get_attribute("value")) == likely
    field.send_keys("\ue009a\ue000", "-1.5\t")  # Control and a, to replace all.
    line = corrections(browser).iloc[0]
    assert (line["action"], line["new_label"]) == ("relabel", "-1.5")
