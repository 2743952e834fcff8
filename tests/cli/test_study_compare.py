import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from broadlearn.cli.app import app
from broadlearn.study import ResultStore, Unit, UnitResult

runner = CliRunner()


def call(*arguments):
    return runner.invoke(app, ["study", "compare", *map(str, arguments)])


def make_store(path, shift, models=("BLS",), recipe="r1"):
    with ResultStore(path) as store:
        for i, dataset in enumerate(("iris", "wine", "zoo")):
            for model in models:
                unit = Unit(dataset, "none", model, "nested", 0, "paper", str(i + 1), recipe)
                scores = [0.5 + 0.1 * i + shift] * 2
                store.claim(unit)
                store.finish(unit, UnitResult(scores, {}, 1.0, {"log_loss": scores}))
    return path


@pytest.fixture
def stores(tmp_path):
    first = make_store(tmp_path / "a.db", 0.0, ("BLS", "ELM"))
    return first, make_store(tmp_path / "b.db", 0.01, recipe="r2")


def test_what_is_printed(stores):
    done = call(*stores)
    assert done.exit_code == 0, done.output
    (line,) = [line for line in done.output.splitlines() if line.startswith("BLS")]
    assert line.split() == ["BLS", "nested", "none", "3", "60.00", "61.00", "+1.00", *"300",
                            "0.2500", "0.2500"]  # fmt: skip
    assert "3 cells are in both: the second is better in 3" in done.output
    assert "Only in a.db: 3 cells." in done.output
    assert "is another in 3 cells" in done.output
    assert "better in 0, level in 0 and worse in 3" in call(*stores, "--metric", "log_loss").output


def test_files_and_json(stores, tmp_path):
    done = call(*stores, "-o", tmp_path / "c.csv", "--json")
    found = json.loads(done.output)
    assert [line["model"] for line in found["only_a"]] == ["ELM"] * 3
    assert found["models"][0]["difference"] == pytest.approx(1.0)
    assert len(pd.read_csv(tmp_path / "c.csv")) == 3
    assert "exists" in call(*stores, "-o", tmp_path / "c.csv").output
    assert call(*stores, "-o", tmp_path / "c.csv", "--force").exit_code == 0
    assert call(*stores, "-o", tmp_path / "page").exit_code == 0
    assert (tmp_path / "page" / "index.html").is_file()


def test_bad_input_is_one_sentence(stores, tmp_path):
    other = make_store(tmp_path / "c.db", 0.0, ("SVC",))
    for arguments, message in (
        ([stores[0], tmp_path / "none.db"], "no file of results"),
        ([*stores, "--metric", "recall"], "metric must be one of"),
        ([stores[0], other], "must have a cell in common"),
    ):
        done = call(*arguments)
        assert done.exit_code == 2
        assert message in done.output
