import base64
import hashlib
import os
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pandas as pd
import pytest
from made_up_results import HOSTILE, MODELS, lost, sensitivity, study, unit

from broadlearn.study.plan import Unit
from broadlearn.study.report.page import write_report
from broadlearn.study.result_store import ResultStore, UnitResult
from broadlearn.utils import page_frame

pytestmark = pytest.mark.slow

NOISES = ["variance:0.1:train", "variance:0.2:train"]
TITLE = "A <b>study</b> & more"
COMMAND = "broadlearn study run --data 'my <file>.csv'"


def hostile_study():
    """Names, errors and versions that try to be markup, besides plain ones."""
    frame = study(
        ["bank", "pima", *HOSTILE],
        (*MODELS, HOSTILE[0]),
        protocols=("paper", "paper-inside", "nested"),
        noises=NOISES,
        noisy=["bank", HOSTILE[0]],
        seeds=(0, 1),
    )
    frame = frame.astype({column: object for column in ("mean", "sd", "fold_scores", "error")})
    failed = (frame["dataset"] == "pima") & (frame["model"] == "ELM")
    for column, value in lost(error=HOSTILE[1] + "\n" + HOSTILE[4]).items():
        frame.loc[failed, column] = value
    frame["versions"] = [{"numpy": "2.4.0", HOSTILE[0]: HOSTILE[1]}] * len(frame)
    return frame


def write(folder, frame, **changes):
    return write_report(frame, folder, **{"title": TITLE, "command": COMMAND, **changes})


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return write(
        tmp_path_factory.mktemp("report"),
        hostile_study(),
        sensitivity=sensitivity(["bank", HOSTILE[0]], widths=3, groups=(1, 5)),
        caveats=[HOSTILE[0]],
    )


class Parsed(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.elements = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    handle_startendtag = handle_starttag


def test_page_and_tables_are_there_and_nothing_else(page):
    found = {str(path.relative_to(page.parent)) for path in page.parent.rglob("*.*")}
    names = {path.removesuffix(".csv") for path in found if path.endswith(".csv")}
    figures = {path for path in found if path.endswith(".svg")}
    tables = {f"{n}.{e}" for n in names for e in ("csv", "md", "tex")}
    assert found == {"index.html"} | tables | figures
    assert {"figures/difference_nested.svg", "figures/optimism.svg"} <= figures
    kinds = ("conditions", "accuracy", "ranks", "friedman", "pairs", "nemenyi", "noise")
    expected = {f"tables/{kind}_{p}" for kind in kinds for p in ("paper", "paper-inside", "nested")}
    assert names == expected | {"tables/optimism", "tables/time", "tables/not_done"}


def test_every_figure_of_the_page_is_a_file_too(page):
    drawn = re.findall(r'<svg id="figure_([\w-]+)"', page.read_text("utf-8"))
    assert {path.stem for path in (page.parent / "figures").iterdir()} == set(drawn)
    for path in (page.parent / "figures").iterdir():
        assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_the_same_results_give_the_same_bytes(tmp_path):
    frame = study(["x", "y"], MODELS[:2], seeds=(0, 1, 2))
    settings = sensitivity(["x"], widths=2, groups=(1,))
    first = write(tmp_path / "a", frame, sensitivity=settings)
    shuffled = [table.sample(frac=1.0, random_state=0) for table in (frame, settings)]
    second = write(tmp_path / "b", shuffled[0], sensitivity=shuffled[1])
    assert first.read_bytes() == second.read_bytes()


def test_nothing_is_loaded_from_anywhere(page):
    for tag, attributes in Parsed(page.read_text("utf-8")).elements:
        assert tag not in {"img", "iframe", "object", "embed", "video", "audio", "form", "base"}
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name.split(":")[-1] in {"href", "src", "srcset", "action", "data"}:
                assert value.startswith(("#", "data:")), value
    style = page_frame("broadlearn.study.report", ["report.css"])["style"]
    assert "url(" not in style
    assert "@import" not in style


def test_policy_allows_the_one_script_and_no_network(page):
    html = page.read_text("utf-8")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    (script,) = re.findall(r"<script>(.*?)</script>", html, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy.replace("&#39;", "'")


def test_ids_are_unique(page):
    ids = [
        attributes["id"]
        for _, attributes in Parsed(page.read_text("utf-8")).elements
        if "id" in attributes
    ]
    assert len(ids) == len(set(ids))


def test_the_page_says_what_it_must(page):
    html = page.read_text("utf-8")
    for words in (
        "A &lt;b&gt;study&lt;/b&gt; &amp; more</title>",
        "broadlearn study run --data &#39;my &lt;file&gt;.csv&#39;",
        "Of 8 models over 2 data sets, on the data as they are",
        "Under the paper protocol (optimistic",
        "Without a score are",
        "Protocols and caveats",
        "How to run again",
        "scikit-learn",
        'name="viewport"',
        "prefers-color-scheme: dark",
        "@media print",
    ):
        assert words in html
    assert "<script>document" not in html


def test_one_unit_is_enough(tmp_path):
    page = write(tmp_path, pd.DataFrame([unit("iris", "BLS", "nested")]))
    html = page.read_text("utf-8")
    assert "The one unit is done." in html
    assert "<h2" in html


def test_frames_of_the_result_store(tmp_path):
    with ResultStore(tmp_path / "study.db") as store:
        for seed, dataset in enumerate(("iris", "wine")):
            for model in ("BLS", "ELM"):
                for protocol in ("paper", "nested"):
                    unit = Unit(dataset, "none", model, protocol, 0, "reduced", "5ac1")
                    store.claim(unit)
                    store.finish(unit, UnitResult([0.8, 0.9, 0.7 + 0.1 * seed], {"C": 1.0}, 1.5))
        broken = Unit("zoo", "none", "BLS", "nested", 0, "reduced", "5ac1")
        store.claim(broken)
        store.fail(broken, "ValueError: no\nrows")
        html = write(tmp_path, store.to_frame()).read_text("utf-8")
    assert "Without a score are 2 of 10 units: 1 failed and 1 missing" in html
    assert "ValueError: no\nrows" in html
    assert "<h3>Results</h3>" in html


def test_one_data_set_has_ranks_but_no_tests(tmp_path):
    page = write(tmp_path, study(["iris"]))
    assert "No tests under the nested protocol" in page.read_text("utf-8")
    assert (tmp_path / "tables" / "ranks_nested.csv").exists()
    assert not (tmp_path / "tables" / "friedman_nested.csv").exists()


def test_nothing_done(tmp_path):
    rows = [unit(name, model, "paper", **lost()) for name in "xy" for model in ("BLS", "ELM")]
    html = write(tmp_path, pd.DataFrame(rows)).read_text("utf-8")
    assert "Without a score are 4 of 4 units: 4 failed" in html


def test_only_noise(tmp_path):
    frame = study(["x"], noises=NOISES, noisy=["x"])
    html = write(tmp_path, frame[frame["noise"] != "none"]).read_text("utf-8")
    assert "Accuracy against variance noise, nested protocol" in html


def test_a_command_that_is_not_unicode(tmp_path):
    page = write(tmp_path, pd.DataFrame([unit("x", "BLS", "nested")]), command="run a\udcffb.csv")
    assert r"run a\udcffb.csv" in page.read_text("utf-8")


def test_a_failed_write_leaves_the_old_page(tmp_path, monkeypatch):
    page = write(tmp_path, study(["x"]))
    before = page.read_bytes()

    def full(descriptor):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        write(tmp_path, study(["y"]))
    assert page.read_bytes() == before
    assert not list(tmp_path.rglob("*.part"))


@pytest.fixture
def opened(browser, page):
    browser.get(page.as_uri())
    return browser


def test_browser_finds_no_error_and_asks_for_nothing(browser, visit, page):
    assert visit(page) == ([], {page.as_uri()})
    assert browser.title == TITLE


def test_browser_draws_every_figure(opened):
    figures = opened.execute_script(
        """return Array.from(document.querySelectorAll(".picture svg"), (svg) => ({
             box: svg.getBoundingClientRect(), drawn: svg.getBBox(),
             shapes: svg.querySelectorAll("path, use").length,
             lost: Array.from(svg.querySelectorAll("use")).filter(
               (use) => !svg.querySelector(use.getAttribute("xlink:href"))).length}));"""
    )
    assert len(figures) == 15
    for figure in figures:
        assert figure["box"]["width"] > 400
        assert figure["box"]["height"] > 100
        assert figure["drawn"]["width"] > 300
        assert figure["shapes"] > 50
        assert figure["lost"] == 0


def test_browser_shows_hostile_names_as_text(opened):
    names = opened.execute_script(
        """return Array.from(document.querySelectorAll("tbody th .words"), (e) => e.textContent)"""
    )
    assert set(HOSTILE) <= set(names)
    assert opened.find_elements("css selector", "main img") == []
    assert len(opened.find_elements("css selector", "script")) == 1
    assert opened.title == TITLE


def columns(browser, column):
    return browser.execute_script(
        """return Array.from(document.querySelector("#accuracy ~ * table").tBodies[0].rows,
             (row) => row.cells[arguments[0]].dataset.value || row.cells[arguments[0]].textContent)
        """,
        column,
    )


def test_browser_sorts_by_click_and_by_key(opened):
    table = opened.find_element("css selector", "#accuracy ~ * table")
    heading = table.find_elements("css selector", "thead th")[2]
    assert heading.text == "ELM"
    heading.find_element("css selector", "button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    *numbers, word = columns(opened, 2)
    assert word.startswith("failed")
    assert [float(n) for n in numbers] == sorted(map(float, numbers), reverse=True)
    heading.find_element("css selector", "button").send_keys("\ue007")
    assert heading.get_attribute("aria-sort") == "ascending"
    *numbers, word = columns(opened, 2)
    assert word.startswith("failed")
    assert [float(n) for n in numbers] == sorted(map(float, numbers))
    first = table.find_elements("css selector", "thead th button")[0]
    first.send_keys(" ")
    assert heading.get_attribute("aria-sort") is None
    names = columns(opened, 0)
    assert names.index("bank") < names.index("pima")
    assert len(names) == 7


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_browser_scrolls_tables_not_the_page(opened, width):
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 1000}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        wide, shown = opened.execute_script(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide <= shown
    finally:
        opened.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_browser_prints_without_controls(opened):
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        shown = opened.execute_script(
            """return ["nav", ".files", ".skip", ".summary", ".picture"].map(
                 (name) => getComputedStyle(document.querySelector(name)).display)"""
        )
    finally:
        opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert shown == ["none", "none", "none", "block", "block"]


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """A study with other metrics, and its page by accuracy."""
    frame = study(["x", "y", "z"], noises=["labels:0.2:train"], noisy=["x", "y"], seeds=(0, 1))
    nested = frame["protocol"] == "nested"
    # A loss of 1 less the accuracy, so that the order of models is the same.
    frame["metrics"] = [
        {"roc_auc": list(scores), "log_loss": [1 - s for s in scores]} if inside else {}
        for scores, inside in zip(frame["fold_scores"], nested, strict=True)
    ]
    path = tmp_path_factory.mktemp("usual") / "page"
    return frame, write_report(frame, path, title="t", command="c")


@pytest.mark.parametrize("metric", ["roc_auc", "log_loss"])
def test_a_page_by_another_metric(tmp_path, usual, metric):
    frame, usual = usual
    page = write_report(frame, tmp_path / "other", title="t", command="c", metric=metric)
    ranks = [(p.parent / "tables" / "ranks_nested.csv").read_bytes() for p in (usual, page)]
    assert ranks[0] == ranks[1]
    pairs = [pd.read_csv(p.parent / "tables" / "pairs_nested.csv") for p in (usual, page)]
    assert pairs[0]["win"].tolist() == pairs[1]["win"].tolist()
    found = pd.read_csv(page.parent / "tables" / f"{metric}_paper.csv")
    assert set(found["BLS"]) == {"missing"}
    assert "accuracy_nested.csv" not in {path.name for path in (page.parent / "tables").iterdir()}
    html = page.read_text("utf-8")
    words = {"roc_auc": "ROC AUC", "log_loss": "log-loss"}[metric]
    assert f"has the best mean {words}" in html
    assert f"have no {words}: it is missing" in html
    assert "is the most accurate" not in html


def test_former_units_are_left_out_and_said(tmp_path):
    rows = [
        unit("x", "BLS", "nested", former="", recipe="b", asked=2.0, started=""),
        unit("x", "BLS", "nested", mean=0.1, former="model", recipe="a", asked=1.0, started=""),
        unit("y", "BLS", "nested", former="", recipe="a", asked=1.0, started=""),
    ]
    page = write_report(pd.DataFrame(rows), tmp_path / "page", title="t", command="c")
    html = page.read_text("utf-8")
    assert "1 unit is of former models or data, and not in the tables" in html
    assert "1 of the units of BLS in the tables were made before the model" in html
    found = pd.read_csv(page.parent / "tables" / "accuracy_nested.csv")
    assert found["BLS"].tolist() == pytest.approx([80.0, 80.0])
