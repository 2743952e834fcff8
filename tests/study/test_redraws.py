import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from broadlearn.study import find_model, load_dataset, published_settings, published_table
from broadlearn.study.datasets import Dataset
from broadlearn.study.noise import Noise
from broadlearn.study.plan import Unit
from broadlearn.study.protocols import paper_task
from broadlearn.study.readings import READINGS
from broadlearn.study.redraws import (
    COLUMNS,
    FIGURES,
    PrintedCell,
    cells_to_redraw,
    read_redraws,
    redraw,
    redraw_cell,
    run_redraws,
)
from broadlearn.study.search_spaces import ModelSpec

PAPER = READINGS["paper"]
ELM = find_model("ELM")
SETTINGS = {"C": 1.0, "n_hidden_nodes": 15}


def haberman(n_rows=60):
    """Made-up rows under the name of a data set that has printed figures."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 3))
    y = np.where(X @ [1.0, -1.0, 0.5] + rng.normal(0, 1, n_rows) > 0, "a", "b")
    return Dataset("haberman_survival", X, y, load_dataset("iris").info)


def unit(model="ELM", protocol="paper", dataset="haberman_survival", noise="none"):
    return Unit(dataset, noise, model, protocol, 0, "paper", "5ac1")


def cell(n_draws=3, spec=ELM, **changes):
    return PrintedCell(unit(model=spec.name, **changes), haberman(), spec, n_draws)


class Remembers(ClassifierMixin, BaseEstimator):
    """Keeps the seeds and settings of all fits; predicts the first class."""

    seen = []

    def __init__(self, C=1.0, kernel_width=1.0, standardize=True, random_state=None):
        self.C = C
        self.kernel_width = kernel_width
        self.standardize = standardize
        self.random_state = random_state

    def fit(self, X, y):
        Remembers.seen.append(self.get_params())
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_every_fold_of_every_draw_has_its_own_seed():
    Remembers.seen.clear()
    spec = ModelSpec("x", Remembers(), released_grid={"C": [1.0]})
    scores = redraw(haberman(), spec, PAPER, {"C": 5.0, "kernel_width": 3.0}, 4, 0)
    seen = pd.DataFrame(Remembers.seen)
    assert seen["random_state"].nunique() == scores.size == 20
    assert set(seen["C"]) == {5.0}
    # What the released model has no choice of is left out, and rows are taken as prepared.
    assert set(seen["kernel_width"]) == {1.0}
    assert not seen["standardize"].any()
    # A constant prediction does not depend on the draw.
    assert (scores == scores[0]).all()


def test_settings_that_our_own_model_has_are_used():
    Remembers.seen.clear()
    spec = ModelSpec("x", Remembers(), released_grid={"C": [1.0]})
    redraw(haberman(), spec, READINGS["paper-columns"], {"C": 5.0, "kernel_width": 3.0}, 1, 0)
    assert {seen["kernel_width"] for seen in Remembers.seen} == {3.0}


def test_a_redraw_is_a_plain_fit_of_the_released_model():
    data = haberman()
    scores = redraw(data, ELM, PAPER, SETTINGS, 2, 7)
    np.testing.assert_array_equal(scores, redraw(data, ELM, PAPER, SETTINGS, 2, 7))
    assert not np.array_equal(scores, redraw(data, ELM, PAPER, SETTINGS, 2, 8))
    task = paper_task(data, PAPER, Noise(), 0)
    train, test = task.splits[3]
    seed = int(np.random.SeedSequence(7).generate_state(10)[5 + 3])
    model = ELM.seeded(seed, released=True).set_params(standardize=False, **SETTINGS)
    model.fit(task.X[train], task.y[train])
    assert scores[1, 3] == model.score(task.X[test], task.y[test])


@pytest.mark.parametrize("name", published_settings().columns)
def test_printed_settings_are_parameters_of_the_released_models(name):
    spec = find_model(name)
    for reading in (PAPER, READINGS["paper-columns"]):
        model = spec.seeded(0, released=reading.released_models)
        assert set(published_settings().loc["pima", name]) <= set(model.get_params())


def test_a_line_sums_up_the_draws():
    line = redraw_cell(cell(n_draws=5))
    assert list(line) == COLUMNS
    assert (line["reading"], line["model"], line["n_draws"], line["error"]) == (
        "paper",
        "ELM",
        5,
        "",
    )
    assert line["lowest"] <= line["median"] <= line["highest"]
    assert line["lowest"] <= line["draw_mean"] <= line["highest"]
    settings = published_settings().loc["haberman_survival", "ELM"]
    scores = 100 * redraw(haberman(), ELM, PAPER, settings, 5, unit().model_seed)
    means = scores.mean(axis=1)
    printed = published_table().loc["haberman_survival", "ELM"]
    nearest = np.argmin(np.abs(means - printed))
    assert line["nearest"] == pytest.approx(means[nearest])
    assert line["nearest_sd"] == pytest.approx(scores[nearest].std(ddof=1))
    assert line["draw_sd"] == pytest.approx(max(means.std(ddof=1), 100 / 60))


class Fails(Remembers):
    def fit(self, X, y):
        raise ValueError("no")


def test_settings_that_cannot_be_fitted_are_told():
    line = redraw_cell(cell(spec=ModelSpec("IF-TSVM", Fails(), released_grid={})))
    assert line["error"] == "ValueError: no"
    assert np.isnan([line[name] for name in FIGURES]).all()
    assert line["n_draws"] == 3


def test_redraws_are_filed_and_not_repeated(tmp_path):
    path = tmp_path / "deep" / "redraws.csv"
    failing = ModelSpec("IF-TSVM", Fails(), released_grid={})
    units = [unit("ELM"), unit("IF-TSVM"), unit("ELM", noise="rows:0.1"), unit(dataset="iris")]
    data = dict.fromkeys(["5ac1"], haberman())
    models = {"ELM": ELM, "IF-TSVM": failing}

    def todo(n_draws):
        return cells_to_redraw(units, data, models, read_redraws(path), n_draws)

    assert [c.unit.model for c in todo(2)] == ["ELM", "IF-TSVM"]
    assert todo(0) == []
    lines = list(run_redraws(todo(2), path))
    assert len(lines) == 2
    filed = read_redraws(path)
    assert list(filed["model"]) == ["ELM", "IF-TSVM"]
    assert list(filed["error"]) == ["", "ValueError: no"]
    assert filed.loc[0, "lowest"] == lines[0]["lowest"]
    assert todo(2) == []
    # More draws replace fewer.
    assert len(todo(3)) == 2
    list(run_redraws(todo(3)[:1], path))
    assert list(read_redraws(path)["n_draws"]) == [3, 2]
    assert [p.name for p in path.parent.iterdir()] == ["redraws.csv"]


def test_what_is_done_stays_after_an_interrupt(tmp_path):
    path = tmp_path / "redraws.csv"
    columns = cell(protocol="paper-columns")
    lines = run_redraws([cell(), columns], path)
    first = next(lines)
    lines.close()
    assert list(read_redraws(path)["reading"]) == [first["reading"]]


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"other\.csv must have the columns reading, .* got a, b"):
        read_redraws(path)
