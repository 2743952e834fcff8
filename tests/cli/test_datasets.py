from typer.testing import CliRunner

from broadlearn.cli.app import app

runner = CliRunner()


def test_list_names_all_embedded_tables():
    done = runner.invoke(app, ["datasets", "list", "--kind", "embedded"])
    assert done.exit_code == 0
    assert all(name in done.output for name in ("tic_tac_toe", "titanic", "iris", "digits"))


def test_offline_fetch_says_what_to_do(monkeypatch):
    def offline(names):
        raise OSError("Nothing could be fetched; set BROADLEARN_DATA.")

    monkeypatch.setattr("broadlearn.study.fetch_datasets", offline)
    done = runner.invoke(app, ["datasets", "fetch"])
    assert done.exit_code == 2
    assert "BROADLEARN_DATA" in done.output


def test_in_a_pipe_nothing_is_cut(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    lines = runner.invoke(app, ["datasets", "list"]).stdout.splitlines()
    assert "…" not in "".join(lines)
    (digits,) = [line for line in lines if line.startswith("digits ")]
    assert "178, 182, 177, 183, 181, 182, 181, 179, 174, 180" in digits


def test_names_to_fetch_may_be_listed_with_commas(monkeypatch, tmp_path):
    asked = []

    def fetched(names):
        asked.extend(names)
        return [tmp_path / name for name in names]

    monkeypatch.setattr("broadlearn.study.fetch_datasets", fetched)
    done = runner.invoke(app, ["datasets", "fetch", "pima,bank", "monks_1"])
    assert asked == ["pima", "bank", "monks_1"]
    assert done.stdout.split() == [str(tmp_path / name) for name in asked]
