import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from made_up_results import HOSTILE
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadEnsembleClassifier,
    BroadEnsembleRegressor,
    evaluate,
)
from broadlearn.evaluation import with_threshold


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[:, :6], np.where(y == 1, "benign", "malignant")


def test_evaluation_of_a_classifier(cancer):
    X, y = cancer
    model = make_pipeline(StandardScaler(), BLSClassifier(random_state=0)).fit(X[:300], y[:300])
    found = evaluate(model, X[300:], y[300:])
    right = model.predict(X[300:]) == y[300:]
    assert found.metrics.loc["accuracy", "value"] == pytest.approx(right.mean())
    assert (found.metrics["low"] <= found.metrics["value"]).all()
    assert (found.metrics["value"] <= found.metrics["high"]).all()
    confusion = pd.crosstab(y[300:], model.predict(X[300:])).to_numpy()
    np.testing.assert_array_equal(found.confusion.to_numpy(), confusion)
    assert found.by_class.index.tolist() == ["benign", "malignant"]
    assert found.worst["loss"].is_monotonic_decreasing
    first = found.worst.iloc[0]
    column = list(model.classes_).index(first["label"])
    proba = model.predict_proba(X[300:])[first["position"], column]
    assert first["probability"] == pytest.approx(proba)
    assert repr(found) == f"<Evaluation on 269 rows: accuracy {right.mean():.4g}>"
    assert "balanced_accuracy" in found._repr_html_()
    assert found.importance is None
    again = evaluate(model, X[300:], y[300:])
    pd.testing.assert_frame_equal(found.metrics, again.metrics)


def test_conformal_sets_and_intervals_are_evaluated(cancer):
    X, y = cancer
    scale = StandardScaler().fit(X)
    model = BroadEnsembleClassifier(ensemble_size=3).fit(scale.transform(X)[:150], y[:150])
    found = evaluate(make_pipeline(scale, model), X[150:], y[150:])
    sets = model.predict_set(scale.transform(X)[150:])
    assert found.metrics.loc["set_size", "value"] == pytest.approx(sets.sum(axis=1).mean())
    held = sets[np.arange(len(sets)), (y[150:] == "malignant").astype(int)]
    assert found.metrics.loc["coverage", "value"] == pytest.approx(held.mean())
    X, y = load_diabetes(return_X_y=True)
    model = BroadEnsembleRegressor(ensemble_size=2).fit(X[:100], y[:100])
    found = evaluate(model, X[300:], y[300:])
    low, high = model.predict_interval(X[300:]).T
    held = ((low <= y[300:]) & (y[300:] <= high)).mean()
    assert found.metrics.loc["coverage", "value"] == pytest.approx(held)


def test_models_without_probabilities_or_with_a_threshold(cancer):
    X, y = cancer
    found = evaluate(LinearSVC().fit(X, y), X, y, importance=True)
    assert "log_loss" not in found.metrics.index
    assert (found.worst["label"] != found.worst["prediction"]).all()
    assert found.importance_unit == "mean absolute contribution to the decision"
    model = with_threshold(BLSClassifier(random_state=0).fit(X, y), "malignant", 0.01)
    found = evaluate(model, X, y)
    assert found.threshold == ("malignant", 0.01)
    assert found.remarks() == ["'malignant' is predicted if its probability is at least 0.01."]
    assert found.by_class.loc["malignant", "recall"] > 0.99


def test_columns_that_matter_come_first():
    X, y = load_diabetes(return_X_y=True)
    found = evaluate(LinearRegression().fit(X[:300], y[:300]), X[300:], y[300:], importance=True)
    assert found.metrics.index.tolist() == ["r2", "mean_absolute_error", "root_mean_squared_error"]
    assert found.importance["importance"].is_monotonic_decreasing
    assert (found.importance["low"] <= found.importance["high"]).all()
    assert set(found.importance.index[:2]) <= {"2", "4", "8"}
    assert found.worst["why"].str.match(r".+ = .+ \([+-].+\), .+").all()
    error = np.abs(found.predictions.predicted - found.predictions.target)
    assert found.worst["loss"].iloc[0] == pytest.approx(error.max())


def test_bad_input():
    X, y = load_diabetes(return_X_y=True)
    several = LinearRegression().fit(X, np.c_[y, y])
    with pytest.raises(ValueError, match="this model predicts several"):
        evaluate(several, X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        evaluate(several, X, y[:5])
    with pytest.raises(TypeError, match="model must be a fitted classifier or regressor, got None"):
        evaluate(None, X, y)


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
    model = DummyClassifier(strategy="prior").fit(X[::2], y[::2])
    return evaluate(model, X[1::2], y[1::2])


def many():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 40, 800)
    X = np.c_[y, y % 7] + rng.normal(size=(800, 2))
    return evaluate(KNeighborsClassifier().fit(X[::2], y[::2]), X[1::2], y[1::2])


def quantity():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = BLSRegressor(n_enhancement_nodes=50, C=0.1, random_state=0).fit(X[:150], y[:150])
    return evaluate(model, X[150:], y[150:], importance=True)


def hostile():
    names = (*HOSTILE, "\x1b[2J\u202eback", "图")
    y = np.array(names, dtype=object)[np.arange(140) % len(names)]
    X = np.random.default_rng(0).normal(size=(140, 3))
    return evaluate(BLSClassifier(random_state=0).fit(X, y), X, y)


CASES = {"binary": binary, "missed": missed, "many": many, "quantity": quantity, "hostile": hostile}
TITLES = {
    "binary": [
        "Confusion matrix",
        "ROC curve",
        "Precision and recall",
        "Calibration",
        "Importance of columns",
    ],
    "missed": ["Confusion matrix", "ROC curve", "Precision and recall", "Calibration"],
    "many": ["ROC curve", "Precision and recall", "Calibration"],
    "quantity": ["Predictions", "Residuals", "Importance of columns"],
    "hostile": ["Confusion matrix", "ROC curve", "Precision and recall", "Calibration"],
}


@pytest.fixture(scope="module")
def pages():
    return {name: case().to_html(title="A <b>page</b>") for name, case in CASES.items()}


class Parsed(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.elements = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))


@pytest.mark.parametrize("name", CASES)
def test_a_page_shows_all_parts_and_loads_nothing(pages, name):
    html = pages[name]
    titles = re.findall("<h3>(.*?)</h3>", html)
    curves = [title for title in titles if title.startswith("Partial dependence on ")]
    assert titles == TITLES[name] + curves
    explained = "Importance of columns" in titles
    assert bool(curves) == explained == ("reason" in html.partition("<body>")[2])
    elements = Parsed(html).elements
    tags = [tag for tag, _ in elements]
    assert not {"iframe", "object", "embed", "form", "base"} & set(tags)
    assert tags.count("script") == 1
    for _, attributes in elements:
        for key, value in attributes.items():
            assert not key.startswith("on")
            if key in {"href", "src"}:
                assert value.startswith(("data:", "#"))
    assert "default-src 'none'" in html
    assert not re.search("[\x1b\u202e]", html)
    text = re.sub(r"<(style|script)>.*?</\1>|<img[^>]*>", "", html, flags=re.DOTALL)
    assert "nan" not in text.lower()


def test_sentences_of_a_page(pages):
    accuracy = binary().metrics.loc["accuracy", "value"]
    assert f"<b>{100 * accuracy:.1f} %</b>" in pages["binary"]
    assert "Class &#39;fraud&#39; is often missed: the model finds 0 %" in pages["missed"]
    assert "The 30 of 40 classes with the lowest recall" in pages["many"]
    assert "R² = 0." in pages["quantity"]
    assert "A &lt;b&gt;page&lt;/b&gt;" in pages["hostile"]


def test_a_page_is_written_to_a_file(tmp_path, cancer):
    X, y = cancer
    found = evaluate(GaussianNB().fit(X, y), X, y)
    assert found.to_html(tmp_path / "page.html") is None
    first = found.worst["position"].iloc[0]
    assert f"row {first}<" in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("width", [1300, 390])
@pytest.mark.parametrize("name", ["binary", "quantity", "hostile"])
def test_pages_in_a_browser(pages, browser, visit, tmp_path, name, width):
    page = tmp_path / "page.html"
    page.write_text(pages[name], "utf-8")
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        console, requests = visit(page)
        assert console == []
        assert requests == {page.as_uri()}
        assert browser.title == "A <b>page</b>"
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        images = "return [...document.images].every(image => image.naturalWidth > 0)"
        assert browser.execute_script(images)
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
