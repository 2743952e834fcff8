from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from broadlearn.cli.tables import (
    AS_FOUND,
    STANDARD,
    FileFlags,
    check_csv,
    check_folder,
    check_outputs,
    counted,
    named,
    open_outputs,
    read_labelled,
    read_rows,
    with_file_flags,
)


def test_outputs_that_cannot_be_written(tmp_path):
    source = tmp_path / "data.csv"
    check_outputs([None, tmp_path / "a", tmp_path / "b"], [source])
    for outputs in ([tmp_path], [tmp_path / "no" / "a"]):
        with pytest.raises(ValueError, match="a folder that exists and is writable"):
            check_outputs(outputs, [source])
    for outputs in ([source], [tmp_path / "a", tmp_path / "." / "a"]):
        with pytest.raises(ValueError, match="another file"):
            check_outputs(outputs, [source])


def test_csv_is_not_written_to_what_is_called_otherwise():
    for name in ("a.csv", "a.tsv", "a", "-"):
        assert check_csv(Path(name)) == Path(name)
    assert check_csv(None) is None
    for name in ("a.xlsx", "a.PARQUET", "a.json"):
        with pytest.raises(typer.BadParameter, match=r"must end in \.csv"):
            check_csv(Path(name))


def test_files_that_exist_are_kept_unless_forced(tmp_path):
    there = tmp_path / "a"
    there.touch()
    with pytest.raises(ValueError, match=r"a exists; write to another file, or .* by --force"):
        check_outputs([there], [], force=False)
    check_outputs([there], [], force=True)
    with pytest.raises(ValueError, match="must be a file, and cannot be -"):
        check_outputs([STANDARD], [])


def test_reports_are_written_again_but_not_among_other_files(tmp_path):
    check_folder(None, "index.html")
    check_folder(tmp_path / "none", "index.html")
    check_folder(tmp_path, "index.html")
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(ValueError, match="holds other files than a report"):
        check_folder(tmp_path, "index.html")
    check_folder(tmp_path, "index.html", force=True)
    (tmp_path / "index.html").touch()
    check_folder(tmp_path, "index.html")
    with pytest.raises(ValueError, match="must be a folder"):
        check_folder(tmp_path / "thesis.txt", "index.html")


def test_results_on_standard_output_stand_alone(tmp_path, capfdbinary):
    with open_outputs([STANDARD, None, tmp_path / "a"], [STANDARD]) as write:
        write(STANDARD, [b"one", b"\n"])
        write(tmp_path / "a", [b"two"])
        print("said")
    found = capfdbinary.readouterr()
    assert (found.out, found.err) == (b"one\n", b"said\n")
    assert (tmp_path / "a").read_bytes() == b"two"
    for outputs, options, message in (
        ([STANDARD, STANDARD], {}, "Only one output can be -"),
        ([STANDARD], {"as_json": True}, "--json prints to standard output"),
    ):
        with pytest.raises(ValueError, match=message), open_outputs(outputs, [], **options):
            pass


def test_commands_take_flags_as_one_object():
    app = typer.Typer()

    @app.command()
    @with_file_flags
    def show(name: str, flags: FileFlags = AS_FOUND) -> None:
        """Show what was given."""
        typer.echo(f"{name} {flags!r}")

    runner = CliRunner()
    assert runner.invoke(app, ["x"]).stdout == f"x {AS_FOUND!r}\n"
    done = runner.invoke(app, ["x", "--no-header", "--sep", ";", "--decimal", ","])
    assert done.stdout == f"x {FileFlags(sep=';', header=False, decimal=',')!r}\n"
    done = runner.invoke(app, ["x", "--header", "--encoding", "latin-1", "--format", "csv"])
    assert done.stdout == f"x {FileFlags(header=True, encoding='latin-1', format='csv')!r}\n"


def test_rows_are_numbered_by_line_or_position(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;y\n\n1,5;u\n2,5;v\n\n3,5;v\n")
    rows = read_rows(path)
    assert (rows.index.name, rows.index.tolist()) == ("line", [3, 4, 6])
    table = read_labelled(path, "2", None, flags=FileFlags(header=False))
    assert (table.X.index.tolist(), table.target) == ([1, 3, 4, 6], "f2")
    rows.to_parquet(tmp_path / "t.parquet", index=False)
    rows = read_rows(tmp_path / "t.parquet")
    assert (rows.index.name, rows.index.tolist()) == ("row", [0, 1, 2])


def test_labelled_tables_count_their_classes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n1,x,0\n2,z,1\n3,z,1\n")
    table = read_labelled(path, "y", ["b"])
    assert list(table.X) == ["a"]
    assert table.y.tolist() == [0, 1, 1]
    assert table.classes == {"0": 1, "1": 2}


def test_quantities_where_a_command_takes_them(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "".join(f"1,{i / 7}\n" for i in range(70)))
    table = read_labelled(path, "y", None, "auto")
    assert table.is_regression
    assert table.classes == {}
    with pytest.raises(ValueError, match="looks like a regression target"):
        read_labelled(path, "y", None)
    with pytest.raises(ValueError, match=r"The target column 'a' of .* must vary; all are 1"):
        read_labelled(path, "a", None, "regression")


def test_classes_and_columns_in_one_line():
    assert counted({"a": 1, "b": 2}) == "a: 1, b: 2"
    assert counted({str(k): k for k in range(10)}).endswith("7: 7 and 2 more")
    assert named(["a", "b"]) == "'a', 'b'"
    assert named([str(k) for k in range(10)]).endswith("'7' and 2 more")
