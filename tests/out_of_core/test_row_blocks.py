import numpy as np
import pandas as pd
import pytest

from broadlearn.out_of_core.row_blocks import row_source

X = np.arange(20.0).reshape(10, 2)
Y = np.arange(10)


def gathered(source):
    blocks = list(source())
    return np.concatenate([b[0] for b in blocks]), np.concatenate([b[1] for b in blocks])


def test_arrays_and_memory_maps(tmp_path):
    np.save(tmp_path / "x.npy", X)
    for rows in (X, np.load(tmp_path / "x.npy", mmap_mode="r")):
        source = row_source(rows, Y, sample_weight=Y + 1.0, block_rows=4)
        for _ in range(2):
            assert [len(block[0]) for block in source()] == [4, 4, 2]
        np.testing.assert_array_equal(gathered(source)[0], X)
        assert next(source())[2].tolist() == [1.0, 2.0, 3.0, 4.0]


def test_blocks_of_the_user():
    for source in ([(X, Y), [X, Y, Y]], lambda: iter([(X, Y), (X, Y, Y)])):
        blocks = row_source(source)
        assert [block[2] is None for block in blocks()] == [True, False]
        assert len(list(blocks())) == 2


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files(tmp_path, kind):
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(label=list("uvuvuvuvuv"))
    paths = [tmp_path / f"{i}.{kind}" for i in range(2)]
    for path, part in zip(paths, (frame[:6], frame[6:]), strict=True):
        part.to_csv(path, index=False) if kind == "csv" else part.to_parquet(path)
    source = row_source(paths, target="label", block_rows=4)
    rows, labels = gathered(source)
    np.testing.assert_array_equal(rows, X)
    np.testing.assert_array_equal(labels, list("uvuvuvuvuv"))
    assert [len(block[0]) for block in source()] == [4, 2, 4]
    np.testing.assert_array_equal(gathered(row_source(str(paths[0]), target="label"))[0], X[:6])


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"a": [1.0, 2.0], "y": [0, None]}, "target column 'y' of .* has missing values"),
        ({"a": [1.0, 2.0]}, "has no column 'y'; it has a"),
        ({"y": [0, 1]}, "no columns besides the target 'y'"),
    ],
)
def test_faults_of_files_are_named(tmp_path, frame, message):
    path = tmp_path / "x.parquet"
    pd.DataFrame(frame).to_parquet(path)
    with pytest.raises(ValueError, match=message):
        list(row_source(path, target="y")())


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"source": X}, ValueError, "y must be given"),
        ({"source": iter([(X, Y)])}, ValueError, "can be iterated only once"),
        ({"source": X, "y": Y, "target": "y"}, ValueError, "target is used for files only"),
        ({"source": X, "y": Y, "block_rows": 0}, ValueError, "block_rows must be at least 1"),
        ({"source": "x.csv"}, FileNotFoundError, "There is no file x.csv"),
        ({"source": "x.txt"}, ValueError, "unknown extension"),
        ({"source": __file__.replace(".py", ".csv"), "target": "y"}, FileNotFoundError, "no file"),
    ],
)
def test_bad_sources_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        row_source(**arguments)


def test_blocks_of_a_wrong_form_are_named():
    with pytest.raises(ValueError, match=r"Every block must be \(X, y\)"):
        list(row_source([X, X])())
    with pytest.raises(ValueError, match="y has 9 rows, but X has 10"):
        list(row_source(X, Y[:9])())
