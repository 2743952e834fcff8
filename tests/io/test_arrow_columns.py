import datetime
import decimal

import numpy as np
import pandas as pd
import pytest

from broadlearn.io import TablePreparation, rank_columns, read_table

pa = pytest.importorskip("pyarrow")
from patients import call  # noqa: E402
from pyarrow import ipc, parquet  # noqa: E402

from broadlearn.auditing import opinions  # noqa: E402
from broadlearn.io.arrow_columns import plain_types  # noqa: E402

N = 40
COUNTS = np.random.default_rng(0).integers(0, 1000, N)
WORDS = pa.array([["a", "b", "c"][k % 3] for k in COUNTS])
FEW = pa.array(COUNTS % 5)
USED = {
    **{f"moments in {u}": pa.array(COUNTS).cast(pa.timestamp(u)) for u in ("s", "ms", "us", "ns")},
    "far moments": pa.array([2**45 + int(k) for k in COUNTS], pa.timestamp("s")),
    "far moments of a zone": pa.array(
        [2**45 + int(k) for k in COUNTS], pa.timestamp("s", "Asia/Tokyo")
    ),
    "first and last": pa.array([(-1) ** k * (2**63 - 1 - k) for k in range(N)], pa.timestamp("us")),
    "moments at an offset": pa.array(COUNTS).cast(pa.timestamp("ms", "+05:30")),
    "days": pa.array(COUNTS, pa.int32()).cast(pa.date32()),
    "days beyond Python": pa.array(2**31 - 1 - COUNTS, pa.int32()).cast(pa.date32()),
    "days before Christ": pa.array(COUNTS - 900_000, pa.int32()).cast(pa.date32()),
    "days in ms": pa.array(COUNTS * 86_400_000, pa.int64()).cast(pa.date64()),
    "times": pa.array(COUNTS * 60, pa.int32()).cast(pa.time32("s")),
    "times in ns": pa.array(COUNTS * 10**10 + 1).cast(pa.time64("ns")),
    "durations": pa.array(COUNTS).cast(pa.duration("s")),
    "longest durations": pa.array(
        [(-1) ** k * (2**63 - 9 - k) for k in range(N)], pa.duration("s")
    ),
    "decimals": pa.array([decimal.Decimal(int(k)) / 8 for k in COUNTS], pa.decimal256(76, 3)),
    "texts as bytes": WORDS.cast(pa.binary()),
    "texts of fixed length": pa.array([text.as_py().encode() for text in WORDS], pa.binary(1)),
    "views": WORDS.cast(pa.string_view()),
    "levels": WORDS.dictionary_encode(),
    "levels of bytes": WORDS.cast(pa.binary()).dictionary_encode(),
    "levels of moments": FEW.cast(pa.timestamp("s")).dictionary_encode(),
    "levels of decimals": FEW.cast(pa.decimal128(20)).dictionary_encode(),
    "equal levels": pa.DictionaryArray.from_arrays(COUNTS % 3, pa.array(["a", "a", "b"])),
    "a level of nothing": pa.DictionaryArray.from_arrays(COUNTS % 2, pa.array(["a", None])),
    "halves": pa.array(COUNTS.astype(np.float16)),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([10, N], pa.int32()), pa.array([1.5, 2.5])),
    "runs of texts": pa.RunEndEncodedArray.from_arrays(pa.array([10, N], pa.int32()), ["a", "b"]),
}
REFUSED = {
    "bytes": pa.array([b"\xff\0"] * N),
    "lists": pa.array([[1, 2]] * N),
    "records": pa.array([{"a": 1}] * N),
    "maps": pa.array([[("k", 1)]] * N, pa.map_(pa.string(), pa.int64())),
    "lists that overlap": pa.ListViewArray.from_arrays([0] * N, [2] * N, [1, 2]),
    "runs of lists": pa.RunEndEncodedArray.from_arrays([N], [[1, 2]]),
    "a union": pa.UnionArray.from_dense(
        pa.array([0] * N, pa.int8()), pa.array(range(N), pa.int32()), [pa.array(COUNTS)]
    ),
    "intervals": pa.array([(1, 2, 3)] * N, pa.month_day_nano_interval()),
}


def written(column, path):
    """A table with a column of numbers, one under test, and classes."""
    names = ["size", "odd", "ill"]
    table = pa.table([pa.array(COUNTS / 7), column, pa.array(COUNTS > 500)], names)
    if path.suffix == ".parquet":
        try:
            parquet.write_table(table, path)
        except pa.ArrowException:
            pytest.skip("Parquet has no such type")
    else:
        with ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=16)
    return path


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
@pytest.mark.parametrize("name", USED)
@pytest.mark.filterwarnings("ignore:Column:UserWarning")
def test_columns_of_every_type_are_used(name, ending, tmp_path):
    table = read_table(written(USED[name], tmp_path / f"t{ending}"), "ill")
    prepare = TablePreparation().fit(table.X, table.y)
    assert prepare.columns_[1].kind not in ("empty", "constant")
    assert np.isfinite(prepare.transform(table.X)).all()
    ranked = rank_columns(prepare.read(table.X))
    assert ranked.n_levels[1] > (0 if name == "a level of nothing" else 1)


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
@pytest.mark.parametrize("name", REFUSED)
def test_others_are_refused_by_name_unless_they_are_dropped(name, ending, tmp_path):
    path = written(REFUSED[name], tmp_path / f"t{ending}")
    with pytest.raises(ValueError, match=r"^Column 'odd' is refused: only numbers"):
        read_table(path, "ill")
    assert list(read_table(path, "ill", drop=["odd"]).X) == ["size"]


def test_moments_are_those_of_the_file(tmp_path):
    for name in ("far moments", "far moments of a zone", "days beyond Python"):
        path = written(USED[name], tmp_path / "t.feather")
        found = read_table(path, "ill").X["odd"].to_numpy().astype("datetime64[s]").astype(np.int64)
        days = name.startswith("days")
        expected = (2**31 - 1 - COUNTS) * 86_400 if days else 2**45 + COUNTS
        np.testing.assert_array_equal(found, expected)


def test_zones_that_nobody_knows_are_taken_as_utc(tmp_path):
    path = written(pa.array(COUNTS).cast(pa.timestamp("s", "Mars")), tmp_path / "t.feather")
    with pytest.warns(UserWarning, match="'odd' of .* a zone that is not known, 'Mars'"):
        table = read_table(path, "ill")
    assert str(table.X["odd"].dtype) == "datetime64[s, UTC]"
    assert table.X["odd"].astype(np.int64).tolist() == COUNTS.tolist()


def test_damage_names_the_column(tmp_path):
    late = pa.array([10**6] * N, pa.int32()).cast(pa.time32("s"))
    with pytest.raises(ValueError, match="column 'odd' is damaged"):
        read_table(written(late, tmp_path / "t.feather"), "ill")


@pytest.mark.parametrize("kind", ["runs", "views", "lists", "unions"])
def test_a_text_that_stands_for_very_many_is_not_repeated(kind, tmp_path):
    n, long = 300_000, ["x" * 100_000, "y" * 100_000]
    zeros = pa.array(np.zeros(n, np.int32))
    # Length, first letters, buffer and place.
    views = np.tile(np.array([100_000, 0x78787878, 0, 0], np.int32), n)
    column = {
        "runs": lambda: pa.RunEndEncodedArray.from_arrays(pa.array([n - 1, n], pa.int32()), long),
        "views": lambda: pa.Array.from_buffers(
            pa.string_view(), n, [None, pa.py_buffer(views), pa.py_buffer(long[0].encode())]
        ),
        "lists": lambda: pa.ListViewArray.from_arrays(
            zeros, pa.array(np.full(n, 100_000, np.int32)), pa.array(np.zeros(100_000))
        ),
        "unions": lambda: pa.UnionArray.from_dense(zeros.cast(pa.int8()), zeros, [pa.array(long)]),
    }[kind]()
    path = tmp_path / "t.arrow"
    table = pa.table([column, pa.array(np.arange(n) % 2)], ["odd", "ill"])
    with ipc.new_stream(path, table.schema, options=ipc.IpcWriteOptions(compression="zstd")) as out:
        out.write_table(table)
    if kind == "runs":
        assert len(read_table(path, "ill", max_memory="100MB").X) == n
        return
    refused = "needs about" if kind == "views" else "Column 'odd' is refused"
    with pytest.raises(ValueError, match=refused):
        read_table(path, "ill", max_memory="100MB")


def test_frames_with_types_of_arrow():
    frame = pd.DataFrame(
        {name: pd.arrays.ArrowExtensionArray(column) for name, column in USED.items()},
        index=range(5, 5 + N),
    )
    plain = plain_types(frame)
    assert list(plain.columns) == list(USED)
    assert plain.index.equals(frame.index)
    assert not any(isinstance(dtype, pd.ArrowDtype) for dtype in plain.dtypes)
    assert plain["days"].iloc[0] == datetime.date(1970, 1, 1) + datetime.timedelta(int(COUNTS[0]))
    assert plain_types(plain) is plain
    assert np.isfinite(TablePreparation().fit_transform(frame)).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["first and last", "far moments of a zone", "longest durations"])
def test_commands_take_dates_of_any_size(name, tmp_path, monkeypatch):
    monkeypatch.setattr(opinions, "TREES", 40)
    path, model = written(USED[name], tmp_path / "t.feather"), tmp_path / "m.blm"
    for arguments in (
        ("inspect", path, "-t", "ill"),
        ("fit", path, "-t", "ill", "-m", "bls", "-o", model),
        ("predict", model, path),
        ("evaluate", model, path),
        ("audit", path, "-t", "ill"),
    ):
        done = call(*arguments)
        assert done.exit_code == 0, (arguments[0], done.output)
