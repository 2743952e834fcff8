import numpy as np
import pandas as pd
import pytest

from broadlearn.study.comparison import CELL, compare_results
from broadlearn.study.statistics import compare_pairs

DATASETS = [f"d{i}" for i in range(6)]


def units(means, model="BLS", **changes):
    frame = pd.DataFrame({"dataset": DATASETS[: len(means)], "mean": means})
    frame["fingerprint"] = frame["dataset"]
    fields = {"model": model, "noise": "none", "protocol": "nested", "seed": 0, "grid": "paper"}
    return frame.assign(**{**fields, "status": "done", "sd": 0.1, **changes})


A = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
B = [0.91, 0.82, 0.7, 0.59, 0.55, 0.46]


def test_differences_and_tests_over_data_sets():
    found = compare_results(units(A), units(B))
    assert found.cells["difference"].tolist() == pytest.approx([1, 2, 0, -1, 5, 6])
    (line,) = found.models.to_dict("records")
    tests = compare_pairs(pd.DataFrame({"a": A, "b": B}), reference="b").table.iloc[0]
    assert (line["win"], line["tie"], line["loss"]) == (4, 1, 1)
    for name in ("p_sign", "p_wilcoxon", "p_holm"):
        assert line[name] == pytest.approx(tests[name])
    assert line["difference"] == pytest.approx(np.mean([1, 2, 0, -1, 5, 6]))
    assert found.sentence().startswith("6 cells are in both: the second is better in 4, level in 1")
    for part in (found.only_a, found.only_b, found.other_data):
        assert list(part.columns) == CELL
        assert part.empty


def test_cells_of_one_only_and_other_data():
    a = pd.concat([units(A[:3]), units(A[:1], "ELM")])
    b = pd.concat([units(B[:2]).assign(fingerprint=["d0", "edited"]), units(B[:1], "SVC")])
    found = compare_results(a, b)
    assert found.cells["dataset"].tolist() == ["d0"]
    assert np.isnan(found.models["p_sign"].iloc[0])
    assert found.only_a[["dataset", "model"]].to_numpy().tolist() == [["d0", "ELM"], ["d2", "BLS"]]
    assert found.only_b[["dataset", "model"]].to_numpy().tolist() == [["d0", "SVC"]]
    assert found.other_data["dataset"].tolist() == ["d1"]


def test_seeds_that_both_have_count():
    a = pd.concat([units([0.5]), units([0.9], seed=1)])
    found = compare_results(a, units([0.6]))
    assert found.cells["difference"].tolist() == pytest.approx([10])
    assert found.only_a.empty
    nothing = compare_results(units([0.5]), units([0.6], seed=1))
    assert nothing.cells.empty
    assert nothing.models.empty
    assert nothing.sentence() == "No cell is in both."


def test_only_units_in_use_that_are_done():
    a = pd.concat([units([0.5], former=""), units([0.1], former="model")])
    b = pd.concat([units([0.6]), units([np.nan], "ELM", status="failed")])
    found = compare_results(a, b)
    assert found.cells["difference"].tolist() == pytest.approx([10])
    assert found.only_b.empty


def test_recipes_say_whether_the_model_is_the_same():
    known = [
        compare_results(units(A, recipe="r"), units(A, recipe=other)).cells["same_model"].tolist()
        for other in ("r", "s", "")
    ]
    assert [set(values) for values in known] == [{True}, {False}, {None}]


def test_grids_and_scorings_that_differ():
    found = compare_results(units(A), units(B, grid="reduced", scoring="log_loss"))
    assert found.cells["grid"].unique().tolist() == ["paper → reduced"]
    assert found.cells["scoring"].unique().tolist() == ["accuracy → log_loss"]
    alone = pd.concat([units(B, grid="reduced"), units(B, "ELM", grid="reduced")])
    assert set(compare_results(units(A), alone).only_b["grid"]) == {"reduced"}
    both = pd.concat([units(B), units(B, grid="reduced")])
    found = compare_results(units(A), both)
    assert found.cells["grid"].unique().tolist() == ["paper"]
    assert len(found.only_b) == 6


def test_lower_is_better_for_the_log_loss():
    a, b = (units(A, metrics=[{"log_loss": [v]} for v in values]) for values in (A, B))
    found = compare_results(a, b, metric="log_loss")
    assert (found.models["win"].iloc[0], found.models["loss"].iloc[0]) == (1, 4)
    assert found.cells["difference"].iloc[0] == pytest.approx(0.01)
    assert "better in 1, level in 1 and worse in 4" in found.sentence()
    with pytest.raises(ValueError, match="metric must be one of"):
        compare_results(a, b, metric="recall")


def test_a_comparison_shows_its_sentence_and_its_models():
    found = compare_results(units(A, model="<b>"), units(B, model="<b>"))
    shown = found._repr_html_()
    assert "6 cells are in both" in repr(found)
    assert "6 cells are in both" in shown
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
