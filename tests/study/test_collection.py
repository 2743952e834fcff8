import numpy as np
import pandas as pd
import pytest
from made_up_collection import made_up, table, write_collection, write_pair, write_set

from broadlearn.study.collection import TWO_SCALES, read_collection
from broadlearn.study.published_results import published_classifiers

X = [[0.5, -1.0], [1.5, 2.0], [2.5, 3.0], [0.25, 0.0]]
Y = [0, 1, 1, 0]
SPLITS = [([0, 1], [2, 3]), ([2, 3], [0, 1])]


def only(root):
    (data,) = read_collection(root)
    return data


def test_values_labels_and_splits(tmp_path):
    X, y, splits = made_up(24, 3, 0)
    write_set(tmp_path, "iris", X, y, splits)
    data = only(tmp_path)
    assert data.name == "iris"
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert [(a.tolist(), b.tolist()) for a, b in data.splits] == splits


@pytest.mark.parametrize("inside", ["", "uci121"])
def test_the_collection_may_be_in_a_folder_of_data(tmp_path, inside):
    write_collection(tmp_path / inside)
    found = read_collection(tmp_path)
    assert [data.name for data in found] == ["iris", "pima", "tic-tac-toe"]


def test_names_restrict_and_hyphens_do_not_matter(tmp_path):
    write_collection(tmp_path)
    (data,) = read_collection(tmp_path, ["tic_tac_toe"])
    assert data.name == "tic-tac-toe"
    with pytest.raises(ValueError, match="has no usable data set wine, zoo"):
        read_collection(tmp_path, ["wine", "iris", "zoo"])


@pytest.mark.parametrize("missing", ["?", "NaN", "NA"])
def test_missing_values_are_kept_for_the_training_rows_to_fill(tmp_path, missing):
    write_set(tmp_path, "glass", [[0.5, missing], *X[1:]], Y, SPLITS)
    data = only(tmp_path)
    assert isinstance(data.X, pd.DataFrame)
    assert list(data.X.columns) == ["f1", "f2"]
    assert np.isnan(data.X.iloc[0, 1])
    np.testing.assert_array_equal(data.X.iloc[1:], X[1:])


def test_two_files_are_one_split(tmp_path):
    write_pair(tmp_path, "optical", (X, Y), ([[9.0, 9.0], [8.0, 8.0]], [1, 0]))
    data = only(tmp_path)
    assert data.X.shape == (6, 2)
    assert data.X[4].tolist() == [9.0, 9.0]
    assert data.y.tolist() == [0, 1, 1, 0, 1, 0]
    assert [(a.tolist(), b.tolist()) for a, b in data.splits] == [([0, 1, 2, 3], [4, 5])]


def test_two_scales_are_left_out_by_rule(tmp_path):
    assert set(TWO_SCALES) <= set(published_classifiers().index)
    assert len(TWO_SCALES) == 11
    write_pair(tmp_path, "monks-1", (X, Y), (X, Y))
    write_set(tmp_path, "mine", X, Y, SPLITS)
    (tmp_path / "notes").mkdir()
    write_set(tmp_path, "zoo", X, Y, SPLITS)
    assert only(tmp_path).name == "zoo"
    with pytest.raises(ValueError, match="has no usable data set monks-1, mine"):
        read_collection(tmp_path, ["monks_1", "mine"])


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("glass_R.dat", None, "No such file"),
        ("glass_R.dat", "f1\n0.5\n", "no column clase"),
        ("glass_R.dat", table([["x", 1], [2, 3]], [0, 1]), "Unable to parse string"),
        ("glass_R.dat", table([[1, 1], [2, 3]], [0, "?"]), "non-finite"),
        ("glass_R.dat", table(X[:3], Y[:3]), "rows from 0 to 2"),
        ("conxuntos_kfold.dat", "", "pairs of lines"),
        ("conxuntos_kfold.dat", "0 1\n2 3\n0\n", "pairs of lines"),
        ("conxuntos_kfold.dat", "0 1\n2 x\n", "invalid literal"),
    ],
)
def test_sets_that_cannot_be_read_are_named(tmp_path, file, text, expected):
    folder = write_set(tmp_path, "glass", X, Y, SPLITS)
    if text is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(text)
    with pytest.raises(ValueError, match=f"glass cannot be read: .*{expected}"):
        read_collection(tmp_path)


def test_a_file_name_cannot_leave_the_folder(tmp_path):
    folder = write_set(tmp_path, "glass", X, Y, SPLITS)
    (folder / "glass.txt").write_text("fich1= ../secret_R.dat\n")
    (tmp_path / "secret_R.dat").write_text(table(X, Y))
    with pytest.raises(ValueError, match="No such file"):
        read_collection(tmp_path)


def test_wrong_folders(tmp_path):
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(FileNotFoundError, match=r"collection is not in .*NAME\.txt"):
            read_collection(folder)


@pytest.mark.soak
def test_the_real_collection():
    try:
        found = read_collection()
    except FileNotFoundError:
        pytest.skip("needs the collection of 121 data sets: set BROADLEARN_DATA")
    for data in found:
        assert data.name in published_classifiers().index
        assert len(data.splits) in (1, 4)
        assert isinstance(data.X, np.ndarray)
