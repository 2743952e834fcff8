import pytest
from made_up_results import study

from broadlearn.study.published_results import published_table
from broadlearn.study.report.pooling import accuracies, check_units, pool
from broadlearn.study.report.statistics_tables import (
    friedman_table,
    nemenyi_table,
    pairs_table,
    statistics_tables,
)


@pytest.fixture(scope="module")
def cells():
    return pool(check_units(study(published_table().index)))


def pairs(table):
    return {
        (row[0].value, row[1].value): dict(zip(table.columns[2:], row[2:], strict=True))
        for row in table.rows
    }


def test_friedman_beside_the_published_accuracies(cells):
    table = friedman_table(cells, "paper")
    ours, published = ([cell.text for cell in row] for row in table.rows)
    assert ours[:3] == ["ours", "28", "7"]
    assert published == [
        "published",
        "28",
        "7",
        "86.16",
        "6",
        "<0.0001",
        "28.42",
        "6, 162",
        "<0.0001",
    ]


def test_pairs_hold_the_printed_figures(cells):
    table = pairs(pairs_table(cells, "nested"))
    assert len(table) == 21
    for row in published_table("win_tie_loss").itertuples():
        cells_of = table[row.row, row.column]
        assert [cells_of[what].published for what in ("win", "tie", "loss")] == [
            row.win,
            row.tie,
            row.loss,
        ]
    for row in published_table("wilcoxon").itertuples():
        cell = table[row.proposed, row.baseline]["p on ranks"]
        assert cell.published == pytest.approx(row.p_value, rel=1e-2)


def test_wins_ties_and_losses_are_counted(cells):
    ours = accuracies(cells, "nested")
    win = int((ours["IF-BLS"] > ours["ELM"]).sum())
    assert pairs(pairs_table(cells, "nested"))["IF-BLS", "ELM"]["win"].value == win


def test_other_models_have_no_published_figures():
    cells = pool(check_units(study(["bank", "pima"], models=("BLS", "RVFL"))))
    assert len(friedman_table(cells, "nested").rows) == 1
    table = pairs_table(cells, "nested")
    assert {cell.published for row in table.rows for cell in row} == {None}
    assert "published one" not in table.caption


def test_nemenyi_is_symmetric_and_sorted(cells):
    table = nemenyi_table(cells, "paper")
    mean_ranks = [row[1].value for row in table.rows]
    assert mean_ranks == sorted(mean_ranks)
    assert [row[0].value for row in table.rows] == list(table.columns[2:])
    shown = [[cell.text for cell in row[2:]] for row in table.rows]
    assert [shown[i][i] for i in range(7)] == ["–"] * 7
    assert shown == [list(column) for column in zip(*shown, strict=True)]


def test_captions_name_protocol_and_left_out_data_sets():
    frame = study(["x", "y", "z"])
    cells = pool(check_units(frame[~((frame["dataset"] == "y") & (frame["model"] == "ELM"))]))
    for table in statistics_tables(cells, "paper"):
        assert "Protocol: paper (optimistic" in table.caption
        assert "Left out, as not every model has an accuracy there: y." in table.caption
        assert table.name.endswith("_paper")
        assert table.title.endswith("paper protocol")


def test_too_few_data_sets_are_refused():
    with pytest.raises(ValueError, match="at least 2 data set"):
        statistics_tables(pool(check_units(study(["x"]))), "paper")
