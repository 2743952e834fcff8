import pandas as pd

from broadlearn.study import Outcome, ResultStore, Unit, UnitResult, make_study
from broadlearn.study.shown_results import Outcomes, ResultFrame, mean_results


def unit(dataset="iris", model="BLS", noise="none", seed=0):
    return Unit(dataset, noise, model, "nested", seed, "reduced", "5ac1")


def filled(path, figures):
    store = ResultStore(path)
    for key, figure in figures.items():
        assert store.claim(unit(*key))
        if figure is None:
            store.fail(unit(*key), "<b>no</b>")
        else:
            store.finish(unit(*key), UnitResult([figure], {}, 2.0))
    return store


def test_models_are_averaged_over_data_sets_and_ranked_on_those_that_all_have(tmp_path):
    figures = {
        ("iris", "BLS"): 0.9,
        ("iris", "ELM"): 0.8,
        ("wine", "BLS"): 0.5,
        ("wine", "BLS", "labels:0.2", 1): 0.4,
    }
    with filled(tmp_path / "s.db", figures) as store:
        found = mean_results(store.to_frame())
    clean = found[found["noise"] == "none"].set_index("model")
    assert list(clean.index) == ["BLS", "ELM"]
    assert clean["accuracy"].round(9).tolist() == [70.0, 80.0]
    assert clean["mean_rank"].tolist() == [1.0, 2.0]
    assert clean["data_sets"].tolist() == [2, 1]
    assert clean["seconds"].tolist() == [4.0, 2.0]
    assert len(found) == 3


def test_a_frame_of_units_is_shown_by_model_and_stays_a_frame(tmp_path):
    with filled(tmp_path / "s.db", {("iris", "BLS"): 0.9, ("iris", "ELM"): None}) as store:
        frame = store.to_frame()
    shown = frame._repr_html_()
    assert "2 units: 1 done, 1 failed" in shown
    assert "noise none" in shown
    assert "<th" in shown.partition("BLS")[0]
    assert isinstance(frame, pd.DataFrame)
    assert type(frame[frame["status"] == "done"]) is pd.DataFrame
    assert "fingerprint" in frame.columns


def test_an_empty_store_and_a_frame_with_columns_removed_are_shown_too(tmp_path):
    with ResultStore(tmp_path / "s.db") as store:
        frame = store.to_frame()
    assert "0 units: none" in frame._repr_html_()
    del frame["mean"]
    assert "dataframe" in frame._repr_html_()
    assert isinstance(frame, ResultFrame)


def test_outcomes_are_a_list_whose_failures_are_shown_first():
    done = Outcome(unit(), "done", UnitResult([0.5], {}, 1.0))
    failed = Outcome(unit("wine"), "failed", error="<script>")
    outcomes = Outcomes([done, failed])
    shown = outcomes._repr_html_()
    assert "2 units run: 1 done, 1 failed" in shown
    assert shown.index("wine") < shown.index("iris")
    assert "<script>" not in shown
    assert outcomes == [done, failed]


def test_a_study_and_its_data_name_themselves_in_a_line():
    study = make_study(["iris"], ["BLS"], protocols=["nested"], grid="reduced")
    assert repr(study) == "<Study of 1 units: 1 models on 1 data sets>"
    assert repr(*study.data.values()) == "<Dataset iris: 150 rows, 4 columns>"
