import struct

import numpy as np
import pandas as pd
import pytest

from broadlearn.io import FileOptions, read_file
from broadlearn.io.arrow_sizes import _message_sizes
from broadlearn.utils import TooLargeError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
SMALL, LARGE = FileOptions(max_memory="10MB"), FileOptions(max_memory="1GB")
REFUSED = r" needs about .* MB of memory, and may have 10 MB"


def test_runs_of_one_value(tmp_path):
    path = tmp_path / "t.parquet"
    zeros = pa.array(np.zeros(3_000_000, dtype=np.int8))
    pq.write_table(pa.table({"a": zeros, "b": zeros}), path)
    assert path.stat().st_size < 50_000
    with pytest.raises(TooLargeError, match=rf"t\.parquet{REFUSED}"):
        read_file(path, SMALL)
    assert len(read_file(path, LARGE).frame) == 3_000_000


def test_one_text_for_many_rows(tmp_path):
    path = tmp_path / "t.parquet"
    codes = pa.array(np.zeros(2_000, dtype=np.int32))
    texts = pa.DictionaryArray.from_arrays(codes, ["x" * 10_000]).cast("string")
    pq.write_table(pa.table({"a": texts}), path)
    assert path.stat().st_size < 20_000
    with pytest.raises(TooLargeError, match=r"needs about 40.\d MB"):
        read_file(path, FileOptions(max_memory="20MB"))
    assert len(read_file(path, LARGE).frame) == 2_000


def test_few_rows_of_long_lists(tmp_path):
    path = tmp_path / "t.parquet"
    lists = pa.array([[0] * 500_000, [1]])
    pq.write_table(pa.table({"a": lists}), path)
    with pytest.raises(TooLargeError, match=REFUSED):
        read_file(path, SMALL)


@pytest.mark.parametrize("compression", ["lz4", "zstd", "uncompressed"])
@pytest.mark.parametrize("stream", [False, True])
def test_batches(compression, stream, tmp_path):
    path = tmp_path / "t.arrow"
    frame = pd.DataFrame({"a": np.zeros(300_000), "b": ["x", "y", "y"] * 100_000})
    table = pa.Table.from_pandas(frame, preserve_index=False)
    options = pa.ipc.IpcWriteOptions(compression=None if compression[0] == "u" else compression)
    opener = pa.ipc.new_stream if stream else pa.ipc.new_file
    with opener(str(path), table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=100_000)
    with pytest.raises(TooLargeError, match=REFUSED):
        read_file(path, SMALL)
    pd.testing.assert_frame_equal(read_file(path, LARGE).frame, frame, check_dtype=False)


def test_sizes_of_a_message():
    batch = pa.record_batch({"a": np.zeros(1000), "b": np.arange(1000, dtype=np.int8)})
    for compression in (None, "zstd"):
        sink = pa.BufferOutputStream()
        options = pa.ipc.IpcWriteOptions(compression=compression)
        with pa.ipc.new_stream(sink, batch.schema, options=options) as writer:
            writer.write_batch(batch)
        reader = pa.ipc.MessageReader.open_stream(sink.getvalue())
        assert _message_sizes(reader.read_next_message().metadata.to_pybytes(), b"") == (-1, 0)
        message = reader.read_next_message()
        rows, size = _message_sizes(message.metadata.to_pybytes(), message.body)
        assert rows == 1000
        assert 9000 <= size < 9200


def test_damaged_messages():
    for metadata in (b"", b"\0" * 3, b"\xff" * 40, struct.pack("<Ii", 4, 100)):
        with pytest.raises(ValueError, match="points outside of itself"):
            _message_sizes(metadata, b"")


def test_too_many_columns(tmp_path, monkeypatch):
    monkeypatch.setattr("broadlearn.io.text_sizes.MAX_COLUMNS", 3)
    frame = pd.DataFrame(np.zeros((2, 4)), columns=list("abcd"))
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_feather(tmp_path / "t.feather")
    for name in ("t.parquet", "t.feather"):
        with pytest.raises(TooLargeError, match="has 4 columns, of which at most 3"):
            read_file(tmp_path / name)


def test_offsets_that_point_outside(tmp_path):
    table = pa.table({"a": pa.array(["xy"] * 20), "b": pa.array(range(20))})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    content = sink.getvalue().to_pybytes()
    offsets = np.arange(0, 42, 2, dtype=np.int32).tobytes()
    assert content.count(offsets) == 1
    far = struct.pack("<i", 1 << 30)
    place = content.index(offsets) + 40
    path = tmp_path / "t.arrow"
    path.write_bytes(content[:place] + far + content[place + 4 :])
    with pytest.raises(ValueError, match=r"not a readable Feather or Arrow file: column 'a' is"):
        read_file(path)
