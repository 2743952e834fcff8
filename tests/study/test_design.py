import numpy as np
import pytest

from broadlearn.study.datasets import dataset_names, dataset_path
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
