"""Files as they come: what can be read gives the right result, all else one clear sentence."""

import gzip
import io
import json
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from broadlearn.auditing import opinions
from broadlearn.cli.app import app

pytestmark = pytest.mark.slow

runner = CliRunner()
rng = np.random.default_rng(0)
N = 40
Y = np.where(np.arange(N) % 2, "yes", "no")
BASE = pd.DataFrame(
    {
        "a": (rng.normal(size=N) + 2 * (Y == "yes")).round(3),
        "b": rng.normal(size=N).round(3),
        "c": rng.choice(["u", "v", "w"], N),
        "y": Y,
    }
)
ROWS = BASE.to_csv(index=False)
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(200)
COMMANDS = {
    "audit": ["audit", "{data}", "-t", "y", "-o", "page.html", "--csv", "audit.csv", "--force"],
    "fit": ["fit", "{data}", "-t", "y", "-m", "bls", "-o", "fitted.blm", "--force"],
    "predict": ["predict", "base.blm", "{data}", "-o", "predicted.csv", "--force"],
}


def parquet(frame):
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


def workbook(frame):
    buffer = io.BytesIO()
    frame.to_excel(buffer, index=False)
    return buffer.getvalue()


def csv(**columns):
    return BASE.assign(**columns).to_csv(index=False)


def without(column):
    return BASE.drop(columns=column).to_csv(index=False)


def wide(n_columns):
    names = ",".join(f"x{j}" for j in range(n_columns))
    numbers = ",".join(["1"] * n_columns)
    return f"{names},y\n" + f"{numbers},yes\n{numbers},no\n" * 5


ATTRIBUTES = "@relation r\n@attribute a real\n@attribute y {yes,no}\n"
MISSING = "has no 'a', 'b', 'c'"
NO_TEXT = "is not text in UTF-8"

# Name of the file, its content, and what is said: by all commands, or by each (None: it works).
BROKEN = {
    "empty": ("t.csv", "", "t.csv is empty"),
    "blank": ("t.csv", "\n  \n\n", "t.csv is empty"),
    "a quote": ("t.csv", '"', "t.csv is empty"),
    "only a header": ("t.csv", "a,b,c,y\n", "has no rows"),
    "one column": (
        "t.csv",
        "y\n" + "yes\nno\n" * 9,
        {"audit": "no columns besides the target", "predict": MISSING},
    ),
    "no target": ("t.csv", without("y"), {"audit": "has no column 'y'", "predict": None}),
    "one class": ("t.csv", csv(y="yes"), {"audit": "every label is 'yes'", "predict": None}),
    "a label missing": (
        "t.csv",
        csv(y=["", *Y[1:]]),
        {"audit": "has no label in 1 of 40 rows", "predict": None},
    ),
    "no label at all": ("t.csv", csv(y=""), {"audit": "in 40 of 40 rows", "predict": None}),
    "labels all different": (
        "t.csv",
        csv(y=[f"t{i}" for i in range(N)]),
        {"audit": "no label is there twice", "predict": None},
    ),
    "one row per class": (
        "t.csv",
        BASE[:2].to_csv(index=False),
        {"audit": "no label is there twice", "predict": None},
    ),
    "too few rows per class": (
        "t.csv",
        BASE[:6].to_csv(index=False),
        {"audit": None, "fit": "two classes of 5 or more rows", "predict": None},
    ),
    "a target of numbers": (
        "t.csv",
        pd.concat([BASE] * 3).assign(y=rng.normal(size=3 * N)).to_csv(index=False),
        {"audit": None, "fit": "looks like a regression target", "predict": None},
    ),
    "a target of dates": (
        "t.csv",
        csv(y=np.where(Y == "yes", "2024-01-02", "2024-01-03")),
        {"audit": "holds dates, where classes are expected", "predict": None},
    ),
    "a row too long": ("t.csv", ROWS + "1,2,u,yes,5,6\n", "Line 42 of t.csv has 6 fields, where"),
    "a row too short": ("t.csv", ROWS + "1\n", "Line 42 of t.csv has 1 field, where"),
    "a longer row amid": ("t.csv", ROWS.replace("\n", ",5\n", 2), "Line 3 of t.csv has 4 fields"),
    "no end of a quote": ("t.csv", ROWS + '1,2,"u,yes\n3,4,u,no\n', "Line 42 of t.csv has 3 field"),
    "a field too long": ("t.csv", ROWS + f"1,2,{'u' * 200_000},yes\n", "Line 42 of t.csv cannot"),
    "junk": ("t.csv", np.random.default_rng(1).bytes(5000), NO_TEXT),
    "junk in Parquet": ("t.parquet", np.random.default_rng(1).bytes(5000), "readable Parquet file"),
    "junk in ARFF": ("t.arff", np.random.default_rng(1).bytes(5000), NO_TEXT),
    "a picture": ("t.csv", PNG, NO_TEXT),
    "Parquet as CSV": ("t.csv", parquet(BASE), NO_TEXT),
    "CSV as Parquet": ("t.parquet", ROWS, "not a readable Parquet file"),
    "CSV as ARFF": ("t.arff", ROWS, "not a readable ARFF file"),
    "half a Parquet file": ("t.parquet", parquet(BASE)[:1500], "not a readable Parquet file"),
    "half a gzip file": ("t.csv.gz", gzip.compress(ROWS.encode())[:90], "not a whole gzip file"),
    "half a workbook": ("t.xlsx", b"PK\3\4", "not a readable workbook"),
    "an old workbook": ("t.xls", PNG, "save it as .xlsx or as CSV"),
    "a document": ("t.docx", b"PK\3\4", "unknown extension"),
    "bad ARFF rows": ("t.arff", f"{ATTRIBUTES}@data\nx,no\n", "Invalid numerical value, at line 5"),
    "an unknown level": ("t.arff", f"{ATTRIBUTES}@data\n1,maybe\n", "not a readable ARFF file"),
    "ARFF without data": ("t.arff", ATTRIBUTES, "not a readable ARFF file"),
    "ARFF with formats": ("t.arff", f"{ATTRIBUTES}@data\n1,%s%d\n", "not a readable ARFF file"),
    "UTF-16 without a mark": ("t.csv", ROWS.encode("utf-16-le"), "it holds NUL bytes"),
    "NUL bytes": ("t.csv", ROWS.encode() + bytes(9), "it holds NUL bytes"),
    "repeated names": (
        "t.csv",
        ROWS.replace("b", "a", 1),
        {"audit": None, "fit": None, "predict": "has no 'b'"},
    ),
    "no names": ("t.csv", ROWS.replace("a,b,c,y", ",,,", 1), "Column 2 of t.csv has values but no"),
    "numbers as names": (
        "t.csv",
        ROWS.replace("a,b,c,y", "1,2,3,4", 1),
        {"audit": "its columns are '1', '2'", "predict": MISSING},
    ),
    "no header": (
        "t.csv",
        ROWS.partition("\n")[2],
        {
            "audit": "it has no header, so its columns are 'f1' to 'f4'; the class",
            "predict": MISSING,
        },
    ),
    "other separators": (
        "t.csv",
        BASE.to_csv(index=False, sep="!"),
        {"audit": r"its columns are 'a!b!c!y'", "predict": MISSING},
    ),
    "a page": (
        "t.csv",
        "<html>\n</html>\n",
        {"audit": "its columns are '<html>'", "predict": MISSING},
    ),
    "dates": (
        "t.csv",
        csv(d=pd.date_range("2024-01-01", periods=N).astype(str)),
        {"audit": None, "fit": None, "predict": None},
    ),
    "only identifiers": (
        "t.csv",
        pd.DataFrame({"id": [f"p{i}" for i in range(N)], "y": Y}).to_csv(index=False),
        {"audit": "no column to learn from: 'id' is left out: names the rows", "predict": MISSING},
    ),
    "an infinite number": ("t.csv", csv(a=[np.inf, *BASE["a"][1:]]), "'a' must hold finite"),
    "a number too large": ("t.csv", csv(a=["1e400", *BASE["a"][1:]]), "'a' must hold finite"),
    "5,001 columns": (
        "t.csv",
        wide(5001),
        {"audit": None, "fit": "has 5001 columns.* may hold 5000", "predict": MISSING},
    ),
    "a column of text for numbers": (
        "t.csv",
        csv(a="?" * 3),
        {"audit": None, "fit": None, "predict": None},
    ),
    "a column less": ("t.csv", without("b"), {"audit": None, "fit": None, "predict": "has no 'b'"}),
}
# Files in which the same rows are found.
READABLE = {
    "byte order mark": ("t.csv", ROWS.encode("utf-8-sig")),
    "semicolons": ("t.csv", BASE.to_csv(index=False, sep=";")),
    "decimal commas": ("t.csv", BASE.to_csv(index=False, sep=";", decimal=",")),
    "tabs": ("t.tsv", BASE.to_csv(index=False, sep="\t")),
    "Windows": ("t.csv", ROWS.replace("\n", "\r\n")),
    "bars": ("t.txt", BASE.to_csv(index=False, sep="|")),
    "blanks": ("t.dat", BASE.to_csv(index=False, sep=" ")),
    "UTF-16": ("t.csv", ROWS.encode("utf-16")),
    "records": ("t.json", BASE.to_json(orient="records")),
    "a workbook": ("t.xlsx", workbook(BASE)),
    "spaces": ("t.csv", ROWS.replace(",", ", ")),
    "quotes": ("t.csv", BASE.to_csv(index=False, quoting=1)),
    "row numbers": ("t.csv", BASE.to_csv()),
    "commas at the ends": ("t.csv", ROWS.replace("\n", ",\n")),
    "Parquet": ("t.parquet", parquet(BASE)),
    "compressed": ("t.csv.gz", gzip.compress(ROWS.encode())),
}


def call(name, data="t.csv"):
    return runner.invoke(app, [part.format(data=data) for part in COMMANDS[name]])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("broken")
    (path / "base.csv").write_text(ROWS)
    fit = ["fit", str(path / "base.csv"), "-t", "y", "-m", "bls", "-o", str(path / "base.blm")]
    assert runner.invoke(app, fit).exit_code == 0
    return path


@pytest.fixture(autouse=True)
def quick_audits(monkeypatch):
    monkeypatch.setattr(opinions, "TREES", 10)


@pytest.fixture
def here(folder, monkeypatch):
    """The folder with no more than a table and its model in it."""
    monkeypatch.chdir(folder)
    yield folder
    for path in folder.iterdir():
        if path.stem != "base":
            path.rmdir() if path.is_dir() else path.unlink()


def write(folder, name, content):
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def check_refused(done, message, folder, before):
    """One clear sentence, exit code 2, and no file more or less than before."""
    assert done.exit_code == 2, done.output
    assert isinstance(done.exception, SystemExit)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: ")
    assert line.endswith(".")
    assert re.search(message, line), line
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", BROKEN)
def test_broken_files(here, name, command):
    file, content, messages = BROKEN[name]
    message = messages
    if isinstance(messages, dict):
        message = messages.get(command, messages["audit"])
    write(here, file, content)
    before = sorted(path.name for path in here.iterdir())
    done = call(command, file)
    if message is None:
        assert done.exit_code == 0, done.output
    else:
        check_refused(done, message, here, before)


def found_in(data):
    """What the commands find in a table: audit, predictions, columns of a model."""
    audit = ["audit", data, "-t", "y", "--csv", "audit.csv", "--force"]
    for done in (runner.invoke(app, audit), call("fit", data), call("predict", data)):
        assert done.exit_code == 0, done.output
    described = runner.invoke(app, ["describe", "fitted.blm", "--json"])
    columns = json.loads(described.stdout)["columns"]
    return pd.read_csv("audit.csv"), pd.read_csv("predicted.csv"), columns


def test_files_in_another_form_give_the_same(here):
    audited, predicted, columns = found_in("base.csv")
    assert columns == ["a", "b", "c"]
    for file, content in READABLE.values():
        write(here, file, content)
        found = found_in(file)
        for table, expected in zip(found[:2], (audited, predicted), strict=True):
            # Files without lines have none, and rows are then named by their positions.
            common = [name for name in expected if name in table]
            assert len(common) >= expected.shape[1] - 3
            pd.testing.assert_frame_equal(table[common], expected[common])
        assert found[2] == columns


def test_lines_are_those_of_the_file(here):
    write(here, "t.csv", "\n# made up\n" + ROWS.replace("\n", "\n\n").replace(",u,", ',"u\n",'))
    audited, predicted, _ = found_in("t.csv")
    written = (here / "t.csv").read_text().split("\n")
    for table in (audited, predicted):
        for row, line in zip(table["row"], table["line"], strict=True):
            assert written[line - 1].startswith(f"{BASE['a'][row]},{BASE['b'][row]},")
    done = runner.invoke(app, ["audit", "t.csv", "-t", "y", "--json"])
    for suspect in json.loads(done.stdout)["suspects"]:
        assert written[suspect["line"] - 1].startswith(f"{BASE['a'][suspect['row']]},")
    write(here, "t.csv", csv(y=[*Y[:7], "", *Y[8:]]).replace("\n", "\n\n"))
    done = call("fit", "t.csv")
    assert "has no label in 1 of 40 rows, the first of them line 17." in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_overwritten_unless_forced(here, command):
    arguments = [part.format(data="base.csv") for part in COMMANDS[command]]
    outputs = [part for part in arguments if part.endswith((".html", ".csv", "ted.blm"))][-1:]
    for name in outputs:
        write(here, name, "as it was")
    before = sorted(path.name for path in here.iterdir())
    done = runner.invoke(app, arguments[:-1])
    check_refused(done, f"{outputs[0]} exists; .* overwrite it by --force", here, before)
    assert (here / outputs[0]).read_text() == "as it was"
    assert runner.invoke(app, arguments).exit_code == 0
    assert (here / outputs[0]).read_bytes() != b"as it was"


@pytest.mark.parametrize("command", COMMANDS)
def test_standard_input_and_output(here, command):
    arguments = [part.format(data="base.csv") for part in COMMANDS[command]]
    assert runner.invoke(app, arguments).exit_code == 0
    place = arguments.index("--csv" if command == "audit" else "-o") + 1
    expected = (here / arguments[place]).read_bytes()
    arguments[place] = "-"
    arguments = ["-" if part == "base.csv" else part for part in arguments]
    done = runner.invoke(app, arguments, input=ROWS)
    assert done.exit_code == 0, done.stderr
    assert done.stdout_bytes == expected
    done = runner.invoke(app, [*arguments, "--json"], input=ROWS)
    assert done.exit_code == 2
    assert "--json prints to standard output" in done.stderr


def test_columns_are_found_by_name(here):
    expected = found_in("base.csv")[1]
    write(here, "t.csv", BASE.assign(more=1)[["y", "c", "more", "b", "a"]].to_csv(index=False))
    done = call("predict")
    assert "Ignored, as the model does not know them: 'y', 'more'" in done.stderr
    pd.testing.assert_frame_equal(pd.read_csv("predicted.csv"), expected)


def test_cells_that_are_formulas_stay_text(here):
    formulas = ["=cmd|' /C calc'!A0", "+1+1", "@SUM(A1)"]
    write(here, "t.csv", csv(c=rng.choice(formulas, N), y=np.where(Y == "yes", "=1+1", "-2+3")))
    for command in COMMANDS:
        assert call(command).exit_code == 0
    assert runner.invoke(app, ["predict", "fitted.blm", "t.csv", "-o", "own.csv"]).exit_code == 0
    for file in ("audit.csv", "own.csv"):
        text = (here / file).read_text()
        assert "'=1+1" in text
        assert not re.search(r'(^|,)"?[=+@]', text, re.MULTILINE)


@pytest.mark.parametrize(
    "changes",
    [
        {"c": ["two\nlines", 'a "quote"'] * (N // 2)},
        {"b": ""},
        {"c": ""},
        {"c": ["new", *BASE["c"][1:]]},
        {"a": [1e308, -1e308, *BASE["a"][2:]]},
        {"id": [f"p{i}" for i in range(N)]},
        {"\x1b[2J": 1.0},
    ],
    ids=["lines", "no number", "no text", "new level", "huge", "identifier", "escape"],
)
def test_odd_columns_work(here, changes):
    write(here, "t.csv", BASE.assign(**changes).to_csv(index=False))
    for command in COMMANDS:
        done = call(command)
        assert done.exit_code == 0, done.output
        assert "\x1b" not in done.output
        assert len(done.output) < 3000
    assert len(pd.read_csv("predicted.csv")) == N


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_file(here, command):
    (here / "folder.csv").mkdir()
    before = sorted(path.name for path in here.iterdir())
    for data, message in (
        ("folder.csv", "folder.csv is a folder, where a file is expected"),
        ("none.csv", "There is no file none.csv"),
    ):
        check_refused(call(command, data), message, here, before)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_may_not_be_read(here, command):
    write(here, "t.csv", ROWS)
    (here / "t.csv").chmod(0)
    before = sorted(path.name for path in here.iterdir())
    check_refused(call(command), "t.csv: Permission denied", here, before)


@pytest.mark.parametrize("command", COMMANDS)
def test_outputs_that_cannot_be_written(here, command):
    before = sorted(path.name for path in here.iterdir())
    for output in ("none/out", ".", "base.csv"):
        arguments = [part.format(data="base.csv") for part in COMMANDS[command]]
        arguments[arguments.index("-o") + 1] = output
        check_refused(runner.invoke(app, arguments), re.escape(output), here, before)
    assert (here / "base.csv").read_text() == ROWS


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_leaves_what_was_there(here, command, monkeypatch):
    outputs = [part for part in COMMANDS[command] if part.endswith((".html", ".csv", "ted.blm"))]
    for name in outputs:
        write(here, name, "as it was")
    before = sorted(path.name for path in here.iterdir())

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    check_refused(call(command, "base.csv"), "No space left on device", here, before)
    assert all((here / name).read_text() == "as it was" for name in outputs)
    monkeypatch.undo()
    monkeypatch.chdir(here)
    assert call(command, "base.csv").exit_code == 0
    assert all((here / name).read_bytes() != b"as it was" for name in outputs)


def test_in_a_process_of_its_own(here):
    write(here, "t.csv", np.random.default_rng(2).bytes(999))
    before = sorted(path.name for path in here.iterdir())
    arguments = [part.format(data="t.csv") for part in COMMANDS["fit"]]
    done = subprocess.run(
        [sys.executable, "-m", "broadlearn.cli", *arguments], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Error: t.csv is not text in UTF-8")
    assert len(done.stderr.splitlines()) == 1
    assert sorted(path.name for path in here.iterdir()) == before
