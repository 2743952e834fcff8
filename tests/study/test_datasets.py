import hashlib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from broadlearn.study import (
    Dataset,
    dataset_files,
    dataset_names,
    describe_dataset,
    load_dataset,
    pairwise_tasks,
)
from broadlearn.study.datasets import registry, values_sha256


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """No data anywhere but in the folder of the test."""
    monkeypatch.setattr("broadlearn.study.datasets.data_folders", lambda: iter([tmp_path]))
    monkeypatch.setenv("BROADLEARN_CACHE", str(tmp_path))
    return tmp_path


def original(X, y):
    """A table as the UCI collection writes it."""
    lines = ["\t".join(["", *(f"f{j}" for j in range(X.shape[1])), "clase"])]
    for i, (row, label) in enumerate(zip(X, y, strict=True), start=1):
        lines.append("\t".join([str(i), *(repr(float(v)) for v in row), str(label)]))
    return "\n".join(lines) + "\n"


def test_every_embedded_set_loads_without_a_file(empty):
    for name in dataset_names("embedded"):
        data = load_dataset(name)
        assert len(data.y) == describe_dataset(name).n_rows
    thinned = load_dataset("digits", "thinned")
    assert thinned.X.shape == (599, 64)
    assert len(np.unique(thinned.y)) == 10


def test_files_of_the_study_are_found_and_checked(empty):
    table = load_dataset("tic_tac_toe", "embedded")
    (empty / "uci28").mkdir()
    frame = pd.DataFrame(table.X).assign(target=table.y)
    frame.to_csv(empty / "uci28" / "tic_tac_toe.csv", index=False)
    assert dataset_files("tic_tac_toe") == [empty / "uci28" / "tic_tac_toe.csv"]
    data = load_dataset("tic_tac_toe")
    assert describe_dataset("tic_tac_toe").variant == ""
    np.testing.assert_array_equal(data.X, table.X)
    frame.iloc[0, 0] += 1
    frame.to_csv(empty / "uci28" / "tic_tac_toe.csv", index=False)
    with pytest.raises(ValueError, match=r"not the file of the study.*other values"):
        load_dataset("tic_tac_toe")


@pytest.fixture
def mirror(empty, monkeypatch):
    """Serves tables instead of the network, and counts the requests."""
    tables, asked = {}, []

    class Mirror:
        def __init__(self, path):
            self.path = path

        def fetch(self, file):
            asked.append(file)
            if file not in tables:
                raise OSError("404")
            (self.path / file).parent.mkdir(parents=True, exist_ok=True)
            (self.path / file).write_text(tables[file])
            return str(self.path / file)

    monkeypatch.setattr("pooch.create", lambda path, *_, **__: Mirror(path))
    return tables, asked


def test_missing_files_are_downloaded_once(empty, mirror, monkeypatch):
    tables, asked = mirror
    X, y = np.arange(6.0).reshape(3, 2), np.array([0, 1, 0])
    info = replace(registry()["pima", ""], sha256=values_sha256(X, y))
    monkeypatch.setitem(registry(), ("pima", ""), info)
    tables[info.files[0]] = original(X, y)
    for _ in range(2):
        np.testing.assert_array_equal(load_dataset("pima").X, X)
    assert dataset_files("pima") == [empty / "uci121" / info.files[0]]
    assert asked == [*info.files]


def test_downloads_with_other_values_are_refused_and_removed(empty, mirror):
    tables, _ = mirror
    (file,) = registry()["pima", ""].files
    tables[file] = original(np.ones((768, 8)), np.zeros(768, dtype=int))
    with pytest.raises(OSError, match=r"Could not download pima .*other values.*Unpack https"):
        load_dataset("pima")
    assert not (empty / "uci121" / file).exists()
    del tables[file]
    with pytest.raises(OSError, match=r"Could not download pima .404.*BROADLEARN_DATA"):
        load_dataset("pima")
    with pytest.raises(FileNotFoundError, match=r"no adult\.csv in any data folder"):
        load_dataset("adult")


def test_unknown_names_get_a_hint():
    with pytest.raises(ValueError, match="did you mean 'tic_tac_toe'"):
        load_dataset("tic-tac-to")
    with pytest.raises(ValueError, match="has no variant 'big'; use one of embedded, thinned"):
        describe_dataset("digits", "big")
    with pytest.raises(ValueError, match="kind must be one of"):
        dataset_names("huge")


def test_a_data_folder_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv("BROADLEARN_DATA", "nowhere")
    with pytest.raises(ValueError, match=r"BROADLEARN_DATA must name a folder.*nowhere"):
        load_dataset("pima")


def test_tables_of_ones_own():
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": [0.5, 1.0, 1.5, 2.0]}, index=[5, 6, 7, 8])
    numbers = Dataset("mine", frame, ["x", "y", "x", "y"])
    assert isinstance(numbers.X, np.ndarray)
    text = Dataset("mine", frame.assign(c=["u", "v", "u", None]), numbers.y)
    assert isinstance(text.X, pd.DataFrame)
    assert list(text.X.index) == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="'mine' must have a table X and one label per row"):
        Dataset("mine", frame, ["x"])


def test_pairs_of_groups():
    data = Dataset("d", np.arange(6.0)[:, None], ["a", "b", "c", "a", "b", "c"])
    _, second, third = pairwise_tasks(data, ["a", "b", "c"])
    assert second.name == "d: a vs c"
    assert second.X.ravel().tolist() == [0.0, 2.0, 3.0, 5.0]
    assert third.y.tolist() == ["b", "c", "b", "c"]
    for labels in (["a", "z"], ["a"]):
        with pytest.raises(ValueError, match="two or more labels of 'd', which are a, b, c; got a"):
            pairwise_tasks(data, labels)


def test_values_have_one_checksum_however_they_are_written():
    X, y = np.array([[0.0, 1.5]]), np.array([1])
    plain = hashlib.sha256(X.astype("<f8").tobytes() + y.astype("<i8").tobytes()).hexdigest()
    assert values_sha256(X, y) == values_sha256(-0.0 * X + X, y) == plain
