import json

import numpy as np
import pandas as pd
from stub_audit import stub_audit

from broadlearn.auditing.changes import row_changes
from broadlearn.auditing.corrections import Corrections
from broadlearn.cli.audit_summary import (
    applied_facts,
    audit_facts,
    list_suspects,
    print_audit,
    suspects_listing,
    written_table,
)
from broadlearn.cli.console import print_table

X = pd.DataFrame({"line": np.arange(6.0), "label": list("uvwuvw")}, index=list("abcdef"))
Y = np.array([0, 0, 0, 1, 1, 1])
FOUND = {4: ("likely mislabelled", 0.9, 0), 1: ("outlier", 0.3)}


def test_suspects_have_row_line_and_values():
    found = stub_audit(X.set_axis(pd.Index([2, 3, 4, 5, 6, 7], name="line")), Y, FOUND)
    suspects = list_suspects(found)
    assert suspects.said[["row", "line"]].to_numpy().tolist() == [[4, 6], [1, 3]]
    assert list(suspects.values) == ["X: line", "X: label"]
    facts = json.loads(json.dumps(audit_facts(found, suspects)))
    assert facts["suspects"][0]["line"] == 6
    assert facts["suspects"][0]["values"] == {"X: line": 4.0, "X: label": "v"}
    assert facts["by_class"][1] == {
        "label": 1, "rows": 3, "flagged": 1, "expected": 1.0, "low": 0, "high": 3
    }  # fmt: skip
    assert facts["health"]["findings"][0]["rows"] == [0, 1]
    assert list_suspects(found, settled=[4]).said["row"].tolist() == [1]


def test_rows_without_lines_are_positions():
    table = written_table(stub_audit(X, Y, FOUND))
    assert (table.index.name, table.index[:2].tolist()) == ("row", [4, 1])
    assert "line" not in table


def test_what_is_printed(capsys):
    before, found = stub_audit(X, Y, FOUND), stub_audit(X[:5], Y[:5])
    print_audit(before)
    text = capsys.readouterr().out
    assert "rows: 6" in text
    assert "wrong labels: about 2 (0 to 6)" in text
    assert "flagged: 1 of 3 '1'" in text
    assert "verdicts: likely mislabelled: 1, outlier: 1, fine: 4" in text
    assert "health: 97 of 100" in text
    assert "duplicates: Some are copies. (-3 points)" in text
    print_audit(found, before)
    text = capsys.readouterr().out
    assert "rows: 6 → 5" in text
    assert "verdicts: likely mislabelled: 1 → 0, outlier: 1 → 0, fine: 4 → 5" in text
    assert "health: 97 of 100\n" in text
    assert "flagged" not in text


def test_regression_targets(capsys):
    found = stub_audit(X, np.linspace(0, 1, 6), {1: ("likely mislabelled", 0.9, 0.5)}, "regression")
    facts = audit_facts(found, list_suspects(found))
    assert facts["task"] == "regression"
    assert facts["by_class"] == []
    print_audit(found)
    assert "flagged" not in capsys.readouterr().out


def test_listing_is_text_and_not_markup(capsys):
    found = stub_audit(X, np.where(Y, "[red]one", "two"), {4: ("outlier", 0.9)})
    print_table(suspects_listing("outliers", list_suspects(found).said, 5))
    text = capsys.readouterr().out
    assert "[red]one" in text
    assert "0.90" in text


def test_what_was_applied():
    changes = row_changes(Y, [0], {1: 1})
    corrections = Corrections(changes, np.array([2]), 3, Y)
    facts = applied_facts(corrections, stub_audit(X, Y, FOUND))
    assert json.loads(json.dumps(facts))["before"]["verdicts"]["outlier"] == 1
    assert [facts[name] for name in ("dropped", "relabelled", "kept", "undecided")] == [1, 1, 1, 3]
