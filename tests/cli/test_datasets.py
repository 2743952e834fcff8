from typer.testing import CliRunner

from broadlearn.cli.app import app

runner = CliRunner()


def test_list_names_all_embedded_tables():
    done = runner.invoke(app, ["datasets", "list", "--kind", "embedded"])
    assert done.exit_code == 0
    assert all(name in done.output for name in ("tic_tac_toe", "titanic", "iris", "digits"))


def test_describe_says_what_is_odd():
    done = runner.invoke(app, ["datasets", "describe", "spect"])
    assert done.exit_code == 0
    assert "rows" in done.output
    assert "note" in done.output


def test_unknown_names_are_one_sentence():
    done = runner.invoke(app, ["datasets", "describe", "no_such"])
    assert done.exit_code == 2
    assert "no_such" in done.output


def test_fetch_reports_paths_and_progress(monkeypatch, tmp_path):
    def fetched(names, progress):
        progress("a.csv", 10, 20)
        progress("a.csv", 20, 20)
        return [tmp_path / "a.csv"]

    monkeypatch.setattr("broadlearn.cli.datasets.fetch_datasets", fetched)
    done = runner.invoke(app, ["datasets", "fetch", "pima"])
    assert done.exit_code == 0
    assert "a.csv" in done.output.replace("\n", "")


def test_offline_fetch_says_what_to_do(monkeypatch):
    def offline(names, progress):
        raise OSError("Nothing could be fetched; set BROADLEARN_DATA.")

    monkeypatch.setattr("broadlearn.cli.datasets.fetch_datasets", offline)
    done = runner.invoke(app, ["datasets", "fetch"])
    assert done.exit_code == 2
    assert "BROADLEARN_DATA" in done.output
