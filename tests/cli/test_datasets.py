from typer.testing import CliRunner

from broadlearn.cli.app import app

runner = CliRunner()


def test_list_names_all_embedded_tables():
    done = runner.invoke(app, ["datasets", "list", "--kind", "embedded"])
    assert done.exit_code == 0
    assert all(name in done.output for name in ("tic_tac_toe", "titanic", "iris", "digits"))


def test_in_a_pipe_nothing_is_cut(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    lines = runner.invoke(app, ["datasets", "list"]).stdout.splitlines()
    assert "…" not in "".join(lines)
    (digits,) = [line for line in lines if line.startswith("digits ")]
    assert "178, 182, 177, 183, 181, 182, 181, 179, 174, 180" in digits
