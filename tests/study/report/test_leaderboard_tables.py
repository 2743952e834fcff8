import numpy as np
import pandas as pd
import pytest

from broadlearn.study.datasets import own_dataset
from broadlearn.study.leaderboard_ranks import rank_among_published
from broadlearn.study.published_results import published_classifiers
from broadlearn.study.report.leaderboard_tables import (
    dataset_table,
    left_out_table,
    standing_table,
    top_table,
)

NAMES = ["iris", "pima", "zoo"]
DATA = {n: own_dataset(n, np.zeros((6, 2)), np.arange(6) % 3, "made up") for n in NAMES}


def standing(*accuracies, model="mine"):
    return rank_among_published(pd.Series(accuracies, index=NAMES), model)


def results(standing, status="done", error=""):
    lines = {
        (standing.model, name): {"sd": 1.25, "seconds": 2.0, "status": status, "error": error}
        for name in NAMES
    }
    frame = pd.DataFrame.from_dict(lines, orient="index")
    return frame.rename_axis(["model", "dataset"])


def cells(table, row):
    return dict(zip(table.columns, table.rows[row], strict=True))


def test_standing_of_each_model_on_each_part():
    first, second = standing(100.0, 100.0, 100.0), standing(0.0, 0.0, 0.0, model="other")
    table = standing_table([first, second])
    assert [(row[0].value, row[1].value) for row in table.rows] == [
        (model, part)
        for model in ("mine", "other")
        for part in ("all", "among the 28", "the others")
    ]
    line = cells(table, 0)
    assert line["position"].value == 1
    assert line["position"].best
    assert line["lead"].value == pytest.approx(first.summary().lead)
    assert cells(table, 4)["number"].value == 1
    assert cells(table, 3)["lead"].number.startswith("−")


@pytest.mark.parametrize(("accuracy", "n_rows", "place"), [(100.0, 20, 0), (0.0, 21, 20)])
def test_the_first_twenty_and_ours_wherever_it_is(accuracy, n_rows, place):
    table = top_table(standing(accuracy, accuracy, accuracy), 1)
    assert table.name == "top_1"
    assert len(table.rows) == n_rows
    own = [i for i, row in enumerate(table.rows) if row[1].best]
    assert own == [place]
    assert table.rows[place][0].value == "mine (run here)"


def test_each_data_set_with_the_best_published_one():
    found = standing(100.0, 50.0, np.nan)
    table = dataset_table(found, 1, results(found).loc["mine"], DATA)
    published = published_classifiers()
    for i, name in enumerate(NAMES):
        line = cells(table, i)
        assert line["data set"].value == name
        assert (line["rows"].value, line["columns"].value, line["classes"].value) == (6, 2, 3)
        assert line["best published"].value == published.loc[name].max()
        assert published.loc[name, line["by"].value] == published.loc[name].max()
        assert line["rank"].value == found.ranks.loc[name, found.column]
    assert cells(table, 0)["mine"].best
    assert cells(table, 0)["mine"].spread == 1.25
    assert not cells(table, 1)["mine"].best
    assert "failed" in cells(table, 2)["mine"].note


def test_what_is_left_out():
    found = standing(1.0, 1.0, 1.0)
    assert left_out_table({}, results(found)) is None
    table = left_out_table({"spect": "two scales"}, results(found, "failed", "no memory"))
    assert [cell.value for cell in table.rows[0]] == ["spect", "all", "two scales"]
    assert [cell.value for cell in table.rows[1]] == ["iris", "mine", "failed: no memory"]
    unfinished = left_out_table({}, results(found, "unfinished"))
    assert unfinished.rows[0][2].value == "unfinished"
