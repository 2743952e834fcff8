import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from made_up_results import HOSTILE
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from broadlearn import BLSClassifier, BroadEnsembleRegressor, evaluate
from broadlearn.evaluation import with_threshold
from broadlearn.evaluation.metrics import class_metrics, missed_class
from broadlearn.utils import page_frame


def rare(n=1200):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 4)), columns=["amount", "hour", "age of card", "country"])
    fraud = X["amount"] + 0.4 * rng.normal(size=n) > 2.0
    return X, np.where(fraud, "fraud", "normal")


def binary():
    X, y = rare()
    model = LogisticRegression().fit(X[::2], y[::2])
    return evaluate(with_threshold(model, "fraud", 0.2), X[1::2], y[1::2], importance=True)


def missed():
    X, y = rare()
    labels = y[1::2].astype(object)
    labels[5] = "unheard of"
    model = DummyClassifier(strategy="prior").fit(X[::2], y[::2])
    return evaluate(model, X[1::2], labels)


def many():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 40, 800)
    X = np.c_[y, y % 7] + rng.normal(size=(800, 2))
    return evaluate(KNeighborsClassifier().fit(X[::2], y[::2]), X[1::2], y[1::2])


def quantity():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = BroadEnsembleRegressor(ensemble_size=2).fit(X[:150], y[:150])
    return evaluate(model, X[150:], y[150:], importance=True)


def hostile():
    rng = np.random.default_rng(0)
    y = np.array(HOSTILE, dtype=object)[np.arange(100) % len(HOSTILE)]
    X = pd.DataFrame(rng.normal(size=(100, len(HOSTILE))), columns=list(HOSTILE))
    return evaluate(BLSClassifier(random_state=0).fit(X.to_numpy(), y), X.to_numpy(), y)


MADE_UP = {
    "binary": binary,
    "missed": missed,
    "many": many,
    "quantity": quantity,
    "hostile": hostile,
}


@pytest.fixture(scope="module")
def evaluations():
    return {name: make() for name, make in MADE_UP.items()}


@pytest.fixture(scope="module")
def pages(evaluations):
    return {name: found.to_html(title="A <b>page</b>") for name, found in evaluations.items()}


class Parsed(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.elements = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    handle_startendtag = handle_starttag


@pytest.mark.parametrize("name", MADE_UP)
def test_nothing_is_loaded_and_only_the_script_that_sorts_is_run(pages, name):
    html = pages[name]
    elements = Parsed(html).elements
    tags = [tag for tag, _ in elements]
    assert not {"img", "iframe", "object", "embed", "form", "base"} & set(tags)
    assert tags.count("script") == 1
    frame = page_frame("broadlearn.auditing", [], ["sort.js"])
    assert f"script-src '{frame['script_hash']}'" in html
    for _, attributes in elements:
        for key, value in attributes.items():
            assert not key.startswith("on")
            if key in {"href", "src"}:
                assert value.startswith(("data:", "#"))
    assert "default-src 'none'" in html
    assert "url(" not in html
    assert "nan" not in re.sub(r"<(style|script)>.*?</\1>", "", html, flags=re.DOTALL).lower()


def test_a_page_of_two_classes(pages, evaluations):
    html, found = pages["binary"], evaluations["binary"]
    accuracy = found.metrics.loc["accuracy", "value"]
    assert f"<b>{100 * accuracy:.1f} %</b>" in html
    assert "&#39;fraud&#39; is predicted where its probability is at least 0.2." in html
    assert [title for title in ("ROC curve", "Precision and recall", "Reliability")] == re.findall(
        r'<figure class="chart">\n<h3>(.*?)</h3>', html
    )
    assert html.count('<td class="drawn">') == 4
    assert html.index("amount") < html.index("country")
    assert "Confusion matrix" in html


def test_a_class_that_is_missed_and_one_that_is_unknown_are_pointed_out(pages, evaluations):
    assert missed_class(class_metrics(evaluations["missed"].judged))["label"] == "fraud"
    assert "&#39;fraud&#39; is often missed" in pages["missed"]
    assert "--class-weight balanced" in pages["missed"]
    assert "1 of 600 rows has a label that the model does not know" in pages["missed"]
    assert missed_class(class_metrics(evaluations["binary"].judged)) is None


def test_a_page_of_many_classes_folds_them_away(pages):
    html = pages["many"]
    assert "The most frequent errors" in html
    assert "10 more classes" in html
    assert html.count('class="curve') == 2 * 8 + 1
    assert "those that are told apart least" in html


def test_a_page_of_a_quantity(pages):
    html = pages["quantity"]
    assert "R²" in html
    assert "Residuals" in html
    assert "Confusion" not in html
    assert html.count('class="reach"') == 4
    assert "Loss of R²" in html


@pytest.mark.slow
@pytest.mark.parametrize("width", [1300, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", MADE_UP)
def test_pages_in_a_browser(pages, browser, visit, tmp_path, name, width, scheme):
    page = tmp_path / "page.html"
    page.write_text(pages[name], "utf-8")
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    try:
        console, requests = visit(page)
        assert console == []
        assert requests == {page.as_uri()}
        assert browser.title == "A <b>page</b>"
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        dark = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        assert (dark == "rgb(20, 24, 28)") == (scheme == "dark")
        # Text of the charts stays within their frames.
        outside = browser.execute_script(
            """return [...document.querySelectorAll(".chart text")].filter(text => {
                 const own = text.getBoundingClientRect();
                 const all = text.closest("svg").getBoundingClientRect();
                 return own.left < all.left - 1 || own.right > all.right + 1 ||
                        own.bottom > all.bottom + 1;
               }).map(text => text.textContent)"""
        )
        assert outside == []
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
