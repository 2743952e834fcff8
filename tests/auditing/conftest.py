import pytest

from broadlearn.auditing import opinions


@pytest.fixture(autouse=True)
def small_forests(monkeypatch):
    """Forests that are enough for small tables, so that audits take less time."""
    monkeypatch.setattr(opinions, "TREES", 80)
