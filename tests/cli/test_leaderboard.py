import json

import pytest
from made_up_collection import write_collection, write_set
from typer.testing import CliRunner

from broadlearn.cli.app import app

runner = CliRunner()


def call(*arguments):
    return runner.invoke(app, ["study", "leaderboard", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write_collection(tmp_path / "uci121")


def plain(text):
    return " ".join(text.split())


@pytest.mark.slow
def test_run_print_and_report(folder, tmp_path):
    write_set(folder, "zoo", [[1.0], [2.0]], [0, 1], [([0], [5])])
    done = call(
        "--data-folder", folder, "-m", "majority,sklearn.naive_bayes:GaussianNB", "--report", "page"
    )
    assert done.exit_code == 0, done.output
    said = plain(done.output)
    assert "3 data sets in" in said
    assert "Left out: zoo: it cannot be read: conxuntos_kfold.dat names rows 0 to 5" in said
    assert "on different scales: annealing, hayes-roth, hill-valley" in said
    assert "24 units, 0 done before, 24 to do" in said
    assert "GaussianNB is number" in said
    assert "among the 28 (2)" in said
    assert "majority (run here)" in said
    assert (tmp_path / "page" / "index.html").is_file()
    assert (tmp_path / "leaderboard" / "results.db").is_file()
    again = call("--data-folder", tmp_path, "-m", "majority", "-d", "iris,pima", "--top", "3")
    assert again.exit_code == 0, again.output
    assert "8 units, 8 done before, 0 to do" in again.output
    lines = again.output.splitlines()
    (first,) = [i for i, line in enumerate(lines) if line.startswith("classifier")]
    assert "majority (run here)" in lines[first + 4]


@pytest.mark.slow
def test_a_failing_model_gives_exit_code_2(folder, tmp_path, monkeypatch):
    (tmp_path / "not_three.py").write_text(
        "from sklearn.dummy import DummyClassifier\n"
        "class NotThree(DummyClassifier):\n"
        "    def fit(self, X, y, sample_weight=None):\n"
        "        if len(set(y)) == 3:\n"
        "            raise RuntimeError('out of order')\n"
        "        return super().fit(X, y, sample_weight)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    done = call("--data-folder", folder, "-m", "not_three:NotThree")
    assert done.exit_code == 2
    said = plain(done.output)
    assert "out of order" in said
    assert "It failed on iris." in said
    assert "4 of 12 units are not done" in said


def test_interrupted(folder, monkeypatch):
    from broadlearn.study import Study

    def stop(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(Study, "run", stop)
    done = call("--data-folder", folder, "-m", "majority")
    assert done.exit_code == 130
    assert "goes on where it stopped" in done.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data-folder", "none"], "The collection is not in none"),
        (["--data-folder", "uci121/iris"], "there must be a folder NAME with NAME.txt"),
        (["--data-folder", "uci121", "-m", "no_such"], "model must be one of"),
        (["--data-folder", "uci121", "-d", "no_such"], "There is no data set no_such"),
        (["--data-folder", "uci121", "-m", "majority", "--grid", "huge"], "grid must be one of"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(folder, arguments, message):
    done = call(*arguments)
    assert done.exit_code == 2
    assert message in plain(done.output)
    assert "Traceback" not in done.output


@pytest.mark.slow
def test_facts_for_machines(folder):
    done = call("--data-folder", folder, "-m", "Majority", "--top", "2", "--json", "-q")
    found = json.loads(done.stdout)
    assert done.stderr == ""
    assert found["units"] == found["done"] == 12
    (standing,) = found["standings"]
    assert standing["model"] == "majority (run here)"
    assert standing["subsets"]["among the 28"]["n_datasets"] == 2
    assert [line["position"] for line in standing["classifiers"]] == [1, 2]
