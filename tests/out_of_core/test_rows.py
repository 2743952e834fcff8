import numpy as np
import pytest

from broadlearn.out_of_core.rows import row_source

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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": X}, "y must be given"),
        ({"source": iter([(X, Y)])}, "can be iterated only once"),
        ({"source": X, "y": Y, "block_rows": 0}, "block_rows must be at least 1"),
    ],
)
def test_bad_sources_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        row_source(**arguments)


def test_blocks_of_a_wrong_form_are_named():
    with pytest.raises(ValueError, match=r"Every block must be \(X, y\)"):
        list(row_source("table.parquet")())
    with pytest.raises(ValueError, match="y has 9 rows, but X has 10"):
        list(row_source(X, Y[:9])())
