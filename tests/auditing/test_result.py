import csv

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression

from broadlearn.auditing import audit


@pytest.fixture(scope="module")
def found():
    X, y = make_blobs(100, n_features=3, centers=[[0] * 3, [4] * 3], random_state=0)
    labels = np.array(["=no", "yes"])[y]
    labels[[3, 40]] = np.array(["yes", "=no"])[y[[3, 40]]]
    return X, labels, audit(X, labels)


def test_repr_and_counts(found):
    _, _, result = found
    assert repr(result) == "<Audit of 100 rows: 2 likely mislabelled, 98 fine>"
    assert result.counts["likely mislabelled"] == 2
    shown = result._repr_html_()
    assert "Audit of 100 rows" in shown
    assert shown.count("likely mislabelled</td>") == 2


def test_csv_holds_no_formula(found, tmp_path):
    _, _, result = found
    path = tmp_path / "rows.csv"
    assert result.to_csv(path) is None
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 100
    assert {line["label"] for line in lines} == {"'=no", "yes"}


def test_page_is_written_whole(found, tmp_path):
    pytest.importorskip("jinja2")
    _, _, result = found
    path = tmp_path / "audit.html"
    assert result.to_html(path, title="A table") is None
    assert "<title>A table</title>" in path.read_text("utf-8")


@pytest.mark.parametrize("max_rows", [0, -1, 1.5, "all"])
def test_max_rows_is_checked(found, max_rows):
    with pytest.raises(ValueError, match="max_rows must be None or a whole number"):
        found[2].to_html(max_rows=max_rows)


def test_plot(found):
    pytest.importorskip("matplotlib")
    assert len(found[2].plot().axes) >= 2


def test_weights_clean_and_corrections(found):
    X, labels, result = found
    kept, y = result.clean(X, labels)
    assert len(kept) == len(y) == 98
    _, relabelled = result.clean(X, labels, "relabel")
    assert (relabelled != labels).sum() == 2
    assert result.clean(X, labels, "weight")[2].min() == result.sample_weight.min() < 0.5
    assert set(result.corrections()["row"]) == {3, 40}


def test_benefit(found):
    _, _, result = found
    table = result.benefit(LogisticRegression())
    assert isinstance(table, pd.DataFrame)
    assert {"as given", "drop", "relabel", "weight"} <= set(table.index)
