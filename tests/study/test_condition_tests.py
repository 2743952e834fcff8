import numpy as np
import pandas as pd
import pytest
from scipy.stats import wilcoxon

from broadlearn.study.statistics import compare_conditions, compare_pairs, holm, ranks

MODELS = ["A", "B", "C"]


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)
    index = [f"set {i}" for i in range(12)]
    return {
        name: pd.DataFrame(80 + rng.normal(size=(12, 3)) + [1, 0, 0], index, MODELS)
        for name in ("clean", "noisy")
    }


def test_each_condition_is_compared_as_alone(tables):
    result = compare_conditions(tables, reference="A")
    for name, table in tables.items():
        assert result.mean_ranks[name].to_dict() == ranks(table).mean().to_dict()
        alone = compare_pairs(table, reference="A")
        found = result.tests[result.tests["condition"] == name].drop(columns="condition")
        pd.testing.assert_frame_equal(found.reset_index(drop=True), alone)


def test_all_conditions_together_count_a_data_set_once(tables):
    result = compare_conditions(tables, reference="A")
    together = (tables["clean"] + tables["noisy"]) / 2
    found = result.tests[result.tests["condition"] == "all"]
    p = [wilcoxon(together["A"] - together[other]).pvalue for other in ("B", "C")]
    np.testing.assert_allclose(found["p_wilcoxon"], p)
    np.testing.assert_allclose(found["p_holm"], holm(p))
    np.testing.assert_allclose(result.accuracies["all"], together.mean()[result.accuracies.index])
    mean = result.mean_ranks[["clean", "noisy"]].mean(axis=1)
    np.testing.assert_allclose(result.mean_ranks["all"], mean)
    assert result.mean_ranks["all"].is_monotonic_increasing


def test_a_data_set_that_lacks_a_model_in_one_condition_is_left_out_of_all(tables):
    tables["noisy"].loc["set 3", "B"] = np.nan
    tables["clean"] = tables["clean"].drop("set 5")
    result = compare_conditions(tables, reference="A")
    counts = result.tests[["win", "tie", "loss"]].sum(axis=1)
    assert (counts == 10).all()


@pytest.mark.parametrize("conditions", [[], ["all"]])
def test_conditions_that_cannot_be_told_apart_are_refused(tables, conditions):
    with pytest.raises(ValueError, match="conditions"):
        compare_conditions(dict.fromkeys(conditions, tables["clean"]), reference="A")
