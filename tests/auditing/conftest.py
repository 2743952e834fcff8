import pytest

from broadlearn.auditing import opinions


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    """Trees that are enough for small tables, so that audits take less time."""
    monkeypatch.setattr(opinions, "TREES", 80)
    monkeypatch.setattr(opinions, "ROUNDS", 5)
