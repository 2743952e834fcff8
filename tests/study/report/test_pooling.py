import numpy as np
import pandas as pd
import pytest
from made_up_results import lost, study, unit

from broadlearn.study.report.pooling import (
    accuracies,
    check_units,
    conditions,
    in_order,
    merits,
    metric_of,
    noise_label,
    noise_order,
    noise_words,
    noises_of,
    not_done,
    optimism,
    pool,
)


def pooled(*rows):
    return pool(check_units(pd.DataFrame(rows)))


def test_frame_is_not_changed():
    frame = study(["x", "y"])
    before = frame.copy(deep=True)
    pool(check_units(frame))
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"dataset": "x"}], "'protocol' is not"),
        ([unit("x", "BLS", "other")], "protocol must be one of .* got 'other'"),
        (
            [unit("x", "BLS", "paper"), unit("y", "BLS", "paper", grid="reduced")],
            "one grid for the paper protocol, got .*'paper', 'reduced'",
        ),
        (
            [unit("x", "BLS", "paper"), unit("x", "BLS", "paper")],
            r"got two for \(paper, none, x, BLS, 0\)",
        ),
    ],
)
def test_bad_frames_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        check_units(pd.DataFrame(rows))


def test_empty_frame_is_refused():
    with pytest.raises(ValueError, match="at least one unit"):
        check_units(study(["x"]).iloc[:0])


def test_protocols_may_have_a_grid_each():
    cells = pooled(unit("x", "BLS", "paper"), unit("x", "BLS", "nested", grid="reduced"))
    assert list(cells["grid"]) == ["reduced", "paper"]


def test_seeds_are_pooled():
    cells = pooled(
        unit("x", "BLS", "nested", seed=0, mean=0.8, sd=0.03),
        unit("x", "BLS", "nested", seed=1, mean=0.9, sd=0.04),
        unit("x", "BLS", "nested", seed=2, **lost()),
    )
    cell = cells.loc[("nested", "none", "x", "BLS")]
    assert cell["mean"] == pytest.approx(85.0)
    assert cell["sd"] == pytest.approx(100 * np.sqrt((0.03**2 + 0.04**2) / 2))
    assert (cell["n_done"], cell["n_seeds"], cell["status"]) == (2, 3, "done")


def test_one_seed_keeps_its_figures():
    frame = study(["x", "y"])
    cells = pool(check_units(frame))
    for row in frame.itertuples():
        cell = cells.loc[(row.protocol, row.noise, row.dataset, row.model)]
        assert cell["mean"] == pytest.approx(100 * row.mean, rel=1e-12)
        assert cell["sd"] == pytest.approx(100 * row.sd, rel=1e-12)


def test_cells_say_what_became_of_them():
    cells = pooled(
        unit("x", "BLS", "nested"),
        unit("x", "ELM", "nested", **lost("timeout")),
        unit("y", "BLS", "nested", mean=np.nan),
    )
    status = cells.loc[("nested", "none"), "status"]
    assert status.to_dict() == {
        ("x", "BLS"): "done",
        ("x", "ELM"): "timeout",
        ("y", "BLS"): "no score",
        ("y", "ELM"): "missing",
    }
    table = accuracies(cells, "nested")
    assert list(table.columns) == ["BLS", "ELM"]
    assert table.isna().to_numpy().tolist() == [[False, True], [True, True]]


def test_absent_protocol_or_noise_is_an_empty_table():
    cells = pooled(unit("x", "BLS", "nested"))
    assert accuracies(cells, "paper").empty
    assert accuracies(cells, "nested", "labels:0.1:train").empty
    assert optimism(cells).empty


def test_optimism_is_the_difference_where_both_are_known():
    cells = pooled(
        unit("x", "BLS", "paper", mean=0.9),
        unit("x", "BLS", "paper-inside", mean=0.85),
        unit("y", "BLS", "paper", mean=0.9),
        unit("y", "BLS", "paper-inside", **lost()),
        unit("z", "BLS", "paper", mean=0.9),
        unit("z", "BLS", "nested", mean=0.9),
    )
    points = optimism(cells)["BLS"]
    assert list(points.index) == ["x", "y"]
    assert points["x"] == pytest.approx(5.0)
    assert np.isnan(points["y"])


def test_units_not_done():
    units = check_units(
        pd.DataFrame(
            [
                unit("x", "BLS", "nested", seed=0),
                unit("x", "ELM", "nested", seed=0, **lost(error="no")),
                unit("x", "BLS", "nested", seed=1),
            ]
        )
    )
    rows = not_done(units)[["model", "seed", "status", "error"]].to_numpy().tolist()
    assert rows == [["ELM", 0, "failed", "no"], ["ELM", 1, "missing", ""]]


def test_orders_and_labels():
    assert in_order({"IF-BLS", "Z", "BLS", "A"}) == ["BLS", "IF-BLS", "A", "Z"]
    noises = ["variance:0.15:train", "labels:0.2:all", "none", "variance:0.05:train"]
    assert sorted(noises, key=noise_order) == [noises[2], noises[1], noises[3], noises[0]]
    assert [noise_label(noise) for noise in noises[1:3]] == ["labels 20 %, all", "none"]


def test_noises_in_words():
    words = {noise: noise_words(noise).replace("\N{NO-BREAK SPACE}", " ") for noise in WORDS}
    assert words == WORDS


WORDS = {
    "none": "no noise added",
    "labels:0.2:train": "20 % of the training labels flipped",
    "labels:0.2:all": "20 % of the labels flipped",
    "class-labels:0.1:train": "10 % of the training labels of each class flipped",
    "outliers:0.2:train": "20 % of the training rows outlying",
    "rows:0.05:all": "5 % of the rows replaced by noise",
    "variance:0.1:all": "noise of 10 % of each feature's variance on the rows",
    "deviation:0.1:train": "noise of 10 % of each feature's deviation on the training rows",
}


def test_conditions_are_over_the_data_sets_that_have_all_of_them():
    noises = ["labels:0.2:train", "labels:0.1:train"]
    cells = pool(check_units(study(["x", "y", "z"], noises=noises, noisy=["x", "z"])))
    assert noises_of(cells, "nested") == ["none", *noises[::-1]]
    tables, others = conditions(cells, "nested", noises_of(cells, "nested"))
    assert list(tables) == ["none", *noises[::-1]]
    assert others == ["y"]
    for noise, table in tables.items():
        expected = accuracies(cells, "nested", noise).loc[["x", "z"]]
        pd.testing.assert_frame_equal(table, expected)


def test_other_metrics_and_former_units():
    scored = unit("x", "BLS", "nested", metrics={"log_loss": [0.2, 0.4]}, former="")
    rows = [
        scored,
        unit("x", "ELM", "nested", metrics=None, former=""),
        unit("x", "BLS", "nested", metrics={"log_loss": [9.0, 9.0]}, former="model"),
    ]
    frame = pd.DataFrame(rows)
    assert len(check_units(frame)) == 2
    cells = pool(check_units(frame, "log_loss"))
    assert metric_of(cells).name == "log_loss"
    assert accuracies(cells, "nested")["BLS"].tolist() == pytest.approx([0.3])
    assert merits(cells, "nested")["BLS"].tolist() == pytest.approx([-0.3])
    assert cells["status"].tolist() == ["done", "missing"]
    with pytest.raises(ValueError, match="metric must be one of"):
        check_units(frame, "recall")
    mixed = pd.DataFrame([{**scored, "scoring": s, "seed": i} for i, s in enumerate("ab")])
    with pytest.raises(ValueError, match="one scoring for the nested protocol"):
        check_units(mixed)
