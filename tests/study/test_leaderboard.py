import numpy as np
import pandas as pd
import pytest

from broadlearn.study.leaderboard import rank_among_published, standings
from broadlearn.study.plan import Unit
from broadlearn.study.published_results import published_classifiers

NAMES = ["iris", "pima", "abalone", "zoo", "tic-tac-toe"]
OURS = pd.Series([96.04, 76.3, np.nan, 99.96, 100.0], index=NAMES)


def plain_ranks(accuracies):
    """1 + those that are better + half of the others that tie, by counting."""
    return [
        1 + sum(b > a for b in accuracies) + (sum(b == a for b in accuracies) - 1) / 2
        for a in accuracies
    ]


def plain_table(ours):
    """The equations of the paper, one data set and one classifier at a time."""
    raw = published_classifiers(fill=False)
    columns = ["mine (run here)", *raw.columns]
    ranks, accuracies, shares = [], [], []
    for name, mine in ours.items():
        known = [value for value in raw.loc[name] if not np.isnan(value)]
        mean = sum(known) / len(known)
        line = [round(mine, 1) if not np.isnan(mine) else mean]
        line += [mean if np.isnan(value) else value for value in raw.loc[name]]
        accuracies.append(line)
        ranks.append(plain_ranks([round(value, 10) for value in line]))
        shares.append([100 * value / max(line) for value in line])
    table = pd.DataFrame(index=columns)
    table["mean_rank"] = np.mean(ranks, axis=0)
    table["accuracy"] = np.mean(accuracies, axis=0)
    table["share_of_best"] = np.mean(shares, axis=0)
    table["p90"] = 100 * np.mean(np.array(shares) >= 90 - 1e-9, axis=0)
    table["p95"] = 100 * np.mean(np.array(shares) >= 95 - 1e-9, axis=0)
    return table


def test_table_equals_the_plain_one():
    standing = rank_among_published(OURS, "mine")
    table, plain = standing.table(), plain_table(OURS)
    assert standing.failed == ("abalone",)
    assert len(table) == 180
    assert table["mean_rank"].is_monotonic_increasing
    pd.testing.assert_frame_equal(
        table.drop(columns="position").sort_index(), plain.sort_index(), atol=1e-9
    )
    better = [(table["mean_rank"] < rank - 1e-9).sum() + 1 for rank in table["mean_rank"]]
    assert table["position"].tolist() == better


def test_mean_ranks_are_those_that_the_authors_print():
    # Their Table 2, the first ten; a model with no right answer is last everywhere and moves none.
    names = published_classifiers().index
    worst = rank_among_published(pd.Series(0.0, index=names), "worst").table()
    printed = {
        "parRF_caret": 32.9, "rf_caret": 33.1, "svm_C": 36.8, "svmPoly_caret": 38.0,
        "rforest_R": 39.4, "elm_kernel_matlab": 39.6, "svmRadialCost_caret": 40.3,
        "svmRadial_caret": 42.5, "C5.0_caret": 42.9, "avNNet_caret": 44.1,
    }  # fmt: skip
    assert list(worst.index[:10]) == list(printed)
    for name, rank in printed.items():
        assert worst.loc[name, "mean_rank"] == pytest.approx(rank, abs=0.06)


def test_a_tie_for_the_first_place_is_no_lead():
    rounded_up = published_classifiers().loc["iris"].max() - 0.04
    standing = rank_among_published(pd.Series({"iris": rounded_up}), "mine")
    assert "number 1 of 180 on 1 data set" in standing.sentence()
    assert "0.0 ahead of" in standing.sentence()
    assert standing.table().index[0] != standing.column


def test_models_are_ranked_by_their_mean_over_splits():
    units = [
        dict(vars(Unit(dataset, "none", model, "given-splits", seed, "paper", "")), status="done")
        for dataset in ("iris", "wine")
        for model in ("good", "bad")
        for seed in range(4)
    ]
    frame = pd.DataFrame(units)
    frame["mean"] = np.where(frame["model"] == "good", 0.95, 0.5) + 0.01 * frame["seed"]
    lost = (frame["model"] == "bad") & (frame["dataset"] == "wine") & (frame["seed"] == 3)
    frame.loc[lost, ["status", "mean"]] = ["failed", np.nan]
    good, bad = standings(frame)
    assert (good.model, bad.model) == ("good", "bad")
    assert good.accuracies.loc["iris", good.column] == 96.5
    assert bad.failed == ("wine",)
    assert standings(frame[:0]) == []


@pytest.mark.parametrize(
    ("accuracy", "message"),
    [
        (pd.Series({"mine": 90.0}), "without published accuracies: 'mine'"),
        (pd.Series(dtype=float), "one or more data sets"),
        (pd.Series([1.0, 2.0], index=["iris", "iris"]), "each once"),
    ],
)
def test_bad_accuracies(accuracy, message):
    with pytest.raises(ValueError, match=message):
        rank_among_published(accuracy, "mine")
