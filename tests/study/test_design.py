import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from broadlearn.study import Dataset, ResultStore, compare, expand_name, find_model, make_study
from broadlearn.study.models import ModelSpec
from broadlearn.study.plan import Unit, UnitResult, fingerprint


def unit(**changes):
    fields = {"dataset": "iris", "noise": "none", "model": "BLS", "protocol": "nested", "seed": 0}
    return Unit(**{**fields, "grid": "paper", "fingerprint": "ab-cd", **changes})


def test_a_key_is_that_of_all_inputs():
    changes = [
        {}, {"dataset": "wine"}, {"noise": "labels:0.1"}, {"model": "ELM"}, {"protocol": "paper"},
        {"seed": 1}, {"grid": "reduced"}, {"fingerprint": "ef"}, {"identity": "1"},
        {"scoring": "log_loss"}, {"folds": 3},
    ]  # fmt: skip
    assert len({unit(**change).key for change in changes}) == len(changes)
    assert unit(noise="labels:0.10").key == unit(noise="labels:0.1:train").key


def test_seeds_are_shared_by_what_must_be_comparable():
    base, noisy, other = unit(), unit(noise="labels:0.1"), unit(model="ELM", protocol="paper")
    assert base.split_seed == noisy.split_seed == other.split_seed
    assert base.data_seed == other.data_seed != noisy.data_seed
    assert base.model_seed != other.model_seed
    assert base.model_seed == unit(protocol="paper", fingerprint="ab-ef").model_seed
    # Keys may change, seeds may not: results would not be those of before.
    iris = unit(fingerprint="5ac1")
    assert (iris.split_seed, iris.data_seed) == (1947755837, 518214739)
    assert iris.model_seed == 2049301003


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"protocol": "best"}, "protocol must be one of paper"),
        ({"grid": "huge"}, "grid must be one of paper, reduced"),
        ({"noise": "loud"}, "noise must be"),
        ({"scoring": "recall"}, "scoring must be one of accuracy"),
        ({"folds": 1}, "folds must be 2 or more"),
    ],
)
def test_units_that_make_no_sense(change, message):
    with pytest.raises(ValueError, match=message):
        unit(**change)


def test_fingerprints():
    X, y = np.arange(6.0).reshape(3, 2), np.array([0, 1, 0])
    assert fingerprint(X, y) == fingerprint(X.astype(int).tolist(), y)
    assert fingerprint(X, y) != fingerprint(X, y, [(np.array([0]), np.array([1]))])
    frame = pd.DataFrame({"a": ["x", None, "y"]})
    one, two = fingerprint(frame, y), fingerprint(frame.rename(columns={"a": "b"}), y)
    assert one != two
    assert one.partition("-")[0] == two.partition("-")[0]


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda: UnitResult([], {}, 1.0), "one value per fold"),
        (lambda: UnitResult([0.5, np.nan], {}, 1.0), "finite"),
        (lambda: UnitResult([0.5], {}, 1.0, {"f1_macro": [0.1, 0.2]}), "f1_macro must have one"),
    ],
)
def test_results_that_make_no_sense(result, message):
    with pytest.raises(ValueError, match=message):
        result()


def test_plans_have_small_data_sets_first_and_every_unit_once():
    study = make_study(
        ["wine", "iris", "iris"], ["ELM", "majority"], protocols=["paper", "nested"],
        noises=["none", "labels:0.2"], seeds=2, grid="reduced",
    )  # fmt: skip
    assert len(study.plan) == len(set(study.plan)) == 2 * 2 * 2 * (1 + 2)
    assert study.plan[0].dataset == "iris"
    assert {u.seed for u in study.plan if u.protocol == "paper"} == {0}
    assert study.models["ELM"] is find_model("ELM")
    assert repr(study) == "<Study of 24 runs: 2 models on 2 data sets>"


def test_ones_own_models_and_tables():
    mine = Dataset("mine", np.eye(20), np.arange(20) % 2)
    study = make_study([mine, "iris"], [GaussianNB(), "ELM"], protocols=["nested"])
    assert [u.dataset for u in study.plan] == ["mine", "mine", "iris", "iris"]
    assert list(study.models) == ["GaussianNB", "ELM"]


def test_printed_settings_are_needed_for_redraws():
    study = make_study(["iris", "tic_tac_toe"], ["ELM", "SVC"], protocols=["paper-redraws"])
    assert [(u.dataset, u.model) for u in study.plan] == [("tic_tac_toe", "ELM")]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((["iris"], ["ELM", "ELM"]), {}, "duplicate names"),
        (([], ["ELM"]), {}, "one or more data sets"),
        ((["iris"], ["ELM"]), {"max_rows": 10}, "got none .max_rows 10"),
        ((["iris"], ["ELM"]), {"protocols": ["given-splits"]}, "iris has no splits"),
        (
            (
                [Dataset("d", np.eye(9), [0, 1, 2] * 3), Dataset("d", np.eye(6), [0, 1] * 3)],
                ["ELM"],
            ),
            {"protocols": ["nested"]},
            "datasets has duplicate names",
        ),
    ],
)
def test_studies_that_make_no_sense(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        make_study(*arguments, **options)


def test_groups_of_data_sets():
    assert len(expand_name("uci28")) == 28
    assert "spect:true_diagnosis_label_267" in expand_name("uci28-honest")
    assert expand_name("pima") == ["pima"]


def test_compare_shows_itself_and_keeps_nothing_without_a_store(tmp_path):
    noises = ["none", "labels:0.2"]
    result = compare([GaussianNB(), "majority"], ["iris", "wine"], noises=noises)
    assert len(result.outcomes) == 8
    table = result.table()
    assert list(table) == ["GaussianNB", "majority"]
    assert (table["GaussianNB"] > table["majority"]).all()
    assert (result.table("labels:0.2:train")["GaussianNB"] < table["GaussianNB"] + 3).all()
    page = result._repr_html_()
    for words in (
        "are first",
        "Accuracy, nested",
        "Critical difference",
        "labels flipped",
    ):
        assert words in page
    assert page.count("data:image/svg") == 2
    assert list(tmp_path.iterdir()) == []


def test_compare_on_given_splits_shows_itself():
    rows = np.arange(20)
    splits = ((rows[:10], rows[10:]), (rows[10:], rows[:10]))
    mine = Dataset("mine", rows[:, None] % 3, rows % 2, splits)
    page = compare([GaussianNB(), "majority"], [mine], protocol="given-splits")._repr_html_()
    assert "Accuracy, given-splits protocol" in page


def test_compare_goes_on_from_a_store(tmp_path):
    file = tmp_path / "results.db"
    first = compare(["majority"], ["iris"], store=file)
    second = compare(["majority", GaussianNB()], ["iris"], store=file)
    assert [o.unit.model for o in second.outcomes] == ["GaussianNB"]
    assert second.table()["majority"].tolist() == first.table()["majority"].tolist()


def test_units_of_other_code_are_redone_only_on_demand(tmp_path, monkeypatch):
    study = make_study(["iris"], ["majority"], protocols=["nested"])
    with ResultStore(tmp_path / "results.db") as store:
        assert len(study.run(store)) == 1
        assert study.to_do(store) == study.to_do(store, again=True) == []
        monkeypatch.setattr(
            "broadlearn.study.store._package_source", lambda: ("0123456789ab", "c0ffee")
        )
        assert study.to_do(store) == []
        assert study.to_do(store, again=True) == study.plan
        assert len(study.run(store, again=True)) == 1
        frame = store.to_frame()
        assert frame[["source", "commit"]].to_numpy().tolist() == [["0123456789ab", "c0ffee"]]


def test_failures_are_tried_again_last(tmp_path):
    class Broken(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            raise RuntimeError("out of\norder")

    study = make_study(["iris"], [ModelSpec("broken", Broken()), "majority"], protocols=["nested"])
    with ResultStore(tmp_path / "results.db") as store:
        statuses = [outcome.status for outcome in study.run(store)]
        assert statuses == ["failed", "done"]
        frame = study.frame(store).set_index("model")
        assert frame.loc["broken", "error"] == "RuntimeError: out of order"
        assert [u.model for u in study.to_do(store)] == ["broken"]
