import sys

import numpy as np
import pytest

from broadlearn.study.datasets import dataset_names, dataset_path, own_dataset
from broadlearn.study.design import expand_name, make_study
from broadlearn.study.result_store import ResultStore


def test_paper_has_no_repetitions_and_nested_has():
    study = make_study(["iris"], ["BLS"], seeds=3)
    assert [(u.protocol, u.seed) for u in study.plan] == [
        ("paper", 0),
        ("nested", 0),
        ("nested", 1),
        ("nested", 2),
    ]
    assert {unit.fingerprint for unit in study.plan} == set(study.data)


def test_honest_protocol_uses_rows_on_one_scale():
    if dataset_path("monks_1", "zjoined") is None:
        pytest.skip("needs the variants of the 28 data sets: set BROADLEARN_DATA")
    paper, nested = make_study(["monks_1"], ["BLS"]).plan
    assert paper.fingerprint != nested.fingerprint
    one = make_study(["monks_1:embedded"], ["BLS"]).plan
    assert one[0].fingerprint == one[1].fingerprint


@pytest.mark.slow
def test_run_frame_and_summary(tmp_path):
    study = make_study(["iris", "wine"], ["ELM", "majority"], grid="reduced", protocols=["paper"])
    other = make_study(["iris"], ["majority"], protocols=["nested"])
    with ResultStore(tmp_path / "results.db") as store:
        told = []
        study.run(store, report=told.append)
        other.run(store)
        assert [outcome.status for outcome in told] == ["done"] * 4
        assert study.summary(store).counts["done"] == 4
        frame = study.frame(store)
        assert len(frame) == 4
        assert np.isfinite(frame["mean"]).all()
        assert study.run(store) == []


def test_large_data_sets_are_left_out_for_all_models():
    study = make_study(["iris", "digits"], ["BLS", "GaussianProcess"], max_rows=1500)
    assert {unit.dataset for unit in study.plan} == {"iris"}
    with pytest.raises(
        ValueError, match=r"GaussianProcess is affordable up to 1500 rows, .*digits"
    ):
        make_study(["iris", "digits"], ["BLS", "GaussianProcess"])


@pytest.mark.slow
def test_data_sets_of_the_collection(tmp_path, monkeypatch):
    monkeypatch.setenv("BROADLEARN_DATA", str(tmp_path))
    table = "\tf1\tf2\tclase\n" + "".join(f"{i}\t{i}\t{i % 2}\t{i % 3}\n" for i in range(30))
    # The second is among the 28, the third on two scales.
    for name in ("glass", "statlog-heart", "spect"):
        folder = tmp_path / "uci121" / name
        folder.mkdir(parents=True)
        (folder / f"{name}.txt").write_text(f"fich1= {name}_R.dat\n")
        (folder / f"{name}_R.dat").write_text(table)
        (folder / "conxuntos_kfold.dat").write_text("0 1 2\n3 4 5\n")
    assert expand_name("uci121-others") == ["glass:uci121"]
    noises = ["none", "labels:0.2:train", "outliers:0.2:train"]
    study = make_study(["glass:uci121"], ["majority"], protocols=["nested"], noises=noises)
    assert [unit.dataset for unit in study.plan] == ["glass"] * 3
    with ResultStore(tmp_path / "results.db") as store:
        assert [outcome.status for outcome in study.run(store)] == ["done"] * 3
    # Folds are the protocol's: the authors' splits do not make it another table.
    data = study.data[study.plan[0].fingerprint]
    assert make_study(tables=[data], models=["majority"]).plan[1].key == study.plan[0].key
    with pytest.raises(ValueError, match="no_such"):
        make_study(["no_such:uci121"])


def test_costs_are_positive_and_grow_with_rows():
    study = make_study(["iris", "digits"], ["BLS"], protocols=["paper"])
    small, large = (study.cost(unit) for unit in study.plan)
    assert 0 < small < large


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seeds": 0}, "seeds"),
        ({"models": ["BLS", "BLS"]}, "two of the same name"),
        ({"datasets": ["no_such"]}, "no_such"),
        ({"noises": ["loud"]}, "noise"),
        ({"grid": "huge"}, "grid"),
        ({"max_rows": 100}, "max_rows"),
        (
            {"protocols": ["given-splits"]},
            "protocols must hold some of paper, paper-inside",
        ),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_study(**{"datasets": ["iris"], **arguments})


def test_groups_stand_for_their_data_sets():
    assert expand_name("pima") == ["pima"]
    assert expand_name("embedded") == dataset_names("embedded")
    honest, published = expand_name("uci28-honest"), expand_name("uci28")
    changed = [pair for pair in zip(honest, published, strict=True) if pair[0] != pair[1]]
    assert changed == [("spect:true_diagnosis_label_267", "spect")]


MODEL = """
from sklearn.neighbors import KNeighborsClassifier
class Mine(KNeighborsClassifier):
    def __init__(self, n_neighbors={}):
        super().__init__(n_neighbors)
"""


@pytest.mark.slow
def test_an_edited_model_is_run_again_and_the_others_are_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    with ResultStore(tmp_path / "results.db") as store:
        for k, n_run in ((1, 2), (1, 0), (50, 1)):
            (tmp_path / "edited_model.py").write_text(MODEL.format(k))
            study = make_study(["iris"], ["majority", "edited_model:Mine"], protocols=["nested"])
            assert len(study.run(store)) == n_run
        assert store.to_frame()["former"].tolist().count("model") == 1
        assert len(study.frame(store)) == 2
    sys.modules.pop("edited_model", None)


@pytest.mark.slow
def test_an_edited_table_is_run_again(tmp_path):
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    with ResultStore(tmp_path / "results.db") as store:
        for value in (0.0, 1.0):
            X[0, 0] = value
            table = own_dataset("mine", X.copy(), y, "a test")
            study = make_study([], ["majority"], protocols=["nested"], tables=[table])
            assert len(study.run(store)) == 1
        assert sorted(store.to_frame()["former"]) == ["", "data"]


def test_scoring_is_for_nested(tmp_path):
    study = make_study(["iris"], ["BLS"], scoring="log_loss")
    assert [(u.protocol, u.scoring) for u in study.plan] == [
        ("paper", "accuracy"),
        ("nested", "log_loss"),
    ]
    with pytest.raises(ValueError, match="scoring must be accuracy unless protocols holds nested"):
        make_study(["iris"], ["BLS"], protocols=["paper"], scoring="log_loss")
