"""The pages on the published study and on robustness say what the kept runs say."""

import importlib
import importlib.util
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("published", ROOT / "benchmarks" / "published.py")
published = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(published)


@pytest.mark.parametrize("page", published.PAGES, ids=lambda page: page.name)
def test_tables_of_a_page_are_those_of_the_files(page):
    text = page.read_text("utf-8")
    assert published.fill(text) == text


def test_tables_of_robustness_are_those_of_its_runs(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    robust = importlib.import_module("robust")
    text = robust.PAGE.read_text("utf-8")
    assert robust.fill(text, robust.TABLES) == text


def test_readme_has_the_means_of_both_forms():
    means = published.form_table().loc["mean"]
    text = (ROOT / "README.md").read_text("utf-8")
    for name, form in {"defaults": "", "`published`": " published"}.items():
        figures = [f"{means[model + form]} %" for model in ("BLS", "F-BLS", "IF-BLS")]
        assert f"| {name} | {' | '.join(figures)} |" in text


def test_evidence_has_the_figures_of_the_files():
    claims = pd.read_csv(ROOT / "docs" / "evidence.csv").set_index("topic")
    models = ["BLS", "F-BLS as printed (no scores)", "F-BLS", "IF-BLS"]
    distances = published.redraw_table().loc[models, "distance of the best"]
    assert claims.loc["study", "figure"] == ", ".join(distances)


def test_lines_are_added_in_place_of_those_with_the_same_keys(tmp_path):
    file = tmp_path / "runs.csv"
    first = pd.DataFrame({"noise": ["none", "none"], "model": ["A", "B"], "accuracy": [1.0, 2.0]})
    published.add_lines(file, first, ["noise", "model"])
    second = pd.DataFrame({"noise": ["none", "none"], "model": ["B", "C"], "accuracy": [3.0, 4.0]})
    published.add_lines(file, second, ["noise", "model"])
    assert pd.read_csv(file, keep_default_na=False)["accuracy"].tolist() == [1.0, 3.0, 4.0]
