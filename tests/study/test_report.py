import re

import numpy as np
import pandas as pd
import pytest
from made_up_results import HOSTILE, lost, study, unit

from broadlearn.study import write_report
from broadlearn.study.report import Cells, cells_by_protocol, headline
from broadlearn.study.report.tables import accuracy_table, noise_table, not_done_table, pair_table
from broadlearn.study.report.words import mixed_code, summary

DATASETS = ["pima", "tic_tac_toe", "bank"]
NOISES = ["labels:0.1:train", "deviation:0.1:all"]


@pytest.fixture(scope="module")
def frame():
    return study(DATASETS, noises=NOISES, noisy=DATASETS[:2], seeds=(0, 1))


@pytest.fixture(scope="module")
def cells(frame):
    return Cells(frame, "nested")


@pytest.fixture(scope="module")
def paper(frame):
    return Cells(frame, "paper")


@pytest.fixture(scope="module")
def page(frame, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    return write_report(frame, folder / "page", title="Made up", command="make study")


def test_cells_are_means_over_seeds(frame, cells):
    here = (frame["protocol"] == "nested") & (frame["noise"] == "none")
    part = frame[here & (frame["dataset"] == "bank") & (frame["model"] == "BLS")]
    assert cells.means().loc["bank", "BLS"] == pytest.approx(100 * part["mean"].mean())
    deviation = 100 * np.sqrt((part["sd"] ** 2).mean())
    assert cells.deviations().loc["bank", "BLS"] == pytest.approx(deviation)
    assert cells.noises()[0] == "none"
    assert cells.levels() == {
        ("deviation", "all"): {"none": 0.0, "deviation:0.1:all": 10.0},
        ("labels", "train"): {"none": 0.0, "labels:0.1:train": 10.0},
    }
    tables, left_out = cells.conditions(cells.noises())
    assert left_out == ["bank"]
    assert list(tables["none"].index) == sorted(DATASETS[:2])


def test_another_metric_and_the_missing_ones():
    units = [
        unit("iris", "BLS", "nested", metrics={"log_loss": [0.2, 0.4]}),
        unit("iris", "ELM", "nested", metrics={}),
    ]
    cells = Cells(pd.DataFrame(units), "nested", "log_loss")
    assert cells.means().loc["iris", "BLS"] == pytest.approx(0.3)
    assert cells.merits().loc["iris", "BLS"] == pytest.approx(-0.3)
    assert cells.status().loc["iris"].tolist() == ["", "missing"]
    assert cells.not_done[["model", "status"]].to_numpy().tolist() == [["ELM", "missing"]]


def test_results_that_cannot_be_mixed_are_refused():
    units = [unit("iris", "BLS", "nested"), unit("wine", "BLS", "nested", grid="reduced")]
    with pytest.raises(ValueError, match=r"nested have several values of grid \(paper, reduced\)"):
        Cells(pd.DataFrame(units), "nested")
    with pytest.raises(ValueError, match="no results"):
        Cells(pd.DataFrame(units), "paper")
    with pytest.raises(ValueError, match="reference must be one of BLS"):
        cells_by_protocol(pd.DataFrame(units[:1]), reference="SVC")


def test_units_that_were_never_tried_are_missing():
    units = [
        unit("iris", "BLS", "nested"),
        unit("wine", "BLS", "nested"),
        unit("wine", "ELM", "nested", **lost("died", "killed")),
    ]
    cells = Cells(pd.DataFrame(units), "nested")
    assert cells.not_done[["dataset", "status"]].to_numpy().tolist() == [
        ["iris", "missing"],
        ["wine", "died"],
    ]
    table = accuracy_table(cells)
    assert table.text["ELM"].tolist() == ["missing", "died"]
    assert "killed" in not_done_table(cells).to_csv()
    assert "2 of 4 runs have no score" in summary([cells])[-1]


def test_accuracy_table(paper):
    table = accuracy_table(paper)
    means = paper.means()
    assert table.text.loc["bank", "BLS"].startswith(f"{means.loc['bank', 'BLS']:.2f} ± ")
    best = table.best.loc["bank"]
    assert best[means.loc["bank"].idxmax()]
    assert best.sum() == 1
    # Published figures stand beside ours, and in columns of their own.
    assert re.search(r"\n\(\d\d\.\d\d\)$", table.text.loc["pima", "BLS"])
    assert {"BLS", "BLS sd", "BLS published"} <= set(table.values)
    assert table.foot.loc["mean", "BLS"].startswith(f"{means['BLS'].mean():.2f}")
    ranks = means.rank(axis=1, ascending=False).mean()
    assert table.foot.loc["mean rank", "BLS"] == f"{ranks['BLS']:.2f}"


def test_noise_table_has_published_figures_of_the_same_level(paper):
    table = noise_table(paper)
    assert ("tic_tac_toe", "deviation:0.1:all") in table.text.index
    assert "\n(" in table.text.loc[("tic_tac_toe", "deviation:0.1:all"), "BLS"]
    assert "\n(" not in table.text.loc[("tic_tac_toe", "labels:0.1:train"), "BLS"]
    assert "bank" not in table.text.index.get_level_values(0)


def test_pairs_are_those_of_the_reference(frame, cells):
    pairs = pair_table(cells)
    assert pairs.title.startswith("IF-BLS against each other model")
    assert len(pairs.text) == 6
    assert "Friedman's test of all models: χ² = " in pairs.caption
    other = pair_table(Cells(frame, "nested", reference="ELM"))
    assert "ELM" not in other.text.index


def test_the_headline_names_who_is_first_and_the_best_published_model():
    accuracy = {"SVC": (0.95, 0.93), "k-NN": (0.92, 0.6), "BLS": (0.9, 0.7)}
    units = [
        unit(dataset, model, "nested", noise=noise, mean=mean)
        for dataset in ("a", "b")
        for model, means in accuracy.items()
        for noise, mean in zip(("none", "labels:0.2:train"), means, strict=True)
    ]
    sentence = headline(Cells(pd.DataFrame(units), "nested")).replace("\xa0", " ")
    assert sentence == (
        "Of 3 models on 2 data sets: with no noise, SVC (95.0 %) and k-NN (92.0 %) are first, BLS "
        "(90.0 %) is the first of the published models; with 20 % of the training labels flipped, "
        "SVC (93.0 %) and BLS (70.0 %) are first."
    )
    one = Cells(pd.DataFrame([unit("iris", "BLS", "paper")]), "paper")
    assert "optimistic" in headline(one)
    none = [unit("a", "BLS", "nested"), unit("b", "ELM", "nested")]
    assert headline(Cells(pd.DataFrame(none), "nested")) == ""


def test_mixed_code_is_said():
    units = pd.DataFrame(
        [
            unit("a", "BLS", "nested", source="1", finished="1"),
            unit("b", "BLS", "nested", source="2", finished="2"),
            unit("b", "mine", "nested", source="2+x", finished="3"),
        ]
    )
    (sentence,) = mixed_code(units)
    assert "Results of 3 states of the code are mixed" in sentence
    assert "--again" in sentence
    assert mixed_code(units[1:]) == []
    edited = units[2:].assign(source="2+y", finished="0")
    assert mixed_code(pd.concat([edited, units[2:]]))


def test_every_section_is_on_the_page(page):
    text = page.read_text("utf-8")
    for words in (
        "Made up",
        "make study",
        "Effect of noise, nested protocol",
        "Ranks and tests",
        "Published tables, reproduced",
        "Code that made the results",
    ):
        assert words in text
    folder = page.parent
    tables = {path.suffix for path in (folder / "tables").iterdir()}
    assert tables == {".csv", ".tex"}
    pdf = folder / "figures" / "difference_nested.pdf"
    assert pdf.read_bytes().startswith(b"%PDF")
    assert (folder / "figures" / "curves_nested.svg").is_file()


def test_the_same_results_give_the_same_bytes(frame, page, tmp_path):
    again = write_report(frame, tmp_path / "page", title="Made up", command="make study")
    for path in sorted(page.parent.rglob("*.*")):
        other = again.parent / path.relative_to(page.parent)
        assert other.read_bytes() == path.read_bytes(), path.name


def test_hostile_names_harm_no_file(tmp_path):
    frame = study([*HOSTILE, "iris"], models=("BLS", *HOSTILE[:4]), protocols=("nested",))
    page = write_report(frame, tmp_path / "page", title=HOSTILE[0], command=HOSTILE[1])
    text = page.read_text("utf-8")
    assert "<script>document" not in text
    assert "<img src=x" not in text
    csv = (tmp_path / "page" / "tables" / "accuracy_nested.csv").read_text()
    assert "\n=HYPERLINK" not in csv
    latex = (tmp_path / "page" / "tables" / "accuracy_nested.tex").read_text()
    assert r"\_b \& c\% \$x\textasciicircum 2\$" in latex


def test_the_page_works_in_a_browser(page, browser, visit):
    console, requests = visit(page)
    assert console == []
    assert requests == {page.as_uri()}
    script = "return document.documentElement.scrollWidth <= window.innerWidth"
    for width in (1300, 390):
        browser.set_window_size(width, 900)
        assert browser.execute_script(script)
    first = "document.querySelector('#T_accuracy_nested tbody tr th').textContent"
    button = "document.querySelectorAll('#T_accuracy_nested thead button')[1].click()"
    browser.execute_script(button)
    before = browser.execute_script(f"return {first}")
    browser.execute_script(button)
    assert browser.execute_script(f"return {first}") != before
