import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from broadlearn import evaluate


@pytest.fixture(scope="module")
def found():
    X, y = load_iris(return_X_y=True)
    return evaluate(LogisticRegression(max_iter=1000).fit(X, y), X, y)


def test_the_page_is_given_or_written_whole(found, tmp_path):
    text = found.to_html(title="Iris & co")
    assert "<title>Iris &amp; co</title>" in text
    assert found.to_html(tmp_path / "page.html", title="Iris & co") is None
    assert (tmp_path / "page.html").read_text("utf-8") == text
    assert not list(tmp_path.glob("*.part"))


def test_rows_are_called_by_their_names(found):
    first = int(found.worst["position"].iloc[0])
    assert f'<td class="nowrap">row {first}</td>' in found.to_html()
    names = [f"line {i + 2}" for i in range(len(found.target))]
    assert f'<td class="nowrap">line {first + 2}</td>' in found.to_html(row_names=names)


def test_all_rows_are_known(found):
    assert found.n_unknown == 0
    assert np.isfinite(found.worst["loss"]).all()
