import pandas as pd
import pytest
from made_up_results import judged_cells

from broadlearn.study.report.reproduction_page import (
    summary_table,
    verdict_table,
    write_reproduction,
)
from broadlearn.study.reproduction import summarize_cells

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def judged():
    return judged_cells()


def test_summary_by_model_and_its_mean(judged):
    table = summary_table(judged, "model")
    clean = judged[judged["noise"] == "none"]
    expected = summarize_cells(clean, ["reading", "model"])
    off = list(table.columns).index("mean off by")
    for row in table.rows:
        assert row[off].value == pytest.approx(
            expected.loc[(row[0].value, row[1].value), "abs_difference"]
        )
    assert [row[0].value for row in table.foot] == ["paper", "paper-columns"]
    means = expected.groupby("reading")["abs_difference"].mean()
    assert table.foot[0][off].value == pytest.approx(means["paper"])
    cells = list(table.columns).index("cells")
    assert table.foot[0][cells].text == str((clean["reading"] == "paper").sum())
    assert "redrawn 30 times" in table.caption


def test_summary_of_noise_has_no_verdicts(judged):
    table = summary_table(judged, "dataset", noisy=True)
    assert list(table.columns) == [
        "reading",
        "data set",
        "cells",
        "ours less print",
        "mean off by",
        "deviation off by",
    ]
    assert {row[1].value for row in table.rows} == {"tic_tac_toe"}


def test_every_contradicted_cell_is_listed(judged):
    table = verdict_table(judged, "contradicted")
    cells = judged[judged["verdict"] == "contradicted"]
    assert len(table.rows) == len(cells) > 0
    listed = {tuple(cell.value for cell in row[:3]) for row in table.rows}
    assert listed == set(cells[["dataset", "model", "reading"]].itertuples(index=False, name=None))
    assert verdict_table(judged[judged["verdict"] == "within reach"], "contradicted") is None


def test_files(judged, tmp_path):
    page = write_reproduction(judged, tmp_path / "page", command="broadlearn study reproduction")
    found = {path.name for path in page.parent.iterdir()}
    pictures = {
        f"{name}.{kind}"
        for name in ("reproduction", "reproduction_paper-columns")
        for kind in ("svg", "png")
    }
    assert found == {"reproduction.md", "cells.csv"} | pictures
    text = page.read_text("utf-8")
    for words in (
        "is fitted to print",
        "chosen on the test folds themselves",
        "![Printed accuracies against ours, protocol paper](reproduction.svg)",
        "**Contradicted: ",
        "**Print and ours with noise, by reading and model.**",
        "broadlearn study reproduction\n",
    ):
        assert words in text
    cells = pd.read_csv(page.parent / "cells.csv")
    assert len(cells) == len(judged)
    again = write_reproduction(judged, tmp_path / "again", command="broadlearn study reproduction")
    for name in found:
        assert (again.parent / name).read_bytes() == (page.parent / name).read_bytes()


def test_only_noise_or_nothing(judged, tmp_path):
    page = write_reproduction(judged[judged["noise"] != "none"], tmp_path, command="x")
    assert "![" not in page.read_text("utf-8")
    with pytest.raises(ValueError, match="must hold a unit that has a printed figure"):
        write_reproduction(judged.iloc[:0], tmp_path, command="x")
