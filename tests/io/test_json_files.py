import json

import numpy as np
import pytest

from broadlearn.io import FileOptions, read_file
from broadlearn.io.json_files import is_json
from broadlearn.utils import TooLargeError


def read(folder, text, name="t.json", **options):
    path = folder / name
    path.write_text(text)
    return read_file(path, FileOptions(**options)).frame


@pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
@pytest.mark.parametrize(("start", "end"), [("[", "]"), ('{"a":', "}")])
def test_too_deep(name, start, end, tmp_path):
    with pytest.raises(ValueError, match=r"is no table: its lists or records are nested too"):
        read(tmp_path, start * 100_000 + "1" + end * 100_000, name)


def test_records_with_names_of_their_own(tmp_path):
    text = json.dumps([{f"c{i}": 1} for i in range(2000)])
    with pytest.raises(TooLargeError, match=r"needs about 200 MB"):
        read(tmp_path, text, max_memory="100MB")
    nested = json.dumps([{"a": {f"c{i}": 1}} for i in range(2000)])
    with pytest.raises(TooLargeError, match=r"needs about 200 MB"):
        read(tmp_path, nested, max_memory="100MB")
    assert read(tmp_path, json.dumps([{"a": {"b": 1, "c": 2}}, {"d": 3}])).shape == (2, 3)


def test_large_texts(tmp_path):
    text = json.dumps([{"a": 1}] * 10_000)
    with pytest.raises(TooLargeError, match=r"needs about 2\.4 MB"):
        read(tmp_path, text, max_memory="1MB")
    lines = '{"a": 1}\n' * 10_000
    with pytest.raises(TooLargeError, match=r"needs about 2\.16 MB"):
        read(tmp_path, lines, "t.jsonl", max_memory="1MB")


def test_is_json():
    assert is_json('{"a": 1}')
    assert not is_json("{")
    assert not is_json("[" * 100_000)


@pytest.mark.parametrize("content", [{"\ud800b": [1, 2]}, [{"a": "x"}, {"a": "\udfff"}]])
def test_halves_of_characters(content, tmp_path):
    with pytest.raises(ValueError, match=r"holds halves of characters, such as '.ud"):
        read(tmp_path, json.dumps(content))


@pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
def test_halves_of_characters_among_numbers(name, tmp_path):
    records = [{"a": 1, "b": "\U0001f600"}, {"a": "\ud800", "b": "x"}]
    with pytest.raises(ValueError, match=r"holds halves of characters, such as '.ud800"):
        read(tmp_path, "\n".join(map(json.dumps, records)), name)
    assert read(tmp_path, json.dumps(records[0]), "t.jsonl")["b"][0] == "\U0001f600"


@pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
@pytest.mark.parametrize("digits", [400, 5000])
def test_whole_numbers_that_no_float_can_hold(name, digits, tmp_path):
    text = '{"a": %s}\n{"a": -%s}\n{"a": 1e999}' % (("9" * digits,) * 2)
    assert read(tmp_path, text, name)["a"].tolist() == [np.inf, -np.inf, np.inf]
    whole = 10**290 + 1
    assert read(tmp_path, json.dumps([{"a": whole}]))["a"][0] == whole
