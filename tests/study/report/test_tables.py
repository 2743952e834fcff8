import pandas as pd
import pytest
from made_up_results import HOSTILE, MODELS, lost, study, unit

from broadlearn.study.published_results import published_table
from broadlearn.study.report.pooling import check_units, pool
from broadlearn.study.report.tables import (
    accuracy_table,
    noise_table,
    not_done_table,
    optimism_table,
    protocol_note,
    rank_table,
    time_table,
)


def pooled(*rows):
    return pool(check_units(pd.DataFrame(rows)))


def published_study():
    """The published figures as if they were ours."""
    accuracy, deviation = published_table() / 100, published_table("deviation") / 100
    return pooled(
        *(
            unit(dataset, model, "paper", mean=mean, sd=deviation.loc[dataset, model])
            for dataset, row in accuracy.iterrows()
            for model, mean in row.items()
        )
    )


def values(table, column):
    j = list(table.columns).index(column)
    return {row[0].value: row[j] for row in table.rows}


def test_published_figures_stand_beside_ours():
    table = accuracy_table(published_study(), "paper")
    assert list(table.columns) == ["data set", *MODELS]
    assert len(table.rows) == 28
    for row in (*table.rows, *table.foot):
        for cell in row[1:]:
            assert cell.value == pytest.approx(cell.published, abs=1e-9)
    credit = values(table, "IF-BLS")["credit_approval"]
    assert credit.number == "88.55"
    assert credit.spread == pytest.approx(
        published_table("deviation").loc["credit_approval", "IF-BLS"]
    )
    assert table.foot[0][0].value == "mean"


def test_best_is_bold_and_ties_share_it():
    table = accuracy_table(
        pooled(
            unit("x", "BLS", "nested", mean=0.1 + 0.2),
            unit("x", "ELM", "nested", mean=0.3),
            unit("x", "F-BLS", "nested", mean=0.25),
        ),
        "nested",
    )
    assert [cell.best for cell in table.rows[0][1:]] == [True, True, False]
    assert table.rows[0][1].published is None
    assert "published" not in table.caption


def test_lost_cells_are_said():
    table = accuracy_table(
        pooled(
            unit("x", "BLS", "nested"),
            unit("x", "ELM", "nested", **lost("timeout")),
            unit("bank", "BLS", "nested", seed=0),
            unit("bank", "BLS", "nested", seed=1),
        ),
        "nested",
    )
    assert [cell.text for cell in table.rows[0]] == ["bank", "80.00 ± 1.58", "missing"]
    assert [cell.text for cell in table.rows[1]] == ["x", "80.00 ± 1.58", "timeout"]
    assert table.rows[0][2].published == pytest.approx(89.4051)
    assert table.rows[1][1].note == "1 of 2 seeds"
    assert table.foot == []


def test_mean_is_over_data_sets_with_all_models():
    table = accuracy_table(
        pooled(
            unit("x", "BLS", "nested", mean=0.7),
            unit("x", "ELM", "nested", mean=0.6),
            unit("y", "BLS", "nested", mean=0.1),
        ),
        "nested",
    )
    assert table.foot[0][0].value == "mean of 1 with all models"
    assert [cell.value for cell in table.foot[0][1:]] == pytest.approx([70.0, 60.0])
    assert [cell.best for cell in table.foot[0][1:]] == [True, False]


@pytest.mark.parametrize(
    ("protocol", "words"),
    [
        ("paper", "Protocol: paper (optimistic: the settings were chosen on the test folds"),
        ("paper-inside", "Protocol: paper-inside (honest in the choice of settings, on inner"),
        (
            "paper-columns",
            "Protocol: paper-columns (optimistic: the settings were chosen on the test folds",
        ),
        ("nested", "Protocol: nested (honest: the settings were chosen on inner folds"),
    ],
)
def test_captions_name_the_protocol_and_the_grid(protocol, words):
    noise = "labels:0.2:train"
    frame = study(["x", "y"], protocols=[protocol], noises=[noise], noisy=["x"])
    cells = pool(check_units(frame))
    for make in (accuracy_table, rank_table, noise_table):
        table = make(cells, protocol)
        assert words in table.caption
        assert "Grid: paper." in table.caption
        assert f"{protocol} protocol" in table.title
        assert table.name.endswith(protocol)


def test_ranks_are_the_published_ones():
    table = rank_table(published_study(), "paper")
    printed = published_table("ranks")
    for row in table.rows:
        ours = pd.Series([cell.value for cell in row[1:]], index=MODELS)
        pd.testing.assert_series_equal(ours, printed.loc[row[0].value], check_names=False)
        assert [cell.published for cell in row[1:]] == list(ours)
    mean = {model: cell for model, cell in zip(MODELS, table.foot[0][1:], strict=True)}
    assert mean["IF-BLS"].best
    assert mean["IF-BLS"].value == pytest.approx(printed["IF-BLS"].mean())


def test_ranks_say_which_data_sets_are_left_out():
    cells = pooled(
        unit("x", "BLS", "nested", mean=0.7),
        unit("x", "RVFL", "nested", mean=0.9),
        unit("y <b>", "BLS", "nested"),
    )
    table = rank_table(cells, "nested")
    assert [[cell.value for cell in row] for row in table.rows] == [["x", 2.0, 1.0]]
    assert table.caption.endswith("accuracy there: y <b>.")


def test_optimism():
    cells = pooled(
        unit("x", "BLS", "paper", mean=0.9),
        unit("x", "BLS", "paper-inside", mean=0.85, grid="reduced"),
        unit("y", "BLS", "paper", mean=0.8),
        unit("y", "BLS", "paper-inside", grid="reduced", **lost()),
        unit("z", "BLS", "paper", mean=0.8),
        unit("z", "BLS", "nested", mean=0.7),
    )
    table = optimism_table(cells)
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["x", "+5.00"],
        ["y", "failed (paper-inside)"],
    ]
    assert table.foot[0][1].text == "+5.00"
    assert "different grids: paper and reduced" in table.caption
    assert "Under one protocol only, so not here: z." in table.caption
    assert "paper less paper-inside protocol" in table.title


def test_noise_levels_in_order_with_published_figures():
    noises = [f"variance:{level}:train" for level in ("0.15", "0.05", "0.2", "0.1")]
    cells = pool(check_units(study(["tic_tac_toe", "x"], noises=noises, noisy=["tic_tac_toe"])))
    table = noise_table(cells, "paper")
    assert [row[1].value for row in table.rows] == [
        "none",
        *(f"variance {level} %, train" for level in (5, 10, 15, 20)),
    ]
    assert {row[0].value for row in table.rows} == {"tic_tac_toe"}
    assert [cell.published for cell in table.rows[0][2:]] == [None] * 7
    printed = published_table("noise").loc[("tic_tac_toe", 15)]
    assert [cell.published for cell in table.rows[3][2:]] == list(printed[list(MODELS)])


def test_other_noise_has_no_published_figures():
    cells = pool(
        check_units(study(["tic_tac_toe"], noises=["labels:0.1:all"], noisy=["tic_tac_toe"]))
    )
    table = noise_table(cells, "nested")
    assert {cell.published for row in table.rows for cell in row} == {None}
    assert "published" not in table.caption


def test_time_of_each_model():
    units = check_units(
        pd.DataFrame(
            [
                unit("x", "ELM", "paper", seconds=1.0),
                unit("y", "ELM", "paper", seconds=1000.0),
                unit("z", "ELM", "paper", **lost(), seconds=5.0),
                unit("x", "BLS", "nested", seconds=2.0),
            ]
        )
    )
    assert [[cell.text for cell in row] for row in time_table(units).rows] == [
        ["ELM", "paper", "2", "1,001.0", "500.5", "1,000.0"],
        ["BLS", "nested", "1", "2.0", "2.0", "2.0"],
    ]


def test_units_not_done_with_their_errors():
    units = check_units(
        pd.DataFrame([unit(HOSTILE[0], "BLS", "paper", **lost("failed", error=HOSTILE[1]))])
    )
    (row,) = not_done_table(units).rows
    assert [cell.text for cell in row] == [
        HOSTILE[0],
        "none",
        "BLS",
        "paper",
        "0",
        "failed",
        HOSTILE[1],
    ]


def test_every_table_renders_with_hostile_names():
    noises = ["rows:0.1:all"]
    frame = study(
        HOSTILE,
        (*MODELS, *HOSTILE),
        protocols=("paper", "paper-inside"),
        noises=noises,
        noisy=HOSTILE,
    )
    units = check_units(frame)
    cells = pool(units)
    tables = [make(cells, "paper") for make in (accuracy_table, rank_table, noise_table)]
    for table in (*tables, optimism_table(cells), time_table(units)):
        for text in (table.to_markdown(), table.to_latex(), table.to_csv()):
            assert text
        assert "<script" not in table.to_html()
        assert "<script" not in table.to_markdown()


def test_captions_say_by_what_settings_were_chosen():
    rows = [unit("x", "BLS", "nested", scoring="log_loss"), unit("x", "BLS", "paper")]
    cells = pool(check_units(pd.DataFrame(rows).fillna({"scoring": "accuracy"})))
    assert protocol_note(cells, "nested").endswith("Grid: paper. Settings chosen by log-loss.")
    assert protocol_note(cells, "paper").endswith("Grid: paper.")
