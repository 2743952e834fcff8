import io
import pickle

import pytest
from sklearn.dummy import DummyClassifier

from broadlearn.study import Unit, load_dataset
from broadlearn.study.search_spaces import ModelSpec
from broadlearn.study.unit_server import _answer, attempt, read_message, write_message

UNIT = Unit("iris", "none", "BLS", "nested", 0, "reduced", "5ac1")


class Raises(DummyClassifier):
    def fit(self, X, y, sample_weight=None):
        raise MemoryError("no more")


def test_messages_are_read_as_they_were_written():
    stream = io.BytesIO()
    for message in (b"", b"one", b"x" * 10_000):
        write_message(stream, message)
    content = stream.getvalue()
    stream.seek(0)
    assert [read_message(stream) for _ in range(4)] == [b"", b"one", b"x" * 10_000, None]
    for cut in (3, len(content) - 1):
        stream = io.BytesIO(content[:cut])
        assert [read_message(stream) for _ in range(3)][-1] is None


def test_a_unit_is_run():
    outcome = attempt(UNIT, load_dataset("iris"), ModelSpec("majority", DummyClassifier()))
    assert outcome.status == "done"
    assert outcome.result.mean == pytest.approx(1 / 3)


def test_an_error_names_its_place_and_the_limit():
    spec = ModelSpec("raises", Raises())
    outcome = attempt(UNIT, load_dataset("iris"), spec)
    assert (outcome.status, outcome.error) == ("failed", "MemoryError: no more [in fit]")


def test_what_cannot_be_read_is_a_failure():
    outcome = _answer(pickle.dumps((UNIT, b"cnot_there\nModel\n.", None)))
    assert outcome.status == "failed"
    assert "ModuleNotFoundError: No module named 'not_there'" in outcome.error


def test_an_interrupt_in_the_process_is_one_of_the_study():
    class Interrupted(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            raise KeyboardInterrupt

    outcome = attempt(UNIT, load_dataset("iris"), ModelSpec("interrupted", Interrupted()))
    assert (outcome.status, outcome.result) == ("interrupted", None)
