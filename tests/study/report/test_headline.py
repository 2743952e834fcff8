import pandas as pd
import pytest
from made_up_results import lost, unit

from broadlearn.study.report.headline import headline
from broadlearn.study.report.pooling import check_units, pool

NOISES = {"none": 0.0, "labels:0.1:train": 0.02, "labels:0.2:train": 0.05}


def sentence(rows):
    return headline(pool(check_units(pd.DataFrame(rows)))).replace("\N{NO-BREAK SPACE}", " ")


def rows(n_datasets, means, *, protocol="nested", noises=NOISES):
    return [
        unit(f"data {i}", model, protocol, noise=noise, mean=mean - loss * (model != "B"))
        for i in range(n_datasets)
        for model, mean in means.items()
        for noise, loss in noises.items()
    ]


def test_the_first_in_each_condition_and_by_how_much():
    assert sentence(rows(2, {"A": 0.9, "B": 0.88, "C": 0.7})) == (
        "Of 3 models over 2 data sets, on the data as they are, A is the most accurate (90.0 %), "
        "2.0 points ahead of B; with 20 % of the training labels flipped, B is the most accurate "
        "(88.0 %), 3.0 points ahead of A; none of these leads is statistically significant."
    )


def test_significant_leads_are_named():
    many = rows(40, {"A": 0.9, "B": 0.88, "C": 0.7})
    assert sentence(many).endswith("all of these leads are statistically significant.")
    # Without noise the two take turns.
    for row in many:
        if row["noise"] == "none" and row["model"] == "A":
            row["mean"] += 0.04 if int(row["dataset"].split()[1]) % 2 else -0.03
    assert sentence(many).endswith(
        "only the lead with 20 % of the training labels flipped is statistically significant."
    )


def test_a_lead_by_accuracy_that_ranks_contradict_is_not_significant():
    many = [
        unit(f"data {i}", model, "nested", mean=mean)
        for i in range(40)
        for model, mean in (("A", 0.1 if i else 0.95), ("B", 0.11), ("C", 0.01))
    ]
    assert "A is the most accurate" in sentence(many)
    assert sentence(many).endswith("this lead is not statistically significant.")


def test_without_noise_and_ties():
    shown = sentence(rows(1, {"A": 0.8, "B": 0.8}, noises={"none": 0.0}))
    assert shown == (
        "Of 2 models over one data set, on the data as they are, A and B share the best mean "
        "accuracy (80.0 %); this lead is not statistically significant."
    )
    close = sentence(rows(2, {"A": 0.8001, "B": 0.8}, noises={"none": 0.0}))
    assert "less than 0.1 points ahead of B" in close


def test_one_model():
    assert sentence(rows(2, {"A": 0.9})) == (
        "Over 2 data sets, A has a mean accuracy of 90.0 % on the data as they are and 85.0 % with "
        "20 % of the training labels flipped."
    )


def test_the_honest_protocol_goes_first_and_the_other_says_what_it_is():
    paper = rows(2, {"A": 0.9, "B": 0.8}, protocol="paper", noises={"none": 0.0})
    assert "(settings chosen on the test rows, which flatters)" in sentence(paper)
    nested = rows(3, {"A": 0.7, "B": 0.8}, noises={"none": 0.0})
    assert sentence(paper + nested).startswith("Of 2 models over 3 data sets, on the data")


def test_settings_chosen_inside_go_before_settings_chosen_on_test_folds():
    paper = rows(2, {"A": 0.9, "B": 0.8}, protocol="paper", noises={"none": 0.0})
    inside = rows(3, {"A": 0.7, "B": 0.8}, protocol="paper-inside", noises={"none": 0.0})
    assert sentence(paper + inside).startswith("Of 2 models over 3 data sets, on the data")
    columns = rows(2, {"A": 0.9, "B": 0.8}, protocol="paper-columns", noises={"none": 0.0})
    assert "which flatters" in sentence(columns)


@pytest.mark.parametrize("noise", ["none", "labels:0.2:train"])
def test_nothing_done(noise):
    assert sentence([unit("x", "A", "nested", noise=noise, **lost())]) == ""
