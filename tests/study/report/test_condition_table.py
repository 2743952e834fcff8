import pandas as pd
import pytest
from made_up_results import lost, study, unit

from broadlearn.study.report.condition_table import condition_table
from broadlearn.study.report.pooling import accuracies, check_units, pool
from broadlearn.study.statistics import friedman, ranks

NOISES = ("labels:0.1:train", "labels:0.2:train")


def table(frame, protocol="nested"):
    return condition_table(pool(check_units(pd.DataFrame(frame))), protocol)


def test_ranks_and_accuracies_of_each_condition():
    frame = study(["x", "y", "z"], noises=NOISES, noisy=["x", "y", "z"])
    cells = pool(check_units(frame))
    shown = condition_table(cells, "nested")
    conditions = ["none", "labels 10 %, train", "labels 20 %, train", "all"]
    assert shown.columns == ["model", *conditions]
    for j, noise in enumerate(("none", *NOISES), start=1):
        expected = accuracies(cells, "nested", noise)
        mean = ranks(expected).mean
        for row in shown.rows:
            assert row[j].value == pytest.approx(mean[row[0].value])
            assert row[j].note == f"{expected[row[0].value].mean():.2f}\N{NO-BREAK SPACE}%"
            assert row[j].best == (row[j].value == pytest.approx(mean.min()))
        assert shown.foot[0][j].value == friedman(expected).f_p_value
    together = [row[-1].value for row in shown.rows]
    assert together == sorted(together)


def test_data_sets_that_lack_a_condition_are_named():
    shown = table(study(["x", "y", "z"], noises=NOISES, noisy=["x", "y"]))
    assert "over 2 data sets" in shown.caption
    assert shown.caption.endswith("Left out, as not every model has an accuracy there: z.")


@pytest.mark.parametrize(
    "frame",
    [
        study(["x", "y"]),
        study(["x"], noises=NOISES, noisy=["x"]),
        study(["x", "y"], ["BLS"], noises=NOISES, noisy=["x", "y"]),
        pd.DataFrame([unit("x", "BLS", "nested", noise=NOISES[0], **lost())]),
    ],
    ids=["no noise", "one data set", "one model", "nothing done"],
)
def test_nothing_to_compare(frame):
    assert table(frame) is None
