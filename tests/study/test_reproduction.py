import numpy as np
import pandas as pd
import pytest
from made_up_results import MODELS, unit

from broadlearn.study import published_table, write_report
from broadlearn.study.reproduction import (
    compare_with_print,
    judge_cells,
    redraw_figures,
    summarize_cells,
)

NOISY = "deviation:0.1:all"


def redraws(dataset, model, means, **changes):
    folds = [mean + step for mean in means for step in (-0.02, -0.01, 0, 0.01, 0.02)]
    row = unit(dataset, model, "paper-redraws", **changes)
    return row if changes else {**row, "fold_scores": folds}


def test_units_stand_beside_what_is_printed():
    units = [
        unit("pima", "ELM", "paper", mean=0.72),
        unit("pima", "ELM", "paper-inside"),
        unit("pima", "ELM", "nested"),
        unit("pima", "SVC", "paper"),
        unit("iris", "ELM", "paper"),
        unit("pima", "BLS", "paper", grid="reduced"),
        unit("tic_tac_toe", "BLS", "paper", noise=NOISY),
        unit("tic_tac_toe", "BLS", "paper", noise="deviation:0.1:train"),
    ]
    cells = compare_with_print(pd.DataFrame(units))
    assert cells[["noise", "model"]].to_numpy().tolist() == [["none", "ELM"], [NOISY, "BLS"]]
    printed = published_table().loc["pima", "ELM"]
    assert cells.loc[0, "difference"] == pytest.approx(72.0 - printed)
    noisy = published_table("noise").loc[("tic_tac_toe", 10), "BLS"]
    assert cells.loc[1, "printed"] == noisy


def test_redraws_in_one_line():
    frame = pd.DataFrame(
        [
            redraws("pima", "ELM", [0.70, 0.74, 0.72]),
            redraws("pima", "BLS", [], mean=None, status="failed", error="cannot"),
            unit("pima", "ELM", "paper"),
        ]
    )
    elm, bls = redraw_figures(frame).to_dict("records")
    assert elm["n_draws"] == 3.0
    assert elm["lowest"] == pytest.approx(70.0)
    assert elm["median"] == elm["draw_mean"] == pytest.approx(72.0)
    assert elm["draw_sd"] == pytest.approx(2.0)
    assert elm["nearest_sd"] == pytest.approx(100 * np.std([-0.02, -0.01, 0, 0.01, 0.02], ddof=1))
    assert bls["n_draws"] == 0.0
    assert np.isnan(bls["lowest"])


def judged(printed, ours, low, high, n_draws=30.0):
    key = {"dataset": "pima", "model": "ELM"}
    cells = pd.DataFrame([{**key, "noise": "none", "ours": ours, "printed": printed}])
    middle = (low + high) / 2
    draws = {"n_draws": n_draws, "lowest": low, "median": middle, "highest": high}
    draws |= {"draw_mean": middle, "draw_sd": (high - low) / 4, "nearest_sd": 3.0}
    return judge_cells(cells, pd.DataFrame([{**key, **draws}])).iloc[0]


@pytest.mark.parametrize(
    ("printed", "ours", "verdict", "beyond"),
    [
        (70.0, 75.0, "contradicted", False),
        (73.0, 75.0, "within reach", False),
        (76.0, 78.0, "within reach", False),
        (76.0, 75.0, "out of reach", False),
        (90.0, 75.0, "out of reach", True),
    ],
)
def test_verdicts(printed, ours, verdict, beyond):
    cell = judged(printed, ours, 72.0, 75.5)
    assert (cell["verdict"], cell["beyond_selection"]) == (verdict, beyond)


def test_cells_that_could_not_be_drawn():
    assert judged(70.0, 75.0, np.nan, np.nan, 0.0)["verdict"] == "not fitted"
    cells = pd.DataFrame([unit("pima", "ELM", "paper")])
    alone = judge_cells(compare_with_print(cells), redraw_figures(cells))
    assert alone["verdict"].tolist() == ["not redrawn"]


def test_summaries_are_means_of_cells():
    rng = np.random.default_rng(0)
    units = [
        unit(dataset, model, "paper", mean=float(rng.uniform(0.6, 0.95)))
        for dataset in ("pima", "spect")
        for model in MODELS
    ]
    units += [
        redraws(dataset, model, rng.uniform(0.6, 0.95, 5))
        for dataset in ("pima", "spect")
        for model in MODELS[:3]
    ]
    frame = pd.DataFrame(units)
    cells = judge_cells(compare_with_print(frame), redraw_figures(frame))
    lines = summarize_cells(cells)
    one = cells[cells["model"] == "BLS"]
    assert lines.loc["BLS", "abs_difference"] == one["difference"].abs().mean()
    assert lines["not_redrawn"].to_dict() == {m: 0 if m in MODELS[:3] else 2 for m in MODELS}
    assert lines.loc["BLS", "contradicted"] == (one["verdict"] == "contradicted").sum()


def test_settings_and_reproduction_are_sections_of_the_page(tmp_path):
    details = {
        "C": [1.0, 100.0] * 4,
        "kernel_width": [0.5, 0.5, 2.0, 2.0] * 2,
        "n_feature_groups": [1.0] * 4 + [5.0] * 4,
        "n_feature_nodes": [5.0] * 8,
        "mean": np.linspace(0.6, 0.9, 8).tolist(),
        "sd": [0.1] * 8,
    }
    frame = pd.DataFrame(
        [
            unit("pima", "IF-BLS", "paper"),
            redraws("pima", "IF-BLS", [0.7, 0.71]),
            {**unit("pima", "IF-BLS", "paper-sensitivity"), "details": details},
        ]
    )
    text = write_report(frame, tmp_path / "page").read_text()
    for words in ("Sensitivity to settings", "Accuracy over kernel width and C: IF-BLS on pima"):
        assert words in text
    assert "Print and ours, by model" in text
    assert (tmp_path / "page" / "tables" / "reproduction.csv").is_file()
    assert (tmp_path / "page" / "figures" / "paper-sensitivity_C.pdf").is_file()
