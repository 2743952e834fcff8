import numpy as np
import pandas as pd
import pytest
from made_up_audit import blood, made_up_audit, quantity, wide

from broadlearn.auditing import page_rows
from broadlearn.auditing.page_rows import list_cards, row_data


def listed(audit):
    return audit.table[audit.table["verdict"] != "fine"]


def test_cards_say_what_the_table_says():
    audit = blood()
    table = listed(audit)
    first = list_cards(audit, table)[0]
    assert first.name == table.index[0]
    assert first[2:] == tuple(
        table.iloc[0][["verdict", "suspicion", "label", "likely_label", "why"]]
    )


def test_quantities_are_short():
    audit = quantity()
    card = list_cards(audit, listed(audit))[0]
    assert float(card.label) == pytest.approx(listed(audit)["label"].iloc[0], rel=1e-5)
    assert len(card.label) <= 8


def test_nearest_rows_are_of_the_own_and_of_the_likely_class():
    audit = wide()
    data = row_data(audit, listed(audit))
    codes = audit.evidence.rows.codes
    for suspect in data["suspects"]:
        i = suspect["row"]
        assert suspect["own"] == audit.evidence.near.own[i][:3].tolist()
        if suspect["likely"] != codes[i]:
            assert {int(codes[j]) for j in suspect["other"]} == {suspect["likely"]}
    held = {i for s in data["suspects"] for i in (s["row"], *s["own"], *s["other"])}
    assert set(data["rows"]) == held


def test_rows_of_other_classes_where_none_of_the_likely_is_near():
    audit = wide()
    audit.evidence.near.other[:] = np.where(audit.evidence.rows.codes == 0, 1, 0)[:, None]
    audit.evidence.near.other[:, 1:] = -1
    assert all(len(s["other"]) == 1 for s in row_data(audit, listed(audit))["suspects"])


def test_values_as_a_person_reads_them():
    X = pd.DataFrame(
        {
            "whole": [3, 2**60, 5, 6],
            "real": [1 / 3, np.nan, 12500.0, np.inf],
            "text": ["a", None, "x" * 300, "b"],
            "flag": [True, False, True, False],
            "day": pd.to_datetime(["2024-01-02", None, "2024-01-04", "2024-01-05"]),
        }
    )
    kinds = {name: page_rows._cells(X[name]) for name in X}
    assert kinds["whole"] == [3, str(2**60), 5, 6]
    assert kinds["real"] == [0.333333, None, 12500, "inf"]
    assert kinds["text"][:2] == ["a", None]
    assert len(kinds["text"][2]) == page_rows.MAX_TEXT_LENGTH
    assert kinds["flag"] == ["True", "False", "True", "False"]
    assert kinds["day"][0].startswith("2024-01-02")
    assert kinds["day"][1] is None


def test_scale_is_that_of_the_middle_half():
    values = np.random.default_rng(0).normal(scale=2.0, size=2000)
    values[0] = 1e6
    assert page_rows._scale(pd.Series(values)) == pytest.approx(2.0, rel=0.1)
    assert page_rows._scale(pd.Series([0.0] * 9 + [1.0])) == pytest.approx(0.3)
    assert page_rows._scale(pd.Series([np.nan, np.nan])) == 0.0
    assert page_rows._scale(pd.Series(["a", "b"])) is None


def test_of_many_columns_those_that_speak(monkeypatch):
    monkeypatch.setattr(page_rows, "MAX_COLUMNS", 2)
    rng = np.random.default_rng(0)
    audit = made_up_audit(
        pd.DataFrame(rng.normal(size=(60, 5)), columns=list("abcde")), rng.integers(0, 2, 60), 0.2
    )
    audit.evidence.column_shares[:] = [0.1, 0.5, 0.0, 0.4, 0.0]
    data = row_data(audit, listed(audit))
    assert data["columns"] == ["b", "d"]
    assert data["suspects"][0]["shares"] == {0: 0.5, 1: 0.4}
    assert {len(row) for row in data["rows"].values()} == {4}
