import pandas as pd
import pytest
from made_up_results import lost, study, unit

from broadlearn.study.report.pooling import accuracies, check_units, pool
from broadlearn.study.report.summary import summarise


def sentences(rows):
    units = check_units(pd.DataFrame(rows))
    return [text.replace("\u00a0", " ") for text in summarise(units, pool(units))]


def test_leaders_under_both_protocols():
    frame = study([f"data {i}" for i in range(12)])
    cells = pool(check_units(frame))
    shown = sentences(frame)
    for text, protocol in zip(shown, ("paper", "nested"), strict=False):
        means = accuracies(cells, protocol).mean().sort_values(ascending=False)
        assert f"Under the {protocol} protocol" in text
        assert (
            f"{means.index[0]} has the highest mean accuracy, {means.iloc[0]:.2f} % "
            f"(next {means.index[1]}, {means.iloc[1]:.2f} %), over 12 data sets."
        ) in text
        assert "has the best mean rank" in text
    assert "optimistic: settings chosen on the test folds" in shown[0]
    assert "honest" in shown[1]
    assert shown[-1] == "All 168 units are done."


def test_clear_differences_are_told():
    rows = [
        unit(f"data {i}", model, "nested", mean=mean)
        for i in range(30)
        for model, mean in (("A", 0.9), ("B", 0.8), ("C", 0.8))
    ]
    (text, _) = sentences(rows)
    assert "A has the best mean rank, 1.00; Nemenyi's test tells it apart from all others." in text


def test_differences_that_are_not_shown():
    rows = [
        unit(f"data {i}", model, "nested", mean=0.8 + 0.01 * (i % 2 == j))
        for i in range(4)
        for j, model in enumerate(("A", "B"))
    ]
    (text, _) = sentences(rows)
    assert "A and B have the highest mean accuracy, 80.50 %, over 4 data sets." in text
    assert "no difference between models is shown (Friedman's test, p = 1)" in text


def test_optimism_and_published_figures():
    rows = [
        unit("bank", "BLS", "paper", mean=0.897366),
        unit("bank", "BLS", "paper-inside", mean=0.88),
        unit("bank", "BLS", "paper-columns", mean=0.907366),
        unit("bank", "ELM", "paper", mean=0.884051),
        unit("bank", "ELM", "paper-inside", mean=0.88),
        unit("bank", "ELM", "paper-columns", **lost()),
    ]
    shown = " ".join(sentences(rows))
    assert (
        "accuracy under paper less that under paper-inside, on the same folds, "
        "is +1.07 points on average: most for BLS (+1.74 points), least for ELM (+0.41 points)."
        in shown
    )
    assert (
        "Under the paper protocol, ours meet or pass 1 of 2 published figures and fall short of 1; "
        "ours less published is −0.50 points on average."
    ) in shown
    assert "Under the paper-columns protocol, ours meet or pass 1 of 1 published figures" in shown


def test_folds_that_differ_give_no_optimism():
    shown = " ".join(sentences(study(["x", "y"])))
    assert "optimism," not in shown


def test_what_is_lost_is_said():
    rows = [
        unit("x", "A", "nested", mean=0.7),
        unit("x", "B", "nested", mean=0.6),
        unit("y", "A", "nested", **lost()),
        unit("z", "A", "nested", **lost("timeout")),
    ]
    shown = sentences(rows)
    assert "over one data set (2 left out, as not every model has an accuracy there)." in shown[0]
    assert shown[-1].startswith(
        "Without a score are 4 of 6 units: 1 failed, 2 missing and 1 timeout"
    )


@pytest.mark.parametrize(("noise", "n_sentences"), [("none", 2), ("labels:0.1:train", 1)])
def test_nothing_done(noise, n_sentences):
    shown = sentences([unit("x", "A", "paper", noise=noise, **lost())])
    assert len(shown) == n_sentences
    assert shown[-1].startswith("Without a score are 1 of 1 units: 1 failed")
