import json
import warnings

import pytest
import typer
from sklearn.exceptions import FitFailedWarning

from broadlearn._cli._results import (
    check_outputs,
    command,
    counted,
    listed,
    named,
    note,
    print_facts,
    print_json,
    read_labelled,
)


def test_warnings_are_notes(capsys):
    with command() as notes:
        note("[bold]twice[/bold]")
        note("[bold]twice[/bold]")
        warnings.warn("failed", FitFailedWarning, stacklevel=1)
        warnings.warn("of no interest", DeprecationWarning, stacklevel=1)
        assert notes() == ["[bold]twice[/bold]", "failed"]
    assert capsys.readouterr().err == "Note: [bold]twice[/bold]\nNote: failed\n"


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [(ValueError("wrong"), 2, "wrong"), (KeyboardInterrupt(), 130, "nothing was written")],
)
def test_faults_are_one_sentence(capsys, error, code, message):
    with pytest.raises(typer.Exit) as stopped, command():
        raise error
    assert stopped.value.exit_code == code
    assert message in capsys.readouterr().err


def test_outputs_that_cannot_be_written(tmp_path):
    source = tmp_path / "data.csv"
    check_outputs([None, tmp_path / "a", tmp_path / "b"], [source])
    for outputs in ([tmp_path], [tmp_path / "no" / "a"]):
        with pytest.raises(ValueError, match="a folder that exists and is writable"):
            check_outputs(outputs, [source])
    for outputs in ([source], [tmp_path / "a", tmp_path / "." / "a"]):
        with pytest.raises(ValueError, match="another file"):
            check_outputs(outputs, [source])


def test_labelled_tables_count_their_classes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n1,x,0\n2,z,1\n3,z,1\n")
    table = read_labelled(path, "y", ["b"])
    assert list(table.X) == ["a"]
    assert table.y.tolist() == [0, 1, 1]
    assert table.classes == {"0": 1, "1": 2}


def test_facts(capsys):
    print_facts({"a": "[b]"})
    assert capsys.readouterr().out.strip() == "a: [b]"
    print_json(a=[1, None])
    assert json.loads(capsys.readouterr().out) == {"a": [1, None]}
    assert listed({"a": 1, "b": 2}) == "a: 1, b: 2"
    assert counted({str(k): k for k in range(10)}).endswith("7: 7 and 2 more")
    assert named(["a", "b"]) == "'a', 'b'"
    assert named([str(k) for k in range(10)]).endswith("'7' and 2 more")
