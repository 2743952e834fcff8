import numpy as np
import pytest
from made_up_collection import write_collection, write_pair
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from broadlearn.study.leaderboard import make_leaderboard
from broadlearn.study.published_results import published_classifiers
from broadlearn.study.result_store import ResultStore
from broadlearn.study.search_spaces import ModelSpec

BAYES = "sklearn.naive_bayes:GaussianNB"


class Fails(DummyClassifier):
    """Cannot be fitted with three classes."""

    def fit(self, X, y, sample_weight=None):
        if len(np.unique(y)) == 3:
            raise RuntimeError("two is company")
        return super().fit(X, y, sample_weight)


class Interrupted(DummyClassifier):
    """Stands for Ctrl-C at the third fit."""

    left = 2

    def fit(self, X, y, sample_weight=None):
        if Interrupted.left == 0:
            raise KeyboardInterrupt
        Interrupted.left -= 1
        return super().fit(X, y, sample_weight)


@pytest.fixture
def folder(tmp_path):
    return write_collection(tmp_path / "uci121")


@pytest.fixture
def store(tmp_path):
    with ResultStore(tmp_path / "results.db") as opened:
        yield opened


def test_a_unit_is_a_split(folder):
    write_pair(folder, "optical", ([[0.0], [1.0]], [0, 1]), ([[1.0]], [1]))
    plan = make_leaderboard(folder, [BAYES, "majority"]).study.plan
    assert len(plan) == 2 * (3 * 4 + 1)
    assert {unit.protocol for unit in plan} == {"given-splits"}
    # The smallest first.
    assert [unit.dataset for unit in plan[::2]] == ["optical"] + [
        name for name in ("iris", "tic-tac-toe", "pima") for _ in range(4)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_accuracies_are_those_of_plain_fits_on_the_splits(folder, store, n_jobs):
    board = make_leaderboard(folder, [BAYES])
    board.study.run(store, n_jobs=n_jobs)
    results = board.results(store)
    for data in board.collection.datasets:
        scores = []
        for train, test in data.splits:
            model = GaussianNB().fit(data.X[train], data.y[train])
            scores.append(100 * model.score(data.X[test], data.y[test]))
        line = results.loc[("GaussianNB", data.name)]
        assert line["status"] == "done"
        assert line["accuracy"] == pytest.approx(np.mean(scores))
        assert line["sd"] == pytest.approx(np.std(scores, ddof=1))
    (standing,) = board.standings(store)
    assert standing.accuracies.loc["iris", standing.column] == round(
        results.loc[("GaussianNB", "iris"), "accuracy"], 1
    )


@pytest.mark.slow
def test_models_by_name_are_searched_on_training_rows(folder, store):
    board = make_leaderboard(folder, ["ELM"], datasets=["iris"])
    board.study.run(store)
    frame = board.study.frame(store)
    assert (frame["status"] == "done").all()
    assert all(set(chosen) == {"C", "n_hidden_nodes"} for chosen in frame["chosen"])


@pytest.mark.slow
def test_it_goes_on_where_it_was(folder, store):
    Interrupted.left = 2
    board = make_leaderboard(folder, ["majority"], datasets=["iris", "pima"])
    board.study.models["majority"] = ModelSpec("majority", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        board.study.run(store)
    assert board.study.summary(store).counts["done"] == 2
    assert board.study.summary(store).counts["interrupted"] == 1
    assert set(board.results(store)["status"]) == {"unfinished"}
    assert board.standings(store) == []
    again = make_leaderboard(folder, ["majority"])
    assert len(again.study.run(store)) == 3 * 4 - 2
    (standing,) = again.standings(store)
    assert set(standing.accuracies.index) == {"iris", "pima", "tic-tac-toe"}


@pytest.mark.slow
def test_unfinished_data_sets_take_no_part(folder, store):
    make_leaderboard(folder, ["majority"], datasets=["iris"]).study.run(store)
    board = make_leaderboard(folder, ["majority", BAYES])
    (standing,) = board.standings(store)
    assert list(standing.accuracies.index) == ["iris"]


@pytest.mark.slow
def test_a_failure_is_filled_as_the_authors_do(folder, store):
    board = make_leaderboard(folder, ["majority"])
    board.study.models["majority"] = ModelSpec("majority", Fails())
    board.study.run(store)
    line = board.results(store).loc[("majority", "iris")]
    assert line["status"] == "failed"
    assert "two is company" in line["error"]
    (standing,) = board.standings(store)
    assert standing.failed == ("iris",)
    mean = published_classifiers(fill=False).loc["iris"].mean()
    assert standing.accuracies.loc["iris", standing.column] == pytest.approx(mean)


@pytest.mark.slow
def test_other_splits_are_other_units(folder, store):
    make_leaderboard(folder, ["majority"], datasets=["iris"]).study.run(store)
    path = folder / "iris" / "conxuntos_kfold.dat"
    path.write_text("\n".join([*path.read_text().splitlines()[2:], "0 1 2", "3 4"]))
    board = make_leaderboard(folder, ["majority"], datasets=["iris"])
    assert board.study.summary(store).counts["done"] == 0


@pytest.mark.slow
def test_the_best_comes_first(folder, store):
    board = make_leaderboard(folder, ["majority", BAYES])
    board.study.run(store)
    assert [s.model for s in board.standings(store)] == ["GaussianNB", "majority"]


@pytest.mark.slow
def test_missing_values_are_filled_from_training_rows(folder, store):
    path = folder / "iris" / "iris_R.dat"
    lines = path.read_text().splitlines()
    cells = lines[1].split("\t")
    lines[1] = "\t".join([cells[0], "?", *cells[2:]])
    path.write_text("\n".join(lines))
    board = make_leaderboard(folder, [BAYES], datasets=["iris"])
    board.study.run(store)
    assert board.results(store).loc[("GaussianNB", "iris"), "status"] == "done"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"models": ["majority", "majority"]}, "two of the same name"),
        ({"models": ["no_such"]}, "model must be one of"),
        ({"datasets": ["no_such"]}, "no_such"),
        ({"grid": "huge"}, "grid"),
    ],
)
def test_bad_arguments_are_named(folder, arguments, message):
    with pytest.raises(ValueError, match=message):
        make_leaderboard(folder, **{"models": ["majority"], **arguments})
