import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from broadlearn.io import Table
from broadlearn.study import fetch, folders
from broadlearn.study.dataset_registry import registry
from broadlearn.study.datasets import (
    Mirror,
    dataset_from_table,
    dataset_names,
    dataset_path,
    dataset_variants,
    describe_dataset,
    fetch_datasets,
    load_dataset,
    pairwise_tasks,
)
from broadlearn.study.embedded import EMBEDDED, monks, titanic

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data"
DATA = Path(os.environ.get("BROADLEARN_DATA", BESIDE))
FILES = [key for key, info in registry().items() if info.kind != "embedded"]


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """No data anywhere but in a folder of the test."""
    monkeypatch.setenv("BROADLEARN_DATA", str(tmp_path))
    monkeypatch.setenv("BROADLEARN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(folders, "_beside_the_repository", lambda: None)
    return tmp_path


@pytest.fixture
def files(monkeypatch):
    """The folder of the study's files."""
    if not DATA.is_dir():
        pytest.skip("no data folder: set BROADLEARN_DATA")
    monkeypatch.setenv("BROADLEARN_DATA", str(DATA))


def write_csv(path, X, y):
    header = ",".join([*(f"f{j + 1}" for j in range(X.shape[1])), "target"])
    rows = [
        ",".join([*map(repr, row), str(label)]) for row, label in zip(X.tolist(), y, strict=True)
    ]
    path.write_text("\n".join([header, *rows]) + "\n")


@pytest.mark.parametrize(("name", "variant"), FILES, ids=lambda part: part or "plain")
def test_files_of_the_study(files, name, variant):
    if dataset_path(name, variant) is None:
        pytest.skip(f"no file of {name} {variant}")
    data = load_dataset(name, variant or None, download=False)
    assert data.X.shape == (data.info.n_rows, data.info.n_columns)
    if isinstance(data.X, np.ndarray):
        assert data.X.dtype == np.float64
        assert data.y.dtype == np.int64
    assert data.info.kind in ("uci28", "extra")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tic_tac_toe", "titanic"])
def test_embedded_is_equal_to_the_file(files, name):
    embedded, file = load_dataset(name, "embedded"), load_dataset(name, download=False)
    if file.info.kind == "embedded":
        pytest.skip(f"no file of {name}")
    np.testing.assert_array_equal(embedded.X, file.X)
    np.testing.assert_array_equal(embedded.y, file.y)


def test_embedded_monks_is_the_second_part_of_the_file(files):
    file = load_dataset("monks_1", download=False)
    if file.info.kind == "embedded":
        pytest.skip("no file of monks_1")
    X, y = monks(1)
    np.testing.assert_array_equal(file.X[124:], X)
    np.testing.assert_array_equal(file.y[124:], y)


@pytest.mark.slow
@pytest.mark.parametrize("name", EMBEDDED)
def test_embedded_need_no_file(empty, name):
    for data in (load_dataset(name), load_dataset(name, "embedded", download=False)):
        assert data.name == name
        assert data.info == describe_dataset(name)
        assert data.info.source.startswith("embedded")
        assert data.X.shape == (data.info.n_rows, data.info.n_columns)


def test_file_is_preferred_to_what_is_embedded(empty):
    write_csv(empty / "titanic.csv", *titanic())
    assert dataset_path("titanic") == empty / "titanic.csv"
    assert load_dataset("titanic").info.kind == describe_dataset("titanic").kind == "uci28"
    assert load_dataset("titanic", "embedded").info.kind == "embedded"
    assert dataset_path("titanic", "embedded") is None


def test_other_values_are_refused(empty):
    X, y = titanic()
    write_csv(empty / "titanic.csv", X[::-1], y[::-1])
    with pytest.raises(
        ValueError, match=r"titanic\.csv is not the file of the study: it has other"
    ):
        load_dataset("titanic")
    (empty / "titanic.csv").write_text("f1,target\nx,y\n")
    with pytest.raises(ValueError, match=r"titanic\.csv is not the file of the study: could not"):
        load_dataset("titanic")


def test_what_is_nowhere(empty):
    with pytest.raises(FileNotFoundError, match=r"no pima\.csv in any data folder.*DATA"):
        load_dataset("pima", download=False)
    for name, variant in (("darwin", None), ("spect", "zjoined")):
        with pytest.raises(FileNotFoundError, match="set BROADLEARN_DATA"):
            load_dataset(name, variant)


def test_names_and_variants():
    assert dataset_names("uci28")[0] == "acute_inflammation"
    assert {"darwin", "adult", "magic", "letter"} <= set(dataset_names("extra"))
    assert len(dataset_names()) == len(set(dataset_names()))
    assert len(dataset_names("uci28")) == 28
    assert dataset_variants("pima") == []
    assert dataset_variants("iris") == ["embedded"]
    with pytest.raises(ValueError, match="kind must be one of uci28, extra, embedded or None"):
        dataset_names("uci")
    with pytest.raises(ValueError, match="no data set 'irs'; did you mean 'iris'"):
        dataset_variants("irs")
    with pytest.raises(ValueError, match="'pima' has no variant 'zjoined'"):
        load_dataset("pima", "zjoined")


def test_fetch(empty, tmp_path, monkeypatch):
    monkeypatch.setattr(fetch, "SCHEMES", ("file",))
    source = tmp_path / "mirror" / "titanic"
    source.mkdir(parents=True)
    X, y = titanic()
    rows = [
        [i, *row, label]
        for i, (row, label) in enumerate(zip(X.tolist(), y.tolist(), strict=True), 1)
    ]
    text = "\n".join(["\tf1\tf2\tf3\tclase", *("\t".join(map(str, row)) for row in rows)])
    (source / "titanic_R.dat").write_text(text)
    mirror = Mirror((tmp_path / "mirror").as_uri() + "/")
    cached = empty / "cache" / "uci28" / "titanic.csv"
    assert fetch_datasets(["titanic"], mirrors=[mirror]) == [cached]
    assert fetch_datasets(["titanic"], mirrors=[]) == [cached]
    np.testing.assert_array_equal(load_dataset("titanic").X, X)
    assert load_dataset("titanic").info.kind == "uci28"
    with pytest.raises(ValueError, match="darwin cannot be downloaded"):
        fetch_datasets(["titanic", "darwin"])
    with pytest.raises(OSError, match="Could not download pima"):
        fetch_datasets(["pima"], mirrors=[mirror])


def mixed_table(labels):
    n = len(labels)
    X = pd.DataFrame({"age": np.arange(n), "sex": ["f", "m"] * (n // 2)})
    return Table("clinic", X, np.array(labels), "group")


def test_data_set_of_a_table():
    data = dataset_from_table(mixed_table(["CN", "AD", "AD", "CN"]))
    assert isinstance(data.X, pd.DataFrame)
    assert (data.name, data.info.kind) == ("clinic", "table")
    assert (data.info.n_rows, data.info.n_columns) == (4, 2)
    assert data.info.class_counts == {"AD": 2, "CN": 2}
    table = mixed_table([0, 1])
    numbers = dataset_from_table(Table("numbers", table.X[["age"]], table.y, "group"))
    assert isinstance(numbers.X, np.ndarray)
    with pytest.raises(ValueError, match="'clinic' must have a target"):
        dataset_from_table(Table("clinic", table.X, None, None))


def test_pairwise_tasks_of_a_table():
    table = mixed_table(["CN", "AD", "MCI", "CN", "other", "AD"])
    tasks = pairwise_tasks(table, ["MCI", "CN", "AD"])
    assert [task.name for task in tasks] == [
        "clinic: MCI vs CN",
        "clinic: MCI vs AD",
        "clinic: CN vs AD",
    ]
    assert tasks[2].y.tolist() == ["CN", "AD", "CN", "AD"]
    assert tasks[2].X["age"].tolist() == [0, 1, 3, 5]
    assert tasks[2].X.index.tolist() == [0, 1, 2, 3]


def test_pairwise_tasks_of_numbered_labels():
    tasks = pairwise_tasks(load_dataset("iris"), ["0", "2"])
    assert [task.info.class_counts for task in tasks] == [{"0": 50, "2": 50}]
    assert tasks[0].y.dtype.kind == "i"


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (["CN", "EMCI"], "There is no group 'EMCI' in 'clinic'; its labels are 'AD', 'CN', 'MCI'"),
        (["CN"], "groups must be two or more different labels; got CN"),
        (["CN", "AD", "CN"], "groups must be two or more different labels"),
    ],
)
def test_wrong_groups(groups, message):
    with pytest.raises(ValueError, match=message):
        pairwise_tasks(mixed_table(["CN", "MCI", "AD", "CN"]), groups)
