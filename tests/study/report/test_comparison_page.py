import pandas as pd
import pytest

from broadlearn.study.comparison import compare_results
from broadlearn.study.report.comparison_page import comparison_tables, write_comparison


@pytest.fixture
def comparison():
    base = {"protocol": "nested", "noise": "none", "grid": "paper", "seed": 0, "status": "done"}
    rows = [
        {**base, "dataset": d, "fingerprint": d, "model": m, "mean": 0.5 + 0.01 * i, "sd": 0.1}
        for i, (d, m) in enumerate([("<x>", "BLS"), ("y", "BLS"), ("<x>", "ELM"), ("y", "ELM")])
    ]
    a = pd.DataFrame(rows)
    b = a.assign(mean=a["mean"] + 0.02)
    alone = pd.DataFrame([{**rows[0], "model": "SVC"}])
    moved = pd.DataFrame([{**rows[0], "noise": "labels:0.2:train"}])
    return compare_results(
        pd.concat([a, alone, moved]), pd.concat([b, moved.assign(fingerprint="z")])
    )


def test_tables(comparison):
    tables = {table.name: table for table in comparison_tables(comparison, ["a.db", "b.db"])}
    assert list(tables) == ["models", "differences_1", "only_a", "other_data"]
    models = tables["models"].to_markdown()
    assert "| BLS | nested | none | paper | accuracy | 2 | 50.50 | 52.50 | +2.00 | 2 | 0 | 0 |" in (
        models
    )
    assert tables["differences_1"].columns == ["data set", "BLS", "ELM"]
    assert "labels 20 %, train" in tables["other_data"].to_csv()


def test_files(comparison, tmp_path):
    cells = pd.read_csv(write_comparison(comparison, tmp_path / "c.csv"))
    assert cells["difference"].tolist() == pytest.approx([2.0] * 4)
    text = write_comparison(comparison, tmp_path / "c.md", names=["a.db", "b.db"]).read_text()
    assert text.startswith("# Two stores compared\n\n4 cells are in both: ")
    assert "Only in a.db" in text


def test_browser_finds_no_error(comparison, tmp_path, browser, visit):
    page = write_comparison(comparison, tmp_path / "page", title="A & B", command="compare")
    assert page.name == "index.html"
    assert visit(page) == ([], {page.as_uri()})
    assert browser.title == "A & B"
    assert "Number of cells only in the first: 1;" in page.read_text("utf-8")
    assert (page.parent / "tables" / "models.csv").is_file()
