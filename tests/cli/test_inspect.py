import json

import numpy as np
import pandas as pd
from patients import call


def write(folder):
    rng = np.random.default_rng(0)
    y = rng.choice(["yes", "no"], 60)
    frame = pd.DataFrame(
        {
            "nr": range(60),
            "paid": [f"{x:,.2f}" for x in rng.lognormal(8, 1, 60)],
            "code": np.where(y == "yes", "A", "B"),
            "kind": rng.integers(1, 4, 60),
            "y": y,
        }
    )
    frame.to_csv(folder / "t.csv", index=False)


def test_columns_are_listed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    done = call("inspect", "t.csv", "-t", "y")
    assert done.exit_code == 0, done.output
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line.strip()}
    assert "identifier" in lines["nr"]
    assert "number as text" in lines["paid"]
    assert "leak" in lines["code"]
    assert "1 doubtful" in done.stdout


def test_kinds_and_json(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    done = call("inspect", "t.csv", "--as", "kind=category,nr=number", "--drop", "code", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["target"] is None
    assert {column["name"]: column["kind"] for column in found["columns"]} == {
        **{"nr": "number", "paid": "number as text", "kind": "category"},
        "y": "boolean",
    }
    done = call("inspect", "t.csv", "--as", "kind=colour")
    assert done.exit_code == 2
    assert "A kind of column must be one of number" in done.stderr
